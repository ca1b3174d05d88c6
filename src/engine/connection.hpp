// A connection to one peer over a byte stream: its state, its claims, its
// queues. A dialer's connection lives as long as its endpoint and goes
// through many streams; an accepted one lives as long as its stream.
//
// Data only: socket_core moves it from state to state under the socket lock.
// What a claim covers belongs to the claim's holder while the lock is dropped:
// tx covers writing to the stream, rx covers reading from it and the slices
// that in.prepare() gave. The last claim to go closes the stream.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/message.hpp"
#include "base/reason.hpp"
#include "base/stream.hpp"
#include "crypto/tls_ref.hpp"
#include "engine/deadline_heap.hpp"
#include "engine/heartbeat.hpp"
#include "engine/in_buffer.hpp"
#include "engine/out_queue.hpp"
#include "engine/pipe.hpp"
#include "engine/queue_age.hpp"
#include "engine/steady_flow.hpp"
#include "engine/verdict_source.hpp"
#include "wire/session.hpp"
#include "wire/socks.hpp"

namespace zlink::engine {

enum class connection_state : std::uint8_t
{
    lost,         // no stream; a dialer waits for its next attempt
    connecting,   // the system works on it
    handshaking,  // greeting and mechanism
    ready,
    draining,  // our close: what is queued goes out, then the end of stream
};

struct endpoint;
struct stream_layering;

struct connection : pipe
{
    // Throws bad_alloc.
    connection (buffer_pool &arenas, buffer_pool &slabs)
      : pipe (pipe_kind::stream), out (arenas), in (slabs), pending_bytes (arenas.account ())
    {
    }

    std::uint32_t index = 0;       // in the socket's table
    std::uint32_t generation = 0;  // with index, the poller's tag
    std::uint64_t id = 0;          // of this stream, growing within the socket; 0 before the first
    connection_state state = connection_state::lost;

    std::unique_ptr<base::stream> stream;       // null while ready: rx_ended and tx_dead, see socket_leavers
    std::unique_ptr<wire::session> session;     // while handshaking
    std::unique_ptr<verdict_source> judge;      // while handshaking, and somebody is asked about the peer
    std::unique_ptr<wire::zap_reply> verdict;   // until ready: what was answered
    std::vector<std::byte> early;               // until ready: what came behind the handshake
    std::unique_ptr<wire::socks_client> proxy;  // while connecting, once the proxy has answered the call
    out_queue out;
    in_buffer in;
    std::deque<base::message> pending;  // parts that wait for a session to encode them
    std::int64_t pending_messages = 0;  // whole ones in there
    charge pending_bytes;
    queue_age waiting;                   // of what is pending or unwritten
    std::size_t offered_bytes = 0;       // of what is unwritten, to the write that is under way
    steady_flow flow;                    // as the dirty ticks see it
    std::uint64_t settled_messages = 0;  // accepted, and now with the system or given up

    bool tx_claimed = false;
    bool tx_armed = false;  // EPOLLOUT will fire in the reactor
    bool tx_dead = false;   // the kernel refused a write
    bool rx_claimed = false;
    bool rx_ended = false;  // read returned the end or an error
    bool maybe_readable = false;
    bool hangup = false;      // the poller said so: read to the end
    bool in_outer = false;    // known to the reactor's set
    bool in_tails = false;    // in the socket's list of unwritten tails
    bool read_first = false;  // draining: the peer may still send
    bool leaving = false;     // close as soon as the claims are free
    bool ever_ready = false;
    bool goer_due = false;            // lost: that it has gone is told behind what comes back
    bool of_datagrams = false;        // its stream is a datagram_stream, and there is no peer
    bool shapes_stream = false;       // its stream is one around another, or of datagrams
    bool opened = false;              // while handshaking: the stream's own handshake is over
    bool of_web = false;              // while handshaking: stream is a ws_stream
    bool owes = false;                // ready, draining: the stream has something of its own to write
    bool topics_as_commands = false;  // ready: the peer knows SUBSCRIBE and CANCEL
    std::uint64_t heard = 0;          // ready: which change of our topics it has read
    std::uint64_t asked_heard = 0;    // likewise: of which it was asked
    std::uint64_t pings_ahead = 0;    // ready: answered, and still behind what nobody has taken
    std::uint64_t looked_behind = 0;  // likewise: how many bytes had come when they were looked for

