// Seam: sleeping and waking of threads that wait for each other rather than
// for the kernel (those wait in a poller).
//
// Thread rule: any thread. The simulator switches fibres here.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "base/clock.hpp"

namespace zlink::base {

enum class wait_outcome : std::uint8_t
{
    woken,  // or spuriously, or the word had already changed
    timed_out,
    interrupted,  // a signal handler ran on this thread
};

class waiter
{
  public:
    virtual ~waiter () = default;

    // Sleeps while word == expected, until woken, until deadline (absolute
    // monotonic time, never_ns = none) or until a signal. Every sleep carries
    // a time-out inside so that no kernel restarts it behind our back.
    virtual wait_outcome
    wait (atomic<std::uint32_t> &word, std::uint32_t expected, time_ns deadline) noexcept = 0;

    // Wakes up to count sleepers on word. A system call: never under a lock.
    virtual void wake (atomic<std::uint32_t> &word, int count) noexcept = 0;

    // Every other thread of the process has passed a full memory barrier meanwhile. A system
    // call that interrupts those who run. False: the system has none.
    virtual bool barrier () noexcept = 0;

    // Gives the core away to whoever else is runnable on it.
    virtual void yield () noexcept = 0;

    // Pauses for about one spin step, some tens of nanoseconds.
    virtual void pause () noexcept = 0;

    // How many cores this process may run on (affinity and quota), at least 1.
    [[nodiscard]] virtual unsigned cores () const noexcept = 0;
};

}  // namespace zlink::base
