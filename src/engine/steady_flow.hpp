// Whether a connection has been written to without a pause for some ticks of the
// reactor: by how far the octets that its senders have written move from tick to tick. Whoever
// fills it writes what it has when an arena is full or has become old, and is better off when
// nobody writes half of it before.
// The reactor's own writes behind a tick are passed over; those for which it was told of room
// count as its senders'.
// Thread rule: under the socket lock. Units: octets on the wire.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/limits.hpp"

namespace zlink::engine {

class steady_flow
{
  public:
    // A tick at that time that found something unwritten; written: all octets so far.
    void tick (base::time_ns now, std::uint64_t written) noexcept
    {
        const unsigned before = now - ticked_at_ < flow_pause_ns_min ? ticks_ : 0;
        const bool moved = written - written_ >= flow_tick_bytes_min;
        ticks_ = moved ? std::min (before + 1, flow_ticks_min) : 0;
        ticked_at_ = now;
        written_ = written;
    }
    [[nodiscard]] bool flows () const noexcept { return ticks_ == flow_ticks_min; }
    // What was written since the tick was not its senders'.
    void pass_over (std::uint64_t written) noexcept { written_ = written; }

  private:
    base::time_ns ticked_at_ = 0;
    std::uint64_t written_ = 0;
    unsigned ticks_ = 0;
};

}  // namespace zlink::engine
