// What processes cost while nothing happens.
#pragma once

#include <cstdint>
#include <span>

#include "bench/outcome.hpp"

namespace zlink::bench {

// Sleeps half a second, for what is under way to settle, and then as long as the window.
// cpu_s: what this process and the others (by number) took in the window, all their
// threads; seconds: how long it was.
void measure_quiet (std::int64_t window_ns, std::span<const int> others, outcome &found);

}  // namespace zlink::bench
