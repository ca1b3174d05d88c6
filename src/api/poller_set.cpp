#include "api/poller_set.hpp"

#include <algorithm>
#include <array>
#include <new>

#include "api/forked.hpp"

namespace zlink::api {

using base::errc;
using base::result;

namespace {

constexpr unsigned known_events =
  socket::event_in | socket::event_out | socket::event_error | socket::event_priority;

std::uint32_t interest_of (unsigned events)
{
    return ((events & (socket::event_in | socket::event_priority)) != 0 ? std::uint32_t{base::interest_read}
                                                                        : 0)
           | ((events & socket::event_out) != 0 ? std::uint32_t{base::interest_write} : 0);
}

poll_target target_of (const socket::poll_item &item)
{
    return {item.socket, item.socket != nullptr ? base::no_handle : item.handle};
}

}  // namespace

poller_set::poller_set (base::world &world) : world_ (world), set_ (world), made_in_ (process_generation ())
{
}

poller_set::~poller_set ()
{
    leave_parents ();
    for (std::size_t at = 0; at < items_.size (); ++at)
        detach (at);
}

void poller_set::leave_parents () noexcept
{
    if (made_in_ == process_generation ())
        return;
    made_in_ = process_generation ();
    set_.forsake ();
    settled_ = false;
    // Not released: its end would take registrations out of a set that both
    // processes share.
    new (&signal_) std::shared_ptr<base::poller>;
    std::fill (watched_.begin (), watched_.end (), base::no_handle);
}

std::size_t poller_set::find (poll_target target) const noexcept
{
    std::size_t at = 0;
    while (at < items_.size () && target_of (items_[at]) != target)
        ++at;
    return at;
}

result<void> poller_set::add (poll_target target, void *user_data, unsigned events)
{
    if ((events & ~known_events) != 0 || find (target) != items_.size ())
        return errc::invalid_argument;
    leave_parents ();
    const std::size_t at = items_.size ();
    user_data_.resize (at);
    watched_.resize (at);
    user_data_.push_back (user_data);
    watched_.push_back (base::no_handle);
    items_.push_back ({target.socket, target.handle, events, 0});
    settled_ = false;
    const result<void> attached = attach (at);
    if (!attached)
        erase (at);
    raise ();
    return attached;
}

result<void> poller_set::modify (poll_target target, unsigned events)
{
    const std::size_t at = find (target);
    if ((events & ~known_events) != 0 || at == items_.size ())
        return errc::invalid_argument;
    leave_parents ();
    items_[at].interest = events;
    settled_ = false;
    raise ();
    if (items_[at].socket != nullptr || watched_[at] == base::no_handle)
        return {};
    return signal_->modify (items_[at].handle, interest_of (events), 0);
}

result<void> poller_set::remove (poll_target target)
{
    const std::size_t at = find (target);
    if (at == items_.size ())
        return errc::invalid_argument;
    leave_parents ();
    detach (at);
    erase (at);
    return {};
}

void poller_set::erase (std::size_t at) noexcept
{
    const auto offset = static_cast<std::ptrdiff_t> (at);
    items_.erase (items_.begin () + offset);
    settled_ = false;
    user_data_.erase (user_data_.begin () + offset);
    watched_.erase (watched_.begin () + offset);
}

// --- the descriptor -------------------------------------------------------

result<base::io_handle> poller_set::descriptor ()
{
    leave_parents ();
    if (signal_ != nullptr)
        return signal_->handle ();
    const bool has_socket =
      std::ranges::any_of (items_, [] (const auto &each) { return each.socket != nullptr; });
    if (!has_socket || !world_.pollers.nests ())
        return errc::invalid_argument;
    result<std::unique_ptr<base::poller>> made = world_.pollers.make ();
    if (!made)
        return made.failure ();
    signal_ = std::move (made).value ();
    set_.clear ();
    settled_ = false;
    result<void> attached;
    for (std::size_t at = 0; at < items_.size () && attached; ++at)
        attached = attach (at);
    if (!attached) {
        for (std::size_t at = 0; at < items_.size (); ++at)
            detach (at);
        signal_.reset ();
        return attached.failure ();
    }
    raise ();
    return signal_->handle ();
}

result<void> poller_set::attach (std::size_t at)
{
    const socket::poll_item &item = items_[at];
    if (signal_ == nullptr)
        return {};
    base::io_handle handle = item.handle;
    std::uint32_t interest = interest_of (item.interest);
    if (item.socket != nullptr) {
        const result<unsigned> now = socket::watch (item.socket, signal_, handle);
        if (!now)
            return now.failure ();
        interest = base::interest_read | base::interest_edge;
    }
    if (handle == base::no_handle || handle == watched_[at])
        return {};
    const result<void> added = signal_->add (handle, interest, 0);
    if (added)
        watched_[at] = handle;
    // A file, or no descriptor at all, is ready whenever somebody looks: the
    // look itself keeps the signal up.
    const bool out_of_room = added.code () == errc::no_memory || added.code () == errc::too_many_files;
    return item.socket != nullptr || out_of_room ? added : result<void>{};
}

void poller_set::detach (std::size_t at)
{
    if (signal_ == nullptr)
        return;
    if (items_[at].socket != nullptr)
        socket::unwatch (items_[at].socket, signal_);
    if (watched_[at] != base::no_handle)
        signal_->remove (watched_[at]);
    watched_[at] = base::no_handle;
}

// Takes the signal back and asks every socket to give it again. In this
// order: what happens in between signals.
result<void> poller_set::rearm ()
{
    std::array<base::poll_event, 16> drained;
    (void)signal_->wait (drained, 0);
    for (std::size_t at = 0; at < items_.size (); ++at)
        if (items_[at].socket != nullptr)
            if (const result<void> armed = attach (at); !armed)
                return armed;
    return {};
}

void poller_set::raise () noexcept
{
    if (signal_ != nullptr)
        signal_->wake ();
}

// --- waiting --------------------------------------------------------------

// With a descriptor every socket has to signal it again, which is a look at each:
// nothing is gained by a set that is kept.
result<std::size_t> poller_set::look (std::int64_t timeout_ms)
{
    if (signal_ != nullptr) {
        const result<void> armed = rearm ();
        return armed ? socket::poll (world_, items_, timeout_ms) : armed.failure ();
    }
    if (!settled_) {
        const result<void> assigned = set_.assign (items_);
        if (!assigned)
            return assigned.failure ();
    }
    const result<std::size_t> ready = set_.wait (timeout_ms);
    settled_ = ready || ready.code () == errc::interrupted;
    if (ready)
        std::copy (set_.items ().begin (), set_.items ().end (), items_.begin ());
    return ready;
}

result<std::size_t> poller_set::wait (std::span<ready_event> events, std::int64_t timeout_ms)
{
    if (items_.empty () && timeout_ms < 0)
        return errc::bad_address;
    leave_parents ();
    const result<std::size_t> ready = look (timeout_ms < 0 ? -1 : timeout_ms);
    if (!ready)
        return ready;
    std::size_t reported = 0;
    const std::size_t start = first_;
    for (std::size_t step = 0; step < items_.size () && reported < events.size (); ++step) {
        const std::size_t at = (start + step) % items_.size ();
        if (items_[at].ready == 0)
            continue;
        events[reported++] = {target_of (items_[at]), user_data_[at], items_[at].ready};
        first_ = at + 1;
    }
    if (reported > 0)
        raise ();
    return reported;
}

}  // namespace zlink::api
