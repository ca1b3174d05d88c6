// What happens to a socket's endpoints and connections, told to whoever asked.
//
// The socket tells under its lock, in the order in which things happen, and
// what is told is delivered after the unlock. With nobody listening an event
// costs a look at one pointer, on paths that are rare anyway.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/poller.hpp"
#include "base/reason.hpp"

namespace zlink::engine {

enum class event_kind : std::uint8_t
{
    // Endpoints that are bound.
    listening,
    bind_failed,
    accept_failed,  // out of descriptors or memory: tries again; or a peer was turned away
    unbound,        // the listener is closed

    // Endpoints that are connected.
    connect_started,  // and not done at once
    connect_failed,   // one attempt, with its reason
    connect_planned,  // the next attempt, in interval_ms

    // Connections.
    accepted,
    connected,
    ready,             // the handshake is done
    handshake_failed,  // lost comes next
    lost,              // with its reason

    budget_reached,  // of the context's bytes: a send, a read or a peer was held back

    pipe_counts,  // asked for: what waits in a pipe, either way

    gap,  // SUB, XSUB: a publisher dropped messages of this connection, before the next

    stopped,  // the last: the socket has ended, or the listener was taken off
};

struct event_record
{
    event_kind kind = event_kind::stopped;
    bool at_listener = false;   // the endpoint is bound, or the connection was accepted
    bool in_handshake = false;  // lost: before it was ready
    bool in_process = false;    // of an inproc link, which has no handshake and no handle
    bool no_handshake = false;  // of a STREAM's peer, which is ready at once
    base::close_reason reason = base::close_reason::none;
    base::error failure{};
    base::io_handle handle = base::no_handle;
    std::int64_t interval_ms = 0;
    std::uint64_t outbound = 0;  // pipe_counts: messages
    std::uint64_t inbound = 0;
    std::uint64_t missed = 0;  // gap: how many messages
    base::time_ns at_ns = 0;
    std::uint64_t number = 0;         // of the socket's events, from 1 on
    std::uint64_t lost_before = 0;    // by the queue that it comes from
    std::uint64_t connection_id = 0;  // grows with every accept and every attempt; 0 = none
    std::string endpoint;             // as in bind and connect, wildcards filled in
    std::string local;                // both ends' addresses as endpoints, as far as there are any
    std::string remote;
    std::string peer_identity;
};

// What there may be to tell of an endpoint.
struct endpoint_news
{
    base::close_reason reason = base::close_reason::none;
    base::error failure{};
    base::io_handle handle = base::no_handle;
    std::int64_t interval_ms = 0;
    std::string_view remote{};  // accept_failed: who came, where that is known
};

// A peer that is connected and ready.
struct peer_report
{
    std::string identity;
    std::string remote;
    std::uint64_t connection_id = 0;
    base::time_ns ready_since_ns = 0;
    std::uint64_t messages_sent = 0;
    std::uint64_t messages_received = 0;
};

// True for what we did ourselves.
[[nodiscard]] constexpr bool is_local (base::close_reason reason) noexcept
{
    return reason == base::close_reason::local_close || reason == base::close_reason::disconnected
           || reason == base::close_reason::context_terminated;
}

// Somebody who is told. Thread rule: take and context_ends by one thread at a
// time, under the socket's lock or when it has none any more; deliver by any
// number at once.
class event_sink
{
  public:
    virtual ~event_sink () = default;

    // Remembers the event, or answers false: it is lost. Takes no lock but a
    // leaf and makes no call into the system.
    virtual bool take (const event_record &what) noexcept = 0;

    // Something was taken; no lock is held. Does not block.
    virtual void deliver () noexcept = 0;

    // The context ends, though more may still be told: who sleeps for that is
    // to be sent home by the deliver that follows. Otherwise as take.
    virtual void context_ends () noexcept {}
};

}  // namespace zlink::engine
