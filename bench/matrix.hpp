// Which cells a run of the whole benchmark measures. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "bench/cell.hpp"

namespace zlink::bench {

enum class matrix
{
    quick,  // two patterns at three sizes
    plain,  // every pattern, transport and size: two threads, one I/O thread, unpinned
    full,   // the same under every condition, and what has rows of its own; hours
};

// Without doubles, in the order in which they are measured.
[[nodiscard]] std::vector<cell> cells_of (matrix wanted);

// Patterns that the matrix is to have and that cannot be measured yet.
[[nodiscard]] std::vector<std::string_view> patterns_not_built ();

}  // namespace zlink::bench
