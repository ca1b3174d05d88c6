// Datagrams (udp): RADIO sends them, DISH receives them, DGRAM does both. A port
// is a connection without a peer: it is ready at once, and its stream makes
// datagrams of frames and frames of datagrams (datagram_stream), so that marks,
// queues, fairness and groups are as everywhere. What is bound has no listener:
// bind opens the port, and the reactor makes it ready as if it had dialled.
#include <array>
#include <new>
#include <utility>

#include "engine/datagram_stream.hpp"
#include "engine/socket_core.hpp"

namespace zlink::engine {

// Whether the type may be used with this transport so.
errc socket_core::may_meet_locked (const base::transport &by, bool binds) const noexcept
{
    const datagram_rule rule = traits_.datagrams;
    bool may = false;
    if (!by.carries_datagrams ())
        may = rule != datagram_rule::raw;
    else if (binds)
        may = rule == datagram_rule::from_groups || rule == datagram_rule::raw;
    else
        may = rule == datagram_rule::to_groups;
    return may ? errc::ok : errc::incompatible_protocol;
}

// No lock is needed, and none is held.
result<std::unique_ptr<base::stream>> socket_core::stream_of (
  result<std::unique_ptr<base::datagram_port>> port, datagram_rule rule, std::int64_t largest_body) noexcept
{
    if (!port.ok ())
        return port.failure ();
    auto what = datagram_stream::content::raw;
    if (rule != datagram_rule::raw)
        what = rule == datagram_rule::to_groups ? datagram_stream::content::groups_sent
                                                : datagram_stream::content::groups_received;
    const std::uint64_t limit = largest_body < 0 ? UINT64_MAX : static_cast<std::uint64_t> (largest_body);
    std::unique_ptr<base::stream> made (new (std::nothrow)
                                          datagram_stream (std::move (port).value (), what, limit));
    if (made == nullptr)
        return errc::no_memory;
    return made;
}

result<std::unique_ptr<base::stream>> socket_core::open_datagrams (
  base::transport &by, const base::address &to, const base::stream_options &options) noexcept
{
    return stream_of (by.open_remote (to, options), datagram_rule::to_groups, -1);
}

// A connection for one, and room for the deadlines of both it and its endpoint.
connection *socket_core::new_port_locked () noexcept
try {
    reserve_deadlines_locked ();
    connection *const made = new_connection_locked ();
    if (made != nullptr)
        made->of_datagrams = made->shapes_stream = true;
    return made;
} catch (const std::bad_alloc &) {
    return nullptr;
}

result<void>
socket_core::bind_datagrams_locked (base::transport &by, std::string_view text, std::string_view address)
{
    const std::uint32_t generation = generation_;
    const base::stream_options options = wish_.stream;
    const std::int64_t largest_body = wish_.message_bytes_max;
    std::list<endpoint> one (1);
    endpoint &fresh = one.front ();
    fresh.text = text;
    fresh.address = address;
    result<std::unique_ptr<base::stream>> made{errc::no_memory};
    {
        const away gone (*this);
        made = stream_of (by.open_local (address, options), traits_.datagrams, largest_body);
        if (made.ok ()) {
            fresh.resolved = made.value ()->local_endpoint ();
            fresh.address =
              fresh.resolved.substr (by.scheme ().size () + 3);  // "://"; for whatever comes after it
        }
    }
    errc bad = check_locked (generation);
    if (!made.ok ()) {
        if (bad == errc::ok)
            tell_bind_failed_locked (text, made.failure ());
        return made.failure ();
    }
    connection *which = nullptr;
    if (bad == errc::ok && traits_.single_peer && !balance_.empty ())
        bad = errc::address_in_use;
    if (bad == errc::ok) {
        which = new_port_locked ();
        bad = which == nullptr ? errc::no_memory : errc::ok;
    }
    if (bad != errc::ok) {
        doom_locked (std::move (made).value ());
        return bad;
    }
    fresh.id = next_endpoint_++;
    fresh.by = &by;
    fresh.bound = true;
    fresh.opened = std::move (made).value ();
    fresh.dialled = which;
    which->dialled_by = &fresh;
    last_endpoint_ = fresh.resolved;
    const base::io_handle handle = fresh.opened->handle ();
    endpoints_.splice (endpoints_.end (), one);
    deadlines_.set (fresh.due, 0);  // at once
    attach_locked (*which);
    tell_endpoint_locked (event_kind::listening, fresh, {.handle = handle});
    post_locked ();
    return {};
}

// The port that bind has opened, or a new one in place of one that has ended.
void socket_core::open_bound_locked (endpoint &at) noexcept
{
    result<std::unique_ptr<base::stream>> made{errc::no_memory};
    if (at.opened != nullptr) {
        made = std::move (at.opened);
    } else {
        at.busy = true;
        base::transport &by = *at.by;
        const std::int64_t largest_body = wish_.message_bytes_max;
        try {
            const base::stream_options options = wish_.stream;
            const away gone (*this);
            made = stream_of (by.open_local (at.address, options), traits_.datagrams, largest_body);
        } catch (const std::bad_alloc &) {
            made = errc::no_memory;
        }
        at.busy = false;
    }
    if (at.removed || at.dialled == nullptr) {
        if (made.ok ())
            doom_locked (std::move (made).value ());
        return;
    }
    if (!made.ok ()) {
        tell_endpoint_locked (event_kind::bind_failed, at, {.failure = made.failure ()});
        dial_failed_locked (at, base::close_reason::connect_failed, made.failure ().os_code);
        return;
    }
    connection &which = *at.dialled;
    which.stream = std::move (made).value ();
    which.generation = next_generation_++;  // late events of the port before are not this one's
    which.state = connection_state::connecting;
    connected_locked (which);
}

// Behind a write: what its stream could not send. The holder of the tx claim.
void socket_core::count_unsent_locked (connection &which) noexcept
{
    const auto lost = static_cast<datagram_stream &> (*which.stream).take_dropped_sent ();
    if (lost.any ()) [[unlikely]]
        count_datagrams_locked (which, lost);
}

// Behind a read: what came and is for nobody. The holder of the rx claim.
void socket_core::count_unread_locked (connection &which) noexcept
{
    auto &stream = static_cast<datagram_stream &> (*which.stream);
    which.maybe_readable = which.maybe_readable || stream.left_off ();
    const auto lost = stream.take_dropped_received ();
    if (lost.any ()) [[unlikely]]
        count_datagrams_locked (which, lost);
}

// They have been written, or were never to be: nothing is settled by that.
void socket_core::count_datagrams_locked (connection &which, const datagrams_dropped &lost) noexcept
{
    const std::array rows{
      std::pair{drop_reason::too_large, lost.too_large}, std::pair{drop_reason::malformed, lost.malformed},
      std::pair{drop_reason::unroutable, lost.unroutable}, std::pair{drop_reason::full, lost.full}};
    for (const auto &[why, messages] : rows) {
        which.passed.of (why) += messages;
        if (messages > 0)
            warn_drop_locked (which, why, messages);
    }
}

}  // namespace zlink::engine
