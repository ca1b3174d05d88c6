#include "service/registry_line.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <span>
#include <utility>

#include "service/limits.hpp"
#include "service/next_part.hpp"
#include "service/option_numbers.hpp"

namespace zlink::service {

using base::errc;
using base::result;

namespace {

constexpr std::size_t events_max = 256;

// Ready connections are all that is asked for.
std::uint64_t number_of_ready (const socket::event &what) noexcept
{
    return what.kind == socket::event_kind::ready ? 1 : 0;
}

// Of "tcp://10.0.0.7:5555", "tcp://[fe80::1]:5555".
std::string_view host_of (std::string_view endpoint) noexcept
{
    const std::size_t scheme = endpoint.find ("://");
    if (scheme == std::string_view::npos)
        return {};
    endpoint.remove_prefix (scheme + 3);
    const std::size_t port = endpoint.rfind (':');
    endpoint = endpoint.substr (0, port == std::string_view::npos ? 0 : port);
    if (endpoint.starts_with ('[') && endpoint.ends_with (']'))
        endpoint = endpoint.substr (1, endpoint.size () - 2);
    return endpoint;
}

}  // namespace

result<void> registry_line::open (void *context)
{
    const result<void *> opened = socket::open (context, type_router);
    if (!opened)
        return opened.failure ();
    socket_ = opened.value ();
    // What waits to be sent is bounded by octets, and by what there is to register.
    const std::array<std::pair<int, int>, 6> wanted{
      {{number_of_router_mandatory, 1},
       {number_of_router_notify, notify_comers_and_goers},
       {socket::number_of_send_hwm, 0},
       {socket::number_of_linger, farewell_ms},
       {number_of_heartbeat_ivl, registry_heartbeat_ms},
       {number_of_reconnect_ivl_max, registry_reconnect_max_ms}}};
    for (const auto &[number, value] : wanted)
        if (const result<void> set = set_option (number, &value, sizeof value); !set)
            return set;
    const auto bytes_max = static_cast<std::int64_t> (wire::registry_message_bytes_max);
    if (const result<void> set = set_option (number_of_maxmsgsize, &bytes_max, sizeof bytes_max); !set)
        return set;
    const result<void *> events = socket::events_open (world_, socket_, events_max, number_of_ready, 1);
    if (!events)
        return events.failure ();
    events_ = events.value ();
    return {};
}

void registry_line::close () noexcept
{
    for (base::message *const each : {&name_, &room_})
        if (each->valid ())
            each->close ();
    if (events_ != nullptr)
        (void)socket::events_close (std::exchange (events_, nullptr));
    if (socket_ != nullptr)
        (void)socket::close (std::exchange (socket_, nullptr));
}

result<registry_line::source_number> registry_line::add (std::string_view endpoint) noexcept
try {
    const auto known = std::ranges::find (sources_, endpoint, &source::endpoint);
    if (known != sources_.end ())
        return static_cast<source_number> (known - sources_.begin ());
    if (sources_.size () >= known_sources_max)
        return errc::invalid_argument;
    source fresh;
    fresh.endpoint = endpoint;
    fresh.name = "r" + std::to_string (sources_.size ());
    if (sources_.capacity () == sources_.size ())
        sources_.reserve (2 * sources_.size () + 1);
    if (const result<void> dialled = dial (fresh); !dialled)
        return dialled.failure ();
    sources_.push_back (std::move (fresh));
    return static_cast<source_number> (sources_.size () - 1);
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

result<void> registry_line::dial (const source &whom) noexcept
{
    const result<void> named =
      set_option (number_of_connect_routing_id, whom.name.data (), whom.name.size ());
    return named ? socket::connect (socket_, whom.endpoint) : named;
}

bool registry_line::again (source_number whom) noexcept
{
    source &which = sources_[whom];
    (void)socket::disconnect (socket_, which.endpoint);
    which.connected = false;
    which.local.clear ();
    return dial (which).ok ();
}

// --- what comes --------------------------------------------------------------------

// False: there was more than one part, which no registry sends.
bool registry_line::skip_rest () noexcept
{
    bool alone = true;
    while (room_.more ()) {
        alone = false;
        if (!take_next_part (socket_, room_))
            break;
    }
    return alone;
}

registry_line::source *registry_line::named (base::bytes_view name) noexcept
{
    const auto found = std::ranges::find (sources_, base::as_text (name), &source::name);
    return found == sources_.end () ? nullptr : &*found;
}

line_news registry_line::next () noexcept
{
    if (const line_news waiting = next_waiting (); waiting.what != line_event::nothing)
        return waiting;
    while (take_next_part (socket_, name_)) {
        source *const from = named (name_.view ());
        if (!name_.more () || !take_next_part (socket_, room_))
            continue;
        const base::message_event what = room_.event ();
        const bool is_message = what == base::message_event::data && skip_rest ();
        if (from == nullptr)
            continue;
        const line_news news = judge (*from, what, is_message);
        if (news.what != line_event::nothing)
            return news;
    }
    return {};
}

// What was found out beside what was told.
line_news registry_line::next_waiting () noexcept
{
    if (const auto came = std::ranges::find (sources_, true, &source::came); came != sources_.end ()) {
        came->came = false;
        if (!std::exchange (came->connected, true))
            return {line_event::connected, static_cast<source_number> (came - sources_.begin ()), {}};
    }
    if (!std::exchange (room_waits_, false))
        return {};
    return {line_event::message, waiting_from_, room_.view ()};
}

// What it means that this has come.
line_news registry_line::judge (source &from, base::message_event what, bool is_message) noexcept
{
    const auto number = static_cast<source_number> (&from - sources_.data ());
    if (what == base::message_event::disconnected) {
        from.local.clear ();
        from.has_local = false;
        return {std::exchange (from.connected, false) ? line_event::lost : line_event::nothing, number, {}};
    }
    if (what == base::message_event::connected) {
        note_routes ();
        from.came = from.connected;  // nobody has said that it had gone
        from.connected = !from.came;
        return {from.came ? line_event::lost : line_event::connected, number, {}};
    }
    if (!std::exchange (from.connected, true)) {
        room_waits_ = is_message;  // nobody has said that it had come
        waiting_from_ = number;
        return {line_event::connected, number, {}};
    }
    return {is_message ? line_event::message : line_event::nothing, number, room_.view ()};
}

bool registry_line::anybody_away () const noexcept
{
    return std::ranges::any_of (sources_, [] (const source &each) { return !each.connected; });
}

void registry_line::look () noexcept
{
    for (source &each : sources_) {
        if (each.connected)
            continue;
        const result<socket::endpoint_status> now = socket::status (socket_, each.endpoint);
        each.came = now && now.value ().connected > 0;
    }
}

line_sending registry_line::send (source_number to, base::bytes_view octets) noexcept
{
    std::array<base::message, 2> parts;
    for (base::message &each : parts)
        each.init ();
    base::io_count sent = errc::no_memory;
    if (parts[0].init_copy (base::as_bytes (sources_[to].name)).ok () && parts[1].init_copy (octets).ok ()) {
        parts[0].set_more (true);
        sent = socket::send_parts (socket_, parts, socket::io_dont_wait);
    }
    for (base::message &each : parts)
        each.close ();
    if (sent.ok ())
        return line_sending::sent;
    const bool away = sent.code () == errc::host_unreachable || sent.code () == errc::terminated;
    return away ? line_sending::away : line_sending::full;
}

// --- routes ------------------------------------------------------------------------

void registry_line::note_routes () noexcept
try {
    socket::event what;
    while (socket::events_receive (world_, events_, what, 0).ok ())
        for (source &each : sources_)
            if (each.endpoint == what.endpoint) {
                each.local = what.local;
                each.has_local = true;
            }
} catch (const std::bad_alloc &) {
    // It is not known then.
}

std::optional<std::string> registry_line::route_host (source_number to)
{
    note_routes ();
    const source &which = sources_[to];
    return which.has_local ? std::optional (std::string (host_of (which.local))) : std::nullopt;
}

}  // namespace zlink::service
