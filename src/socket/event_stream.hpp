// A queue of a socket's events for one reader or several, who may sleep until
// one comes.
//
// Ownership: shared by the socket while it lives and by whoever reads.
// Thread rule: any thread. Blocking: only receive.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/waiter.hpp"
#include "socket/event_queue.hpp"

namespace zlink::socket {

// Which bit of a mask an event is; 0: none.
using event_numbering = std::uint64_t (*) (const engine::event_record &what) noexcept;

class event_stream final : public engine::event_sink
{
  public:
    // Takes the events whose number is in the mask. sleep outlives it. Throws
    // bad_alloc.
    event_stream (base::waiter &sleep, std::size_t events_max, event_numbering number, std::uint64_t mask)
      : sleep_ (sleep), number_ (number), mask_ (mask), queue_ (events_max)
    {
    }

    bool take (const engine::event_record &what) noexcept override;
    void deliver () noexcept override;
    void context_ends () noexcept override;

    // The oldest event, waiting for it until deadline. would_block: none came;
    // interrupted: a signal; terminated: nothing is there, and the context is
    // shut down or the socket has ended and its last event has been taken;
    // not_a_socket: somebody closed the stream.
    base::result<void> receive (engine::event_record &oldest, base::time_ns deadline) noexcept;

    // Wakes whoever waits.
    void close () noexcept;

  private:
    base::waiter &sleep_;
    const event_numbering number_;
    const std::uint64_t mask_;
    event_queue queue_;
    base::atomic<std::uint32_t> news_{0};
    base::atomic<bool> closed_{false};
    base::atomic<bool> context_over_{false};
};

}  // namespace zlink::socket
