#include "wire/framing.hpp"

#include <algorithm>

namespace zlink::wire::detail {

namespace {

constexpr std::size_t long_header_bytes = 9;
constexpr std::size_t long_header_bytes_zmtp_1_0 = 10;
constexpr unsigned long_mark_zmtp_1_0 = 0xFF;
constexpr std::size_t packet_header_bytes = 4;

std::size_t encode_header_zmtp_1_0 (std::byte *out, std::size_t body_size, bool more) noexcept
{
    const auto flags = static_cast<std::byte> (more ? flag_more : 0u);
    const std::uint64_t length = std::uint64_t{body_size} + 1;
    if (length < long_mark_zmtp_1_0) {
        out[0] = static_cast<std::byte> (length);
        out[1] = flags;
        return 2;
    }
    out[0] = static_cast<std::byte> (long_mark_zmtp_1_0);
    base::store_u64_be (out + 1, length);
    out[9] = flags;
    return long_header_bytes_zmtp_1_0;
}

decoded_head decode_header_zmtp_1_0 (bytes_view available) noexcept
{
    if (available.empty ())
        return {head_status::need_more};
    std::uint64_t length = static_cast<std::uint64_t> (available[0]);
    std::size_t header_bytes = 2;
    if (length == long_mark_zmtp_1_0) {
        header_bytes = long_header_bytes_zmtp_1_0;
        if (available.size () < header_bytes - 1)
            return {head_status::need_more};
        length = base::load_u64_be (available.data () + 1);
    }
    // The length counts the flags octet, so zero is impossible.
    if (length == 0 || length - 1 > frame_body_bytes_max)
        return {head_status::malformed};
    if (available.size () < header_bytes)
        return {head_status::need_more};
    const auto flags = static_cast<unsigned> (available[header_bytes - 1]);
    return {head_status::complete,
            {length - 1, static_cast<std::uint8_t> (header_bytes), (flags & flag_more) != 0, false}};
}

decoded_head decode_packet_header (bytes_view available) noexcept
{
    if (available.size () < packet_header_bytes)
        return {head_status::need_more};
    return {head_status::complete,
            {base::load_u32_be (available.data ()), packet_header_bytes, false, false}};
}

decoded_head take_raw (bytes_view available) noexcept
{
    if (available.empty ())
        return {head_status::need_more};
    return {head_status::complete, {std::min (available.size (), raw_slice_bytes_max), 0, false, false}};
}

}  // namespace

std::size_t encode_header_other (framing kind, std::byte *out, std::size_t body_size, bool more) noexcept
{
    if (kind == framing::raw)
        return 0;
    if (kind == framing::zmtp_1_0)
        return encode_header_zmtp_1_0 (out, body_size, more);
    base::store_u32_be (out, static_cast<std::uint32_t> (body_size));
    return packet_header_bytes;
}

decoded_head decode_header_other (framing kind, bytes_view available) noexcept
{
    if (kind == framing::raw)
        return take_raw (available);
    return kind == framing::zmtp_1_0 ? decode_header_zmtp_1_0 (available) : decode_packet_header (available);
}

decoded_head decode_header_long (unsigned flags, bytes_view available) noexcept
{
    if (available.size () < long_header_bytes)
        return {head_status::need_more};
    const std::uint64_t size = base::load_u64_be (available.data () + 1);
    if (size > frame_body_bytes_max)
        return {head_status::malformed};
    return {head_status::complete,
            {size, long_header_bytes, (flags & flag_more) != 0, (flags & flag_command) != 0}};
}

}  // namespace zlink::wire::detail
