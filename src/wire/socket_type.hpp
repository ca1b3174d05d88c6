// The socket types as they appear on the wire: their names in READY, their
// numbers in the ZMTP 2.0 greeting and in zmq.h, and who may talk to whom
// (RFC 28 to 31, 37, 41, 48, 49, 51, 52). Constants and pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace zlink::wire {

// Numbered as in zmq.h.
enum class socket_type : std::uint8_t
{
    pair = 0,
    pub = 1,
    sub = 2,
    req = 3,
    rep = 4,
    dealer = 5,
    router = 6,
    pull = 7,
    push = 8,
    xpub = 9,
    xsub = 10,
    stream = 11,  // raw bytes, never ZMTP
    server = 12,
    client = 13,
    radio = 14,
    dish = 15,
    gather = 16,
    scatter = 17,
    dgram = 18,  // datagrams, never ZMTP
    peer = 19,
    channel = 20,
};

inline constexpr int socket_type_count = 21;

// Upper case, as in the Socket-Type property.
[[nodiscard]] std::string_view socket_type_name (socket_type type) noexcept;

// Exact, as libzmq: names are upper case.
[[nodiscard]] std::optional<socket_type> socket_type_from_name (std::string_view name) noexcept;

[[nodiscard]] std::optional<socket_type> socket_type_from_number (int number) noexcept;

// Whether ours may talk to theirs. Symmetric. STREAM and DGRAM talk to nobody.
[[nodiscard]] bool socket_types_compatible (socket_type ours, socket_type theirs) noexcept;

// REQ, DEALER and ROUTER: libzmq puts the Identity property in their READY
// and in no other's.
[[nodiscard]] bool socket_type_sends_identity (socket_type type) noexcept;

}  // namespace zlink::wire
