#include "engine/reactor.hpp"

#include <algorithm>
#include <array>

#include "engine/limits.hpp"
#include "engine/socket_core.hpp"

namespace zlink::engine {

reactor::~reactor () { stop (); }

base::result<void> reactor::start (const base::thread_options &options) noexcept
{
    auto made = world_.pollers.make ();
    if (!made.ok ())
        return made.failure ();
    set_ = std::move (made).value ();
    auto thread = world_.threads.start (options, [this] { run (); });
    if (!thread.ok ())
        return thread.failure ();
    thread_ = std::move (thread).value ();
    return {};
}

void reactor::stop () noexcept
{
    if (thread_ == nullptr)
        return;
    stopping_.store (true, std::memory_order_release);
    wake ();
    thread_.reset ();
}

bool reactor::post (socket_core &socket) noexcept
{
    const base::locked hold (lock_);
    if (socket.posted)
        return false;
    socket.posted = true;
    posted_.push_back (&socket);
    return std::exchange (asleep_, false);
}

bool reactor::schedule (socket_core &socket, base::time_ns when) noexcept
{
    const base::locked hold (lock_);
    if (socket.timer_at <= when)
        return false;
    const bool first = timers_.empty () || when < timers_.begin ()->first;
    timers_.erase ({socket.timer_at, &socket});
    socket.timer_at = when;
    timers_.emplace (when, &socket);
    return first && std::exchange (asleep_, false);
}

bool reactor::join_dirty (socket_core &socket) noexcept
{
    const base::locked hold (lock_);
    if (socket.in_dirty)
        return false;
    socket.in_dirty = true;
    const bool first = dirty_.empty ();
    dirty_.push_back (&socket);
    return first && std::exchange (asleep_, false);
}

void reactor::forget (socket_core &socket) noexcept
{
    const base::locked hold (lock_);
    std::erase (posted_, &socket);
    std::erase (dirty_, &socket);
    timers_.erase ({socket.timer_at, &socket});
    socket.posted = socket.in_dirty = false;
    socket.timer_at = base::never_ns;
    sockets.fetch_sub (1, std::memory_order_relaxed);
}

void reactor::run_posted () noexcept
{
    {
        const base::locked hold (lock_);
        batch_.swap (posted_);
        for (socket_core *each : batch_)
            each->posted = false;
    }
    if (batch_.empty ())
        return;
    const base::time_ns now = world_.time.now_ns ();
    for (socket_core *each : batch_)
        each->turn (now);
    batch_.clear ();
}

void reactor::run_due (base::time_ns now) noexcept
{
    for (;;) {
        socket_core *due = nullptr;
        {
            const base::locked hold (lock_);
            if (timers_.empty () || timers_.begin ()->first > now)
                return;
            due = timers_.begin ()->second;
            timers_.erase (timers_.begin ());
            due->timer_at = base::never_ns;
        }
        due->turn (now);
    }
}

void reactor::run_dirty (base::time_ns now) noexcept
{
    {
        const base::locked hold (lock_);
        if (dirty_.empty ()) {
            dirty_at_ = base::never_ns;
            return;
        }
        if (dirty_at_ == base::never_ns) {
            dirty_at_ = now + dirty_first_tick_ns;
            return;
        }
        if (now < dirty_at_)
            return;
        batch_.swap (dirty_);
        for (socket_core *each : batch_)
            each->in_dirty = false;
        dirty_at_ = now + dirty_tick_ns;
    }
    for (socket_core *each : batch_)
        each->dirty_turn (now);
    batch_.clear ();
    const base::locked hold (lock_);
    if (dirty_.empty ())
        dirty_at_ = base::never_ns;
}

// How long nothing is due; marks the reactor asleep unless something is.
base::time_ns reactor::sleep_time (base::time_ns now) noexcept
{
    const base::locked hold (lock_);
    if (!posted_.empty () || stopping_.load (std::memory_order_acquire))
        return 0;
    // A socket that joined behind run_dirty() found us awake and woke nobody.
    if (dirty_at_ == base::never_ns && !dirty_.empty ())
        dirty_at_ = now + dirty_first_tick_ns;
    base::time_ns next = dirty_at_;
    if (!timers_.empty ())
        next = std::min (next, timers_.begin ()->first);
    asleep_ = true;
    if (next == base::never_ns)
        return -1;
    return std::max<base::time_ns> (next - now, 0);
}

void reactor::run () noexcept
{
    std::array<base::poll_event, events_per_harvest_max> events;
    while (!stopping_.load (std::memory_order_acquire)) {
        run_posted ();
        const base::time_ns now = world_.time.now_ns ();
        run_due (now);
        run_dirty (now);
        const base::time_ns limit = sleep_time (now);
        const auto seen = set_->wait (events, limit);
        {
            const base::locked hold (lock_);
            asleep_ = false;
        }
        const std::size_t count = seen.ok () ? seen.value () : 0;
        for (std::size_t i = 0; i < count; ++i)
            if (events[i].tag != base::wake_tag)
                socket_core::dispatch (events[i]);
    }
}

}  // namespace zlink::engine
