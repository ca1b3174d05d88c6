// `zlink bench --must`: measures the cells of all goals and says which hold.
#pragma once

#include <vector>

#include "bench/cell.hpp"
#include "bench/contest.hpp"
#include "bench/goals.hpp"

namespace zlink::bench {

// chosen: only goals of these cells count; empty: all. scope: which goals. Cells that a goal compares with
// each other are measured in turn, a round of each at a time. What was missed is measured a second time,
// again with what it is compared with, and the better of both counts; both are printed. The exit code: 0 when
// no must was missed, else 1.
[[nodiscard]] int run_must (contest_settings settings, const std::vector<cell> &chosen, goal_scope scope);

}  // namespace zlink::bench
