#include "api/monitor_formats.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "zlink/zlink.h"
#include "zmq.h"

namespace zlink::api {
namespace {

using base::close_reason;
using base::errc;
using base::message;
using socket::event;
using socket::event_kind;

event of (event_kind kind, close_reason reason = close_reason::none)
{
    event made;
    made.kind = kind;
    made.reason = reason;
    return made;
}

TEST (event_numbers, are_those_of_the_headers)
{
    const std::vector<std::pair<event, std::uint64_t>> table = {
      {of (event_kind::listening), ZMQ_EVENT_LISTENING},
      {of (event_kind::bind_failed), ZMQ_EVENT_BIND_FAILED},
      {of (event_kind::accept_failed), ZMQ_EVENT_ACCEPT_FAILED},
      {of (event_kind::unbound), ZMQ_EVENT_CLOSED},
      {of (event_kind::connect_started), ZMQ_EVENT_CONNECT_DELAYED},
      {of (event_kind::connect_failed, close_reason::connect_refused), ZMQ_EVENT_CLOSED},
      {of (event_kind::connect_planned), ZMQ_EVENT_CONNECT_RETRIED},
      {of (event_kind::accepted), ZMQ_EVENT_ACCEPTED},
      {of (event_kind::connected), ZMQ_EVENT_CONNECTED},
      {of (event_kind::ready), ZMQ_EVENT_HANDSHAKE_SUCCEEDED},
      {of (event_kind::handshake_failed, close_reason::peer_closed), ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL},
      {of (event_kind::handshake_failed, close_reason::mechanism_mismatch),
       ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL},
      {of (event_kind::handshake_failed, close_reason::authentication_failed),
       ZMQ_EVENT_HANDSHAKE_FAILED_AUTH},
      {of (event_kind::lost, close_reason::peer_closed), ZMQ_EVENT_DISCONNECTED},
      {of (event_kind::stopped), ZMQ_EVENT_MONITOR_STOPPED},
    };
    for (const auto &[what, number] : table) {
        EXPECT_EQ (zmq_event_number (what), number);
        EXPECT_EQ (zlink_monitor_number (what), number);
        EXPECT_EQ (zlink_event_number (what), number);
    }
    EXPECT_EQ (zmq_event_number (of (event_kind::pipe_counts)), unsigned{ZMQ_EVENT_PIPES_STATS});
    EXPECT_EQ (zlink_monitor_number (of (event_kind::pipe_counts)), 0u);
    event gap = of (event_kind::gap);
    gap.missed = 7;
    EXPECT_EQ (zlink_event_number (gap), unsigned{ZLINK_EVENT_GAP});
    EXPECT_EQ (zlink_monitor_number (gap), unsigned{ZLINK_EVENT_GAP});
    EXPECT_EQ (zmq_event_number (gap), 0u) << "zmq.h knows none";
    EXPECT_EQ (zlink_event_value (gap), 7u);
}

TEST (event_numbers, differ_where_libzmq_says_nothing)
{
    for (const close_reason ours :
         {close_reason::local_close, close_reason::disconnected, close_reason::context_terminated}) {
        EXPECT_EQ (zmq_event_number (of (event_kind::lost, ours)), 0u);
        EXPECT_EQ (zlink_monitor_number (of (event_kind::lost, ours)), unsigned{ZLINK_EVENT_DISCONNECTED});
    }
    const event no_name = of (event_kind::connect_failed, close_reason::resolve_failed);
    EXPECT_EQ (zmq_event_number (no_name), 0u);
    EXPECT_EQ (zlink_monitor_number (no_name), 0u);
    EXPECT_EQ (zlink_event_number (no_name), unsigned{ZLINK_EVENT_CLOSED});
    event raw = of (event_kind::ready);
    raw.no_handshake = true;
    EXPECT_EQ (zmq_event_number (raw), 0u);
    EXPECT_EQ (zlink_monitor_number (raw), unsigned{ZLINK_EVENT_CONNECTION_READY});
    EXPECT_EQ (zlink_event_number (raw), unsigned{ZLINK_EVENT_CONNECTION_READY});
    event inside = of (event_kind::ready);
    inside.in_process = true;
    EXPECT_EQ (zmq_event_number (inside), 0u);
    EXPECT_EQ (zlink_monitor_number (inside), 0u);
    EXPECT_EQ (zlink_event_number (inside), unsigned{ZLINK_EVENT_CONNECTION_READY});
}

TEST (event_values, are_descriptors_errnos_and_intervals)
{
    event what = of (event_kind::accepted);
    what.handle = 17;
    EXPECT_EQ (zmq_event_value (what), 17u);
    what = of (event_kind::bind_failed);
    what.failure = {errc::address_in_use, 98};
    EXPECT_EQ (zmq_event_value (what), unsigned{EADDRINUSE});
    what = of (event_kind::connect_started);
    what.failure = {errc::in_progress, 0};
    EXPECT_EQ (zmq_event_value (what), unsigned{EINPROGRESS});
    what = of (event_kind::connect_planned);
    what.interval_ms = 123;
    EXPECT_EQ (zmq_event_value (what), 123u);
    EXPECT_EQ (zmq_event_value (of (event_kind::ready)), 0u);
    EXPECT_EQ (zmq_event_value (of (event_kind::stopped)), 0u);
    EXPECT_EQ (zmq_event_value (of (event_kind::handshake_failed, close_reason::peer_closed)),
               unsigned{EPIPE});
    EXPECT_EQ (zmq_event_value (of (event_kind::handshake_failed, close_reason::turned_away)),
               unsigned{EPIPE});
    EXPECT_EQ (zmq_event_value (of (event_kind::handshake_failed, close_reason::handshake_timeout)),
               unsigned{ETIMEDOUT});
}

TEST (event_values, of_broken_protocols_are_the_headers_codes)
{
    const std::vector<std::pair<close_reason, std::uint64_t>> table = {
      {close_reason::greeting_malformed, ZMQ_PROTOCOL_ERROR_ZMTP_UNSPECIFIED},
      {close_reason::version_unsupported, ZMQ_PROTOCOL_ERROR_ZMTP_UNSPECIFIED},
      {close_reason::mechanism_mismatch, ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH},
      {close_reason::socket_type_incompatible, ZMQ_PROTOCOL_ERROR_ZMTP_INVALID_METADATA},
      {close_reason::metadata_malformed, ZMQ_PROTOCOL_ERROR_ZMTP_INVALID_METADATA},
      {close_reason::identity_malformed, ZMQ_PROTOCOL_ERROR_ZMTP_INVALID_METADATA},
      {close_reason::command_malformed, ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_UNSPECIFIED},
      {close_reason::command_unexpected, ZMQ_PROTOCOL_ERROR_ZMTP_UNEXPECTED_COMMAND},
      {close_reason::data_before_ready, ZMQ_PROTOCOL_ERROR_ZMTP_UNEXPECTED_COMMAND},
      {close_reason::frame_malformed, ZMQ_PROTOCOL_ERROR_ZMTP_UNSPECIFIED},
    };
    for (const auto &[reason, code] : table) {
        const event what = of (event_kind::handshake_failed, reason);
        EXPECT_EQ (zmq_event_number (what), unsigned{ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL});
        EXPECT_EQ (zmq_event_value (what), code) << base::reason_name (reason);
        EXPECT_EQ (zlink_event_value (what), code);
    }
}

TEST (event_values, of_lost_connections_are_zlinks_reasons)
{
    const std::vector<std::pair<close_reason, std::uint64_t>> table = {
      {close_reason::none, ZLINK_DISCONNECT_UNKNOWN},
      {close_reason::local_close, ZLINK_DISCONNECT_LOCAL},
      {close_reason::disconnected, ZLINK_DISCONNECT_LOCAL},
      {close_reason::context_terminated, ZLINK_DISCONNECT_CTX_TERM},
      {close_reason::peer_closed, ZLINK_DISCONNECT_REMOTE},
      {close_reason::connection_reset, ZLINK_DISCONNECT_TRANSPORT_ERROR},
      {close_reason::heartbeat_timeout, ZLINK_DISCONNECT_TRANSPORT_ERROR},
    };
    for (const auto &[reason, value] : table) {
        event what = of (event_kind::lost, reason);
        what.handle = 9;
        EXPECT_EQ (zlink_event_value (what), value) << base::reason_name (reason);
        EXPECT_EQ (zmq_event_value (what), 9u);
    }
    event early = of (event_kind::lost, close_reason::peer_closed);
    early.in_handshake = true;
    EXPECT_EQ (zlink_event_value (early), unsigned{ZLINK_DISCONNECT_HANDSHAKE_FAILED});
}

TEST (event_values, every_reason_has_an_errno_or_is_none)
{
    for (int i = 0; i < static_cast<int> (base::close_reasons); ++i) {
        const event what = of (event_kind::lost, static_cast<close_reason> (i));
        const bool quiet = what.reason == close_reason::none || socket::is_local (what.reason);
        EXPECT_EQ (event_errno (what) == 0, quiet) << base::reason_name (what.reason);
    }
    event with_number = of (event_kind::lost, close_reason::read_failed);
    with_number.failure.os_code = EHOSTDOWN;
    EXPECT_EQ (event_errno (with_number), EHOSTDOWN);
}

// --- messages -----------------------------------------------------------------------

std::vector<std::string> texts (const socket::monitor_format &format, const event &what)
{
    std::array<message, socket::monitor_parts_max> parts;
    const std::size_t count = format.encode (what, parts);
    std::vector<std::string> all;
    for (std::size_t i = 0; i < count; ++i) {
        all.emplace_back (base::as_text (parts[i].view ()));
        parts[i].close ();
    }
    return all;
}

template <class Number> std::string raw (Number number)
{
    std::string text (sizeof number, '\0');
    std::memcpy (text.data (), &number, sizeof number);
    return text;
}

event accepted ()
{
    event what = of (event_kind::accepted);
    what.at_listener = true;
    what.handle = 7;
    what.local = "tcp://127.0.0.1:1";
    what.remote = "tcp://127.0.0.1:2";
    what.peer_identity = "peer";
    return what;
}

TEST (monitor_formats, version_1)
{
    const std::string head = raw (std::uint16_t{ZMQ_EVENT_ACCEPTED}) + raw (std::uint32_t{7});
    EXPECT_EQ (texts (zmq_monitor_v1, accepted ()), (std::vector<std::string>{head, "tcp://127.0.0.1:1"}));
    event dialled = accepted ();
    dialled.at_listener = false;
    EXPECT_EQ (texts (zmq_monitor_v1, dialled)[1], "tcp://127.0.0.1:2");
    EXPECT_EQ (texts (zmq_monitor_v1, of (event_kind::stopped))[1], "");
}

TEST (monitor_formats, version_2)
{
    EXPECT_EQ (texts (zmq_monitor_v2, accepted ()),
               (std::vector<std::string>{raw (std::uint64_t{ZMQ_EVENT_ACCEPTED}), raw (std::uint64_t{1}),
                                         raw (std::uint64_t{7}), "tcp://127.0.0.1:1", "tcp://127.0.0.1:2"}));
    event counts = of (event_kind::pipe_counts);
    counts.outbound = 3;
    counts.inbound = 4;
    EXPECT_EQ (texts (zmq_monitor_v2, counts),
               (std::vector<std::string>{raw (std::uint64_t{ZMQ_EVENT_PIPES_STATS}), raw (std::uint64_t{2}),
                                         raw (std::uint64_t{3}), raw (std::uint64_t{4}), "", ""}));
}

TEST (monitor_formats, zlink_1)
{
    EXPECT_EQ (
      texts (zlink_monitor, accepted ()),
      (std::vector<std::string>{raw (std::uint64_t{ZLINK_EVENT_ACCEPTED}), raw (std::uint64_t{1}),
                                raw (std::uint64_t{7}), "peer", "tcp://127.0.0.1:1", "tcp://127.0.0.1:2"}));
}

TEST (monitor_formats, too_little_room_is_no_message)
{
    std::array<message, 2> parts;
    EXPECT_EQ (zmq_monitor_v2.encode (accepted (), parts), 0u);
}

TEST (monitor_formats, zlinks_messages_are_read_back)
{
    std::array<message, socket::monitor_parts_max> parts;
    const std::size_t count = zlink_monitor.encode (accepted (), parts);
    monitor_message said;
    ASSERT_TRUE (read_monitor_message ({parts.data (), count}, said));
    EXPECT_EQ (said.event, unsigned{ZLINK_EVENT_ACCEPTED});
    EXPECT_EQ (said.value, 7u);
    EXPECT_EQ (said.routing_id, "peer");
    EXPECT_EQ (said.local, "tcp://127.0.0.1:1");
    EXPECT_EQ (said.remote, "tcp://127.0.0.1:2");
    EXPECT_FALSE (read_monitor_message ({parts.data (), count - 1}, said));
    EXPECT_FALSE (read_monitor_message ({}, said));
    EXPECT_FALSE (read_monitor_message ({parts.data () + 1, count - 1}, said));
    for (std::size_t i = 0; i < count; ++i)
        parts[i].close ();
}

}  // namespace
}  // namespace zlink::api
