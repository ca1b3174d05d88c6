#include "engine/topic_trie.hpp"

#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace zlink::engine {
namespace {

using removal = topic_trie::removal;

base::bytes_view bytes_of (std::string_view text)
{
    return {reinterpret_cast<const std::byte *> (text.data ()), text.size ()};
}

std::string text_of (base::bytes_view bytes)
{
    return {reinterpret_cast<const char *> (bytes.data ()), bytes.size ()};
}

const int one = 1;
const int other = 2;

std::multiset<topic_trie::subscriber> found_by (const topic_trie &in, std::string_view text)
{
    std::multiset<topic_trie::subscriber> found;
    in.match (bytes_of (text), [&found] (topic_trie::subscriber who) { found.insert (who); });
    return found;
}

std::multiset<std::string> topics_of (const topic_trie &of)
{
    std::multiset<std::string> all;
    EXPECT_TRUE (of.each ([&all] (base::bytes_view topic) {
        all.insert (text_of (topic));
        return true;
    }));
    return all;
}

TEST (topic_trie, a_topic_wants_what_begins_with_it)
{
    topic_trie trie;
    EXPECT_TRUE (trie.add (bytes_of ("weather"), &one).value ());
    EXPECT_EQ (found_by (trie, "weather").size (), 1U);
    EXPECT_EQ (found_by (trie, "weather.today").size (), 1U);
    EXPECT_TRUE (found_by (trie, "weathe").empty ());
    EXPECT_TRUE (found_by (trie, "Weather").empty ());
    EXPECT_TRUE (found_by (trie, "").empty ());
    EXPECT_FALSE (trie.matches (bytes_of ("wind")));
    EXPECT_TRUE (trie.matches (bytes_of ("weather!")));
}

TEST (topic_trie, the_empty_topic_wants_all)
{
    topic_trie trie;
    EXPECT_FALSE (trie.wants_all ());
    EXPECT_TRUE (trie.add ({}, &one).value ());
    EXPECT_TRUE (trie.wants_all ());
    EXPECT_TRUE (trie.matches ({}));
    EXPECT_EQ (found_by (trie, "anything").size (), 1U);
    EXPECT_EQ (trie.remove ({}, &one), removal::last);
    EXPECT_FALSE (trie.wants_all ());
}

TEST (topic_trie, topics_that_share_their_beginning_are_told_apart)
{
    topic_trie trie;
    for (const char *topic : {"romane", "romanus", "romulus", "rom", "rubens", "r"})
        ASSERT_TRUE (trie.add (bytes_of (topic), &one).value ());
    EXPECT_EQ (trie.topics (), 6U);
    EXPECT_EQ (found_by (trie, "romanus").size (), 3U);
    EXPECT_EQ (found_by (trie, "roman").size (), 2U);
    EXPECT_EQ (found_by (trie, "rubens!").size (), 2U);
    EXPECT_EQ (topics_of (trie),
               (std::multiset<std::string>{"r", "rom", "romane", "romanus", "romulus", "rubens"}));
}

TEST (topic_trie, subscriptions_add_up)
{
    topic_trie trie;
    EXPECT_TRUE (trie.add (bytes_of ("a"), &one).value ());
    EXPECT_FALSE (trie.add (bytes_of ("a"), &one).value ());
    EXPECT_FALSE (trie.add (bytes_of ("a"), &other).value ());
    EXPECT_EQ (trie.remove (bytes_of ("a"), &one), removal::one_less);
    EXPECT_EQ (found_by (trie, "a").size (), 2U);
    EXPECT_EQ (trie.remove (bytes_of ("a"), &one), removal::one_less);
    EXPECT_EQ (trie.remove (bytes_of ("a"), &one), removal::unknown);
    EXPECT_EQ (trie.remove (bytes_of ("b"), &other), removal::unknown);
    EXPECT_EQ (trie.remove (bytes_of ("a"), &other), removal::last);
    EXPECT_EQ (trie.topics (), 0U);
}

TEST (topic_trie, whoever_leaves_takes_all_its_topics_along)
{
    topic_trie trie;
    for (const char *topic : {"", "a", "ab", "abc", "b"})
        ASSERT_TRUE (trie.add (bytes_of (topic), &one).ok ());
    ASSERT_TRUE (trie.add (bytes_of ("ab"), &one).ok ());
    ASSERT_TRUE (trie.add (bytes_of ("ab"), &other).ok ());
    ASSERT_TRUE (trie.add (bytes_of ("abd"), &other).ok ());
    std::multiset<std::string> gone;
    trie.remove_all (&one, [&gone] (base::bytes_view topic) { gone.insert (text_of (topic)); });
    EXPECT_EQ (gone, (std::multiset<std::string>{"", "a", "abc", "b"}));
    EXPECT_EQ (topics_of (trie), (std::multiset<std::string>{"ab", "abd"}));
    EXPECT_EQ (trie.topics (), 2U);
    EXPECT_EQ (found_by (trie, "abd").size (), 2U);
}

TEST (topic_trie, a_long_chain_of_topics_is_walked_and_dropped)
{
    constexpr std::size_t depth = 9'000;
    topic_trie trie;
    const std::string longest (depth, 'x');
    for (std::size_t length = 0; length <= depth; length += 3)
        ASSERT_TRUE (trie.add (bytes_of (std::string_view (longest).substr (0, length)), &one).ok ());
    EXPECT_EQ (found_by (trie, longest).size (), depth / 3 + 1);
    std::size_t gone = 0;
    trie.remove_all (&one, [&gone] (base::bytes_view) { ++gone; });
    EXPECT_EQ (gone, depth / 3 + 1);
    EXPECT_EQ (trie.topics (), 0U);
}

TEST (topic_trie, every_byte_may_come_next)
{
    topic_trie trie;
    for (int first = 255; first >= 0; --first) {
        const std::string topic{'t', static_cast<char> (first), 'x'};
        ASSERT_TRUE (trie.add (bytes_of (topic), &one).value ());
        ASSERT_TRUE (trie.add (bytes_of (topic + "y"), &other).value ());
    }
    EXPECT_EQ (trie.topics (), 512U);
    for (int first = 0; first < 256; first += 2)
        EXPECT_EQ (trie.remove (bytes_of (std::string{'t', static_cast<char> (first), 'x'}), &one),
                   removal::last);
    for (int first = 0; first < 256; ++first) {
        const std::string text{'t', static_cast<char> (first), 'x', 'y'};
        EXPECT_EQ (found_by (trie, text).size (), first % 2 == 0 ? 1U : 2U);
    }
    std::size_t gone = 0;
    trie.remove_all (&other, [&gone] (base::bytes_view) { ++gone; });
    EXPECT_EQ (gone, 256U);
    EXPECT_EQ (topics_of (trie).size (), 128U);
}

TEST (topic_trie, a_topic_may_be_longer_than_a_label)
{
    topic_trie trie;
    const std::string longest (200'000, 'l');
    ASSERT_TRUE (trie.add (bytes_of (longest), &one).value ());
    ASSERT_TRUE (trie.add (bytes_of (longest.substr (0, 100'000) + "r"), &one).value ());
    EXPECT_EQ (found_by (trie, longest + "!").size (), 1U);
    EXPECT_TRUE (found_by (trie, longest.substr (1)).empty ());
    EXPECT_EQ (topics_of (trie), (std::multiset<std::string>{longest, longest.substr (0, 100'000) + "r"}));
    EXPECT_EQ (trie.remove (bytes_of (longest), &one), removal::last);
    EXPECT_EQ (found_by (trie, longest.substr (0, 100'000) + "rs").size (), 1U);
    trie.clear ();
    EXPECT_EQ (trie.topics (), 0U);
    EXPECT_TRUE (trie.add ({}, &one).value ());
}

TEST (topic_trie, what_was_split_becomes_one_again)
{
    topic_trie trie;
    ASSERT_TRUE (trie.add (bytes_of ("weather.today"), &one).value ());
    const std::size_t before = trie.nodes ();
    for (const char *odd : {"w", "weather", "weather.tomorrow", "wind", "weather.today.london"})
        ASSERT_TRUE (trie.add (bytes_of (odd), &other).value ());
    EXPECT_GT (trie.nodes (), before);
    for (const char *odd : {"weather", "wind", "weather.today.london", "w", "weather.tomorrow"})
        ASSERT_EQ (trie.remove (bytes_of (odd), &other), removal::last);
    EXPECT_EQ (trie.nodes (), before);
    EXPECT_EQ (found_by (trie, "weather.today!").size (), 1U);
}

TEST (topic_trie, what_a_leaver_split_becomes_one_again)
{
    topic_trie trie;
    for (int i = 0; i < 1'000; ++i)
        ASSERT_TRUE (trie.add (bytes_of ("room." + std::to_string (i) + ".messages"), &one).value ());
    const std::size_t before = trie.nodes ();
    const std::multiset<std::string> topics = topics_of (trie);
    for (int i = 0; i < 1'000; ++i) {
        ASSERT_TRUE (trie.add (bytes_of ("room." + std::to_string (i) + ".mess"), &other).value ());
        ASSERT_TRUE (trie.add (bytes_of ("room." + std::to_string (i) + ".mesh"), &other).value ());
    }
    trie.remove_all (&other, [] (base::bytes_view) {});
    EXPECT_EQ (trie.nodes (), before);
    EXPECT_EQ (topics_of (trie), topics);
}

TEST (topic_trie, labels_that_are_too_long_for_one_stay_apart)
{
    topic_trie trie;
    const std::string longest (100'000, 'l');
    ASSERT_TRUE (trie.add (bytes_of (longest), &one).value ());
    ASSERT_TRUE (trie.add (bytes_of (longest.substr (0, 50'000)), &other).value ());
    ASSERT_EQ (trie.remove (bytes_of (longest.substr (0, 50'000)), &other), removal::last);
    EXPECT_LE (trie.nodes (), 4U);
    EXPECT_EQ (found_by (trie, longest).size (), 1U);
    EXPECT_TRUE (found_by (trie, longest.substr (1)).empty ());
}

// Of a text that is wanted, the beginning that says so: with any other end it
// is wanted, too, and with less it is not.
void expect_so_much_decides (const topic_trie &trie, const std::string &text, const std::string &other_end)
{
    const std::size_t bytes = trie.matched (bytes_of (text));
    if (bytes == topic_trie::open_end)
        return;
    EXPECT_TRUE (trie.matches (bytes_of (text.substr (0, bytes) + other_end)));
    EXPECT_TRUE (bytes == 0 || !trie.matches (bytes_of (text.substr (0, bytes - 1))));
}

// The same as a plain table of counts, whatever is done, in as many nodes as
// its topics need.
TEST (topic_trie, does_what_a_table_would)
{
    std::mt19937 random (7);
    const std::vector<int> whos (4);
    topic_trie trie;
    std::map<std::pair<std::string, const int *>, int> table;
    std::string looked_for;
    std::multiset<topic_trie::subscriber> seen;
    std::uint64_t looked_at = trie.changes ();
    const auto topic_of_random = [&random] {
        std::string topic;
        for (auto length = random () % 7; length > 0; --length)
            topic += static_cast<char> ('a' + random () % 3);
        return topic;
    };
    for (int step = 0; step < 4'000; ++step) {
        const std::string topic = topic_of_random ();
        const int *const who = &whos[random () % whos.size ()];
        switch (random () % 8) {
        case 0:
            if (random () % 20 == 0) {
                trie.remove_all (who, [] (base::bytes_view) {});
                std::erase_if (table, [who] (const auto &row) { return row.first.second == who; });
            }
            break;
        case 1:
        case 2:
        case 3: {
            const auto row = table.find ({topic, who});
            const bool had = row != table.end ();
            EXPECT_EQ (trie.remove (bytes_of (topic), who) != removal::unknown, had);
            if (had && --row->second == 0)
                table.erase (row);
            break;
        }
        default:
            ASSERT_TRUE (trie.add (bytes_of (topic), who).ok ());
            ++table[{topic, who}];
        }
        const std::string text = topic_of_random ();
        std::multiset<topic_trie::subscriber> expected;
        std::set<std::string> topics;
        for (const auto &[key, count] : table) {
            topics.insert (key.first);
            if (text.starts_with (key.first))
                expected.insert (key.second);
        }
        ASSERT_EQ (found_by (trie, text), expected);
        // Others that begin so are for the same, and stay so while nothing changes.
        const std::size_t common = trie.match (bytes_of (text), [] (topic_trie::subscriber) {});
        if (common != topic_trie::open_end) {
            ASSERT_LE (common, text.size ());
            ASSERT_EQ (found_by (trie, text.substr (0, common) + topic_of_random ()), expected);
        }
        if (trie.changes () == looked_at) {
            ASSERT_EQ (found_by (trie, looked_for), seen);
        }
        looked_at = trie.changes ();
        looked_for = text;
        seen = expected;
        ASSERT_EQ (trie.matches (bytes_of (text)), !expected.empty ());
        expect_so_much_decides (trie, text, topic_of_random ());
        ASSERT_EQ (trie.holds (bytes_of (text), who), table.contains ({text, who}));
        ASSERT_EQ (trie.topics (), topics.size ());
        ASSERT_LE (trie.nodes (), 1 + 2 * topics.size ());
    }
}

// Until it is settled nothing that an add() needs is gone.
TEST (topic_trie, what_was_taken_goes_back_without_memory)
{
    const std::vector<int> whos (3);
    const std::string topics[] = {"", "a", "ab", "abc", "abd", "b", "bcd"};
    topic_trie trie;
    for (const std::string &topic : topics)
        for (std::size_t i = 0; i < whos.size () && (i == 0 || topic.size () % 2 == 0); ++i)
            ASSERT_TRUE (trie.add (bytes_of (topic), &whos[i]).ok ());
    const std::size_t nodes = trie.nodes ();
    EXPECT_EQ (trie.take (bytes_of ("bc"), &whos[0]), removal::unknown);
    EXPECT_EQ (trie.take (bytes_of ("a"), &whos[1]), removal::unknown);
    for (const std::string &topic : topics) {
        const auto before = found_by (trie, topic + "z");
        const bool only = topic.size () % 2 != 0;
        EXPECT_EQ (trie.take (bytes_of (topic), &whos[0]), only ? removal::last : removal::one_less);
        EXPECT_FALSE (trie.holds (bytes_of (topic), &whos[0])) << topic;
        EXPECT_EQ (found_by (trie, topic + "z").size () + 1, before.size ()) << topic;
        EXPECT_EQ (trie.topics () + only, std::size (topics));
        EXPECT_EQ (trie.nodes (), nodes) << topic;
        EXPECT_TRUE (trie.add (bytes_of (topic), &whos[0]).ok ());
        EXPECT_EQ (trie.nodes (), nodes) << topic;
        trie.settle (bytes_of (topic));
        EXPECT_EQ (found_by (trie, topic + "z"), before) << topic;
    }
    for (const std::string &topic : topics)
        for (const int &who : whos)
            if (trie.take (bytes_of (topic), &who) != removal::unknown)
                trie.settle (bytes_of (topic));
    EXPECT_EQ (trie.topics (), 0U);
    EXPECT_EQ (trie.nodes (), 1U);
}

}  // namespace
}  // namespace zlink::engine
