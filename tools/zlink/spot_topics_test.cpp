#include "tools/zlink/spot_topics.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace zlink::tool {
namespace {

TEST (spot_topics, counts_rates_and_publishers_of_each_topic)
{
    spot_topics seen;
    seen.take ("quiet", 1, 10);
    for (int i = 0; i < 4; ++i)
        seen.take ("busy", 1 + i % 2, 100);
    const auto lines = seen.table (2, {.waiting = 3, .dropped = 0});
    ASSERT_EQ (lines.size (), 4u);
    EXPECT_EQ (lines[0], "2 topics; 3 waiting here, 0 dropped here, 0 missing");
    EXPECT_EQ (lines[2], "        2       200         4       400      2  busy");
    EXPECT_EQ (lines[3], "        0         5         1        10      1  quiet");
}

TEST (spot_topics, the_next_reading_counts_what_came_since)
{
    spot_topics seen;
    seen.take ("a", 1, 1);
    seen.take ("a", 1, 1);
    seen.take ("b", 1, 1);
    (void)seen.table (1, {});
    seen.take ("b", 1, 1);
    const auto lines = seen.table (1, {});
    ASSERT_EQ (lines.size (), 4u);
    EXPECT_EQ (lines[2], "        1         1         2         2      1  b");
    EXPECT_EQ (lines[3], "        0         0         2         2      1  a");
}

TEST (spot_topics, what_is_missing_is_said)
{
    spot_topics seen;
    seen.miss (5);
    seen.miss (0);
    EXPECT_EQ (seen.table (1, {}).front (),
               "0 topics; 0 waiting here, 0 dropped here, 5 missing, and 1 time nobody knows how many");
    const auto said = seen.json (1, {.waiting = 0, .dropped = 7});
    EXPECT_EQ (said["missing"], 5);
    EXPECT_EQ (said["losses_of_unknown_size"], 1);
    EXPECT_EQ (said["dropped"], 7);
}

TEST (spot_topics, names_are_kept_up_to_a_limit)
{
    spot_topics seen;
    for (std::size_t i = 0; i < spot_topics::topics_max + 2; ++i)
        seen.take (std::to_string (i), 1, 1);
    EXPECT_EQ (seen.messages (), spot_topics::topics_max + 2);
    const auto lines = seen.table (1, {});
    ASSERT_EQ (lines.size (), spot_topics::topics_max + 3);
    EXPECT_EQ (lines.back (), "        2         2         2         2      1  (others)");
}

TEST (spot_topics, a_name_commands_no_terminal)
{
    spot_topics seen;
    seen.take ("a\033[2J", 1, 1);
    EXPECT_EQ (seen.table (1, {}).back ().find ('\033'), std::string::npos);
}

}  // namespace
}  // namespace zlink::tool
