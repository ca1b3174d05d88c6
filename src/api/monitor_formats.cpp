#include "api/monitor_formats.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <initializer_list>

#include "api/errors.hpp"
#include "zlink/zlink.h"
#include "zmq.h"

namespace zlink::api {

using base::bytes_view;
using base::close_reason;
using base::errc;
using base::message;
using socket::event;
using socket::event_kind;

static_assert (ZLINK_EVENT_CONNECTION_READY == ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
static_assert (ZLINK_EVENT_HANDSHAKE_FAILED_AUTH == ZMQ_EVENT_HANDSHAKE_FAILED_AUTH);
static_assert ((ZLINK_EVENT_ALL & 0xFFFF) == ZMQ_EVENT_ALL);

namespace {

// Those of mechanisms and of the authentication handler.
std::uint64_t secured_error (close_reason reason) noexcept
{
    switch (reason) {
    case close_reason::hello_malformed:
        return ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_HELLO;
    case close_reason::welcome_malformed:
        return ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_WELCOME;
    case close_reason::initiate_malformed:
        return ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_INITIATE;
    case close_reason::ready_malformed:
        return ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_READY;
    case close_reason::message_malformed:
        return ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_MESSAGE;
    case close_reason::box_unopened:
        return ZMQ_PROTOCOL_ERROR_ZMTP_CRYPTOGRAPHIC;
    case close_reason::key_exchange:
        return ZMQ_PROTOCOL_ERROR_ZMTP_KEY_EXCHANGE;
    case close_reason::sequence_invalid:
        return ZMQ_PROTOCOL_ERROR_ZMTP_INVALID_SEQUENCE;
    case close_reason::zap_delimiter_bad:
        return ZMQ_PROTOCOL_ERROR_ZAP_UNSPECIFIED;
    case close_reason::zap_reply_malformed:
        return ZMQ_PROTOCOL_ERROR_ZAP_MALFORMED_REPLY;
    case close_reason::zap_request_bad:
        return ZMQ_PROTOCOL_ERROR_ZAP_BAD_REQUEST_ID;
    case close_reason::zap_version_bad:
        return ZMQ_PROTOCOL_ERROR_ZAP_BAD_VERSION;
    case close_reason::zap_status_bad:
        return ZMQ_PROTOCOL_ERROR_ZAP_INVALID_STATUS_CODE;
    case close_reason::zap_metadata_bad:
        return ZMQ_PROTOCOL_ERROR_ZAP_INVALID_METADATA;
    default:
        return 0;
    }
}

// HANDSHAKE_FAILED_PROTOCOL's value; 0: it was not the peer's protocol.
std::uint64_t protocol_error (close_reason reason) noexcept
{
    switch (reason) {
    case close_reason::mechanism_mismatch:
        return ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH;
    case close_reason::socket_type_incompatible:
    case close_reason::metadata_malformed:
    case close_reason::identity_malformed:
        return ZMQ_PROTOCOL_ERROR_ZMTP_INVALID_METADATA;
    case close_reason::command_unexpected:
    case close_reason::data_before_ready:
        return ZMQ_PROTOCOL_ERROR_ZMTP_UNEXPECTED_COMMAND;
    case close_reason::command_malformed:
        return ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_UNSPECIFIED;
    case close_reason::greeting_malformed:
    case close_reason::version_unsupported:
    case close_reason::frame_malformed:
    case close_reason::message_too_large:
    case close_reason::too_many_frames:
        return ZMQ_PROTOCOL_ERROR_ZMTP_UNSPECIFIED;
    default:
        return secured_error (reason);
    }
}

int resource_errno (close_reason reason) noexcept
{
    switch (reason) {
    case close_reason::limit_reached:
        return EMFILE;
    case close_reason::out_of_memory:
        return ENOMEM;
    case close_reason::zap_unavailable:
        return EFAULT;  // as libzmq tells it
    default:
        return EPROTO;
    }
}

int errno_of (close_reason reason) noexcept
{
    switch (reason) {
    case close_reason::none:
    case close_reason::local_close:
    case close_reason::disconnected:
    case close_reason::context_terminated:
        return 0;
    case close_reason::resolve_failed:
        return error_number (errc::name_not_found);
    case close_reason::connect_refused:
        return ECONNREFUSED;
    case close_reason::connect_timeout:
    case close_reason::heartbeat_timeout:
    case close_reason::handshake_timeout:
        return ETIMEDOUT;
    case close_reason::connection_reset:
        return ECONNRESET;
    case close_reason::peer_closed:
    case close_reason::turned_away:
        return EPIPE;
    case close_reason::second_peer:
        return EADDRINUSE;
    default:
        return resource_errno (reason);
    }
}

std::uint64_t failed_handshake_number (close_reason reason) noexcept
{
    if (reason == close_reason::authentication_failed)
        return ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;
    return protocol_error (reason) != 0 ? ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL
                                        : ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL;
}

std::uint64_t lost_value (const event &what) noexcept
{
    if (what.in_handshake && !socket::is_local (what.reason))
        return ZLINK_DISCONNECT_HANDSHAKE_FAILED;
    switch (what.reason) {
    case close_reason::none:
        return ZLINK_DISCONNECT_UNKNOWN;
    case close_reason::local_close:
    case close_reason::disconnected:
        return ZLINK_DISCONNECT_LOCAL;
    case close_reason::context_terminated:
        return ZLINK_DISCONNECT_CTX_TERM;
    case close_reason::peer_closed:
    case close_reason::turned_away:
    case close_reason::refused_by_peer:
        return ZLINK_DISCONNECT_REMOTE;
    default:
        return ZLINK_DISCONNECT_TRANSPORT_ERROR;
    }
}

// Parts of one message, closed again when memory runs out.
class part_list
{
  public:
    explicit part_list (std::span<message> room) noexcept : room_ (room) {}
    void add (bytes_view bytes) noexcept
    {
        if (!ok_)
            return;
        ok_ = count_ < room_.size () && room_[count_].init_copy (bytes).ok ();
        count_ += ok_;
    }
    void add (std::uint64_t number) noexcept
    {
        add (base::as_bytes (std::string_view (reinterpret_cast<const char *> (&number), sizeof number)));
    }
    void add (const std::string &text) noexcept { add (base::as_bytes (text)); }
    [[nodiscard]] std::size_t done () noexcept
    {
        if (ok_)
            return count_;
        while (count_ > 0)
            room_[--count_].close ();
        return 0;
    }

  private:
    std::span<message> room_;
    std::size_t count_ = 0;
    bool ok_ = true;
};

// libzmq names the endpoint that is the socket's own: where it is bound, or
// where it connects to.
const std::string &own_address (const event &what) noexcept
{
    return what.at_listener ? what.local : what.remote;
}

std::size_t encode_v1 (const event &what, std::span<message> parts) noexcept
{
    const auto number = static_cast<std::uint16_t> (zmq_event_number (what));
    const auto value = static_cast<std::uint32_t> (zmq_event_value (what));
    std::array<char, sizeof number + sizeof value> head;
    std::memcpy (head.data (), &number, sizeof number);
    std::memcpy (head.data () + sizeof number, &value, sizeof value);
    part_list list (parts);
    list.add (base::as_bytes (std::string_view (head.data (), head.size ())));
    list.add (own_address (what));
    return list.done ();
}

std::size_t encode_v2 (const event &what, std::span<message> parts) noexcept
{
    part_list list (parts);
    list.add (zmq_event_number (what));
    if (what.kind == event_kind::pipe_counts) {
        list.add (std::uint64_t{2});
        list.add (what.outbound);
        list.add (what.inbound);
    } else {
        list.add (std::uint64_t{1});
        list.add (zmq_event_value (what));
    }
    list.add (what.local);
    list.add (what.remote);
    return list.done ();
}

std::size_t encode_zlink (const event &what, std::span<message> parts) noexcept
{
    part_list list (parts);
    list.add (zlink_monitor_number (what));
    list.add (std::uint64_t{1});
    list.add (zlink_event_value (what));
    list.add (what.peer_identity);
    list.add (what.local);
    list.add (what.remote);
    return list.done ();
}

bool read_number (const message &part, std::uint64_t &to) noexcept
{
    if (part.size () != sizeof to)
        return false;
    std::memcpy (&to, part.data (), sizeof to);
    return true;
}

// What libzmq does not tell.
std::uint64_t own_event_number (event_kind kind) noexcept
{
    if (kind == event_kind::budget_reached)
        return ZLINK_EVENT_BUDGET_REACHED;
    return kind == event_kind::gap ? ZLINK_EVENT_GAP : 0;  // pipe_counts is zmq.h's alone
}

}  // namespace

const socket::monitor_format zmq_monitor_v1{zmq_event_number, encode_v1};
const socket::monitor_format zmq_monitor_v2{zmq_event_number, encode_v2};
const socket::monitor_format zlink_monitor{zlink_monitor_number, encode_zlink};

std::uint64_t zlink_event_number (const event &what) noexcept
{
    switch (what.kind) {
    case event_kind::listening:
        return ZMQ_EVENT_LISTENING;
    case event_kind::bind_failed:
        return ZMQ_EVENT_BIND_FAILED;
    case event_kind::accept_failed:
        return ZMQ_EVENT_ACCEPT_FAILED;
    case event_kind::unbound:
    case event_kind::connect_failed:
        return ZMQ_EVENT_CLOSED;
    case event_kind::connect_started:
        return ZMQ_EVENT_CONNECT_DELAYED;
    case event_kind::connect_planned:
        return ZMQ_EVENT_CONNECT_RETRIED;
    case event_kind::accepted:
        return ZMQ_EVENT_ACCEPTED;
    case event_kind::connected:
        return ZMQ_EVENT_CONNECTED;
    case event_kind::ready:
        return ZMQ_EVENT_HANDSHAKE_SUCCEEDED;
    case event_kind::handshake_failed:
        return failed_handshake_number (what.reason);
    case event_kind::lost:
        return ZMQ_EVENT_DISCONNECTED;
    case event_kind::stopped:
        return ZMQ_EVENT_MONITOR_STOPPED;
    default:
        return own_event_number (what.kind);
    }
}

std::uint64_t zlink_monitor_number (const event &what) noexcept
{
    const bool no_stream =
      what.kind == event_kind::connect_failed && what.reason == close_reason::resolve_failed;
    const bool in_queues_only = what.in_process || what.kind == event_kind::budget_reached;
    return in_queues_only || no_stream ? 0 : zlink_event_number (what);
}

std::uint64_t zmq_event_number (const event &what) noexcept
{
    if (what.kind == event_kind::pipe_counts)
        return ZMQ_EVENT_PIPES_STATS;
    const bool own_doing = what.kind == event_kind::lost && socket::is_local (what.reason);
    const bool no_handshake = what.kind == event_kind::ready && what.no_handshake;
    const bool unknown_there = no_handshake || what.kind == event_kind::gap;
    return own_doing || unknown_there ? 0 : zlink_monitor_number (what);
}

std::uint64_t zmq_event_value (const event &what) noexcept
{
    switch (what.kind) {
    case event_kind::bind_failed:
    case event_kind::accept_failed:
    case event_kind::connect_started:
        return static_cast<std::uint64_t> (event_errno (what));
    case event_kind::connect_planned:
        return static_cast<std::uint64_t> (what.interval_ms);
    case event_kind::handshake_failed:
        if (const std::uint64_t number = protocol_error (what.reason); number != 0)
            return number;
        return static_cast<std::uint64_t> (event_errno (what));
    case event_kind::ready:
    case event_kind::stopped:
    case event_kind::budget_reached:
    case event_kind::pipe_counts:
        return 0;
    case event_kind::gap:
        return what.missed;
    default:  // what has a descriptor
        return static_cast<std::uint64_t> (what.handle);
    }
}

std::uint64_t zlink_event_value (const event &what) noexcept
{
    return what.kind == event_kind::lost ? lost_value (what) : zmq_event_value (what);
}

int event_errno (const event &what) noexcept
{
    if (what.failure.code != errc::ok)
        return error_number (what.failure);
    return what.failure.os_code != 0 ? what.failure.os_code : errno_of (what.reason);
}

bool read_monitor_message (std::span<const message> parts, monitor_message &to) noexcept
{
    constexpr std::size_t parts_around_values = 5;
    std::uint64_t values = 0;
    if (parts.size () < parts_around_values || !read_number (parts[0], to.event)
        || !read_number (parts[1], values) || values != parts.size () - parts_around_values)
        return false;
    to.value = 0;
    if (values > 0 && !read_number (parts[2], to.value))
        return false;
    const std::span<const message> texts = parts.last (3);
    to.routing_id = base::as_text (texts[0].view ());
    to.local = base::as_text (texts[1].view ());
    to.remote = base::as_text (texts[2].view ());
    return true;
}

}  // namespace zlink::api
