// Events of one socket that nobody has fetched yet: bounded, in order, with a
// count of what was lost.
//
// When it is full new events are lost, so that what it holds has no holes; the
// next one that fits says how many. The socket's last event always fits, for
// which it must have no text that needs memory.
// Thread rule: any thread. Blocking: no.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "base/lock.hpp"
#include "engine/event.hpp"

namespace zlink::socket {

class event_queue
{
  public:
    explicit event_queue (std::size_t events_max) : events_max_ (events_max) {}

    // False: lost, for lack of room or of memory.
    bool push (const engine::event_record &what) noexcept;
    // Takes the oldest; false when there is none.
    bool pop (engine::event_record &oldest) noexcept;
    // Nothing comes any more, though something may still be there.
    [[nodiscard]] bool ended () noexcept;

  private:
    base::exchange_lock lock_;
    std::deque<engine::event_record> waiting_;
    engine::event_record end_;  // the last event: its place is there from the start
    std::uint64_t lost_ = 0;    // since the last that fitted
    const std::size_t events_max_;
    bool ended_ = false;
    bool end_waits_ = false;
};

}  // namespace zlink::socket
