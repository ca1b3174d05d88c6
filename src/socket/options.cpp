#include "socket/options.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "base/files.hpp"
#include "base/glob.hpp"
#include "engine/keys.hpp"
#include "engine/web_layer.hpp"
#include "socket/security_options.hpp"

namespace zlink::socket {

using base::errc;
using base::result;

namespace {

// --- building blocks of the table -----------------------------------------

template <class... Types> constexpr type_set types (Types... listed)
{
    return ((1U << static_cast<unsigned> (listed)) | ...);
}

using enum socket_type;
using enum takes_effect;
using enum option_access;
using part = option_part;
using so = socket_options;
using st = base::stream_options;
using af = base::accept_filter;

constexpr type_set routers = types (router);
constexpr type_set publishers = types (pub, xpub);
// REQ, REP, ROUTER and STREAM say whom they talk to: nothing of that may be replaced.
constexpr type_set conversations = types (req, rep, router, stream);
constexpr type_set without_conversations = all_types & ~conversations & ~types (radio, dish);
constexpr type_set greeters = types (router, dealer, client, server, peer);
constexpr type_set matchers = types (pub, xpub, sub, xsub);
constexpr type_set all_but_matchers = all_types & ~matchers;
constexpr type_set thread_safe_types = types (server, client, radio, dish, gather, scatter, peer, channel);

constexpr std::int64_t int_max = INT_MAX;
constexpr std::int64_t any_min = INT_MIN;
constexpr std::int64_t ttl_max_ms = 65'535 * 100 + 99;
constexpr std::int64_t mib = 1024 * 1024;

constexpr option_row described (option_rule rule, const char *name, const char *unit, const char *doc)
{
    return {rule, name, unit, doc};
}

constexpr option_row
live_row (const char *name, int number, option_type type, live_value what, const char *doc)
{
    const auto both = static_cast<std::int16_t> (number);
    return described ({.field = what, .zmq_number = both, .zlink_number = both, .type = type}, name, "", doc);
}

// An int for all types, the same number and default in both headers.
constexpr option_row integer (const char *name,
                              int number,
                              const char *unit,
                              std::int64_t initial,
                              std::int64_t min,
                              takes_effect when,
                              option_field where,
                              const char *doc)
{
    const auto both = static_cast<std::int16_t> (number);
    return described ({.zmq_default = initial,
                       .zlink_default = initial,
                       .min = min,
                       .max = int_max,
                       .field = where,
                       .zmq_number = both,
                       .zlink_number = both,
                       .when = when,
                       .access = read_write},
                      name, unit, doc);
}

constexpr option_row boolean (
  const char *name, int number, std::int64_t initial, takes_effect when, option_field where, const char *doc)
{
    option_row row = integer (name, number, "", initial, 0, when, where, doc);
    row.type = option_type::boolean;
    row.max = 1;
    return row;
}

// A row of a part that is not built yet: the numbers are taken, the value has no home.
constexpr option_row absent (const char *name,
                             int zmq_number,
                             int zlink_number,
                             option_type type,
                             std::int64_t min,
                             std::int64_t max,
                             option_access access,
                             type_set applies,
                             part of,
                             const char *doc)
{
    return described ({.min = min,
                       .max = max,
                       .types = applies,
                       .zmq_number = static_cast<std::int16_t> (zmq_number),
                       .zlink_number = static_cast<std::int16_t> (zlink_number),
                       .type = type,
                       .when = next_attach,
                       .access = access,
                       .part = of},
                      name, "", doc);
}

constexpr option_row absent_flag (const char *name, int number, type_set applies, part of, const char *doc)
{
    return absent (name, number, number, option_type::boolean, 0, 1, read_write, applies, of, doc);
}

constexpr option_row absent_text (const char *name, int number, std::int64_t max, part of, const char *doc)
{
    return absent (name, number, number, option_type::string, 0, max, read_write, all_types, of, doc);
}

// Of the handshake, the same number in both headers, none at first.
constexpr option_row
secured_row (const char *name, int number, option_type type, part of, security_value what, const char *doc)
{
    option_row row = integer (name, number, "", 0, 0, next_attach, what, doc);
    row.type = type;
    row.max = type == option_type::string ? 255 : type == option_type::binary ? 41 : 1;
    row.min = type == option_type::binary ? 32 : type == option_type::string && of == part::plain ? 1 : 0;
    row.part = of;
    return row;
}

// A list of who comes in.
constexpr option_row list_action (
  const char *name, int number, part of, option_action what, std::size_t bytes_max, const char *doc)
{
    option_row row = integer (name, number, "", 0, 0, next_attach, what, doc);
    row.type = option_type::binary;
    row.max = static_cast<std::int64_t> (bytes_max);
    row.access = write;
    row.part = of;
    return row;
}

constexpr option_row with_initial (option_row row, std::int64_t zmq_default, std::int64_t zlink_default)
{
    row.zmq_default = zmq_default;
    row.zlink_default = zlink_default;
    return row;
}

constexpr option_row with_range (option_row row, std::int64_t min, std::int64_t max)
{
    row.min = min;
    row.max = max;
    return row;
}

// Of TLS: 2000 more for programs of zmq.h, but of our own, which have one number.
constexpr option_row
tls_row (const char *name, int number, option_type type, security_value what, const char *doc)
{
    option_row row = secured_row (name, number, type, part::tls, what, doc);
    row.zmq_number = static_cast<std::int16_t> (number < 1000 ? number + 2000 : number);
    return row;
}

constexpr option_row
tls_text (const char *name, int number, security_value what, std::size_t bytes_max, const char *doc)
{
    return with_range (tls_row (name, number, option_type::string, what, doc), 0,
                       static_cast<std::int64_t> (bytes_max));
}

constexpr option_row tls_flag (const char *name, int number, security_value what, const char *doc)
{
    return tls_row (name, number, option_type::boolean, what, doc);
}

// zmq.h has a number for it, too.
constexpr option_row wss_row (option_row row)
{
    row.zmq_number = row.zlink_number;
    return row;
}

constexpr option_row
web_row (const char *name, int number, security_value what, std::int64_t bytes_max, const char *doc)
{
    return with_range (secured_row (name, number, option_type::string, part::websocket, what, doc), 0,
                       bytes_max);
}

// As libzmq has these: whatever is not 0 is on.
constexpr option_row flag (
  const char *name, int number, std::int64_t initial, takes_effect when, option_field where, const char *doc)
{
    return with_range (boolean (name, number, initial, when, where, doc), 0, int_max);
}

constexpr option_row with_type (option_row row, option_type type)
{
    row.type = type;
    return row;
}

constexpr option_row in_steps (option_row row, std::int16_t step)
{
    row.step = step;
    return row;
}

constexpr option_row with_zlink_number (option_row row, int number)
{
    row.zlink_number = static_cast<std::int16_t> (number);
    return row;
}

constexpr option_row for_types (option_row row, option_access access, type_set applies)
{
    row.access = access;
    row.types = applies;
    return row;
}

// What libzmq's sockets of these types take, too: their classes inherit it.
constexpr option_row idle_on (option_row row, type_set idle)
{
    row.idle = idle;
    return row;
}

// SUB's, and XPUB's by hand: the value is a topic.
constexpr option_row action (const char *name, int number, option_action what, const char *doc)
{
    option_row row = integer (name, number, "", 0, 0, at_once, what, doc);
    row.type = option_type::binary;
    return for_types (row, write, types (sub, xpub));
}

// SUB's: the value is a pattern.
constexpr option_row pattern_action (const char *name, int number, option_action what, const char *doc)
{
    return for_types (with_range (action (name, number, what, doc), 0, base::glob_bytes_max), write,
                      types (sub));
}

// Bytes, empty at first.
constexpr option_row
text (const char *name, int number, option_field where, type_set applies, const char *doc)
{
    const option_row row =
      with_type (integer (name, number, "", 0, 0, at_once, where, doc), option_type::binary);
    return for_types (row, write, applies);
}

// One more of a list, which no value at all empties.
constexpr option_row
filter (const char *name, int number, option_type type, std::int64_t min, option_field where, const char *doc)
{
    const option_row row = with_type (integer (name, number, "", 0, min, next_attach, where, doc), type);
    return for_types (row, write, all_types);
}

// Text of at most 255 bytes, empty at first.
constexpr option_row short_text (const char *name, int number, option_field where, const char *doc)
{
    const option_row row = integer (name, number, "", 0, 0, next_attach, where, doc);
    return with_range (with_type (row, option_type::string), 0, 255);
}

constexpr option_row opposite (option_row row)
{
    row.negated = true;
    return row;
}

// --- the table ------------------------------------------------------------

// A row is a row:
// clang-format off
constexpr std::array rows = {
  // What event loops read at every turn.
  live_row ("EVENTS", 15, option_type::integer, live_value::events, "What the socket is ready for; acknowledges FD."),
  live_row ("RCVMORE", 13, option_type::integer, live_value::receive_more, "Whether the part just received has successors."),
  live_row ("FD", 14, option_type::handle, live_value::descriptor, "A descriptor that becomes readable when EVENTS may have changed."),
  live_row ("TYPE", 16, option_type::integer, live_value::type, "The socket's type."),
  live_row ("LAST_ENDPOINT", 32, option_type::string, live_value::last_endpoint, "The endpoint last bound or connected, wildcards filled in."),
  live_row ("THREAD_SAFE", 81, option_type::boolean, live_value::thread_safe, "Whether zmq.h calls the type thread-safe; here all are."),
  live_row ("MECHANISM", 43, option_type::integer, live_value::mechanism, "The security mechanism in use."),

  // Queues.
  with_initial (integer ("SNDHWM", number_of_send_hwm, "messages", 1000, 0, at_once, &so::send_hwm,
                         "Messages queued for a peer before sending blocks or drops; 0 = no limit."), 1000, 300'000),
  with_initial (integer ("RCVHWM", number_of_receive_hwm, "messages", 1000, 0, at_once, &so::receive_hwm,
                         "Messages held for the reader before reading from a peer stops; 0 = no limit."), 1000, 300'000),
  with_initial (with_range (with_type (integer ("SNDHWM_BYTES", 3001, "bytes", 0, 0, at_once, &so::send_hwm_bytes,
                         "Bytes queued for a peer before sending blocks or drops; 0 = off."), option_type::int64), 0, INT64_MAX), 0, 64 * mib),
  with_initial (with_range (with_type (integer ("RCVHWM_BYTES", 3002, "bytes", 0, 0, at_once, &so::receive_hwm_bytes,
                         "Bytes held for the reader before reading from a peer stops; 0 = off."), option_type::int64), 0, INT64_MAX), 0, 64 * mib),
  with_range (with_type (integer ("MAXMSGSIZE", 22, "bytes", -1, 0, next_attach, &so::max_message_bytes,
                         "A larger inbound message closes its connection; -1 = no limit."), option_type::int64), INT64_MIN, INT64_MAX),
  idle_on (for_types (boolean ("CONFLATE", 54, 0, next_attach, &so::conflate, "Keep only the last message; no multipart messages."), read_write, without_conversations), conversations | types (radio, dish)),
  boolean ("IMMEDIATE", 39, 0, next_attach, &so::immediate, "Queue messages only for connections that are ready."),
  with_zlink_number (integer ("IN_BATCH_SIZE", 101, "bytes", 8192, 1, next_attach, &so::in_batch_bytes,
                              "Largest read from a peer; 8192 leaves it to the library."), 1101),
  with_zlink_number (integer ("OUT_BATCH_SIZE", 102, "bytes", 8192, 1, next_attach, &so::out_batch_bytes,
                              "Largest write to a peer; 8192 leaves it to the library."), 1102),
  boolean ("SPIN", 3003, 1, at_once, &so::adaptive_spin, "Spin shortly before sleeping while that has been paying off."),

  // Time.
  integer ("LINGER", number_of_linger, "ms", -1, -1, at_once, &so::linger_ms, "How long unsent messages live after close; -1 = until sent."),
  integer ("RCVTIMEO", 27, "ms", -1, -1, at_once, &so::receive_timeout_ms, "How long a receive waits; -1 = for ever."),
  integer ("SNDTIMEO", 28, "ms", -1, -1, at_once, &so::send_timeout_ms, "How long a send waits; -1 = for ever."),
  integer ("RECONNECT_IVL", 18, "ms", 100, -1, next_attach, &so::reconnect_ms, "First pause before reconnecting; -1 = never reconnect."),
  with_initial (integer ("RECONNECT_IVL_MAX", 21, "ms", 0, 0, next_attach, &so::reconnect_max_ms,
                         "Longest pause before reconnecting, reached by doubling; 0 = no growth."), 0, 5'000),
  integer ("HANDSHAKE_IVL", 66, "ms", 30'000, 0, next_attach, &so::handshake_ms, "How long a handshake may take; 0 = for ever."),
  integer ("CONNECT_TIMEOUT", 79, "ms", 0, 0, next_attach, &so::connect_timeout_ms, "How long connecting to one address may take; 0 = the system's limit, or 4 s where the name has more addresses to try."),
  integer ("HEARTBEAT_IVL", 75, "ms", 0, 0, next_attach, &so::heartbeat_interval_ms, "Pause between PINGs, up to a 16th of it less; 0 = none are sent."),
  in_steps (with_range (integer ("HEARTBEAT_TTL", 76, "ms", 0, 0, next_attach, &so::heartbeat_ttl_ms,
                         "How long the peer waits for our traffic before it gives up; in tenths of a second; 0 = for ever."), 0, ttl_max_ms), 100),
  with_initial (integer ("HEARTBEAT_TIMEOUT", 77, "ms", -1, 0, next_attach, &so::heartbeat_timeout_ms,
                         "How long we wait for traffic after a PING; -1 = as long as HEARTBEAT_IVL."), -1, -1),

  // Who we are and where we connect.
  with_range (with_type (integer ("ROUTING_ID", 5, "", 0, 1, next_attach, &so::routing_id,
                         "The name by which ROUTER sockets know this one."), option_type::binary), 1, 255),
  with_range (with_type (integer ("AFFINITY", 4, "", 0, 0, next_attach, &so::affinity,
                         "Bit mask of the I/O threads that may serve the socket; 0 = any."), option_type::uint64), 0, 0),
  boolean ("IPV6", 42, 0, next_attach, &st::ipv6, "Use IPv6 besides IPv4."),
  opposite (boolean ("IPV4ONLY", 31, 1, next_attach, &st::ipv6, "The opposite of IPV6 (deprecated).")),
  integer ("SNDBUF", 11, "bytes", -1, -1, next_attach, &st::send_buffer_bytes, "The kernel's send buffer; -1 = the system's choice, over ipc 512 KiB."),
  integer ("RCVBUF", 12, "bytes", -1, -1, next_attach, &st::receive_buffer_bytes, "The kernel's receive buffer; -1 = the system's choice."),
  integer ("BACKLOG", 19, "connections", 100, 0, next_attach, &st::backlog, "Connections waiting to be accepted."),
  integer ("TOS", 57, "", 0, 0, next_attach, &st::type_of_service, "The IP type-of-service byte."),
  integer ("PRIORITY", 112, "", 0, 0, next_attach, &st::priority, "The protocol-defined priority of packets."),
  integer ("BUSY_POLL", 113, "us", 0, 0, next_attach, &st::busy_poll_us, "How long the kernel busy-polls the device; 0 = not."),
  with_range (integer ("TCP_KEEPALIVE", 34, "", -1, -1, next_attach, &st::keepalive, "TCP keep-alive: 1 on, 0 off, -1 the system's choice."), -1, 1),
  integer ("TCP_KEEPALIVE_CNT", 35, "probes", -1, -1, next_attach, &st::keepalive_count, "Unanswered probes before a connection is lost; -1 = the system's."),
  integer ("TCP_KEEPALIVE_IDLE", 36, "s", -1, -1, next_attach, &st::keepalive_idle_s, "Silence before the first probe; -1 = the system's."),
  integer ("TCP_KEEPALIVE_INTVL", 37, "s", -1, -1, next_attach, &st::keepalive_interval_s, "Pause between probes; -1 = the system's."),
  integer ("TCP_MAXRT", 80, "ms", 0, 0, next_attach, &st::max_retransmit_ms, "How long sent data may stay unacknowledged; 0 = the system's."),
  with_type (integer ("USE_FD", 89, "", -1, -1, next_attach, &st::use_handle, "A listening descriptor to adopt instead of making one; -1 = none."), option_type::handle),
  with_range (with_type (integer ("BINDTODEVICE", 92, "", 0, 0, next_attach, &st::bind_to_device, "The network device to use."), option_type::string), 0, 16),
  integer ("MULTICAST_HOPS", 25, "hops", 1, 1, next_attach, &st::multicast_hops, "udp: how many routers a multicast datagram may pass, and one."),
  with_zlink_number (with_range (boolean ("MULTICAST_LOOP", 96, 1, next_attach, &st::multicast_loop,
                              "udp: whether this host hears what it sends to a multicast group."), any_min, int_max), 1096),

  // Accepted and read back, without effect.
  integer ("RATE", 8, "kbit/s", 100, 1, never, &so::multicast_rate_kbit_s, "Multicast data rate; no transport here uses it."),
  integer ("RECOVERY_IVL", 9, "ms", 10'000, 0, never, &so::multicast_recovery_ms, "Multicast recovery time; no transport here uses it."),
  integer ("MULTICAST_MAXTPDU", 84, "bytes", 1500, 1, never, &so::multicast_datagram_bytes, "Largest multicast packet; no transport here uses it."),
  with_range (boolean ("LOOPBACK_FASTPATH", 94, 0, never, &so::loopback_fast_path, "A shortcut of some Windows versions; without effect here."), any_min, int_max),
  with_zlink_number (integer ("REQUEST_TIMEOUT", 2090, "ms", 5000, -1, never, &so::request_timeout_ms, "Of zlink 1.x, which did not act on it either: RCVTIMEO bounds the wait for a reply."), 90),
  with_zlink_number (boolean ("REQUEST_CORRELATE", 2091, 1, never, &so::request_correlate, "Of zlink 1.x, which did not act on it either: REQ_CORRELATE matches replies."), 91),
  with_zlink_number (boolean ("ZMP_METADATA", 2117, 0, never, &so::zmp_metadata, "Of zlink 1.x's own protocol; a ZMTP handshake always tells type and identity."), 117),

  // Patterns.
  action ("SUBSCRIBE", 6, option_action::subscribe, "Adds a subscription to a topic prefix."),
  action ("UNSUBSCRIBE", 7, option_action::unsubscribe, "Takes one subscription back."),
  pattern_action ("SUBSCRIBE_PATTERN", 3022, option_action::subscribe_pattern, "Adds a subscription to topics of a pattern: * ? [a-z] within a segment, # for segments."),
  pattern_action ("UNSUBSCRIBE_PATTERN", 3023, option_action::unsubscribe_pattern, "Takes one of those back."),
  idle_on (for_types (flag ("ROUTER_MANDATORY", 33, 0, at_once, &so::router_mandatory, "Sending to an unknown or full peer fails instead of dropping."), write, routers), types (rep)),
  idle_on (for_types (flag ("ROUTER_RAW", 41, 0, next_attach, &so::router_raw, "Speak raw bytes instead of ZMTP (deprecated: STREAM)."), write, routers), types (rep)),
  idle_on (for_types (flag ("ROUTER_HANDOVER", 56, 0, next_attach, &so::router_handover, "A newcomer takes over a routing id in use."), write, routers), types (rep)),
  with_zlink_number (for_types (with_range (integer ("ROUTER_NOTIFY", 97, "", 0, 0, next_attach, &so::router_notify, "Deliver an empty message when a peer comes (1) or goes (2); deliver anew what was sent to a peer that is lost if no byte of it had left (4)."), 0, 7), read_write, routers), 1097),
  idle_on (for_types (flag ("PROBE_ROUTER", 51, 0, next_attach, &so::probe_router, "Send an empty message to every new peer."), write, types (router, dealer, req)), types (rep)),
  idle_on (for_types (with_range (with_type (integer ("CONNECT_ROUTING_ID", 61, "", 0, 1, next_attach, &so::connect_routing_id, "The routing id of the next connection made."), option_type::binary), 1, 255), write, types (router, stream)), types (rep)),
  for_types (flag ("REQ_CORRELATE", 52, 0, at_once, &so::req_correlate, "Prefix requests with a number and accept only its reply."), write, types (req)),
  for_types (flag ("REQ_RELAXED", 53, 0, at_once, &so::req_relaxed, "Allow a new request before the reply to the last."), write, types (req)),
  idle_on (for_types (flag ("XPUB_VERBOSE", 40, 0, at_once, &so::xpub_verbose, "Pass repeated subscriptions to the reader."), write, types (xpub)), types (pub)),
  idle_on (for_types (flag ("XPUB_VERBOSER", 78, 0, at_once, &so::xpub_verboser, "Pass repeated subscriptions and cancellations to the reader."), write, types (xpub)), types (pub)),
  for_types (flag ("XPUB_NODROP", 69, 0, at_once, &so::xpub_no_drop, "A full subscriber makes senders wait instead of losing the message."), write, types (pub, xpub, radio)),
  for_types (with_range (integer ("SLOW_CONSUMER", 3010, "", 0, 0, at_once, &so::slow_consumer, "What a full subscriber loses: 0 the newest, 1 the oldest, 2 the older of a topic, 3 nothing (as XPUB_NODROP, which wins), 4 its connection."), 0, 4), read_write, publishers),
  for_types (boolean ("REPORT_GAPS", 3011, 0, next_attach, &so::report_gaps, "Publishers of this library tell how many messages they dropped for this socket: GAP events."), read_write, types (sub, xsub)),
  idle_on (for_types (flag ("XPUB_MANUAL", 71, 0, at_once, &so::xpub_manual, "The application enters, with SUBSCRIBE, what the peer gets whose wish it has read."), write, types (xpub)), types (pub)),
  idle_on (with_zlink_number (for_types (flag ("XPUB_MANUAL_LAST_VALUE", 98, 0, at_once, &so::xpub_manual_last_value, "As XPUB_MANUAL; the message after a SUBSCRIBE goes to that peer only."), write, types (xpub)), 1098), types (pub)),
  for_types (with_range (with_type (integer ("XPUB_WELCOME_MSG", 72, "", 0, 0, next_attach, &so::welcome, "Sent to every new subscriber."), option_type::binary), 0, int_max), write, publishers),
  for_types (boolean ("XSUB_VERBOSE_UNSUBSCRIBE", 115, 0, at_once, &so::xsub_verbose_unsubscribe, "Send every cancellation upstream."), write, types (xsub)),
  for_types (flag ("ONLY_FIRST_SUBSCRIBE", 108, 0, at_once, &so::only_first_subscribe, "Of a message of several parts only the first may be a subscription."), write, types (pub, xpub, xsub)),
  for_types (integer ("TOPICS_MAX", 3020, "topics", engine::topics_per_peer_default, 0, at_once, &so::topics_max,
                      "Different topics that one subscriber may have; who asks for more is disconnected; 0 = no limit."), read_write, publishers),
  for_types (with_range (with_type (integer ("TOPIC_BYTES_MAX", 3021, "bytes", engine::topic_bytes_per_peer_default, 0, at_once, &so::topic_bytes_max,
                      "Bytes of the topics that one subscriber may have; who asks for more is disconnected; 0 = no limit."), option_type::int64), 0, INT64_MAX), read_write, publishers),
  for_types (integer ("LAST_VALUES", 3024, "topics", 0, 0, at_once, &so::last_values,
                      "How many topics' last messages are kept for subscribers that come later; 0 = none."), read_write, publishers),
  for_types (with_range (with_type (integer ("LAST_VALUE_BYTES", 3025, "bytes", engine::last_value_bytes_default, 1, at_once, &so::last_value_bytes,
                      "What these may hold together."), option_type::int64), 1, INT64_MAX), read_write, publishers),
  idle_on (for_types (with_range (boolean ("INVERT_MATCHING", 74, 0, at_once, &so::invert_matching, "Deliver what no subscription matches."), any_min, int_max), read_write, matchers), all_but_matchers),
  for_types (live_row ("TOPICS_COUNT", 116, option_type::integer, live_value::topics, "How many subscriptions there are."), read, matchers),
  for_types (boolean ("STREAM_NOTIFY", 73, 1, at_once, &so::stream_notify, "Deliver a message when a peer comes or goes."), write, types (stream)),
  for_types (with_initial (boolean ("STREAM_RAW", 3004, 1, next_attach, &so::stream_raw, "Bytes as they are instead of packets with 4 bytes of length."), 1, 0), read_write, types (stream)),
  text ("HELLO_MSG", 110, &so::hello, greeters, "Sent first to every new peer."),
  text ("DISCONNECT_MSG", 111, &so::disconnect_msg, types (router, server, peer), "Read here, as if it had sent it, when a peer goes."),
  text ("HICCUP_MSG", 114, &so::hiccup_msg, types (dealer, client), "Read here when a connection that is made anew is interrupted."),
  with_range (integer ("RECONNECT_STOP", 109, "", 0, 0, at_once, &so::reconnect_stop, "When a connection is not tried again: 1 refused, 2 failed handshake, 4 disconnected (which always holds)."), any_min, int_max),

  // Metadata and filters.
  with_zlink_number (for_types (with_range (with_type (integer ("METADATA", 95, "", 0, 0, next_attach, &so::properties, "Adds an \"X-name:value\" property to the handshake."), option_type::string), 4, int_max), write, all_types), 1095),
  with_range (filter ("TCP_ACCEPT_FILTER", 38, option_type::string, 0, &af::addresses, "Adds an address, or a range (CIDR), from which tcp connections are accepted; empty: from all again."), 0, 255),
  filter ("IPC_FILTER_PID", 58, option_type::integer, 0, &af::processes, "Adds a process from which ipc connections are accepted; no value takes them all back."),
  filter ("IPC_FILTER_UID", 59, option_type::integer, any_min, &af::users, "Adds a user from whom ipc connections are accepted; no value takes them all back."),
  filter ("IPC_FILTER_GID", 60, option_type::integer, any_min, &af::groups, "Adds a group from which ipc connections are accepted; no value takes them all back."),

  // Proxies and security.
  short_text ("SOCKS_PROXY", 68, &st::proxy, "The SOCKS5 proxy, host:port, to connect through by tcp; empty = none."),
  with_zlink_number (short_text ("SOCKS_USERNAME", 99, &st::proxy_user, "The user name for the proxy; empty = none is shown."), 1099),
  with_zlink_number (short_text ("SOCKS_PASSWORD", 100, &st::proxy_password, "The password for the proxy."), 1100),
  secured_row ("ZAP_DOMAIN", 55, option_type::string, part::zap, security_value::domain, "The domain of questions to the authentication handler; with one, NULL asks it, too."),
  with_range (secured_row ("ZAP_ENFORCE_DOMAIN", 93, option_type::boolean, part::zap, security_value::enforce_domain, "Without a domain CURVE does not ask; with one, and no handler, nobody comes in."), any_min, int_max),
  secured_row ("REQUIRE_POLICY", 3030, option_type::boolean, part::zap, security_value::requires_policy, "Refuse to bind or connect as a server of PLAIN or CURVE where nobody is there to be asked about peers."),
  secured_row ("PLAIN_SERVER", 44, option_type::boolean, part::plain, security_value::plain_server, "Be the server of PLAIN, which lets in whom the handler lets in."),
  secured_row ("PLAIN_USERNAME", 45, option_type::string, part::plain, security_value::plain_username, "Be a client of PLAIN, of this name."),
  secured_row ("PLAIN_PASSWORD", 46, option_type::string, part::plain, security_value::plain_password, "Be a client of PLAIN, with this password."),
  secured_row ("CURVE_SERVER", 47, option_type::boolean, part::curve, security_value::curve_server, "Be the server of CURVE."),
  secured_row ("CURVE_PUBLICKEY", 48, option_type::binary, part::curve, security_value::curve_public_key, "Our public key, 32 bytes or 40 letters."),
  secured_row ("CURVE_SECRETKEY", 49, option_type::binary, part::curve, security_value::curve_secret_key, "Our secret key, 32 bytes or 40 letters."),
  secured_row ("CURVE_SERVERKEY", 50, option_type::binary, part::curve, security_value::curve_server_key, "The server's public key, 32 bytes or 40 letters; be a client of CURVE."),
  list_action ("CURVE_ALLOWED_KEYS", 3031, part::curve, option_action::allow_keys, engine::allowed_keys_max * base::key_bytes, "The public keys, 32 bytes each, of those that a server of CURVE lets in, without asking the handler; no value: no list."),
  list_action ("PLAIN_PASSWORDS", 3032, part::curve, option_action::allow_passwords, engine::password_list_bytes_max, "Lines name:hash of those that a server of PLAIN lets in, without asking anybody else, or the path of a file of them; the hash as zlink_hash_password writes it."),
  absent_flag ("GSSAPI_SERVER", 62, all_types, part::gssapi, "Be the server of GSSAPI."),
  absent_text ("GSSAPI_PRINCIPAL", 63, 255, part::gssapi, "Our principal."),
  absent_text ("GSSAPI_SERVICE_PRINCIPAL", 64, 255, part::gssapi, "The server's principal."),
  absent_flag ("GSSAPI_PLAINTEXT", 65, all_types, part::gssapi, "Do not encrypt."),
  absent ("GSSAPI_PRINCIPAL_NAMETYPE", 90, 1090, option_type::integer, 0, 2, read_write, all_types, part::gssapi, "The kind of our principal's name."),
  absent ("GSSAPI_SERVICE_PRINCIPAL_NAMETYPE", 91, 1091, option_type::integer, 0, 2, read_write, all_types, part::gssapi, "The kind of the server principal's name."),
  tls_text ("TLS_CERT", 95, security_value::tls_certificate, base::files::file_bytes_max, "Our certificate and those between it and its root, PEM: a path, or the text itself."),
  tls_text ("TLS_KEY", 96, security_value::tls_key, base::files::file_bytes_max, "Our private key, PEM: a path, or the text itself, which is not told again; empty: it stands behind the certificate."),
  tls_text ("TLS_CA", 97, security_value::tls_authority, base::files::file_bytes_max, "The certificates to trust, PEM: a path, or the text itself. Lists of revoked certificates (X509 CRL) may stand among them: then each peer's issuer has to have one, in date."),
  with_initial (tls_flag ("TLS_VERIFY", 98, security_value::tls_verify, "Check the server's certificate and name."), 1, 1),
  tls_flag ("TLS_REQUIRE_CLIENT_CERT", 99, security_value::tls_require_client_certificate, "Demand a certificate of clients."),
  tls_text ("TLS_HOSTNAME", 100, security_value::tls_host, 255, "The server name to ask for and to check; empty: the endpoint's."),
  with_initial (tls_flag ("TLS_TRUST_SYSTEM", 101, security_value::tls_trust_system, "Trust the system's certificates, too."), 1, 1),
  tls_text ("TLS_PASSWORD", 102, security_value::tls_passphrase, 255, "The pass phrase of the private key, which is not told again."),
  tls_text ("TLS_ALPN", 3033, security_value::tls_protocols, 255, "The protocols to speak inside, best first, with commas between; empty: none is named."),
  wss_row (tls_text ("WSS_KEY_PEM", 103, security_value::tls_key, base::files::file_bytes_max, "TLS_KEY under zmq.h's name.")),
  wss_row (tls_text ("WSS_CERT_PEM", 104, security_value::tls_certificate, base::files::file_bytes_max, "TLS_CERT under zmq.h's name.")),
  wss_row (tls_text ("WSS_TRUST_PEM", 105, security_value::tls_sole_authority, base::files::file_bytes_max, "TLS_CA under zmq.h's name; where nothing is said of the system's certificates they are not trusted then.")),
  wss_row (tls_text ("WSS_HOSTNAME", 106, security_value::tls_host, 255, "TLS_HOSTNAME under zmq.h's name.")),
  wss_row (with_initial (tls_flag ("WSS_TRUST_SYSTEM", 107, security_value::tls_trust_system, "TLS_TRUST_SYSTEM under zmq.h's name."), 1, 1)),
  web_row ("WS_HOST", 3040, security_value::web_host, 255, "The Host that a dialler names; empty: the endpoint's."),
  web_row ("WS_ORIGIN", 3041, security_value::web_origin, 255, "The page that a dialler says it comes from (Origin); empty: none."),
  web_row ("WS_ALLOWED_ORIGINS", 3042, security_value::web_origins, 4096, "The pages that a listener lets in, with commas between; empty: all. Who names none is no browser and comes in."),
  for_types (web_row ("WS_HEADER", 3043, security_value::web_header, 4096, "Adds a header, \"Name: value\", to requests and answers; empty: none any more."), write, all_types),

  // Transports that are not here.
  absent ("NORM_MODE", 117, 1117, option_type::integer, 0, 4, read_write, all_types, part::norm, "Congestion control of NORM."),
  absent ("NORM_UNICAST_NACK", 118, 118, option_type::boolean, 0, 1, read_write, all_types, part::norm, "Where NORM receivers complain."),
  absent ("NORM_BUFFER_SIZE", 119, 119, option_type::integer, 1, int_max, read_write, all_types, part::norm, "NORM's buffer."),
  absent ("NORM_SEGMENT_SIZE", 120, 120, option_type::integer, 1, int_max, read_write, all_types, part::norm, "NORM's segment size."),
  absent ("NORM_BLOCK_SIZE", 121, 121, option_type::integer, 1, 255, read_write, all_types, part::norm, "NORM's block size."),
  absent ("NORM_NUM_PARITY", 122, 122, option_type::integer, 0, 254, read_write, all_types, part::norm, "NORM's parity segments."),
  absent ("NORM_NUM_AUTOPARITY", 123, 123, option_type::integer, 0, 254, read_write, all_types, part::norm, "NORM's proactive parity segments."),
  absent ("NORM_PUSH", 124, 124, option_type::boolean, 0, 1, read_write, all_types, part::norm, "Whether a NORM stream overwrites its oldest data."),
  absent ("VMCI_BUFFER_SIZE", 85, 85, option_type::uint64, 0, INT64_MAX, read_write, all_types, part::vmci, "VMCI's buffer."),
  absent ("VMCI_BUFFER_MIN_SIZE", 86, 86, option_type::uint64, 0, INT64_MAX, read_write, all_types, part::vmci, "VMCI's smallest buffer."),
  absent ("VMCI_BUFFER_MAX_SIZE", 87, 87, option_type::uint64, 0, INT64_MAX, read_write, all_types, part::vmci, "VMCI's largest buffer."),
  absent ("VMCI_CONNECT_TIMEOUT", 88, 88, option_type::integer, -1, int_max, read_write, all_types, part::vmci, "VMCI's connect time-out."),
};
// clang-format on

constexpr bool is_everywhere (const option_row &row) { return row.part == part::core; }
constexpr bool is_of_mechanisms (const option_row &row)
{
    return (row.part != part::core && row.part <= part::zap) || row.part == part::tls
           || row.part == part::websocket;
}

// The rows for which that holds, without their texts.
template <bool (*Holds) (const option_row &)> constexpr auto rules_of ()
{
    std::array<option_rule, static_cast<std::size_t> (std::count_if (rows.begin (), rows.end (), Holds))> all;
    std::size_t count = 0;
    for (const option_row &row : rows)
        if (Holds (row))
            all[count++] = row;
    return all;
}

constexpr auto rules = rules_of<is_everywhere> ();
constexpr auto rules_of_mechanisms = rules_of<is_of_mechanisms> ();

const option_rule *find_rule (std::span<const option_rule> among, header by, int number) noexcept
{
    const auto found =
      std::ranges::find_if (among, [&] (const option_rule &row) { return row.number (by) == number; });
    return found == among.end () ? nullptr : &*found;
}

// --- reading and writing one value ----------------------------------------

bool in_range (std::int64_t value, const option_rule &row) { return value >= row.min && value <= row.max; }

template <class T> bool read_exactly (const void *from, std::size_t size, T &to)
{
    if (from == nullptr || size != sizeof (T))
        return false;
    std::memcpy (&to, from, sizeof (T));
    return true;
}

// Writes size bytes and zeroes the rest of the caller's buffer.
result<void> answer (const void *from, std::size_t size, void *to, std::size_t *capacity)
{
    if (*capacity < size)
        return errc::invalid_argument;
    if (size != 0)
        std::memcpy (to, from, size);
    std::memset (static_cast<std::byte *> (to) + size, 0, *capacity - size);
    *capacity = size;
    return {};
}

result<void> answer_int (int value, void *to, std::size_t *capacity)
{
    return answer (&value, sizeof (value), to, capacity);
}

result<void> answer_text (const std::string &value, option_type type, void *to, std::size_t *capacity)
{
    const std::size_t terminator = type == option_type::string ? 1 : 0;
    return answer (value.c_str (), value.size () + terminator, to, capacity);
}

// Stores a value into the field that a row names.
struct writer
{
    const option_rule &row;
    socket_options &options;
    const void *value;
    std::size_t size;

    result<void> operator() (std::monostate) const { return errc::invalid_argument; }
    result<void> operator() (live_value) const { return errc::invalid_argument; }
    result<void> operator() (security_value what) const
    {
        return set_security (options.secured, what, value, size);
    }
    // What is done with it is the caller's.
    result<void> operator() (option_action) const
    {
        const bool length_ok = size <= INT_MAX && in_range (static_cast<std::int64_t> (size), row);
        return length_ok && (value != nullptr || size == 0) ? result<void>{} : errc::invalid_argument;
    }

    template <class T, class Owner> result<void> operator() (T Owner::*at) const
    {
        return put (field_of (options, at));
    }

    result<void> put (int &to) const
    {
        int number = 0;
        if (!read_exactly (value, size, number) || !in_range (number, row))
            return errc::invalid_argument;
        to = number - static_cast<int> (number % row.step);
        return {};
    }

    result<void> put (bool &to) const
    {
        int number = 0;
        if (!read_exactly (value, size, number) || !in_range (number, row))
            return errc::invalid_argument;
        to = (number != 0) != row.negated;
        return {};
    }

    result<void> put (std::int64_t &to) const
    {
        std::int64_t number = 0;
        if (!read_exactly (value, size, number) || !in_range (number, row))
            return errc::invalid_argument;
        to = number;
        return {};
    }

    result<void> put (std::uint64_t &to) const
    {
        return read_exactly (value, size, to) ? result<void>{} : errc::invalid_argument;
    }

    // "X-name:value"; the last of a name counts.
    result<void> put (option_properties &to) const
    {
        const std::string_view text (static_cast<const char *> (value), value == nullptr ? 0 : size);
        const std::size_t colon = text.find (':');
        if (!text.starts_with ("X-") || colon == text.npos || colon < 3 || colon + 1 == size)
            return errc::invalid_argument;
        return engine::add_property (to, text.substr (0, colon), text.substr (colon + 1));
    }

    // One more, or (nothing) none any more.
    result<void> put (base::ip_range_list &to) const
    {
        if (size == 0) {
            to.clear ();
            return {};
        }
        if (value == nullptr
            || !in_range (static_cast<std::int64_t> (std::min<std::size_t> (size, INT_MAX)), row))
            return errc::invalid_argument;
        std::string_view text (static_cast<const char *> (value), size);
        text = text.substr (0, text.find ('\0'));  // some count it
        const auto range = base::parse_ip_range (text);
        return range && base::add_filter (to, *range) ? result<void>{} : errc::invalid_argument;
    }

    result<void> put (base::id_list &to) const
    {
        if (value == nullptr && size == 0) {
            to.clear ();
            return {};
        }
        int number = 0;
        if (!read_exactly (value, size, number) || !in_range (number, row))
            return errc::invalid_argument;
        return base::add_filter (to, static_cast<std::uint32_t> (number)) ? result<void>{}
                                                                          : errc::invalid_argument;
    }

    result<void> put (std::string &to) const
    {
        const bool length_ok = size <= INT_MAX && in_range (static_cast<std::int64_t> (size), row);
        if (!length_ok || (value == nullptr && size != 0))
            return errc::invalid_argument;
        to.assign (static_cast<const char *> (value), size);
        return {};
    }
};

// Reads the field that a row names.
struct reader
{
    const option_rule &row;
    socket_options &options;  // only read
    live_values &live;
    int type;
    void *value;
    std::size_t *size;

    result<void> operator() (std::monostate) const { return errc::invalid_argument; }
    result<void> operator() (option_action) const { return errc::invalid_argument; }
    result<void> operator() (security_value what) const
    {
        return get_security (options.secured, what, value, size);
    }
    template <class T, class Owner> result<void> operator() (T Owner::*at) const
    {
        return tell (field_of (options, at));
    }

    result<void> tell (int number) const { return answer_int (number, value, size); }
    result<void> tell (bool flag) const { return answer_int (flag != row.negated ? 1 : 0, value, size); }
    result<void> tell (std::int64_t number) const { return answer (&number, sizeof number, value, size); }
    result<void> tell (std::uint64_t number) const { return answer (&number, sizeof number, value, size); }
    result<void> tell (const std::string &text) const { return answer_text (text, row.type, value, size); }
    // Lists are only written.
    template <class T> result<void> tell (const std::vector<T> &) const { return errc::invalid_argument; }

    result<void> operator() (live_value what) const
    {
        if (what == live_value::last_endpoint)
            return answer_text (live.last_endpoint (), row.type, value, size);
        // The size is checked first: reading EVENTS has effects.
        if (*size < sizeof (int))
            return errc::invalid_argument;
        const result<int> number = live_number (what);
        return number ? answer_int (number.value (), value, size) : result<void> (number.failure ());
    }

    result<int> live_number (live_value what) const
    {
        switch (what) {
        case live_value::type:
            return type;
        case live_value::thread_safe:
            return static_cast<int> (thread_safe_types >> type & 1U);
        case live_value::receive_more:
            return live.receive_more () ? 1 : 0;
        case live_value::descriptor:
            return live.descriptor ();
        case live_value::topics:
            return live.topics ();
        case live_value::events: {
            const result<unsigned> bits = live.events ();
            return bits ? result<int> (static_cast<int> (bits.value ())) : result<int> (bits.failure ());
        }
        default:  // MECHANISM
            return static_cast<int> (options.secured.mechanism);
        }
    }
};

// The row that number names, if this socket has such an option at all.
const option_rule *usable (header by, int type, int number, option_access wanted)
{
    const option_rule *row = find_option (by, number);
    const auto has = static_cast<unsigned> (wanted);
    if (row == nullptr || !row->taken_by (by, type) || (static_cast<unsigned> (row->access) & has) != has)
        return nullptr;
    return row;
}

// Gives a field what its row says it starts with.
struct initializer
{
    const option_rule &row;
    socket_options &options;

    template <class T> void operator() (T) const {}
    template <class T, class Owner> void operator() (T Owner::*at) const { start (field_of (options, at)); }

    void start (int &number) const { number = static_cast<int> (row.initial (options.made_by)); }
    void start (bool &flag) const { flag = (row.initial (options.made_by) != 0) != row.negated; }
    void start (std::int64_t &number) const { number = row.initial (options.made_by); }
    template <class T> void start (T &) const {}
};

}  // namespace

// --- sockets --------------------------------------------------------------

bool is_built (option_part which) noexcept
{
    switch (which) {
    case part::core:
        return true;
    case part::plain:
    case part::zap:
        return engine::knows_mechanism (engine::mechanism_kind::plain);
    case part::curve:
        return engine::knows_mechanism (engine::mechanism_kind::curve);
    case part::tls:
        return engine::knows_tls ();
    case part::websocket:
        return engine::knows_web ();
    default:
        return false;
    }
}

const char *part_name (option_part part) noexcept
{
    static constexpr std::array names = {"core", "PLAIN",     "CURVE", "ZAP", "GSSAPI",
                                         "TLS",  "WebSocket", "NORM",  "VMCI"};
    static_assert (names.size () == static_cast<std::size_t> (option_part::vmci) + 1);
    return names[static_cast<std::size_t> (part)];
}

std::span<const option_row> option_rows () noexcept { return rows; }

const option_rule *find_option (header by, int number) noexcept
{
    if (number == no_number)
        return nullptr;
    const option_rule *const found = find_rule (rules, by, number);
    return found != nullptr ? found : find_security_option (by, number);
}

const option_rule *find_mechanism_option (header by, int number) noexcept
{
    const option_rule *const found = find_rule (rules_of_mechanisms, by, number);
    return found != nullptr && is_built (found->part) ? found : nullptr;
}

const option_row *find_option (std::string_view name) noexcept
{
    for (const option_row &row : rows)
        if (name == row.name)
            return &row;
    return nullptr;
}

socket_options initial_options (header by, int type)
{
    return initial_options (initial_context_options (by), type);
}

socket_options initial_options (const context_options &of, int type)
{
    socket_options options;
    options.made_by = of.made_by;
    for (const option_rule &row : rules)
        std::visit (initializer{row, options}, row.field);
    options.stream.ipv6 = of.ipv6;
    if (!of.blocky)
        options.linger_ms = 0;
    if (of.made_by == header::zlink && type == static_cast<int> (stream))
        options.stream.backlog = 65'536;
    return options;
}

result<void>
set_option (socket_options &options, header by, int type, int number, const void *value, std::size_t size)
{
    const option_rule *row = usable (by, type, number, write);
    if (row == nullptr)
        return errc::invalid_argument;
    if (!row->applies_to (type)) {
        socket_options looked_at = options;  // and forgotten
        return std::visit (writer{*row, looked_at, value, size}, row->field);
    }
    return std::visit (writer{*row, options, value, size}, row->field);
}

result<void> get_option (const socket_options &options,
                         live_values &live_of,
                         header by,
                         int type,
                         int number,
                         void *value,
                         std::size_t *size)
{
    const option_rule *row = usable (by, type, number, read);
    if (row == nullptr || value == nullptr || size == nullptr)
        return errc::invalid_argument;
    // The rows' accessors serve both directions; this one only reads.
    auto &readable = const_cast<socket_options &> (options);
    return std::visit (reader{*row, readable, live_of, type, value, size}, row->field);
}

// --- contexts -------------------------------------------------------------

namespace {

enum context_number : int
{
    io_threads = 1,
    max_sockets = 2,
    socket_limit = 3,     // read
    thread_priority = 3,  // written
    thread_policy = 4,
    max_message = 5,
    message_struct = 6,
    cpu_add = 7,
    cpu_remove = 8,
    name_prefix = 9,
    zero_copy = 10,
    ipv6 = 42,
    blocky = 70,
    budget = 3101,
};

constexpr int message_struct_bytes = 64;

// clang-format off
constexpr std::array context_rows = {
  context_option_row{"IO_THREADS", io_threads, option_type::integer, 1, 2, 0, int_max, read_write, "Background threads, started with the first socket."},
  context_option_row{"MAX_SOCKETS", max_sockets, option_type::integer, 1023, 1023, 1, max_sockets_limit, read_write, "How many sockets may be open at once."},
  context_option_row{"SOCKET_LIMIT", socket_limit, option_type::integer, max_sockets_limit, max_sockets_limit, 0, 0, read, "The largest MAX_SOCKETS."},
  context_option_row{"THREAD_PRIORITY", thread_priority, option_type::integer, -1, -1, 0, int_max, write, "Scheduling priority of the background threads."},
  context_option_row{"THREAD_SCHED_POLICY", thread_policy, option_type::integer, -1, -1, 0, int_max, read_write, "Scheduling policy of the background threads."},
  context_option_row{"MAX_MSGSZ", max_message, option_type::integer, INT_MAX, INT_MAX, 0, int_max, read_write, "Kept for its readers: what a socket takes is bounded by MAXMSGSIZE, what it holds by SNDHWM_BYTES and RCVHWM_BYTES."},
  context_option_row{"MSG_T_SIZE", message_struct, option_type::integer, message_struct_bytes, message_struct_bytes, 0, 0, read, "Size of the message struct, in bytes."},
  context_option_row{"THREAD_AFFINITY_CPU_ADD", cpu_add, option_type::integer, 0, 0, 0, int_max, write, "Adds a CPU on which the background threads may run."},
  context_option_row{"THREAD_AFFINITY_CPU_REMOVE", cpu_remove, option_type::integer, 0, 0, 0, int_max, write, "Takes a CPU away again."},
  context_option_row{"THREAD_NAME_PREFIX", name_prefix, option_type::string, 0, 0, 1, thread_name_prefix_max, read_write, "What the background threads' names start with."},
  context_option_row{"ZERO_COPY_RECV", zero_copy, option_type::boolean, 1, 1, 0, int_max, read_write, "Kept for its readers: small messages are copied out of a read buffer, large ones are read in place."},
  context_option_row{"IPV6", ipv6, option_type::boolean, 0, 0, 0, int_max, read_write, "IPV6 of new sockets."},
  context_option_row{"BLOCKY", blocky, option_type::boolean, 1, 1, 0, int_max, read_write, "0 gives new sockets a LINGER of 0."},
  context_option_row{"BUDGET_KIB", budget, option_type::integer, 0, 0, 0, int_max, read_write, "KiB that the context's sockets may hold together, set before the first; 0 = no limit."},
};
// clang-format on

// A row without its texts.
struct context_rule
{
    int number = 0;
    option_access access = read;
    std::int64_t zmq_default = 0;
    std::int64_t zlink_default = 0;
    std::int64_t min = 0;
    std::int64_t max = 0;
};

constexpr auto context_rules = [] {
    std::array<context_rule, context_rows.size ()> all;
    std::transform (context_rows.begin (), context_rows.end (), all.begin (),
                    [] (const context_option_row &row) -> context_rule {
                        return {row.number, row.access, row.zmq_default, row.zlink_default, row.min, row.max};
                    });
    return all;
}();

const context_rule *find_context_rule (int number, option_access wanted)
{
    const auto has = static_cast<unsigned> (wanted);
    for (const context_rule &row : context_rules)
        if (row.number == number && (static_cast<unsigned> (row.access) & has) == has)
            return &row;
    return nullptr;
}

result<void> set_name_prefix (context_options &options, const void *value, std::size_t size)
{
    int number = 0;
    if (read_exactly (value, size, number) && number >= 0) {
        options.thread_name_prefix = std::to_string (number);
        return {};
    }
    if (value == nullptr || size == 0 || size > thread_name_prefix_max)
        return errc::invalid_argument;
    options.thread_name_prefix.assign (static_cast<const char *> (value), size);
    return {};
}

result<void> change_cpus (context_options &options, int number, int cpu)
{
    std::vector<int> &cpus = options.thread_cpus;
    const auto at = std::lower_bound (cpus.begin (), cpus.end (), cpu);
    const bool there = at != cpus.end () && *at == cpu;
    if (number == cpu_remove && !there)
        return errc::invalid_argument;
    if (number == cpu_remove)
        cpus.erase (at);
    else if (!there)
        cpus.insert (at, cpu);
    return {};
}

// The field of a plain int, or null.
int *int_of (context_options &options, const context_rule &row)
{
    switch (row.number) {
    case io_threads:
        return &options.io_threads;
    case max_sockets:
        return &options.max_sockets;
    case thread_priority:
        return row.access == write ? &options.thread_priority : nullptr;
    case thread_policy:
        return &options.thread_policy;
    case max_message:
        return &options.max_message_bytes;
    case budget:
        return &options.budget_kib;
    default:
        return nullptr;
    }
}

bool *bool_of (context_options &options, const context_rule &row)
{
    switch (row.number) {
    case zero_copy:
        return &options.zero_copy_receive;
    case ipv6:
        return &options.ipv6;
    case blocky:
        return &options.blocky;
    default:
        return nullptr;
    }
}

}  // namespace

std::span<const context_option_row> context_option_rows () noexcept { return context_rows; }

context_options initial_context_options (header by)
{
    context_options options;
    options.made_by = by;
    for (const context_rule &row : context_rules) {
        const std::int64_t value = by == header::zmq ? row.zmq_default : row.zlink_default;
        if (int *number = int_of (options, row))
            *number = static_cast<int> (value);
        else if (bool *flag = bool_of (options, row))
            *flag = value != 0;
    }
    return options;
}

result<void> set_option (context_options &options, int number, const void *value, std::size_t size)
{
    const context_rule *row = find_context_rule (number, write);
    if (row == nullptr)
        return errc::invalid_argument;
    if (row->number == name_prefix)
        return set_name_prefix (options, value, size);
    int given = 0;
    if (!read_exactly (value, size, given) || given < row->min || given > row->max)
        return errc::invalid_argument;
    if (int *field_of = int_of (options, *row))
        *field_of = given;
    else if (bool *flag = bool_of (options, *row))
        *flag = given != 0;
    else
        return change_cpus (options, number, given);
    return {};
}

result<void> get_option (const context_options &options, int number, void *value, std::size_t *size)
{
    const context_rule *row = find_context_rule (number, read);
    if (row == nullptr || value == nullptr || size == nullptr)
        return errc::invalid_argument;
    if (row->number == name_prefix && *size == sizeof (int))
        return answer_int (std::atoi (options.thread_name_prefix.c_str ()), value, size);
    if (row->number == name_prefix)
        return answer_text (options.thread_name_prefix, option_type::string, value, size);
    // The accessors serve both directions; this one only reads.
    auto &readable = const_cast<context_options &> (options);
    if (const int *number_of = int_of (readable, *row))
        return answer_int (*number_of, value, size);
    if (const bool *flag = bool_of (readable, *row))
        return answer_int (*flag ? 1 : 0, value, size);
    return answer_int (static_cast<int> (row->zmq_default), value, size);  // SOCKET_LIMIT, MSG_T_SIZE
}

}  // namespace zlink::socket
