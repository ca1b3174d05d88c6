// How somebody who is awake passes the time between two looks at the kernel: a while, and
// behind each look in vain three times as long.
//
// Thread rule: its thread's; without a lock. Blocking: none, it keeps the core.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/world.hpp"
#include "engine/limits.hpp"

namespace zlink::engine {

class lull
{
  public:
    explicit lull (std::uint64_t first_ns) noexcept : next_ns_ (first_ns) {}
    // Of who waits for so many octets, and is in no hurry.
    static lull patient (std::size_t bytes) noexcept
    {
        return lull (std::min<std::uint64_t> (bytes / patient_bytes_per_ns, patient_lull_max_ns));
    }

    void pass (base::world &world) noexcept;

  private:
    std::uint64_t next_ns_;
};

}  // namespace zlink::engine
