#include "bench/contest.hpp"

#include <gtest/gtest.h>

#include "bench/worker.hpp"

namespace {

using namespace zlink::bench;

series series_of (std::size_t count, double value)
{
    series made;
    outcome run;
    run.value = value;
    run.messages = 1e6;
    made.runs.assign (count, run);
    return made;
}

cell_result result_of (const char *name, double ours, double theirs, double floor)
{
    cell_result result;
    result.measured = *parse_cell (name);
    result.ours = series_of (5, ours);
    result.theirs = series_of (5, theirs);
    if (floor > 0)
        result.floor = series_of (3, floor);
    judge (&result);
    return result;
}

TEST (judge, compares_rates_and_times_in_their_own_direction)
{
    EXPECT_EQ (result_of ("throughput", 2e6, 1e6, 0).decision, verdict::won);
    EXPECT_EQ (result_of ("throughput", 1e6, 2e6, 0).decision, verdict::lost);
    EXPECT_EQ (result_of ("latency", 2, 1, 0).decision, verdict::lost);
    EXPECT_EQ (result_of ("latency", 1, 2, 0).decision, verdict::won);
}

TEST (judge, nobody_is_faster_than_the_floor)
{
    EXPECT_TRUE (result_of ("throughput", 12e6, 1e6, 10e6).failed ());
    EXPECT_FALSE (result_of ("throughput", 10.5e6, 1e6, 10e6).failed ());
    EXPECT_TRUE (result_of ("latency", 3, 30, 4).failed ());
    EXPECT_FALSE (result_of ("latency", 4, 30, 4).failed ());
}

TEST (judge, a_look_on_a_busy_machine_is_not_bound_by_the_floor)
{
    cell_result result = result_of ("latency", 3, 30, 0);
    result.floor = series_of (1, 400);
    result.bound_by_floor = false;
    judge (&result);
    EXPECT_FALSE (result.failed ());
    result.bound_by_floor = true;
    judge (&result);
    EXPECT_TRUE (result.failed ());
}

TEST (judge, the_best_run_of_the_floor_counts)
{
    cell_result result = result_of ("throughput", 12e6, 1e6, 0);
    result.floor = series_of (2, 5e6);
    result.floor.runs.front ().value = 12e6;
    judge (&result);
    EXPECT_FALSE (result.failed ());
}

TEST (floor, that_copies_is_none_of_what_is_not_copied)
{
    for (const char *const each :
         {"PUSH_PULL/inproc/64/throughput", "SPOT/tcp/64/throughput", "GATEWAY/inproc/64/throughput"})
        EXPECT_TRUE (has_floor (*parse_cell (each))) << each;
    for (const char *const each : {"PUSH_PULL/inproc/64/throughput+message", "SPOT/inproc/64/throughput"})
        EXPECT_FALSE (has_floor (*parse_cell (each))) << each;
}

TEST (contest, drafts_have_a_rival_of_their_own)
{
    contest_settings settings;
    settings.theirs.path = "theirs";
    EXPECT_EQ (rival_of (settings, *parse_cell ("RADIO_DISH/tcp/64/throughput")).path, "theirs");
    settings.drafts.path = "drafts";
    for (const char *draft : {"RADIO_DISH/tcp/64/throughput", "CLIENT_SERVER/tcp/64/throughput"})
        EXPECT_EQ (rival_of (settings, *parse_cell (draft)).path, "drafts") << draft;
    for (const char *other :
         {"PUB_SUB/tcp/64/throughput", "STREAM/tcp/64/throughput", "GATEWAY/tcp/64/throughput"})
        EXPECT_EQ (rival_of (settings, *parse_cell (other)).path, "theirs") << other;
}

TEST (cell_result, tells_ratios_and_shares)
{
    const cell_result rate = result_of ("throughput", 5e6, 1e6, 10e6);
    EXPECT_DOUBLE_EQ (rate.ratio (), 5);
    EXPECT_DOUBLE_EQ (rate.floor_share (), 0.5);
    const cell_result time = result_of ("latency", 10, 40, 5);
    EXPECT_DOUBLE_EQ (time.ratio (), 0.25);
    EXPECT_DOUBLE_EQ (time.floor_share (), 0.5);
    EXPECT_EQ (result_of ("latency", 10, 40, 0).floor_share (), 0);
}

}  // namespace
