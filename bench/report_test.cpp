#include "bench/report.hpp"

#include <gtest/gtest.h>

namespace {

using namespace zlink::bench;

series series_of (double value)
{
    series made;
    outcome run;
    run.value = value;
    run.messages = 1e6;
    run.cpu_s = 0.25;
    made.runs.assign (5, run);
    return made;
}

cell_result sample ()
{
    cell_result result;
    result.measured = *parse_cell ("PUSH_PULL/ipc/1024/throughput");
    result.ours = series_of (6e6);
    result.theirs = series_of (1.5e6);
    result.floor = series_of (12e6);
    judge (&result);
    return result;
}

TEST (report, values_carry_a_readable_unit)
{
    EXPECT_EQ (format_value (12'345'678, metric::throughput), "12.35 M");
    EXPECT_EQ (format_value (12'345, metric::throughput), "12.3 K");
    EXPECT_EQ (format_value (4.4, metric::latency), "4.40 us");
    EXPECT_EQ (format_value (44.44, metric::latency), "44.4 us");
    EXPECT_EQ (format_value (4444, metric::latency), "4.44 ms");
    EXPECT_EQ (format_value (0, metric::latency), "-");
}

TEST (report, a_row_says_it_all)
{
    const std::string row = table_row (sample (), false);
    for (const char *part : {"PUSH_PULL", "ipc", "1024", "throughput", "6.00 M", "1.50 M", "4.00x", "12.00 M",
                             "50 %", "won", "0.250s"})
        EXPECT_NE (row.find (part), std::string::npos) << part << " in " << row;
}

TEST (report, an_error_is_in_its_row)
{
    cell_result result = sample ();
    result.error = "ours: a body arrived damaged";
    EXPECT_NE (table_row (result, false).find ("ERROR"), std::string::npos);
    EXPECT_NE (table_row (result, false).find ("damaged"), std::string::npos);
    cell_result nothing;
    nothing.measured = result.measured;
    nothing.error = "ours: hung while measuring";
    EXPECT_NE (table_row (nothing, false).find ("hung"), std::string::npos);
}

}  // namespace
