#include "bench/matrix.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "bench/contest.hpp"

namespace {

using namespace zlink::bench;

double minutes_of (matrix wanted)
{
    contest_settings counting;
    counting.counter_path = "libcounter.so";
    double seconds = 0;
    for (const cell &one : cells_of (wanted))
        seconds += expected_seconds (counting, one);
    return seconds / 60;
}

// What --help promises of them.
TEST (matrix, takes_no_longer_than_it_says)
{
    EXPECT_LE (minutes_of (matrix::quick), 5);
    EXPECT_LE (minutes_of (matrix::plain), 90);
}

std::vector<std::string_view> everything ()
{
    std::vector<std::string_view> all (std::begin (transports), std::end (transports));
    all.insert (all.end (), std::begin (own_transports), std::end (own_transports));
    return all;
}

TEST (matrix, has_every_pattern_over_everything)
{
    const std::vector<cell> cells = cells_of (matrix::plain);
    const auto has_goals_alone = [] (const pattern &one) {
        return one.name == "CLIENT_SERVER" || one.name == "RADIO_DISH";
    };
    for (const pattern &each : patterns ())
        for (const std::string_view transport : everything ())
            for (const std::size_t size_bytes : sizes) {
                if (has_goals_alone (each))
                    continue;
                const bool raw_inproc = each.name == "STREAM" && transport == "inproc";
                const bool found = std::any_of (cells.begin (), cells.end (), [&] (const cell &one) {
                    return one.wiring ().name == each.name && one.transport == transport
                           && one.size_bytes == size_bytes;
                });
                EXPECT_NE (found, raw_inproc) << each.name << " over " << transport;
            }
}

TEST (matrix, says_which_patterns_it_waits_for)
{
    for (const std::string_view awaited : patterns_not_built ())
        for (const pattern &each : patterns ())
            EXPECT_NE (each.name, awaited);
    EXPECT_LE (patterns_not_built ().size (), 2U);
}

TEST (matrix, the_full_one_has_all_of_the_plain_one_once)
{
    const std::vector<cell> full = cells_of (matrix::full);
    for (const cell &one : cells_of (matrix::plain))
        EXPECT_EQ (std::count (full.begin (), full.end (), one), 1) << one.name ();
    EXPECT_GT (full.size (), 2 * cells_of (matrix::plain).size ());
}

}  // namespace
