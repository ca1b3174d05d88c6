// The table on the terminal, and the progress line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/contest.hpp"

namespace zlink::bench {

// A line on standard error that is redrawn in place; silent where standard
// error is not a terminal.
class progress_line
{
  public:
    explicit progress_line (double expected_s);
    ~progress_line ();
    progress_line (const progress_line &) = delete;
    progress_line &operator= (const progress_line &) = delete;

    void advance (const std::string &what, double expected_s);
    // Before anything else is printed.
    void clear ();

  private:
    bool live_;
    double expected_s_;
    double done_s_ = 0;
    std::int64_t started_ns_;
    std::size_t width_ = 0;
};

[[nodiscard]] std::string table_header (bool with_second);
[[nodiscard]] std::string table_row (const cell_result &result, bool with_second);
// Min, max, tails, CPU and memory of one cell, several lines.
[[nodiscard]] std::string details (const cell_result &result);

// "3.21 M", "812 K"; "4.41 us", "31.2 ms".
[[nodiscard]] std::string format_value (double value, metric measured);

}  // namespace zlink::bench
