#include "engine/publishing.hpp"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace zlink::engine {
namespace {

base::bytes_view bytes_of (std::string_view text)
{
    return {reinterpret_cast<const std::byte *> (text.data ()), text.size ()};
}

TEST (choice, holds_for_what_begins_alike)
{
    choice made;
    EXPECT_FALSE (made.holds (0, bytes_of ("weather")));
    made.keep (3, bytes_of ("weather"), 4);
    EXPECT_TRUE (made.holds (3, bytes_of ("weather")));
    EXPECT_TRUE (made.holds (3, bytes_of ("weat")));
    EXPECT_TRUE (made.holds (3, bytes_of ("weathered")));
    EXPECT_FALSE (made.holds (3, bytes_of ("wea")));
    EXPECT_FALSE (made.holds (3, bytes_of ("weak link")));
    EXPECT_FALSE (made.holds (3, bytes_of ("")));
}

// Beginnings of up to a word, and longer ones; texts on either side of a word.
TEST (choice, compares_every_byte_it_looked_at)
{
    const std::string text = "abcdefghijklmnopqrstuvwxyz";
    for (std::size_t looked_at = 0; looked_at <= 12; ++looked_at) {
        choice made;
        made.keep (1, bytes_of ("previous one"), 12);
        made.keep (1, bytes_of (text), looked_at);
        for (std::size_t size = 0; size <= 16; ++size) {
            const std::string whole = text.substr (0, size);
            EXPECT_EQ (made.holds (1, bytes_of (whole)), size >= looked_at) << looked_at << ' ' << size;
            for (std::size_t at = 0; at < size; ++at) {
                std::string other = whole;
                other[at] = '!';
                EXPECT_EQ (made.holds (1, bytes_of (other)), size >= looked_at && at >= looked_at)
                  << looked_at << ' ' << size << ' ' << at;
            }
        }
    }
}

TEST (choice, is_not_compared_again_for_one_of_the_same_name)
{
    choice made;
    made.keep (1, bytes_of ("weather"), 4);
    EXPECT_FALSE (made.holds_named (1, bytes_of ("other"), 7)) << "its name says nothing yet";
    EXPECT_FALSE (made.holds_named (1, bytes_of ("other"), 7));
    EXPECT_TRUE (made.holds_named (1, bytes_of ("weather"), 8));
    EXPECT_TRUE (made.holds_named (1, bytes_of ("never looked at"), 8));
    EXPECT_FALSE (made.holds_named (2, bytes_of ("weather"), 8)) << "topics have changed";
    EXPECT_FALSE (made.holds_named (1, bytes_of ("other"), 0)) << "it has no name";
    EXPECT_TRUE (made.holds_named (1, bytes_of ("weather"), 0));
    EXPECT_TRUE (made.holds_named (1, bytes_of ("never looked at"), 8)) << "still the last that has one";
    made.keep (1, bytes_of ("other"), 4);
    EXPECT_FALSE (made.holds_named (1, bytes_of ("weather"), 8)) << "it is about another";
    made.forget ();
    EXPECT_FALSE (made.holds_named (1, bytes_of ("other"), 8));
}

TEST (choice, of_no_byte_holds_for_all)
{
    choice made;
    made.keep (1, bytes_of ("x"), 0);
    EXPECT_TRUE (made.holds (1, bytes_of ("")));
    EXPECT_TRUE (made.holds (1, bytes_of ("anything")));
}

TEST (choice, ends_when_topics_change_or_it_is_forgotten)
{
    choice made;
    made.keep (1, bytes_of ("x"), 1);
    EXPECT_FALSE (made.holds (2, bytes_of ("x")));
    EXPECT_TRUE (made.holds (1, bytes_of ("x")));
    made.forget ();
    EXPECT_FALSE (made.holds (1, bytes_of ("x")));
}

TEST (choice, of_too_many_bytes_is_not_kept)
{
    const std::string long_topic (choice::beginning_max + 1, 't');
    choice made;
    made.keep (1, bytes_of (long_topic), choice::beginning_max);
    EXPECT_TRUE (made.holds (1, bytes_of (long_topic)));
    made.keep (1, bytes_of (long_topic), long_topic.size ());
    EXPECT_FALSE (made.holds (1, bytes_of (long_topic)));
    made.keep (1, bytes_of (long_topic), 1);
    made.keep (1, bytes_of (long_topic), topic_trie::open_end);
    EXPECT_FALSE (made.holds (1, bytes_of (long_topic)));
}

}  // namespace
}  // namespace zlink::engine