    static constexpr std::size_t nowhere = SIZE_MAX;
    std::size_t attention_place = nowhere;  // in the socket's list of those that a turn looks at

    std::uint32_t outer_interest = 0;  // until ready: what the reactor's set watches for

    // Draining, because a STREAM has ended it: it must move on.
    bool must_progress = false;
    std::uint64_t sent_at_look = 0;  // wire bytes

    // Handshaking, with a name that another connection has.
    bool waits_for_name = false;
    bool name_refused = false;       // that one lives
    std::uint64_t holder_id = 0;     // that connection's
    std::uint64_t holder_bytes = 0;  // that it had received when the wait began
    base::time_ns name_deadline = base::never_ns;

    std::uint64_t accepted_by = 0;   // the endpoint's id; 0 for dialled ones
    endpoint *dialled_by = nullptr;  // null for accepted connections
    timed due{this};                 // the deadline of the state it is in
    base::close_reason reason = base::close_reason::none;
    int os_error = 0;
    heartbeat beat;                   // ready: whether the peer lives
    std::uint64_t round_trip_ns = 0;  // of its last PING that was answered
    std::string peer_address;
    base::message_facts *facts = nullptr;
    std::string peer_identity;
    std::string local;  // both ends of the stream as endpoints
    std::string remote;
    base::time_ns ready_since_ns = 0;  // while handshaking: since when that lasts

    [[nodiscard]] bool claimed () const noexcept { return tx_claimed || rx_claimed; }
    [[nodiscard]] bool can_write () const noexcept
    {
        return (state == connection_state::ready || state == connection_state::draining) && !tx_dead;
    }
    [[nodiscard]] bool has_output () const noexcept
    {
        return !out.empty () || owes || !pending.empty () || (behind != nullptr && !behind->empty ());
    }
    [[nodiscard]] bool can_flush () const noexcept { return has_output () && can_write (); }
    // Accepted, and not yet with the system.
    [[nodiscard]] std::int64_t queued_messages () const noexcept
    {
        return out.unwritten_messages () + pending_messages + (behind != nullptr ? behind->messages () : 0);
    }
    [[nodiscard]] std::size_t queued_bytes () const noexcept
    {
        return out.unwritten_bytes () + pending_bytes + (behind != nullptr ? behind->bytes () : 0);
    }
    // STREAM's: the peer speaks no ZMTP.
    [[nodiscard]] bool bare () const noexcept { return wire::is_bare (out.framing ()); }
};

[[nodiscard]] inline bool is_of_datagrams (const pipe &which) noexcept
{
    return which.kind == pipe_kind::stream && static_cast<const connection &> (which).of_datagrams;
}

// The system refused a write to it.
[[nodiscard]] inline bool cannot_send (const pipe &which) noexcept
{
    return which.kind == pipe_kind::stream && static_cast<const connection &> (which).tx_dead;
}

// What bind() and connect() made.
struct endpoint
{
    std::uint64_t id = 0;
    std::string text;      // as the caller wrote it
    std::string resolved;  // as LAST_ENDPOINT shows it
    base::transport *by = nullptr;
    std::string address;                        // behind "scheme://"
    std::unique_ptr<base::listener> listening;  // null for dialers
    crypto::tls_ref<stream_layering> layers;    // empty: its streams are plain
    bool removed = false;                       // unbound or disconnected
    bool busy = false;                          // a thread works on it without the lock
    bool resolving = false;                     // the resolver works on it
    bool answered = false;                      // answer holds what the resolver found
    base::resolve_result answer;

    connection *dialled = nullptr;         // a dialer's, or of datagrams
    bool bound = false;                    // of datagrams, by a bind
    std::unique_ptr<base::stream> opened;  // by that bind, until its connection has it
    std::vector<base::address> addresses;
    std::size_t next_address = 0;
    std::int64_t interval_ms = 0;  // the next reconnect interval
    timed due{this};               // the next attempt, or the end of an accept pause
    std::uint64_t attempts = 0;
    bool given_up = false;  // RECONNECT_STOP
    bool ended = false;     // it will never be dialled again: nothing is queued for it any more
    tally gone;             // of its connections that are no more
    base::close_reason last_reason = base::close_reason::none;
    int last_os_error = 0;

    [[nodiscard]] bool is_dialer () const noexcept { return dialled != nullptr; }
    [[nodiscard]] bool made_by_bind () const noexcept { return dialled == nullptr || bound; }
};

}  // namespace zlink::engine
