#include "bench/statistics.hpp"

#include <gtest/gtest.h>

namespace {

using namespace zlink::bench;

std::vector<pair_result> pairs_of (std::size_t count, double ours, double theirs)
{
    return std::vector<pair_result> (count, {ours, theirs});
}

TEST (statistics, median_of_odd_and_even_counts)
{
    EXPECT_EQ (median ({}), 0);
    EXPECT_EQ (median ({7}), 7);
    EXPECT_EQ (median ({9, 1, 5}), 5);
    EXPECT_EQ (median ({4, 1, 3, 2}), 2.5);
}

TEST (statistics, smallest_and_largest)
{
    EXPECT_EQ (smallest ({3, 1, 2}), 1);
    EXPECT_EQ (largest ({3, 1, 2}), 3);
    EXPECT_EQ (smallest ({}), 0);
    EXPECT_EQ (largest ({}), 0);
}

TEST (statistics, percentiles_are_of_the_nearest_rank)
{
    std::vector<double> values;
    for (int i = 100; i >= 1; --i)
        values.push_back (i);
    EXPECT_EQ (percentile (values, 0.5), 50);
    EXPECT_EQ (percentile (values, 0.99), 99);
    EXPECT_EQ (percentile (values, 0.999), 100);
    EXPECT_EQ (percentile (values, 0), 1);
    EXPECT_EQ (percentile (values, 1), 100);
    EXPECT_EQ (percentile ({42}, 0.99), 42);
    EXPECT_EQ (percentile ({}, 0.5), 0);
}

TEST (sign_test, twenty_percent_slower_is_lost_in_both_directions)
{
    EXPECT_EQ (sign_test (pairs_of (5, 80, 100), direction::higher_is_better), verdict::lost);
    EXPECT_EQ (sign_test (pairs_of (5, 120, 100), direction::lower_is_better), verdict::lost);
}

TEST (sign_test, won_is_the_mirror)
{
    EXPECT_EQ (sign_test (pairs_of (5, 104, 100), direction::higher_is_better), verdict::won);
    EXPECT_EQ (sign_test (pairs_of (5, 90, 100), direction::lower_is_better), verdict::won);
}

TEST (sign_test, one_pair_the_other_way_makes_it_even)
{
    std::vector<pair_result> pairs = pairs_of (5, 50, 100);
    pairs[3] = {101, 100};
    EXPECT_EQ (sign_test (pairs, direction::higher_is_better), verdict::even);
}

TEST (sign_test, a_small_difference_is_even)
{
    EXPECT_EQ (sign_test (pairs_of (5, 98, 100), direction::higher_is_better), verdict::even);
    EXPECT_EQ (sign_test (pairs_of (5, 102, 100), direction::higher_is_better), verdict::even);
}

TEST (sign_test, four_pairs_are_too_few)
{
    EXPECT_EQ (sign_test (pairs_of (4, 50, 100), direction::higher_is_better), verdict::even);
}

TEST (sign_test, failed_runs_do_not_count_as_pairs)
{
    std::vector<pair_result> pairs = pairs_of (5, 50, 100);
    pairs[0].ours = 0;
    EXPECT_EQ (sign_test (pairs, direction::higher_is_better), verdict::even);
}

TEST (confirmed_sign_test, twelve_of_fifteen_confirm_a_loss)
{
    std::vector<pair_result> pairs = pairs_of (15, 80, 100);
    for (std::size_t i = 0; i < 3; ++i)
        pairs[i * 4] = {110, 100};
    EXPECT_EQ (confirmed_sign_test (pairs, direction::higher_is_better), verdict::lost);
    pairs[14] = {110, 100};
    EXPECT_EQ (confirmed_sign_test (pairs, direction::higher_is_better), verdict::even);
}

TEST (confirmed_sign_test, a_loss_of_five_that_fifteen_do_not_repeat_is_even)
{
    std::vector<pair_result> pairs = pairs_of (5, 90, 100);
    EXPECT_EQ (confirmed_sign_test (pairs, direction::higher_is_better), verdict::lost);
    for (const pair_result &later : pairs_of (10, 102, 100))
        pairs.push_back (later);
    EXPECT_EQ (confirmed_sign_test (pairs, direction::higher_is_better), verdict::even);
}

TEST (advantages, are_above_one_where_ours_is_better)
{
    EXPECT_EQ (advantages ({{200, 100}}, direction::higher_is_better), std::vector<double>{2.0});
    EXPECT_EQ (advantages ({{50, 100}}, direction::lower_is_better), std::vector<double>{2.0});
    EXPECT_TRUE (advantages ({{0, 100}, {100, 0}}, direction::higher_is_better).empty ());
}

}  // namespace
