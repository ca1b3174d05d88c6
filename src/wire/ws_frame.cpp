#include "wire/ws_frame.hpp"

#include <algorithm>

#include "wire/utf8.hpp"

namespace zlink::wire {

namespace {

constexpr unsigned ws_final_bit = 0x80;
constexpr unsigned ws_reserved_bits = 0x70;
constexpr unsigned ws_opcode_bits = 0x0F;
constexpr unsigned ws_masked_bit = 0x80;
constexpr unsigned ws_size_bits = 0x7F;
constexpr unsigned ws_two_octets = 126;
constexpr unsigned ws_eight_octets = 127;
constexpr std::uint64_t ws_two_octets_max = 0xFFFF;
constexpr std::size_t ws_close_code_bytes = 2;

bool is_ws_opcode (unsigned value) noexcept
{
    return value <= static_cast<unsigned> (ws_opcode::binary)
           || (value >= static_cast<unsigned> (ws_opcode::close)
               && value <= static_cast<unsigned> (ws_opcode::pong));
}

bool ws_front_acceptable (unsigned first) noexcept
{
    const unsigned opcode = first & ws_opcode_bits;
    if ((first & ws_reserved_bits) != 0 || !is_ws_opcode (opcode))
        return false;
    return (first & ws_final_bit) != 0 || !is_control (static_cast<ws_opcode> (opcode));
}

// The size behind the second octet, as far as it is there.
head_status
decode_ws_size (bytes_view available, unsigned mark, std::uint64_t &size, std::size_t &at) noexcept
{
    size = mark;
    at = 2;
    if (mark < ws_two_octets)
        return head_status::complete;
    const std::size_t octets = mark == ws_two_octets ? 2 : 8;
    // An octet that is there is judged, though the others are not.
    if (octets == 8 && available.size () > at && (available[at] & std::byte{0x80}) != std::byte{0})
        return head_status::malformed;
    if (available.size () < at + octets)
        return head_status::need_more;
    size =
      octets == 2 ? base::load_u16_be (available.data () + at) : base::load_u64_be (available.data () + at);
    at += octets;
    return size < ws_two_octets || (octets == 8 && size <= ws_two_octets_max) ? head_status::malformed
                                                                              : head_status::complete;
}

// Where a text of more than `most` octets is cut so that no character is.
std::size_t cut_between_characters (std::string_view text, std::size_t most) noexcept
{
    if (text.size () <= most)
        return text.size ();
    while (most > 0 && (static_cast<unsigned char> (text[most]) & 0xC0U) == 0x80U)
        --most;
    return most;
}

}  // namespace

bool may_be_sent (ws_close_code code) noexcept
{
    const auto number = static_cast<unsigned> (code);
    return (number >= 1000 && number <= 1003) || (number >= 1007 && number <= 1014)
           || (number >= 3000 && number <= 4999);
}

std::size_t encode_ws_header (std::byte *out, const ws_head &head) noexcept
{
    const unsigned masked = head.masked ? ws_masked_bit : 0U;
    out[0] = static_cast<std::byte> ((head.final ? ws_final_bit : 0U) | static_cast<unsigned> (head.opcode));
    std::size_t at = 2;
    if (head.payload_bytes < ws_two_octets) {
        out[1] = static_cast<std::byte> (masked | static_cast<unsigned> (head.payload_bytes));
    } else if (head.payload_bytes <= ws_two_octets_max) {
        out[1] = static_cast<std::byte> (masked | ws_two_octets);
        base::store_u16_be (out + at, static_cast<std::uint16_t> (head.payload_bytes));
        at += 2;
    } else {
        out[1] = static_cast<std::byte> (masked | ws_eight_octets);
        base::store_u64_be (out + at, head.payload_bytes);
        at += 8;
    }
    if (head.masked) {
        std::copy (head.key.begin (), head.key.end (), out + at);
        at += head.key.size ();
    }
    return at;
}

head_status decode_ws_header (bytes_view available, ws_head &out) noexcept
{
    if (available.empty ())
        return head_status::need_more;
    const auto first = std::to_integer<unsigned> (available[0]);
    if (!ws_front_acceptable (first))
        return head_status::malformed;
    if (available.size () < 2)
        return head_status::need_more;
    const auto second = std::to_integer<unsigned> (available[1]);
    ws_head found;
    found.opcode = static_cast<ws_opcode> (first & ws_opcode_bits);
    found.final = (first & ws_final_bit) != 0;
    found.masked = (second & ws_masked_bit) != 0;
    if (is_control (found.opcode) && (second & ws_size_bits) > ws_control_bytes_max)
        return head_status::malformed;
    std::size_t at = 0;
    const head_status size = decode_ws_size (available, second & ws_size_bits, found.payload_bytes, at);
    if (size != head_status::complete)
        return size;
    if (found.masked) {
        if (available.size () < at + found.key.size ())
            return head_status::need_more;
        std::copy_n (available.begin () + static_cast<std::ptrdiff_t> (at), found.key.size (),
                     found.key.begin ());
        at += found.key.size ();
    }
    // A field at a time: copied whole it would be read wider than it was just written, and
    // wait for that.
    out.payload_bytes = found.payload_bytes;
    out.opcode = found.opcode;
    out.header_bytes = static_cast<std::uint8_t> (at);
    out.final = found.final;
    out.masked = found.masked;
    out.key = found.key;
    return head_status::complete;
}

std::size_t
encode_ws_control (std::byte *out, ws_opcode opcode, bytes_view payload, const ws_mask_key *key) noexcept
{
    payload = payload.first (std::min (payload.size (), ws_control_bytes_max));
    ws_head head;
    head.payload_bytes = payload.size ();
    head.opcode = opcode;
    head.masked = key != nullptr;
    if (head.masked)
        head.key = *key;
    const std::size_t header_bytes = encode_ws_header (out, head);
    ws_mask_copy (out + header_bytes, payload, head.key, 0);  // the key of zeros changes nothing
    return header_bytes + payload.size ();
}

std::size_t encode_ws_close (std::byte *out, ws_close_code code, std::string_view reason) noexcept
{
    if (!may_be_sent (code))
        return 0;
    const std::size_t size = cut_between_characters (reason, ws_close_reason_bytes_max);
    base::store_u16_be (out, static_cast<std::uint16_t> (code));
    const bytes_view octets = base::as_bytes (reason.substr (0, size));
    std::copy (octets.begin (), octets.end (), out + ws_close_code_bytes);
    return ws_close_code_bytes + size;
}

bool decode_ws_close (bytes_view payload, ws_close_payload &out, ws_close_code &answer) noexcept
{
    out = {};
    if (payload.empty ())
        return true;
    answer = ws_close_code::protocol_error;
    if (payload.size () < ws_close_code_bytes)
        return false;
    const auto code = static_cast<ws_close_code> (base::load_u16_be (payload.data ()));
    if (!may_be_sent (code))
        return false;
    answer = ws_close_code::malformed_text;
    if (!is_utf8 (payload.subspan (ws_close_code_bytes)))
        return false;
    out = {code, payload.subspan (ws_close_code_bytes)};
    return true;
}

}  // namespace zlink::wire
