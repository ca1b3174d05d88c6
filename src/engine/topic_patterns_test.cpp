#include "engine/topic_patterns.hpp"

#include <string>

#include <gtest/gtest.h>

#include "base/glob.hpp"
#include "engine/limits.hpp"

namespace zlink::engine {
namespace {

using namespace std::string_literals;

using base::as_bytes;
using base::errc;

TEST (topic_patterns, match_when_one_does)
{
    topic_patterns all;
    EXPECT_TRUE (all.empty ());
    EXPECT_FALSE (all.matches (as_bytes ("a.b")));
    ASSERT_TRUE (all.add (as_bytes ("a.*")).ok ());
    ASSERT_TRUE (all.add (as_bytes ("#.z")).ok ());
    EXPECT_TRUE (all.matches (as_bytes ("a.b")));
    EXPECT_TRUE (all.matches (as_bytes ("b.z")));
    EXPECT_FALSE (all.matches (as_bytes ("b.y")));
    EXPECT_FALSE (all.matches (as_bytes ("")));
}

TEST (topic_patterns, that_end_with_a_0_are_of_what_stands_in_front_of_one)
{
    using namespace std::string_view_literals;
    topic_patterns all;
    ASSERT_TRUE (all.add (as_bytes ("a.#\0"sv)).ok ());
    ASSERT_TRUE (all.add (as_bytes ("b.?\0"sv)).ok ());
    EXPECT_EQ (topic_patterns::beginning (as_bytes ("a.#\0"sv)).size (), 1u);
    EXPECT_EQ (topic_patterns::beginning (as_bytes ("ab\0"sv)).size (), 2u);
    const std::string body = "\0x.y/z"s + std::string (base::glob_text_bytes_max, '.');
    EXPECT_TRUE (all.matches (as_bytes ("a.b.c" + body)));
    EXPECT_TRUE (all.matches (as_bytes ("a" + body)));
    EXPECT_FALSE (all.matches (as_bytes ("ab" + body)));
    EXPECT_TRUE (all.matches (as_bytes ("b.c" + body)));
    EXPECT_FALSE (all.matches (as_bytes ("b.cd" + body)));
    EXPECT_FALSE (all.matches (as_bytes ("b.c")));
    EXPECT_TRUE (all.remove (as_bytes ("b.?\0"sv)));
    EXPECT_FALSE (all.matches (as_bytes ("b.c" + body)));
}

TEST (topic_patterns, add_up)
{
    topic_patterns all;
    ASSERT_TRUE (all.add (as_bytes ("a*")).ok ());
    ASSERT_TRUE (all.add (as_bytes ("a*")).ok ());
    EXPECT_FALSE (all.remove (as_bytes ("a")));
    EXPECT_TRUE (all.remove (as_bytes ("a*")));
    EXPECT_TRUE (all.matches (as_bytes ("ab")));
    EXPECT_TRUE (all.remove (as_bytes ("a*")));
    EXPECT_FALSE (all.matches (as_bytes ("ab")));
    EXPECT_FALSE (all.remove (as_bytes ("a*")));
    EXPECT_TRUE (all.empty ());
}

TEST (topic_patterns, are_held_once_when_the_next_removal_ends_them)
{
    topic_patterns patterns;
    EXPECT_FALSE (patterns.holds_once (as_bytes ("a*")));
    ASSERT_TRUE (patterns.add (as_bytes ("a*")).ok ());
    EXPECT_TRUE (patterns.holds_once (as_bytes ("a*")));
    EXPECT_FALSE (patterns.holds_once (as_bytes ("a")));
    ASSERT_TRUE (patterns.add (as_bytes ("a*")).ok ());
    EXPECT_FALSE (patterns.holds_once (as_bytes ("a*")));
    EXPECT_TRUE (patterns.remove (as_bytes ("a*")));
    EXPECT_TRUE (patterns.holds_once (as_bytes ("a*")));
}

TEST (topic_patterns, have_limits)
{
    topic_patterns all;
    EXPECT_EQ (all.add (as_bytes ("[a")).code (), errc::invalid_argument);
    EXPECT_EQ (all.add (as_bytes (std::string (base::glob_bytes_max + 1, '*'))).code (),
               errc::invalid_argument);
    for (std::size_t i = 0; i < patterns_max; ++i)
        ASSERT_TRUE (all.add (as_bytes (std::to_string (i) + "*")).ok ());
    EXPECT_EQ (all.add (as_bytes ("*")).code (), errc::too_many_sockets);
    EXPECT_TRUE (all.add (as_bytes ("0*")).ok ());
    EXPECT_TRUE (all.matches (as_bytes ("999")));
}

TEST (topic_patterns, begin_with_what_publishers_are_asked_for)
{
    EXPECT_EQ (base::as_text (topic_patterns::beginning (as_bytes ("a.b.*"))), "a.b.");
    EXPECT_EQ (base::as_text (topic_patterns::beginning (as_bytes ("#"))), "");
}

// Which are said does not change while they are here.
TEST (topic_patterns, are_said_as_long_as_there_is_room)
{
    topic_patterns all;
    const auto number = [] (std::size_t i) { return std::to_string (i) + "*"; };
    for (std::size_t i = 0; i <= patterns_per_peer_max; ++i)
        ASSERT_TRUE (all.add (as_bytes (number (i))).ok ());
    EXPECT_EQ (all.size (), patterns_per_peer_max + 1);
    EXPECT_TRUE (all.is_said (as_bytes (number (0))));
    const std::string above = number (patterns_per_peer_max);
    EXPECT_TRUE (all.holds (as_bytes (above)));
    EXPECT_FALSE (all.is_said (as_bytes (above)));
    EXPECT_TRUE (all.remove (as_bytes (number (5))));
    EXPECT_FALSE (all.holds (as_bytes (number (5))));
    EXPECT_FALSE (all.is_said (as_bytes (above)));
    ASSERT_TRUE (all.add (as_bytes ("new*")).ok ());
    EXPECT_TRUE (all.is_said (as_bytes ("new*")));
    std::size_t said = 0;
    EXPECT_TRUE (all.each_said ([&said] (base::bytes_view) { return ++said > 0; }));
    EXPECT_EQ (said, patterns_per_peer_max);
    EXPECT_FALSE (all.each_said ([] (base::bytes_view) { return false; }));
    EXPECT_FALSE (all.is_said (as_bytes ("none*")));
}

}  // namespace
}  // namespace zlink::engine
