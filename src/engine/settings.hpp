// What the engine needs to know of a socket's options and pattern. The
// socket layer fills it from the option table; the engine never sees option
// numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/clock.hpp"
#include "base/stream.hpp"

namespace zlink::engine {

// How a pattern chooses the pipe of the next outgoing message.
enum class send_rule : std::uint8_t
{
    none,     // the type cannot send
    balance,  // round robin over pipes with credit; block when there is none
};

// How a pattern chooses the pipe of the next incoming message.
enum class receive_rule : std::uint8_t
{
    none,
    fair,  // one message per pipe in turn
};

// One row per socket type, fixed at creation.
struct pattern_traits
{
    int type = 0;           // zmq.h's number
    const char *name = "";  // as in READY
    send_rule sends = send_rule::none;
    receive_rule receives = receive_rule::none;
    bool single_peer = false;  // PAIR: a second peer is turned away
};

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
    bool immediate = false;
    bool conflate = false;
    bool adaptive_spin = true;
    bool full_jitter = false;    // of the reconnect interval
    std::uint64_t affinity = 0;  // which reactors may serve it; 0 = any
    std::string routing_id;
    base::stream_options stream;
};

}  // namespace zlink::engine
