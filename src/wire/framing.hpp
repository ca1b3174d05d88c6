// Frame headers of ZMTP 1.0, 2.0 and 3.x (RFC 13, 15, 23, 37): size, MORE and
// COMMAND in front of a body; and what STREAM sockets speak instead. Pure
// functions over the caller's bytes; nothing is kept, allocated or thrown. Any
// thread.
//
//   3.x, 2.0   flags, size (1 octet), body             bit 0 MORE
//              flags with bit 1, size (8 octets), body  bit 2 COMMAND (3.x only)
//   1.0        length (1 octet), flags, body            length = body + 1
//              FF, length (8 octets), flags, body
//   packets    length (4 octets, big endian), body
//   raw        no header: a body is what is there, at most raw_slice_bytes_max
//              of it; nothing tells where the sender's ended
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"
#include "wire/limits.hpp"

namespace zlink::wire {

using base::bytes_span;
using base::bytes_view;

// 3.0 and 3.1 share one framing; 2.0 is the same without the COMMAND bit. Those
// of one shape come first.
enum class framing : std::uint8_t
{
    zmtp_2_0,
    zmtp_3,
    zmtp_1_0,
    packets,
    raw,
};

// Packets and raw bytes: no greeting, no parts, no commands.
[[nodiscard]] constexpr bool is_bare (framing kind) noexcept { return kind >= framing::packets; }

inline constexpr std::size_t frame_header_bytes_max = 10;

struct frame_head
{
    std::uint64_t body_size = 0;
    std::uint8_t header_bytes = 0;
    bool more = false;
    bool command = false;
};

enum class head_status : std::uint8_t
{
    complete,
    need_more,
    malformed,
};

namespace detail {

inline constexpr unsigned flag_more = 1;
inline constexpr unsigned flag_long = 2;
inline constexpr unsigned flag_command = 4;
inline constexpr std::size_t short_size_max = 255;

std::size_t encode_header_other (framing kind, std::byte *out, std::size_t body_size, bool more) noexcept;
struct decoded_head
{
    head_status status = head_status::need_more;
    frame_head head{};
};

// By value, so that the inline decoder's result never has its address taken
// and stays in registers.
decoded_head decode_header_other (framing kind, bytes_view available) noexcept;
decoded_head decode_header_long (unsigned flags, bytes_view available) noexcept;

inline head_status unpack (const decoded_head &found, frame_head &out) noexcept
{
    if (found.status == head_status::complete)
        out = found.head;
    return found.status;
}

}  // namespace detail

// Writes the header of a body of body_size bytes and returns its length. out
// has room for frame_header_bytes_max. A framing without commands drops the
// command mark, one without parts the more mark; the caller sends none there.
// A packet has at most packet_bytes_max.
[[nodiscard]] inline std::size_t
encode_frame_header (framing kind, std::byte *out, std::size_t body_size, bool more, bool command) noexcept
{
    if (kind > framing::zmtp_3) [[unlikely]]
        return detail::encode_header_other (kind, out, body_size, more);
    const unsigned flags =
      (more ? detail::flag_more : 0u) | (command && kind == framing::zmtp_3 ? detail::flag_command : 0u);
    if (body_size <= detail::short_size_max) [[likely]] {
        out[0] = static_cast<std::byte> (flags);
        out[1] = static_cast<std::byte> (body_size);
        return 2;
    }
    out[0] = static_cast<std::byte> (flags | detail::flag_long);
    base::store_u64_be (out + 1, body_size);
    return 9;
}

// Reads the header at the front of what has arrived. On complete, out is set;
// otherwise it is untouched. Reserved flag bits are ignored, as libzmq does.
// Malformed: COMMAND with MORE, a body above frame_body_bytes_max, length 0
// in ZMTP 1.0. need_more asks for at least one byte more and is answered for
// fewer than frame_header_bytes_max bytes only.
[[nodiscard]] inline head_status
decode_frame_header (framing kind, bytes_view available, frame_head &out) noexcept
{
    if (kind > framing::zmtp_3) [[unlikely]]
        return detail::unpack (detail::decode_header_other (kind, available), out);
    if (available.size () < 2) [[unlikely]]
        return head_status::need_more;
    const unsigned known = kind == framing::zmtp_3
                             ? detail::flag_more | detail::flag_long | detail::flag_command
                             : detail::flag_more | detail::flag_long;
    const unsigned flags = static_cast<unsigned> (available[0]) & known;
    if ((flags & (detail::flag_long | detail::flag_command)) != 0) [[unlikely]] {
        constexpr unsigned command_and_more = detail::flag_command | detail::flag_more;
        if ((flags & command_and_more) == command_and_more)
            return head_status::malformed;
        if ((flags & detail::flag_long) != 0)
            return detail::unpack (detail::decode_header_long (flags, available), out);
    }
    out.body_size = static_cast<std::uint64_t> (available[1]);
    out.header_bytes = 2;
    out.more = (flags & detail::flag_more) != 0;
    out.command = (flags & detail::flag_command) != 0;
    return head_status::complete;
}

// A message of two short frames, as groups and heads are sent before bodies.
struct short_pair
{
    std::size_t first_bytes = 0;  // of the bodies
    std::size_t second_bytes = 0;
    static constexpr std::size_t header_bytes = 2;  // of each
};

// Its first frame, header and body and nothing else, is one.
[[nodiscard]] inline bool begins_short_pair (framing kind, bytes_view frame) noexcept
{
    return kind <= framing::zmtp_3 && frame[0] == static_cast<std::byte> (detail::flag_more)
           && static_cast<std::size_t> (frame[1]) + short_pair::header_bytes == frame.size ();
}

// How many octets the short frame without any flag takes that stands complete at the
// front; 0: there is none. At least its header is there.
[[nodiscard]] inline std::size_t short_last_frame_bytes (bytes_view available) noexcept
{
    const std::size_t bytes = short_pair::header_bytes + static_cast<std::size_t> (available[1]);
    return available[0] == std::byte{0} && bytes <= available.size () ? bytes : 0;
}

// Sees one that stands complete at the front, its flags without anything reserved. On
// true, out is set; false: decode_frame_header() knows more.
[[nodiscard]] inline bool decode_short_pair (framing kind, bytes_view available, short_pair &out) noexcept
{
    constexpr std::size_t headers = 2 * short_pair::header_bytes;
    if (kind > framing::zmtp_3 || available.size () < headers
        || available[0] != static_cast<std::byte> (detail::flag_more)) [[unlikely]]
        return false;
    const auto first = static_cast<std::size_t> (available[1]);
    if (available.size () < headers + first) [[unlikely]]
        return false;
    const std::size_t last = short_last_frame_bytes (available.subspan (short_pair::header_bytes + first));
    if (last == 0) [[unlikely]]
        return false;
    out = {first, last - short_pair::header_bytes};
    return true;
}

}  // namespace zlink::wire
