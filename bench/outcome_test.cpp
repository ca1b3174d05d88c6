#include "bench/outcome.hpp"

#include <gtest/gtest.h>

namespace {

using namespace zlink::bench;

TEST (outcome, survives_its_line)
{
    outcome found;
    found.value = 1234567.875;
    found.p99_us = 1e-3;
    found.cpu_s = 0.25;
    found.messages = 1e6;
    found.library = "/a b/libx.so.5 4.3.4";
    found.note = "two\twords\n";
    const std::optional<outcome> again = parse_outcome (format_outcome (found));
    ASSERT_TRUE (again);
    EXPECT_EQ (again->value, found.value);
    EXPECT_EQ (again->p99_us, found.p99_us);
    EXPECT_EQ (again->library, found.library);
    EXPECT_EQ (again->note, "two words ");
    EXPECT_EQ (again->error, "");
    EXPECT_EQ (again->cpu_per_million (), 0.25);
}

TEST (outcome, an_error_travels)
{
    outcome failed;
    failed.error = "send: Resource temporarily unavailable (11)";
    EXPECT_EQ (parse_outcome (format_outcome (failed))->error, failed.error);
}

TEST (outcome, other_lines_are_refused)
{
    for (const char *line :
         {"", "hello", "outcomevalue=1", "outcome\tvalue", "outcome\tvalue=x", "outcome\tcolour=3"})
        EXPECT_FALSE (parse_outcome (line)) << line;
}

}  // namespace
