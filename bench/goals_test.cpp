#include "bench/goals.hpp"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

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

series series_of (std::initializer_list<double> values)
{
    series made;
    for (const double value : values)
        made.runs.push_back (series_of (value).runs.front ());
    return made;
}

wanted_cell counted (const char *name) { return {*parse_cell (name), true}; }
wanted_cell uncounted (const char *name) { return {*parse_cell (name), false}; }

std::string names_of (const cell_group &group)
{
    std::string names;
    for (const wanted_cell &one : group)
        names += (names.empty () ? "" : " ") + one.measured.name ();
    return names;
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
    EXPECT_EQ (cells_of (row).size (), 7u);
    EXPECT_EQ (names_of (compared_cells (row, services.measured)),
               "GATEWAY/tls/64/throughput ROUTER_ROUTER/tls/64/throughput");
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
    EXPECT_EQ (names_of (compared_cells (rate_of_tls, tls.measured)),
               "PAIR/tls/64/throughput PAIR/tcp/64/throughput");
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
    ASSERT_EQ (cells.size (), 1u);
    EXPECT_EQ (names_of (compared_cells (threads, cells[0])),
               "PUSH_PULL/tcp/64/throughput+threads8 PUSH_PULL/tcp/64/throughput");
    result_book book;
    book.put (result_of ("PUSH_PULL/tcp/64/throughput+threads8", 8, 0));
    book.put (result_of ("PUSH_PULL/tcp/64/throughput", 10, 1));
    EXPECT_DOUBLE_EQ (answer_goal (threads, cells[0], book).measured, 0.8);
    EXPECT_EQ (answer_goal (threads, cells[0], book).state, goal_state::met);

    constexpr goal sizes{
      "sizes", "PAIR/inproc/262144/throughput+message", goal_kind::own_ratio_at_least, 0.7, 0.9, "65536"};
    EXPECT_EQ (compared_cells (sizes, cells_of (sizes).front ()).back ().measured.name (),
               "PAIR/inproc/65536/throughput+message");
}

// The machine doubles its speed after two rounds: the rounds' own ratios stay what they are.
TEST (goals, own_ratios_are_those_of_the_rounds)
{
    constexpr goal fans{
      "fans", "PUB_SUB/tcp/64/throughput+fan2", goal_kind::own_ratio_at_least, 0.9, 1, "throughput+fan1"};
    cell_result two = result_of ("PUB_SUB/tcp/64/throughput+fan2", 0, 0);
    cell_result one = result_of ("PUB_SUB/tcp/64/throughput+fan1", 0, 0);
    two.ours = series_of ({95, 95, 190, 190, 20});
    one.ours = series_of ({100, 100, 200, 200, 200});
    result_book book;
    book.put (two);
    book.put (one);
    EXPECT_DOUBLE_EQ (answer_goal (fans, two.measured, book).measured, 0.95);
    // More rounds of one of them, as those that confirm a loss, have no partner.
    one.ours = series_of ({100, 100, 200, 200, 200, 400, 400, 400, 400, 400, 400, 400});
    book.put (one);
    EXPECT_DOUBLE_EQ (answer_goal (fans, two.measured, book).measured, 0.95);
    one.ours = {};
    book.put (one);
    EXPECT_EQ (answer_goal (fans, two.measured, book).state, goal_state::unknown);
}

TEST (goals, cells_that_are_compared_are_one_group)
{
    std::vector<cell_group> groups;
    add_group (&groups, {counted ("tcp/64/throughput")});
    add_group (&groups, {uncounted ("ipc/64/throughput")});
    add_group (&groups, {uncounted ("tls/64/throughput"), uncounted ("tcp/64/throughput")});
    add_group (&groups, {uncounted ("ws/64/throughput"), uncounted ("tcp/64/throughput")});
    ASSERT_EQ (groups.size (), 2u);
    EXPECT_EQ (names_of (groups[0]), "PAIR/tcp/64/throughput PAIR/tls/64/throughput PAIR/ws/64/throughput");
    EXPECT_EQ (names_of (groups[1]), "PAIR/ipc/64/throughput");
    EXPECT_TRUE (groups[0][0].counted);
    EXPECT_FALSE (groups[0][1].counted);
    add_group (&groups, {counted ("ipc/64/throughput")});
    EXPECT_TRUE (groups[1][0].counted);
}

TEST (goals, groups_with_a_cell_in_common_become_one)
{
    std::vector<cell_group> groups;
    add_group (&groups, {uncounted ("tcp/64/latency")});
    add_group (&groups, {uncounted ("throughput+fan2"), uncounted ("throughput+fan1")});
    add_group (&groups, {uncounted ("ipc/64/latency")});
    add_group (&groups, {counted ("throughput+fan8"), uncounted ("throughput+fan4")});
    add_group (&groups, {uncounted ("throughput+fan4"), uncounted ("throughput+fan2")});
    ASSERT_EQ (groups.size (), 3u);
    EXPECT_EQ (names_of (groups[0]), "PAIR/tcp/64/latency");
    EXPECT_EQ (names_of (groups[1]), "PAIR/tcp/64/throughput+fan2 PAIR/tcp/64/throughput+fan1 "
                                     "PAIR/tcp/64/throughput+fan8 PAIR/tcp/64/throughput+fan4");
    EXPECT_EQ (names_of (groups[2]), "PAIR/ipc/64/latency");
    EXPECT_TRUE (groups[1][2].counted);
}

// A round of a group takes as long as the group is large, and the machine may change meanwhile.
TEST (goals, groups_of_all_goals_are_small)
{
    std::vector<cell_group> groups;
    for (const goal &row : goals ())
        for (const cell &one : cells_of (row))
            add_group (&groups, compared_cells (row, one));
    std::vector<cell> seen;
    for (const cell_group &group : groups) {
        EXPECT_LE (group.size (), 8u) << names_of (group);
        for (const wanted_cell &one : group) {
            EXPECT_EQ (std::count (seen.begin (), seen.end (), one.measured), 0) << one.measured.name ();
            seen.push_back (one.measured);
        }
    }
}

TEST (goals, own_ratios_look_at_another_metric)
{
    constexpr goal publishing{"publishing", "PUB_SUB/tcp/64/publish-1m", goal_kind::own_ratio_at_most, 2, 1.2,
                              "publish-10"};
    const std::vector<cell> cells = cells_of (publishing);
    ASSERT_EQ (cells.size (), 1u);
    EXPECT_EQ (names_of (compared_cells (publishing, cells[0])),
               "PUB_SUB/tcp/64/publish-1m PUB_SUB/tcp/64/publish-10");
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
