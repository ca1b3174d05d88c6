// Sleeping and waking by futex.
//
// The first one made in a process measures how long one `pause` instruction
// takes (it differs tenfold between processors) and how many cores there are.
// Thread rule: any thread.
#pragma once

#include "base/waiter.hpp"
#include "platform/process_barrier.hpp"

namespace zlink::platform {

class futex_waiter final : public base::waiter
{
  public:
    futex_waiter () noexcept;

    // Sleeps at most an hour at a time, whatever the deadline: that reads as
    // woken, which may be spurious anyway.
    base::wait_outcome
    wait (std::atomic<std::uint32_t> &word, std::uint32_t expected, base::time_ns deadline) noexcept override;
    void wake (std::atomic<std::uint32_t> &word, int count) noexcept override;
    bool barrier () noexcept override { return process_barrier (); }
    void yield () noexcept override;
    void pause () noexcept override;
    [[nodiscard]] unsigned cores () const noexcept override { return cores_; }

  private:
    unsigned pauses_;  // instructions per pause()
    unsigned cores_;
};

}  // namespace zlink::platform
