// What the engine needs to know of a socket's options and pattern. The
// socket layer fills it from the option table; the engine never sees option
// numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/stream.hpp"
#include "crypto/tls_settings.hpp"
#include "engine/limits.hpp"
#include "engine/properties.hpp"
#include "wire/framing.hpp"
#include "wire/security.hpp"

namespace zlink::engine {

// How a pattern chooses the pipe of the next outgoing message.
enum class send_rule : std::uint8_t
{
    none,     // the type cannot send
    balance,  // round robin over pipes with credit; block when there is none
    publish,  // to all pipes that asked for it; never waits
    number,   // to the pipe whose number the message carries
    address,  // to the pipe that the first part names
    request,  // as balance, and then not until the reply has been read
    reply,    // to where the last request came from
};

// How a pattern chooses the pipe of the next incoming message.
enum class receive_rule : std::uint8_t
{
    none,
    fair,      // one message per pipe in turn
    labelled,  // likewise, each behind the name of its pipe
    replies,   // what answers our request
    requests,  // as fair, each to be replied to before the next
};

// What a publisher does with a message for a subscriber that has no room.
// The values are those of the option.
enum class slow_rule : std::uint8_t
{
    drop_newest,  // this message
    drop_oldest,  // the oldest that has not begun to leave
    conflate,     // the older one of the same topic, or else the oldest
    block,        // none: senders wait
    disconnect,   // the subscriber
};

// Whether a type meets others by datagrams, and how.
enum class datagram_rule : std::uint8_t
{
    none,
    to_groups,    // RADIO: by connect
    from_groups,  // DISH: by bind
    raw,          // DGRAM: by bind, and in no other way
};

// One row per socket type, fixed at creation.
struct pattern_traits
{
    int type = 0;           // zmq.h's number
    const char *name = "";  // as in READY
    send_rule sends = send_rule::none;
    receive_rule receives = receive_rule::none;
    bool never_full = false;       // STREAM, SERVER, PEER: what tells of room for sending always does
    bool single_peer = false;      // PAIR, CHANNEL: a second peer is turned away
    bool dials_by_number = false;  // PEER: a connect tells by which number the peer is known
    bool single_part = false;      // messages of several parts are neither sent nor received
    bool takes_topics = false;     // PUB, XPUB: peers say what they want
    bool asks_topics = false;      // SUB, XSUB: peers are told what we want
    bool grouped = false;          // RADIO, DISH: a message is of a group, which is a frame before its body
    bool filters = false;          // SUB: what nobody asked for is dropped on arrival
    datagram_rule datagrams = datagram_rule::none;
};

using wire::mechanism_kind;
using security = wire::security;
using crypto::tls_ref;
using tls_settings = crypto::tls_settings;
using web_settings = crypto::web_settings;

struct settings
{
    std::int64_t send_hwm = 1000;  // messages, 0 = no limit
    std::int64_t receive_hwm = 1000;
    std::int64_t send_hwm_bytes = 0;  // 0 = off
    std::int64_t receive_hwm_bytes = 0;
    std::int64_t linger_ms = -1;         // -1 = no limit
    std::int64_t reconnect_ms = 100;     // -1 = never
    std::int64_t reconnect_max_ms = 0;   // 0 = no growth
    std::int64_t handshake_ms = 30'000;  // 0 = no limit
    std::int64_t connect_timeout_ms = 0;
    std::int64_t heartbeat_ms = 0;           // between PINGs; 0 = none
    std::int64_t heartbeat_timeout_ms = -1;  // of silence after a PING; -1 = the interval
    std::int64_t heartbeat_ttl_ms = 0;       // of silence that we ask the peer to bear; 0 = not said
    std::int64_t message_bytes_max = -1;
    std::int64_t send_timeout_ms = -1;
    std::int64_t receive_timeout_ms = -1;
    std::size_t arena_bytes = 0;  // 0 = the engine's own choice
    std::size_t slab_bytes = 0;
    wire::framing speaks = wire::framing::zmtp_3;  // or a bare one
    bool short_names = false;                      // those made up are numbers of 4 octets, from 1 on
    bool immediate = false;
    bool conflate = false;
    bool adaptive_spin = true;
    bool full_jitter = false;   // of the reconnect interval
    bool connect_once = false;  // a second connect to an endpoint has no effect
    bool mandatory = false;     // what cannot be routed is refused, not dropped
    bool handover = false;      // a newcomer takes a name that is in use
    bool notify_connect = false;
    bool notify_disconnect = false;
    bool recall = false;         // what no octet of has left when a peer is lost is read again
    bool probe = false;          // every new peer gets an empty message
    bool correlate = false;      // requests are numbered
    bool relaxed = false;        // a request may follow another without a reply
    std::uint64_t affinity = 0;  // which reactors may serve it; 0 = any
    std::string routing_id;
    bool verbose_topics = false;   // XPUB: the application hears of every subscription
    bool verbose_cancels = false;  // of every cancellation; XSUB: so does the publisher
    bool no_drop = false;          // a full subscriber makes senders wait
    slow_rule slow = slow_rule::drop_newest;
    bool wants_gaps = false;        // SUB, XSUB: hears how many messages were dropped for it
    bool invert_matching = false;   // what no topic matches is sent, or received
    std::string welcome;            // PUB, XPUB: for every new subscriber; empty = none
    bool manual_topics = false;     // XPUB: the application says who gets what
    bool last_asker_only = false;   // what follows its word goes to that one only
    bool first_topic_only = false;  // of a message of several parts only the first may be a topic
    std::int64_t topics_per_peer = topics_per_peer_default;            // different ones; 0 = no limit
    std::int64_t topic_bytes_per_peer = topic_bytes_per_peer_default;  // 0 = no limit
    std::int64_t last_values = 0;                                      // PUB, XPUB: topics; 0 = none
    std::int64_t last_value_bytes = last_value_bytes_default;
    bool stop_at_refusal = false;  // a dialer gives up when it is refused
    bool stop_at_handshake = false;
    std::string hello;         // first to every new peer; empty = none
    std::string peer_gone;     // ROUTER: read under the name of a peer that has gone
    std::string peer_again;    // DEALER: read when a connection is made anew
    property_list properties;  // more for READY
    std::string connect_name;  // the next connect's peer; empty = as it says itself
    base::stream_options stream;
    security secured;

    // What is for a full subscriber is kept in a backlog.
    [[nodiscard]] bool keeps_backlogs () const noexcept
    {
        return !no_drop && (slow == slow_rule::drop_oldest || slow == slow_rule::conflate);
    }
};

}  // namespace zlink::engine
