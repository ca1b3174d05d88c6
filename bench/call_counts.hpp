// Calls into the C library since the program started, where the counting
// object is preloaded.
#pragma once

#include <cstdint>

namespace zlink::bench {

struct call_counts
{
    std::uint64_t reads_writes = 0;
    std::uint64_t polls = 0;
    std::uint64_t wakes = 0;  // futex wakes, and eventfd writes
    std::uint64_t allocations = 0;
    std::uint64_t bytes_written = 0;
};

// False when nothing counts in this process. Any thread.
[[nodiscard]] bool read_call_counts (call_counts *into) noexcept;

}  // namespace zlink::bench
