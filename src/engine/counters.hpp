// What is counted, always: per connection as it happens, and from there added
// up for endpoints and sockets when somebody asks.
//
// Where: what grows per message stands in the pipe that the message goes
// through, and nowhere else; what the system took or gave is counted per system
// call; everything else per event.
// Thread rule: under the socket lock; the copies that are handed out are
// anybody's. Source: docs/observing.md says what each number means.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/reason.hpp"

namespace zlink::engine {

// Why a message that was accepted, or had come whole, was given up.
enum class drop_reason : std::uint8_t
{
    cut,        // its connection broke while the system had a part of it
    peer_lost,  // its connection broke and nobody dials it again
    immediate,  // its connection broke, and IMMEDIATE queues for living ones only
    closed,     // LINGER was over, or its endpoint was disconnected
    conflated,  // CONFLATE, SLOW_CONSUMER by topic: a newer one took its place
    unwanted,   // it came to a socket whose type does not receive
    no_memory,
    unroutable,  // ROUTER: there was no such peer
    full,        // ROUTER, REP, PUB, which do not wait: the peer had no room
    malformed,   // REP and REQ: no envelope, or not the expected one
    unasked,     // REQ: not from the peer that was asked, or too late
    filtered,    // SUB: no topic of ours matches it
    oldest,      // SLOW_CONSUMER: the peer had no room, and it was the oldest
    multipart,   // it came in several parts, to a type that takes one
    too_large,   // for a datagram, or above MAXMSGSIZE in one
};
inline constexpr std::size_t drop_reasons = static_cast<std::size_t> (drop_reason::too_large) + 1;

// One lower-case word with hyphens.
[[nodiscard]] const char *drop_name (drop_reason reason) noexcept;

// What only grows, of a connection or of many together.
struct tally
{
    // Whole messages, and the bytes of their parts' bodies. What grows together
    // does not stand together: compilers would add the two with one vector
    // instruction and five to get them there.
    std::uint64_t messages_sent = 0;      // accepted for it
    std::uint64_t messages_received = 0;  // handed to the caller
    std::uint64_t bytes_sent = 0;
    std::uint64_t bytes_received = 0;

    // What the stream carried, framing and handshakes included.
    std::uint64_t wire_bytes_sent = 0;
    std::uint64_t wire_bytes_received = 0;
    std::uint64_t read_calls = 0;  // system calls
    std::uint64_t write_calls = 0;

    std::uint64_t handshakes_done = 0;  // of inproc links: joined
    std::uint64_t handshakes_failed = 0;
    std::uint64_t connections_lost = 0;
    std::uint64_t reconnects = 0;
    std::uint64_t heartbeats_sent = 0;
    std::uint64_t heartbeats_answered = 0;
    std::uint64_t messages_missed = 0;  // dropped for us by publishers, as they told
    std::array<std::uint64_t, drop_reasons> dropped{};

    [[nodiscard]] std::uint64_t &of (drop_reason why) noexcept
    {
        return dropped[static_cast<std::size_t> (why)];
    }
    [[nodiscard]] std::uint64_t dropped_total () const noexcept;
    tally &operator+= (const tally &more) noexcept;
};

// How it is at this moment.
struct gauges
{
    std::uint64_t connections_ready = 0;
    std::uint64_t queued_messages = 0;  // accepted, and not yet with the system (inproc: with the peer)
    std::uint64_t queued_bytes = 0;
    std::uint64_t queue_age_ns = 0;   // the oldest of them has waited at most so long
    std::uint64_t unread_bytes = 0;   // read from the system, not yet handed to the caller
    std::uint64_t round_trip_ns = 0;  // of the last PING that was answered; 0 = none yet

    gauges &operator+= (const gauges &more) noexcept;  // ages and times: the longest
};

enum class count_of : std::uint8_t
{
    socket,
    endpoint,
    connection,
};

// One line of a socket's counters.
struct count_row
{
    count_of what = count_of::socket;
    bool is_listener = false;
    std::uint64_t id = 0;           // of the endpoint, or of the connection as in events; 0 = none yet
    std::uint64_t endpoint_id = 0;  // of a connection: the endpoint that it belongs to; 0 = removed
    std::string address;            // of a socket its type
    tally total;
    gauges now;
    std::uint64_t attempts = 0;  // at connecting, or connections accepted
    base::close_reason last_reason = base::close_reason::none;
    int os_error = 0;
    std::uint64_t poll_calls = 0;       // of a socket
    std::uint64_t wakes = 0;            // likewise: sleeps that ended
    std::uint64_t budget_holds = 0;     // likewise: times that the byte budget held it back
    std::uint64_t values_not_kept = 0;  // likewise: messages above a limit of LAST_VALUES
};

// The line as text, without an end of line; unchanging numbers of 0 are left
// out. May throw std::bad_alloc.
[[nodiscard]] std::string text_of (const count_row &row);

// What a socket counts on its own, beside the sum of all connections that it
// ever had.
struct socket_counters
{
    tally total;
    std::uint64_t round_trip_ns = 0;  // of the last PING that was answered; 0 = none yet
    std::uint64_t poll_calls = 0;
    std::uint64_t wakes = 0;  // sleeps that ended
    std::uint64_t events_lost = 0;
};

}  // namespace zlink::engine
