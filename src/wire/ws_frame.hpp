// The headers of WebSocket frames (RFC 6455, 5.2), and whole control frames.
// Pure functions over the caller's bytes; nothing is kept, allocated or thrown.
// Any thread.
//
//   octet 0     final (80), reserved (70), opcode (0F)
//   octet 1     masked (80), size of the payload (7F): 0-125, else
//               126 and 2 octets more, or 127 and 8, big endian
//   4 octets    the mask's key, where masked
//   payload
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/bytes.hpp"
#include "wire/framing.hpp"
#include "wire/limits.hpp"
#include "wire/ws_mask.hpp"

namespace zlink::wire {

enum class ws_opcode : std::uint8_t
{
    continuation = 0,
    text = 1,
    binary = 2,
    close = 8,
    ping = 9,
    pong = 10,
};

[[nodiscard]] constexpr bool is_control (ws_opcode opcode) noexcept { return opcode >= ws_opcode::close; }

// Why a connection is closed (RFC 6455, 7.4.1, and the registry it began).
enum class ws_close_code : std::uint16_t
{
    normal = 1000,
    going_away = 1001,
    protocol_error = 1002,
    unsupported_data = 1003,
    no_code = 1005,   // never sent: the close had none
    abnormal = 1006,  // never sent: there was no close
    malformed_text = 1007,
    policy = 1008,
    too_big = 1009,
    extension_missing = 1010,
    internal_error = 1011,
};

// Whether a peer may send it: 1000 to 1003, 1007 to 1014, and 3000 to 4999, which
// are the applications'.
[[nodiscard]] bool may_be_sent (ws_close_code code) noexcept;

struct ws_head
{
    std::uint64_t payload_bytes = 0;
    ws_opcode opcode = ws_opcode::binary;
    std::uint8_t header_bytes = 0;  // as decoded; encoding does not look at it
    bool final = true;
    bool masked = false;
    ws_mask_key key{};
};

inline constexpr std::size_t ws_header_bytes_max = 14;
inline constexpr std::size_t ws_control_frame_bytes_max = 2 + ws_mask_key_bytes + ws_control_bytes_max;

// Writes the header, in its shortest form, and returns its length. out has room
// for ws_header_bytes_max. payload_bytes is below 2^63.
[[nodiscard]] std::size_t encode_ws_header (std::byte *out, const ws_head &head) noexcept;

// Reads the header at the front of what has arrived. On complete, out is set;
// otherwise it is untouched. Malformed, as early as an octet shows it: a reserved
// bit or opcode, a control frame that is not final or above ws_control_bytes_max,
// a size in a longer form than it needs, or of 2^63 and more. need_more is
// answered for fewer than ws_header_bytes_max octets only. Who masks is not
// judged here.
[[nodiscard]] head_status decode_ws_header (bytes_view available, ws_head &out) noexcept;

// Writes a whole control frame, masked where there is a key, and returns its
// length. What of the payload is above ws_control_bytes_max is cut. out has room
// for ws_control_frame_bytes_max.
[[nodiscard]] std::size_t
encode_ws_control (std::byte *out, ws_opcode opcode, bytes_view payload, const ws_mask_key *key) noexcept;

// Writes what a close carries, of a code that may be sent, and returns its length;
// no_code: nothing. The reason is cut between characters at
// ws_close_reason_bytes_max. out has room for ws_control_bytes_max.
[[nodiscard]] std::size_t
encode_ws_close (std::byte *out, ws_close_code code, std::string_view reason) noexcept;

// What a close carried. False: it breaks the rules, and `answer` is what to say
// of that: protocol_error (one octet, or a code nobody may send) or
// malformed_text.
struct ws_close_payload
{
    ws_close_code code = ws_close_code::no_code;
    bytes_view reason{};  // UTF-8, part of the payload
};
[[nodiscard]] bool
decode_ws_close (bytes_view payload, ws_close_payload &out, ws_close_code &answer) noexcept;

}  // namespace zlink::wire
