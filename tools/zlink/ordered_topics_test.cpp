#include "tools/zlink/ordered_topics.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace zlink::tool {
namespace {

constexpr std::uint64_t node = 0xABCDEF0123456789;

// Two partitions of one topic, and one of another.
struct ordered_topics_test : testing::Test
{
    ordered_topics_test () { EXPECT_TRUE (seen.add ("prices", 2) && seen.add ("orders", 1)); }
    ordered_topics seen;
};

TEST_F (ordered_topics_test, shows_rates_owners_and_the_lag_behind_them)
{
    seen.stand ({0, 0}, {.owner = node, .epoch = 3, .last = 50});
    seen.stand ({1, 0}, {.owner = 7, .epoch = 1, .last = 0});
    for (std::uint64_t i = 41; i <= 44; ++i)
        seen.take ({0, 0}, i, 100);
    const auto lines = seen.table (2);
    ASSERT_EQ (lines.size (), 5u);
    EXPECT_EQ (lines[0], "3 partitions; 1 without an owner, 0 missing");
    EXPECT_EQ (
      lines[2],
      "        0         0         0         0         0         -      0                -  prices/1");
    EXPECT_EQ (
      lines[3],
      "        2       200         4       400        50         6      3 abcdef0123456789  prices/0");
    EXPECT_EQ (
      lines[4],
      "        0         0         0         0         0         -      1 0000000000000007  orders/0");
    EXPECT_EQ (seen.messages (), 4u);
}

TEST_F (ordered_topics_test, the_next_reading_counts_what_came_since)
{
    seen.take ({0, 1}, 1, 10);
    (void)seen.table (1);
    seen.take ({0, 1}, 2, 10);
    seen.take ({0, 1}, 3, 10);
    EXPECT_EQ (seen.json ()[1]["messages_lately"], 2);
    const auto said = seen.json ();
    EXPECT_EQ (said[1]["messages_lately"], 0);
    EXPECT_EQ (said[1]["messages"], 3);
    EXPECT_EQ (said[1]["bytes"], 30);
    EXPECT_EQ (seen.table (0)[3].substr (0, 19), "        -         -");
}

TEST_F (ordered_topics_test, a_reader_stands_behind_what_is_missing_and_in_front_of_a_new_epoch)
{
    const auto lag = [this] { return seen.json ()[2]["lag"]; };
    seen.stand ({1, 0}, {.owner = node, .epoch = 1, .last = 20});
    EXPECT_TRUE (lag ().is_null ());
    seen.miss ({1, 0}, 11, 15);
    EXPECT_EQ (lag (), 5);
    EXPECT_EQ (seen.json ()[2]["missing"], 5);
    seen.begin ({1, 0}, 14);
    EXPECT_EQ (lag (), 7);
    seen.take ({1, 0}, 21, 1);  // the owner's number was asked for before that
    EXPECT_EQ (lag (), 0);
}

TEST_F (ordered_topics_test, an_owner_is_named_or_null)
{
    EXPECT_TRUE (seen.json ()[0]["owner"].is_null ());
    seen.stand ({0, 0}, {.owner = node, .epoch = 9, .last = 5});
    const auto said = seen.json ()[0];
    EXPECT_EQ (said["owner"], "abcdef0123456789");
    EXPECT_EQ (said["topic"], "prices");
    EXPECT_EQ (said["partition"], 0);
    EXPECT_EQ (said["epoch"], 9);
    EXPECT_EQ (said["last"], 5);
}

TEST_F (ordered_topics_test, there_are_so_many_partitions_and_no_more)
{
    EXPECT_FALSE (seen.add ("more", ordered_topics::partitions_max - 2));
    EXPECT_TRUE (seen.add ("as many", ordered_topics::partitions_max - 3));
    EXPECT_FALSE (seen.add ("one", 1));
}

TEST (ordered_topics, a_name_commands_no_terminal)
{
    ordered_topics seen;
    ASSERT_TRUE (seen.add ("a\033[2J", 1));
    EXPECT_EQ (seen.table (1).back ().find ('\033'), std::string::npos);
}

}  // namespace
}  // namespace zlink::tool
