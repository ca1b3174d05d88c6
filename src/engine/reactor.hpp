// The understudy: one thread that accepts, connects, shakes hands, keeps
// time, and writes and reads what no caller attends to. It does nothing that
// a caller could not do: it calls the same functions of a socket under the
// same lock.
//
// Thread rule: post, schedule and join_dirty from any thread, without a
// system call under them (the wake, where one is due, is the caller's to make
// after it released its socket lock: see the return values). The leaf lock
// inside is taken under socket locks, never the other way round.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/atomic.hpp"
#include "base/lock.hpp"
#include "base/world.hpp"

namespace zlink::engine {

class socket_core;

// When a socket wants its next turn. Its node is its own, in the set or out.
using timer_set = std::set<std::pair<base::time_ns, socket_core *>>;

// What an event of the reactor's set belongs to.
enum class tag_kind : std::uint8_t
{
    connection,
    listener,
    inner_set,
};

class reactor
{
  public:
    explicit reactor (base::world &world) noexcept : world_ (world) {}
    ~reactor ();
    reactor (const reactor &) = delete;
    reactor &operator= (const reactor &) = delete;

    base::result<void> start (const base::thread_options &options) noexcept;
    // Ends the thread after its current turn. Not from the reactor's thread.
    void stop () noexcept;

    [[nodiscard]] base::poller &set () noexcept { return *set_; }

    // The socket will be served here: all the memory that it needs for that is
    // taken now. False when memory is out. forget() undoes it.
    [[nodiscard]] bool adopt (socket_core &socket) noexcept;

    // Asks for a turn of the socket. True: call wake() once no lock is held.
    [[nodiscard]] bool post (socket_core &socket) noexcept;
    // Asks for a turn at the given time or earlier. As post.
    [[nodiscard]] bool schedule (socket_core &socket, base::time_ns when) noexcept;
    // The socket has an unwritten tail that somebody must flush soon. As post.
    [[nodiscard]] bool join_dirty (socket_core &socket) noexcept;
    void wake () noexcept { set_->wake (); }

    // The socket is gone: forget it. Only on the reactor's thread, or when it
    // does not run.
    void forget (socket_core &socket) noexcept;

    // Assigned to this reactor: counted when it is chosen, until forget().
    base::atomic<unsigned> sockets{0};

  private:
    void run () noexcept;
    void run_posted () noexcept;
    void run_due (base::time_ns now) noexcept;
    void run_dirty (base::time_ns now) noexcept;
    [[nodiscard]] std::size_t start_dirty_tick (base::time_ns now) noexcept;
    [[nodiscard]] std::span<socket_core *const> take_batch_locked (std::vector<socket_core *> &from,
                                                                   std::size_t at_most) noexcept;
    void set_timer_locked (socket_core &socket, base::time_ns when) noexcept;
    [[nodiscard]] base::time_ns sleep_time (base::time_ns now) noexcept;

    base::world &world_;
    std::unique_ptr<base::poller> set_;
    std::unique_ptr<base::joinable> thread_;
    base::atomic<bool> stopping_{false};

    base::exchange_lock lock_;
    bool asleep_ = false;  // a post must wake
    std::vector<socket_core *> posted_;
    std::vector<socket_core *> dirty_;
    base::time_ns dirty_at_ = base::never_ns;
    timer_set timers_;

    std::array<socket_core *, 64> batch_{};  // the thread's own
};

}  // namespace zlink::engine
