// Named limits of the wire layer. What a peer sends beyond one of them closes
// that one connection with a typed reason.
#pragma once

#include <cstddef>
#include <cstdint>

namespace zlink::wire {

// RFC 37: an identity is 0 to 255 octets.
inline constexpr std::size_t identity_bytes_max = 255;

// RFC 37: the length octet of a command or property name.
inline constexpr std::size_t name_bytes_max = 255;

// RFC 37: the context of PING and PONG.
inline constexpr std::size_t ping_context_bytes_max = 16;

// RFC 37: the reason of ERROR stands behind one length octet.
inline constexpr std::size_t error_reason_bytes_max = 255;

// RFC 48: the group of JOIN and LEAVE.
inline constexpr std::size_t group_bytes_max = 255;

// RFC 37: a body size is a 63-bit number.
inline constexpr std::uint64_t frame_body_bytes_max = (std::uint64_t{1} << 63) - 1;

// What stands in front of a packet counts 32 bits.
inline constexpr std::uint64_t packet_bytes_max = UINT32_MAX;

// Raw bytes are handed out in pieces of at most so many: what one read of
// libzmq brings, and so what the buffers of programs have room for.
inline constexpr std::size_t raw_slice_bytes_max = 8192;

// Ours: the body of one command before the session is ready. The largest
// legal READY that programs send is a few hundred octets; the rest is room
// for X- properties.
inline constexpr std::size_t handshake_command_bytes_max = 64 * 1024;

// The longest HELLO: PLAIN's, with a name and a password; CURVE's has 200. A
// server takes nothing longer from a stranger, so whoever does not go on from
// there holds no more than this.
inline constexpr std::size_t hello_bytes_max = 6 + 2 * (1 + name_bytes_max);

// Ours: properties in one READY. Duplicates are found by comparing all pairs,
// so the number must stay small.
inline constexpr std::size_t metadata_properties_max = 128;

// RFC 6455: the payload of a control frame, and a status code in front of the
// reason of a close.
inline constexpr std::size_t ws_control_bytes_max = 125;
inline constexpr std::size_t ws_close_reason_bytes_max = ws_control_bytes_max - 2;

// Ours: frames of one WebSocket message. Frames with little or nothing in them
// cost their sender more than us; this ends the ones that never end.
inline constexpr std::size_t ws_fragments_max = std::size_t{1} << 20;

// An HTTP upgrade, as libzmq takes it: a header's name, its value, and the whole
// head with the empty line.
inline constexpr std::size_t http_name_bytes_max = 1024;
inline constexpr std::size_t http_value_bytes_max = 2048;
inline constexpr std::size_t http_head_bytes_max = 8192;

// Ours: the path that is asked for, and the lines behind the first.
inline constexpr std::size_t http_target_bytes_max = 2048;
inline constexpr std::size_t http_headers_max = 64;

// One line always has room for one header, and a head for what an upgrade needs
// beside it.
static_assert (http_head_bytes_max > 2 * (http_name_bytes_max + http_value_bytes_max));

// A READY always has room for its own identity and socket type.
static_assert (handshake_command_bytes_max > 4 * (identity_bytes_max + name_bytes_max));

}  // namespace zlink::wire
