#include "bench/sweep.hpp"

#include <gtest/gtest.h>

namespace {

using namespace zlink::bench;

sweep_row row_of (double value)
{
    sweep_row made;
    made.runs.runs.emplace_back ().value = value;
    return made;
}

TEST (sweep, the_default_has_a_place)
{
    const std::vector<sweep_row> rows{row_of (100), row_of (50), row_of (125), row_of (0)};
    const standing rate = standing_of (rows, direction::higher_is_better);
    EXPECT_EQ (rate.place, 2u);
    EXPECT_DOUBLE_EQ (rate.share_of_best, 0.8);
    const standing latency = standing_of (rows, direction::lower_is_better);
    EXPECT_EQ (latency.place, 2u);
    EXPECT_DOUBLE_EQ (latency.share_of_best, 0.5);
    EXPECT_EQ (standing_of ({row_of (1)}, direction::lower_is_better).place, 1u);
}

}  // namespace
