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

bool reactor::adopt (socket_core &socket) noexcept
try {
    const base::locked hold (lock_);
    for (auto *each : {&posted_, &dirty_})
        each->reserve (sockets.load (std::memory_order_relaxed));
    timer_set maker;
    socket.timer_node = maker.extract (maker.emplace (base::never_ns, &socket).first);
    return true;
} catch (const std::bad_alloc &) {
    return false;
}

void reactor::set_timer_locked (socket_core &socket, base::time_ns when) noexcept
{
    if (socket.timer_at != base::never_ns)
        socket.timer_node = timers_.extract ({socket.timer_at, &socket});
    socket.timer_at = when;
    if (when == base::never_ns)
        return;
    socket.timer_node.value ().first = when;
    timers_.insert (std::move (socket.timer_node));
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
    set_timer_locked (socket, when);
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
    set_timer_locked (socket, base::never_ns);
    socket.timer_node = {};
    socket.posted = socket.in_dirty = false;
    sockets.fetch_sub (1, std::memory_order_relaxed);
}

// The first of a list, as many as a batch has room for and at most so many.
std::span<socket_core *const> reactor::take_batch_locked (std::vector<socket_core *> &from,
                                                          std::size_t at_most) noexcept
{
    const std::size_t count = std::min ({from.size (), batch_.size (), at_most});
    const auto end = from.begin () + static_cast<std::ptrdiff_t> (count);
    std::copy (from.begin (), end, batch_.begin ());
    from.erase (from.begin (), end);
    return {batch_.data (), count};
}

// What does not fit into one batch finds the reactor awake.
void reactor::run_posted () noexcept
{
    std::span<socket_core *const> batch;
    {
        const base::locked hold (lock_);
        batch = take_batch_locked (posted_, SIZE_MAX);
        for (socket_core *each : batch)
            each->posted = false;
    }
    if (batch.empty ())
        return;
    const base::time_ns now = world_.time.now_ns ();
    for (socket_core *each : batch)
        each->turn (now);
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
            set_timer_locked (*due, base::never_ns);
        }
        due->turn (now);
    }
}

// How many sockets the dirty tick serves now; plans the next.
std::size_t reactor::start_dirty_tick (base::time_ns now) noexcept
{
    const base::locked hold (lock_);
    if (dirty_.empty ()) {
        dirty_at_ = base::never_ns;
        return 0;
    }
    if (dirty_at_ == base::never_ns) {
        dirty_at_ = now + dirty_first_tick_ns;
        return 0;
    }
    if (now < dirty_at_)
        return 0;
    dirty_at_ = now + dirty_tick_ns;
    return dirty_.size ();
}

void reactor::run_dirty (base::time_ns now) noexcept
{
    std::size_t left = start_dirty_tick (now);
    if (left == 0)
        return;
    while (left > 0) {
        std::span<socket_core *const> batch;
        {
            const base::locked hold (lock_);
            batch = take_batch_locked (dirty_, left);
            for (socket_core *each : batch)
                each->in_dirty = false;
        }
        for (socket_core *each : batch)
            each->dirty_turn ();
        left = batch.empty () ? 0 : left - batch.size ();
    }
    const base::time_ns done = world_.time.now_ns ();
    const base::locked hold (lock_);
    if (dirty_.empty ())
        dirty_at_ = base::never_ns;
    else
        dirty_at_ =
          std::max (dirty_at_, done + std::min (dirty_rest_factor * (done - now), dirty_rest_max_ns));
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
