#include "engine/pace.hpp"

#include <gtest/gtest.h>

namespace zlink::engine {
namespace {

using base::ns_per_us;
using base::time_ns;

struct paces : testing::Test
{
    pace rule;
    time_ns now = base::ns_per_s;

    void come (int times, time_ns gap)
    {
        for (int i = 0; i < times; ++i)
            rule.came (now += gap, false);
    }
};

TEST_F (paces, are_known_after_some_that_agree)
{
    EXPECT_EQ (rule.due (), 0);
    come (static_cast<int> (pace_agreed_min) + 1, 100 * ns_per_us);
    EXPECT_EQ (rule.due (), 0) << "the first gap is from before the first";
    come (1, 100 * ns_per_us);
    EXPECT_EQ (rule.due (), now + 100 * ns_per_us);
}

TEST_F (paces, follow_a_slow_change)
{
    come (20, 300 * ns_per_us);
    come (100, 330 * ns_per_us);
    EXPECT_NEAR (static_cast<double> (rule.due () - now), 330e3, 1e3);
}

TEST_F (paces, are_lost_by_one_that_does_not_agree)
{
    come (20, 150 * ns_per_us);
    come (1, 300 * ns_per_us);
    EXPECT_EQ (rule.due (), 0);
}

// Who slept saw it late.
TEST_F (paces, outlive_a_gap_between_one_seen_late_and_one_seen_at_once)
{
    come (20, 100 * ns_per_us);
    rule.came (now += 60 * ns_per_us, true);
    EXPECT_EQ (rule.due (), now + 100 * ns_per_us);
    EXPECT_TRUE (rule.awake ());
    rule.came (now += 60 * ns_per_us, true);
    EXPECT_EQ (rule.due (), 0);
}

TEST_F (paces, are_neither_streams_nor_rare)
{
    come (50, pace_min_ns - 1);
    EXPECT_EQ (rule.due (), 0);
    come (50, pace_max_ns + 1);
    EXPECT_EQ (rule.due (), 0);
}

TEST (rise_cost, is_learned_at_once_and_forgotten_slowly)
{
    rise_cost rule;
    const time_ns first = rule.expected ();
    rule.took (first * 2);
    EXPECT_EQ (rule.expected (), first * 2);
    rule.took (0);
    EXPECT_GT (rule.expected (), first);
    for (int i = 0; i < 1'000; ++i)
        rule.took (0);
    EXPECT_LT (rule.expected (), ns_per_us);
    rule.took (base::ns_per_s);
    EXPECT_EQ (rule.expected (), pace_wake_max_ns);
}

}  // namespace
}  // namespace zlink::engine
