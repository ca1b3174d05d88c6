// Counts what the calling thread allocates and asks of the system while it is
// told to. The calls are caught when the program is linked (see
// CMakeLists.txt), so all of the library's come through here.
#pragma once

#include <cstdint>

namespace zlink::test {

struct counted
{
    std::uint64_t allocations = 0;
    std::uint64_t system_calls = 0;
};

void start_counting () noexcept;
// What there was since start_counting.
[[nodiscard]] counted stop_counting () noexcept;

}  // namespace zlink::test
