// What a thread polls for again and again (poll of both ABIs): the set of a
// call is kept for the next one, so that a loop over the same items pays for
// what is ready, and for a comparison.
//
// A thread keeps one set. A call with other items leaves it alone, and is
// served without; the second such call in a row takes its place. The set ends
// with the thread, with a context that the thread terminates, and when a wait
// finds that one of its sockets has ended.
// Thread rule: the calling thread's own; a call inside a call (a fibre's) is
// served without.
// Lifetime: the world of the process outlives it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "base/poller.hpp"
#include "base/world.hpp"
#include "socket/facade.hpp"

namespace zlink::api {

class thread_poll
{
  public:
    // The calling thread's. Null: it has none (memory is out, or it ends), or
    // it is in use.
    [[nodiscard]] static thread_poll *mine () noexcept;
    // Gives the calling thread's back unless it is in use; the next call makes
    // another one.
    static void end_mine () noexcept;

    explicit thread_poll (base::world &world) noexcept;

    // What the last wait was for, and found.
    [[nodiscard]] std::span<const socket::poll_item> kept () const noexcept { return set_.items (); }

    // Waits for what is kept.
    base::result<std::size_t> wait (std::int64_t timeout_ms) noexcept;
    // For other items, which learn what was found; ready is overwritten.
    base::result<std::size_t> wait_for (std::span<socket::poll_item> items, std::int64_t timeout_ms) noexcept;

  private:
    [[nodiscard]] bool asked_before (std::span<const socket::poll_item> items) const noexcept;
    base::result<std::size_t> wait_once (std::span<socket::poll_item> items, std::int64_t timeout_ms);

    base::world &world_;
    const std::uint32_t process_;  // which it was made in
    bool in_use_ = false;
    socket::poll_set set_;
    std::vector<socket::poll_item> others_;  // of the last call that was served without
};

// Both are for the same events of the same things.
[[nodiscard]] constexpr bool same_wish (const socket::poll_item &a, const socket::poll_item &b) noexcept
{
    return a.socket == b.socket && a.interest == b.interest && (a.socket != nullptr || a.handle == b.handle);
}

}  // namespace zlink::api
