// What a socket is ready for, for polls, descriptors and waits.
#include <algorithm>
#include <array>
#include <new>

#include "engine/socket_core.hpp"

namespace zlink::engine {

unsigned socket_core::events_locked (bool at_the_kernel) noexcept
{
    unsigned now = 0;
    if (owes_topics_locked () && !pay_topics_locked ()) [[unlikely]]
        notify_watchers_locked ();
    if (at_the_kernel ? readable_locked () : front_pipe_locked () != nullptr)
        now |= event_readable;
    if (writable_locked ())
        now |= event_writable;
    else if (traits_.sends != send_rule::none && budget_holds_locked ())
        hold_back_locked ();
    // What this look read may be what somebody sleeps for.
    if (!ready_.empty ())
        wake_receiver_locked ();
    return now;
}

// The descriptor is signalled no more; what of it was the kernel's is looked at next.
void socket_core::drain_handle_locked (std::uint32_t generation) noexcept
{
    {
        std::array<base::poll_event, 4> events;
        const away gone (*this);
        (void)handle_set_->wait (events, 0);
    }
    // Only behind the drain: what was raised meanwhile may have been
    // drained with it, so the next news must raise again.
    handle_raised_ = false;
    // What ended meanwhile stays signalled: others wait for it, too.
    if (check_locked (generation) != errc::ok)
        notify_watchers_locked ();
}

// A descriptor that nobody raised is signalled as long as the inner set is: a look
// there ends it, and takes no drain. Behind an answer that something can be received
// there need be none, either: what has come since is signalled still. Answers whether
// to look.
bool socket_core::acknowledge_handle_locked (std::uint32_t generation) noexcept
{
    const bool plain =
      traits_.receives == receive_rule::fair && ready_.empty () && inside_ == nullptr && !handle_raised_;
    const bool looks = !plain || !handle_stays_true_ || !told_readable_;
    if (!plain)
        drain_handle_locked (generation);
    handle_stays_true_ = plain;
    return looks;
}

result<unsigned> socket_core::events (std::uint32_t generation, bool acknowledge) noexcept
{
    lock ();
    errc bad = check_locked (generation);
    unsigned now = 0;
    if (bad == errc::ok) {
        const bool acknowledged = handle_set_ != nullptr && acknowledge;
        now = events_locked (!acknowledged || acknowledge_handle_locked (generation));
        if (acknowledged)
            told_readable_ = (now & event_readable) != 0;
        if (handle_set_ != nullptr && (now & event_writable) == 0 && ask_for_room_locked ())
            now |= event_writable;
        flush_tails_locked ();
        bad = check_locked (generation);
    }
    unlock ();
    if (bad != errc::ok)
        return bad;
    return now;
}

// Has the consumers of inproc links tell of room from now on. True when there
// is some already.
bool socket_core::ask_for_room_locked () noexcept
{
    for (pipe *each : balance_)
        if (each->kind == pipe_kind::inproc)
            static_cast<inproc_end *> (each)->out->writer_waits.store (true, std::memory_order_seq_cst);
    return inproc_room_locked () && may_send_locked () == errc::ok;
}

result<base::io_handle> socket_core::event_handle (std::uint32_t generation) noexcept
{
    lock ();
    errc bad = check_locked (generation);
    base::io_handle handle = base::no_handle;
    if (bad == errc::ok && handle_set_ == nullptr) {
        result<std::unique_ptr<base::poller>> made{errc::no_memory};
        base::poller *const inner = inner_.get ();
        {
            const away gone (*this);
            made = owner_->world.pollers.make ();
            if (made.ok () && inner != nullptr) {
                constexpr std::uint32_t wish = base::interest_read | base::interest_edge;
                if (const auto added = made.value ()->add (inner->handle (), wish, 0); !added.ok ())
                    made = added.failure ();
            }
        }
        bad = made.code ();
        if (made.ok () && handle_set_ == nullptr) {
            handle_set_ = std::move (made).value ();
            handle_raised_ = true;  // so that the first look at the descriptor asks for events
            todo_ |= todo_raise_handle;
        }
    }
    if (bad == errc::ok)
        handle = handle_set_->handle ();
    unlock ();
    return bad == errc::ok ? result<base::io_handle> (handle) : result<base::io_handle> (bad);
}

result<unsigned> socket_core::watch (std::uint32_t generation,
                                     const std::shared_ptr<base::watcher> &watcher,
                                     base::io_handle &kernel,
                                     bool for_room) noexcept
{
    lock ();
    errc bad = check_locked (generation);
    unsigned now = 0;
    if (bad == errc::ok) {
        try {
            if (std::ranges::find (watchers_, watcher) == watchers_.end ())
                watchers_.push_back (watcher);
            watchers_wait_ = true;
            now = events_locked ();
            flush_tails_locked ();
            bad = check_locked (generation);
            kernel = inner_ == nullptr ? base::no_handle : inner_->handle ();
            if (!for_room)
                (void)inproc_room_locked ();
            else if (ask_for_room_locked ())
                now |= event_writable;
        } catch (const std::bad_alloc &) {
            bad = errc::no_memory;
        }
    }
    unlock ();
    if (bad != errc::ok)
        return bad;
    return now;
}

void socket_core::unwatch (std::uint32_t generation, const std::shared_ptr<base::watcher> &watcher) noexcept
{
    lock ();
    if (generation == generation_) {
        std::erase (watchers_, watcher);
        watchers_wait_ = watchers_wait_ && !watchers_.empty ();
    }
    unlock ();
}

}  // namespace zlink::engine
