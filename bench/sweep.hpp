// `zlink bench sweep`: our library's defaults against other settings of it, interleaved
// in one run, with the default's place among them.
#pragma once

#include <string>
#include <vector>

#include "bench/contest.hpp"

namespace zlink::bench {

// What one setting reached in one cell.
struct sweep_row
{
    std::string setting;  // "default", "+io2"
    series runs;
};

// The default's place, 1 the best; and how far it is behind the best, 1 = not at all.
struct standing
{
    std::size_t place = 0;
    double share_of_best = 0;
};
// The first row is the default's. Pure.
[[nodiscard]] standing standing_of (const std::vector<sweep_row> &rows, direction better);

// Measures and prints. base: the cells to sweep. The exit code: 1 when a run failed.
[[nodiscard]] int run_sweep (const contest_settings &settings, const std::vector<cell> &base);

}  // namespace zlink::bench
