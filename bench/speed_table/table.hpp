// The short table at the end of the demonstration: a few cells, a few runs.
#pragma once

#include "bench/contest.hpp"

namespace zlink::bench {

// The exit code: 0 when every cell could be measured.
[[nodiscard]] int run_speed_table (contest_settings settings);

}  // namespace zlink::bench
