// ZMTP 3.x command frames: bodies to views and back (RFC 37, 48). The frame
// header is framing.hpp's. Pure functions; a parsed command borrows from the
// body it was read from, an encoder writes where the caller says.
//
//   body = name length (1 octet, not 0), name, data
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "wire/framing.hpp"
#include "wire/limits.hpp"

namespace zlink::wire {

enum class command_kind : std::uint8_t
{
    malformed,          // close: command_malformed
    unknown,            // ignore, RFC 37
    ready,              // data: metadata; after the handshake: command_unexpected
    error,              // data: the reason text; close: refused_by_peer
    ping,               // ttl_deciseconds, data: the context to send back
    pong,               // data: the context
    subscribe,          // data: the topic
    cancel,             // data: the topic
    join,               // data: the group
    leave,              // data: the group
    gap,                // ours, to peers that asked for it; data: how many messages are missing, 8 octets
    subscribe_pattern,  // ours, to publishers that say so in READY; data: the pattern
    cancel_pattern,     // likewise
};

struct command
{
    command_kind kind = command_kind::malformed;
    std::uint16_t ttl_deciseconds = 0;  // PING only; 0 = none
    std::string_view name;              // as received; empty when malformed
    bytes_view data;
};

// Reads the body of a frame whose COMMAND bit was set. Names are compared
// exactly, as libzmq does. Malformed: a name length of 0 or past the end; PING
// without its time to live; a context above 16 octets; an ERROR whose reason
// does not fill the body; a group above 255 octets or with a NUL; a GAP whose
// number is not of 8 octets; a pattern that is none (base/glob.hpp).
[[nodiscard]] command parse_command (bytes_view body) noexcept;

// What to send. A context, group or reason above its limit is cut to it.
[[nodiscard]] command make_ping (std::uint16_t ttl_deciseconds, bytes_view context) noexcept;
[[nodiscard]] command make_pong (bytes_view context) noexcept;
[[nodiscard]] command make_subscribe (bytes_view topic) noexcept;
[[nodiscard]] command make_cancel (bytes_view topic) noexcept;
[[nodiscard]] command make_join (bytes_view group) noexcept;
[[nodiscard]] command make_leave (bytes_view group) noexcept;
// The number's octets, big endian.
[[nodiscard]] command make_gap (std::span<const std::byte, 8> messages) noexcept;
// The pattern is one.
[[nodiscard]] command make_subscribe_pattern (bytes_view pattern) noexcept;
[[nodiscard]] command make_cancel_pattern (bytes_view pattern) noexcept;
[[nodiscard]] command make_error (std::string_view reason) noexcept;
[[nodiscard]] command make_ready (bytes_view properties) noexcept;

// Bytes of the body that encode_command_body writes.
[[nodiscard]] std::size_t command_body_bytes (const command &what) noexcept;
// Writes the body (no frame header, so that CURVE can box it) and returns its
// size. out has room for command_body_bytes. `what` came from a make_ function
// or from parse_command and is not malformed.
std::size_t encode_command_body (std::byte *out, const command &what) noexcept;

// Header and body of the whole ZMTP 3.x frame. The first writes to out, which
// has room for command_body_bytes + frame_header_bytes_max; the second appends
// to a buffer and may throw std::bad_alloc.
std::size_t encode_command_frame (std::byte *out, const command &what) noexcept;
void append_command_frame (std::vector<std::byte> &out, const command &what);

}  // namespace zlink::wire
