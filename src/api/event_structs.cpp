#include "api/event_structs.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "api/errors.hpp"
#include "api/monitor_formats.hpp"
#include "api/real_world_access.hpp"
#include "api/sockets.hpp"
#include "api/texts.hpp"

namespace zlink::api {

using base::errc;
using base::result;

namespace {

void copy_id (zlink_routing_id_t &to, std::string_view id) noexcept
{
    to.size = static_cast<std::uint8_t> (std::min (id.size (), sizeof to.data));
    std::memcpy (to.data, id.data (), to.size);
}

std::string_view id_of (const zlink_routing_id_t &id) noexcept
{
    return {reinterpret_cast<const char *> (id.data), id.size};
}

void copy_event (zlink_event_t &to, const socket::event &from) noexcept
{
    to = {};
    to.event = zlink_event_number (from);
    to.number = from.number;
    to.lost = from.lost_before;
    to.connection_id = from.connection_id;
    to.value = zlink_event_value (from);
    to.time_ns = from.at_ns;
    to.is_listener = from.at_listener ? 1 : 0;
    to.reason = static_cast<std::int32_t> (from.reason);
    to.os_error = event_errno (from);
    copy_text (base::reason_name (from.reason), to.reason_text);
    copy_text (from.endpoint, to.endpoint);
    copy_text (from.local, to.local_addr);
    copy_text (from.remote, to.remote_addr);
    copy_id (to.routing_id, from.peer_identity);
}

void copy_peer (zlink_peer_info_t &to, const socket::peer &from, base::time_ns now) noexcept
{
    to = {};
    copy_id (to.routing_id, from.identity);
    copy_text (from.remote, to.remote_addr);
    to.connected_time =
      static_cast<std::uint64_t> (std::max<base::time_ns> (now - from.ready_since_ns, 0) / base::ns_per_ms);
    to.msgs_sent = from.messages_sent;
    to.msgs_received = from.messages_received;
}

// Parts that are initialised for a scope.
class received_parts
{
  public:
    received_parts () noexcept
    {
        for (base::message &each : all_)
            each.init ();
    }
    ~received_parts ()
    {
        for (base::message &each : all_)
            each.close ();
    }
    received_parts (const received_parts &) = delete;
    received_parts &operator= (const received_parts &) = delete;
    [[nodiscard]] std::span<base::message> all () noexcept { return all_; }

  private:
    std::array<base::message, socket::monitor_parts_max> all_;
};

}  // namespace

// --- streams of events ----------------------------------------------------

void *open_events (void *socket, std::uint64_t events, std::size_t queued_max) noexcept
{
    base::world *const process = process_world ();
    if (process == nullptr)
        return failed_pointer (errc::no_memory);
    return answer (socket::events_open (*process, socket, queued_max, zlink_event_number, events));
}

int receive_event (void *events, zlink_event_t *event, int timeout_ms) noexcept
{
    if (event == nullptr)
        return failed (errc::bad_address);
    socket::event oldest;
    base::world *const process = process_world ();
    if (process == nullptr)
        return failed (errc::no_memory);
    const result<void> got = socket::events_receive (*process, events, oldest, timeout_ms);
    if (!got)
        return failed (got.failure ());
    copy_event (*event, oldest);
    return 0;
}

int close_events (void *events) noexcept { return answer (socket::events_close (events)); }

// --- monitors -------------------------------------------------------------

int receive_monitor_event (void *monitor, zlink_monitor_event_t *event, int flags) noexcept
{
    if (event == nullptr)
        return failed (errc::bad_address);
    received_parts parts;
    std::size_t needed = 0;
    const socket::io_count got = socket::receive_parts (monitor, parts.all (), io_flags_of (flags), &needed);
    if (!got.ok ())
        return failed (got.code () == errc::message_too_long ? errc::invalid_argument : got.code ());
    monitor_message said;
    if (!read_monitor_message (parts.all ().first (got.size ()), said))
        return failed (errc::invalid_argument);
    *event = {};
    event->event = said.event;
    event->value = said.value;
    copy_id (event->routing_id, said.routing_id);
    copy_text (said.local, event->local_addr);
    copy_text (said.remote, event->remote_addr);
    return 0;
}

// --- peers ----------------------------------------------------------------

int count_peers (void *socket) noexcept
{
    const auto found = socket::peers (socket);
    return found ? static_cast<int> (found.value ().size ()) : failed (found.failure ());
}

int list_peers (void *socket, zlink_peer_info_t *peers, std::size_t *count) noexcept
{
    if (count == nullptr || (peers == nullptr && *count != 0))
        return failed (errc::bad_address);
    const auto found = socket::peers (socket);
    if (!found)
        return failed (found.failure ());
    const std::vector<socket::peer> &all = found.value ();
    const base::time_ns now = process_world ()->time.now_ns ();
    *count = std::min (*count, all.size ());
    for (std::size_t i = 0; i < *count; ++i)
        copy_peer (peers[i], all[i], now);
    return 0;
}

int find_peer (void *socket, const zlink_routing_id_t *routing_id, zlink_peer_info_t *info) noexcept
{
    if (routing_id == nullptr || info == nullptr)
        return failed (errc::bad_address);
    const auto found = socket::peers (socket);
    if (!found)
        return failed (found.failure ());
    for (const socket::peer &each : found.value ())
        if (!each.identity.empty () && each.identity == id_of (*routing_id)) {
            copy_peer (*info, each, process_world ()->time.now_ns ());
            return 0;
        }
    return failed (errc::host_unreachable);
}

int peer_at (void *socket, int index, zlink_routing_id_t *routing_id) noexcept
{
    if (routing_id == nullptr)
        return failed (errc::bad_address);
    const auto found = socket::peers (socket);
    if (!found)
        return failed (found.failure ());
    if (index < 0 || static_cast<std::size_t> (index) >= found.value ().size ())
        return failed (errc::invalid_argument);
    *routing_id = {};
    copy_id (*routing_id, found.value ()[static_cast<std::size_t> (index)].identity);
    return 0;
}

}  // namespace zlink::api
