// The short speed table at the end of the demonstration: a few cells, a few
// runs, at most a minute.
#pragma once

#include "bench/contest.hpp"

namespace zlink::bench {

// The exit code: 0 when every cell could be measured.
[[nodiscard]] int run_demo_table (contest_settings settings);

}  // namespace zlink::bench
