#include "api/poller_set.hpp"

namespace zlink::api {

using base::errc;
using base::result;

namespace {

constexpr unsigned known_events =
  socket::event_in | socket::event_out | socket::event_error | socket::event_priority;

poll_target target_of (const socket::poll_item &item)
{
    return {item.socket, item.socket != nullptr ? base::no_handle : item.handle};
}

}  // namespace

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
    items_.push_back ({target.socket, target.handle, events, 0});
    user_data_.push_back (user_data);
    return {};
}

result<void> poller_set::modify (poll_target target, unsigned events)
{
    const std::size_t at = find (target);
    if ((events & ~known_events) != 0 || at == items_.size ())
        return errc::invalid_argument;
    items_[at].interest = events;
    return {};
}

result<void> poller_set::remove (poll_target target)
{
    const std::size_t at = find (target);
    if (at == items_.size ())
        return errc::invalid_argument;
    items_.erase (items_.begin () + static_cast<std::ptrdiff_t> (at));
    user_data_.erase (user_data_.begin () + static_cast<std::ptrdiff_t> (at));
    return {};
}

result<std::size_t> poller_set::wait (std::span<ready_event> events, std::int64_t timeout_ms)
{
    if (items_.empty () && timeout_ms < 0)
        return errc::bad_address;
    const result<std::size_t> ready = socket::poll (world_, items_, timeout_ms < 0 ? -1 : timeout_ms);
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
    return reported;
}

}  // namespace zlink::api
