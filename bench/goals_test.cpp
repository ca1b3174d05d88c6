#include "bench/goals.hpp"

#include <gtest/gtest.h>

namespace {

using namespace zlink::bench;

series series_of (double value)
{
    series made;
    outcome run;
    run.value = run.p50_us = run.p99_us = value;
    run.messages = 1e6;
    run.cpu_s = 1;
    made.runs.assign (5, run);
    return made;
}

cell_result result_of (const char *name, double ours, double theirs)
{
    cell_result result;
    result.measured = *parse_cell (name);
    result.ours = series_of (ours);
    result.theirs = series_of (theirs);
    result.floor = series_of (theirs);
    return result;
}

goal_answer answer (const goal &wanted, cell_result result)
{
    result_book book;
    const cell of = result.measured;
    book.put (std::move (result));
    return answer_goal (wanted, of, book);
}

constexpr goal rate{"rate", "throughput", goal_kind::ratio_at_least, 4, 6};
constexpr goal delay{"delay", "latency", goal_kind::ratio_at_most, 0.3, 0.1};

TEST (goals, every_row_names_cells_or_waits_for_its_part)
{
    std::size_t built = 0;
    for (const goal &row : goals ()) {
        EXPECT_FALSE (row.what.empty ());
        if (row.cells.empty ())
            continue;
        ++built;
        EXPECT_FALSE (cells_of (row).empty ()) << row.what;
        EXPECT_TRUE (row.kind == goal_kind::not_lost || row.must > 0) << row.what;
    }
    EXPECT_GT (built, 30u);
}

TEST (goals, a_rate_holds_from_its_bound_upwards)
{
    EXPECT_EQ (answer (rate, result_of ("throughput", 3.9, 1)).state, goal_state::missed);
    EXPECT_EQ (answer (rate, result_of ("throughput", 4, 1)).state, goal_state::met);
    EXPECT_EQ (answer (rate, result_of ("throughput", 6, 1)).state, goal_state::reached);
}

TEST (goals, a_delay_holds_from_its_bound_downwards)
{
    EXPECT_EQ (answer (delay, result_of ("latency", 31, 100)).state, goal_state::missed);
    EXPECT_EQ (answer (delay, result_of ("latency", 30, 100)).state, goal_state::met);
    EXPECT_EQ (answer (delay, result_of ("latency", 10, 100)).state, goal_state::reached);
}

TEST (goals, another_pattern_may_be_the_reference)
{
    constexpr goal row{"services", "GATEWAY/tls/throughput", goal_kind::own_ratio_at_least, 0.8,
                       0.95,       "ROUTER_ROUTER"};
    result_book book;
    book.put (result_of ("ROUTER_ROUTER/tls/throughput", 100, 0));
    const cell_result services = result_of ("GATEWAY/tls/throughput", 81, 0);
    book.put (services);
    EXPECT_EQ (answer_goal (row, services.measured, book).state, goal_state::met);
    EXPECT_EQ (cells_of (row).size (), 14u);
}

TEST (goals, what_libzmq_does_not_have_is_compared_with_our_own)
{
    constexpr goal rate_of_tls{"tls", "tls/throughput", goal_kind::own_ratio_at_least, 0.6, 0.75, "tcp"};
    constexpr goal ceiling{"tls", "tls/throughput", goal_kind::own_ceiling_at_least, 0.6, 0.85, "tcp"};
    result_book book;
    book.put (result_of ("tcp/throughput", 100, 20));
    cell_result tls = result_of ("tls/throughput", 62, 0);
    EXPECT_FALSE (has_rival (tls.measured));
    EXPECT_TRUE (has_rival (*parse_cell ("tcp/throughput")));
    tls.floor = series_of (620);
    book.put (tls);
    EXPECT_EQ (answer_goal (rate_of_tls, tls.measured, book).state, goal_state::met);
    // 1 / (1 / 100 + 1 / 620) is 86.1.
    EXPECT_NEAR (answer_goal (ceiling, tls.measured, book).measured, 62 / 86.1, 0.001);
    EXPECT_EQ (cells_of (rate_of_tls).size (), 2 * select_cells ("tls/throughput").size ());
}

TEST (goals, a_failed_cell_is_a_miss_and_an_unmeasured_one_is_not)
{
    cell_result failed = result_of ("throughput", 10, 1);
    failed.error = "a body arrived damaged";
    EXPECT_EQ (answer (rate, failed).state, goal_state::missed);
    EXPECT_EQ (answer_goal (rate, *parse_cell ("ipc/throughput"), result_book ()).state, goal_state::unknown);
}

// The rival has no such part: nobody has lost.
TEST (goals, what_was_not_compared_is_no_miss_and_says_why)
{
    cell_result alone = result_of ("throughput", 10, 0);
    alone.lacking = "not compared: no CURVE (theirs)";
    const goal_answer found = answer (rate, alone);
    EXPECT_EQ (found.state, goal_state::unknown);
    EXPECT_EQ (found.error, alone.lacking);
}

TEST (goals, a_lost_cell_misses_not_lost)
{
    constexpr goal wanted{"every cell", "throughput"};
    cell_result result = result_of ("throughput", 1, 2);
    EXPECT_EQ (answer (wanted, result).state, goal_state::met);
    result.decision = verdict::lost;
    EXPECT_EQ (answer (wanted, result).state, goal_state::missed);
}

TEST (goals, own_ratios_look_at_another_cell)
{
    constexpr goal threads{
      "threads",   "PUSH_PULL/tcp/64/throughput+threads8", goal_kind::own_ratio_at_least, 0.7, 0.9,
      "throughput"};
    const std::vector<cell> cells = cells_of (threads);
    ASSERT_EQ (cells.size (), 2u);
    EXPECT_EQ (cells[1].name (), "PUSH_PULL/tcp/64/throughput");
    result_book book;
    book.put (result_of ("PUSH_PULL/tcp/64/throughput+threads8", 8, 0));
    book.put (result_of ("PUSH_PULL/tcp/64/throughput", 10, 1));
    EXPECT_DOUBLE_EQ (answer_goal (threads, cells[0], book).measured, 0.8);
    EXPECT_EQ (answer_goal (threads, cells[0], book).state, goal_state::met);

    constexpr goal sizes{
      "sizes", "PAIR/inproc/262144/throughput+message", goal_kind::own_ratio_at_least, 0.7, 0.9, "65536"};
    EXPECT_EQ (cells_of (sizes).back ().name (), "PAIR/inproc/65536/throughput+message");
}

TEST (goals, own_ratios_look_at_another_metric)
{
    constexpr goal publishing{"publishing", "PUB_SUB/tcp/64/publish-1m", goal_kind::own_ratio_at_most, 2, 1.2,
                              "publish-10"};
    const std::vector<cell> cells = cells_of (publishing);
    ASSERT_EQ (cells.size (), 2u);
    EXPECT_EQ (cells[1].name (), "PUB_SUB/tcp/64/publish-10");
    result_book book;
    book.put (result_of ("PUB_SUB/tcp/64/publish-1m", 0.3, 1));
    book.put (result_of ("PUB_SUB/tcp/64/publish-10", 0.2, 1));
    EXPECT_EQ (answer_goal (publishing, cells[0], book).state, goal_state::met);
    book.put (result_of ("PUB_SUB/tcp/64/publish-1m", 0.5, 1));
    EXPECT_EQ (answer_goal (publishing, cells[0], book).state, goal_state::missed);
}

TEST (goals, figures_of_ours_alone)
{
    constexpr goal memory{"memory", "ROUTER_ROUTER/tcp/64/idle", goal_kind::bytes_at_most, 10240, 4096};
    EXPECT_EQ (answer (memory, result_of ("ROUTER_ROUTER/tcp/64/idle", 4000, 1)).state, goal_state::reached);
    EXPECT_EQ (answer (memory, result_of ("ROUTER_ROUTER/tcp/64/idle", 20000, 1)).state, goal_state::missed);
    constexpr goal each{"each", "PUB_SUB/tcp/64/publish-1m", goal_kind::bytes_each_at_most, 100};
    constexpr goal idle{"idle", "ROUTER_ROUTER/tcp/64/idle", goal_kind::cpu_share_at_most, 0.001};
    cell_result result = result_of ("PUB_SUB/tcp/64/publish-1m", 1, 1);
    for (outcome &run : result.ours.runs) {
        run.bytes_each = 120;
        run.cpu_s = 0.0005;
        run.seconds = 1;
    }
    EXPECT_EQ (answer (each, result).state, goal_state::missed);
    EXPECT_EQ (answer (idle, result).state, goal_state::met);
    constexpr goal joined{"joined", "SPOT/tcp/64/mesh-32", goal_kind::us_at_most, 3000};
    EXPECT_EQ (answer (joined, result_of ("SPOT/tcp/64/mesh-32", 2999, 0.5)).state, goal_state::met);
    EXPECT_EQ (answer (joined, result_of ("SPOT/tcp/64/mesh-32", 3001, 2)).state, goal_state::missed);
}

TEST (goals, counts_need_counted_runs)
{
    constexpr goal polls{"polls", "throughput", goal_kind::polls_at_most, 0.05, 0.01};
    cell_result result = result_of ("throughput", 1, 1);
    EXPECT_EQ (answer (polls, result).state, goal_state::unknown);
    result.ours_counted = series_of (1);
    result.ours_counted.runs.front ().reads_writes = 0.001;
    result.ours_counted.runs.front ().polls = 0;
    result.ours_counted.runs.resize (1);
    EXPECT_EQ (answer (polls, result).state, goal_state::reached);
}

TEST (goals, the_better_of_two_answers)
{
    const goal_answer missed = answer (rate, result_of ("throughput", 3, 1));
    const goal_answer met = answer (rate, result_of ("throughput", 5, 1));
    const goal_answer worse = answer (rate, result_of ("throughput", 2, 1));
    EXPECT_EQ (&better_answer (rate, missed, met), &met);
    EXPECT_EQ (&better_answer (rate, met, missed), &met);
    EXPECT_EQ (&better_answer (rate, worse, missed), &missed);
}

TEST (goals, results_are_replaced_by_newer_ones)
{
    result_book book;
    book.put (result_of ("throughput", 1, 1));
    book.put (result_of ("throughput", 2, 1));
    EXPECT_DOUBLE_EQ (book.find (*parse_cell ("throughput"))->ratio (), 2);
}

}  // namespace
