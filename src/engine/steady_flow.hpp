// Whether a connection has been written to without a pause for some ticks of the
// reactor: by how far the octets that it has written move from tick to tick. Whoever
// fills it writes what it has as soon as an arena is full, and is better off when nobody
// writes half of it before.
// Thread rule: under the socket lock. Units: octets on the wire.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/limits.hpp"

namespace zlink::engine {

class steady_flow
{
  public:
    // A tick that found something unwritten; written: all octets so far.
    void tick (std::uint64_t written) noexcept
    {
        const bool moved = written - written_ >= flow_tick_bytes_min;
        ticks_ = moved ? std::min (ticks_ + 1, flow_ticks_min) : 0;
        written_ = written;
    }
    [[nodiscard]] bool flows () const noexcept { return ticks_ == flow_ticks_min; }

  private:
    std::uint64_t written_ = 0;
    unsigned ticks_ = 0;
};

}  // namespace zlink::engine
