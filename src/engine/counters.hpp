// What a socket counts; under the socket lock, read as a whole.
#pragma once

#include <cstdint>

namespace zlink::engine {

struct socket_counters
{
    std::uint64_t messages_sent = 0;  // whole messages accepted from the caller
    std::uint64_t bytes_sent = 0;
    std::uint64_t messages_received = 0;  // whole messages handed to the caller
    std::uint64_t bytes_received = 0;
    std::uint64_t dropped = 0;  // accepted but given up, all reasons
    std::uint64_t connections_made = 0;
    std::uint64_t connections_lost = 0;
    std::uint64_t handshakes_failed = 0;
    std::uint64_t reconnects = 0;
    std::uint64_t round_trip_ns = 0;  // of the last PING that was answered; 0 = none yet
    std::uint64_t read_calls = 0;     // system calls of the traffic
    std::uint64_t write_calls = 0;
    std::uint64_t poll_calls = 0;
    std::uint64_t wakes = 0;  // sleeps that ended
};

}  // namespace zlink::engine
