#include "engine/ws_convert.hpp"

#include <array>
#include <bit>
#include <cstring>

#include "wire/framing.hpp"
#include "wire/zws.hpp"

namespace zlink::engine {

using base::bytes_span;
using base::bytes_view;

namespace {

constexpr std::byte final_binary{0x82};
constexpr unsigned mask_mark = 0x80;
constexpr unsigned size_of_two = 126;  // what says that two octets of size follow
constexpr std::size_t short_payload_max = 125;
constexpr std::size_t word_bytes = sizeof (std::uint64_t);
constexpr std::size_t block_bytes = 2 * word_bytes;

// The octets that lie over a body: its first is the second of the payload.
std::uint64_t body_mask (const wire::ws_mask_key &key) noexcept
{
    static_assert (wire::zws_body_phase == 1 && sizeof key == sizeof (std::uint32_t));
    constexpr int octet_bits = 8;
    const auto word = std::bit_cast<std::uint32_t> (key);
    const std::uint32_t turned = std::endian::native == std::endian::little ? std::rotr (word, octet_bits)
                                                                            : std::rotl (word, octet_bits);
    return (std::uint64_t{turned} << 32) | turned;
}

// Both ends have room for whole blocks.
inline void copy_blocks (std::byte *to, const std::byte *from, std::size_t size, std::uint64_t mask) noexcept
{
    for (std::size_t at = 0; at < size; at += block_bytes) {
        std::array<std::uint64_t, 2> words;
        std::memcpy (words.data (), from + at, block_bytes);
        words[0] ^= mask;
        words[1] ^= mask;
        std::memcpy (to + at, words.data (), block_bytes);
    }
}

// The same where nothing may be read behind it.
void copy_last (std::byte *to, const std::byte *from, std::size_t size, std::uint64_t mask) noexcept
{
    const auto octets = std::bit_cast<std::array<std::byte, word_bytes>> (mask);
    for (std::size_t at = 0; at < size; ++at)
        to[at] = from[at] ^ octets[at % word_bytes];
}

constexpr std::size_t in_blocks (std::size_t size) noexcept
{
    return (size + block_bytes - 1) / block_bytes * block_bytes;
}

// Room for whole blocks behind `end` or not.
inline void copy_body (
  std::byte *to, const std::byte *from, std::size_t size, std::uint64_t mask, const std::byte *end) noexcept
{
    if (end - from >= static_cast<std::ptrdiff_t> (in_blocks (size))) [[likely]]
        copy_blocks (to, from, size, mask);
    else
        copy_last (to, from, size, mask);
}

// A message of ZWS in one frame, as it arrives.
struct small_message
{
    const std::byte *body = nullptr;
    std::size_t size = 0;
    unsigned flags = 0;
    std::uint64_t mask = 0;
};

// False: what is there is none, or not whole.
inline bool
find_small (const std::byte *from, const std::byte *end, bool masked, small_message &found) noexcept
{
    const auto there = static_cast<std::size_t> (end - from);
    if (there < 4 || from[0] != final_binary)
        return false;
    std::size_t payload = std::to_integer<unsigned> (from[1]) ^ (masked ? mask_mark : 0);
    std::size_t header = 2;
    if (payload == size_of_two) {
        payload = base::load_u16_be (from + 2);
        header = 4;
    }
    // A size in a longer form than it needs, or with a mark that is not due, is
    // left to who judges.
    if (payload == 0 || (header == 2) != (payload <= short_payload_max))
        return false;
    const std::size_t keys = masked ? wire::ws_mask_key_bytes : 0;
    if (there < header + keys + payload)
        return false;
    std::byte flags = from[header + keys];
    if (masked) {
        wire::ws_mask_key key;
        std::memcpy (key.data (), from + header, key.size ());
        flags ^= key[0];
        found.mask = body_mask (key);
    }
    found.body = from + header + keys + 1;
    found.size = payload - 1;
    found.flags = std::to_integer<unsigned> (flags);
    return true;
}

}  // namespace

converted into_web (bytes_view from, bytes_span room, wire::ws_mask_keys *masks) noexcept
{
    const std::byte *p = from.data ();
    const std::byte *const end = p + from.size ();
    std::byte *to = room.data ();
    const std::byte *const to_end = to + room.size ();
    const unsigned mark = masks != nullptr ? mask_mark : 0;
    std::uint64_t mask = 0;
    while (end - p >= 2) {
        const auto flags = std::to_integer<unsigned> (p[0]);
        const auto size = std::to_integer<std::size_t> (p[1]);
        constexpr std::size_t spare = wire::zws_header_bytes_max + block_bytes;
        if (flags > wire::zws_flag_more || end - p < static_cast<std::ptrdiff_t> (2 + size)
            || to_end - to < static_cast<std::ptrdiff_t> (size + spare))
            break;
        *to++ = final_binary;
        if (size < short_payload_max) {
            *to++ = static_cast<std::byte> (mark | (size + 1));
        } else {
            *to++ = static_cast<std::byte> (mark | size_of_two);
            base::store_u16_be (to, static_cast<std::uint16_t> (size + 1));
            to += 2;
        }
        std::byte flag = p[0];
        if (masks != nullptr) {
            const wire::ws_mask_key key = masks->next ();
            std::memcpy (to, key.data (), key.size ());
            to += key.size ();
            flag ^= key[0];
            mask = body_mask (key);
        }
        *to++ = flag;
        p += 2;
        copy_body (to, p, size, mask, end);
        p += size;
        to += size;
    }
    return {static_cast<std::size_t> (p - from.data ()), static_cast<std::size_t> (to - room.data ())};
}

converted out_of_web (bytes_view in, bytes_span room, bool masked, std::uint64_t body_bytes_max) noexcept
{
    const std::byte *from = in.data ();
    const std::byte *const end = from + in.size ();
    std::byte *to = room.data ();
    const std::byte *const to_end = to + room.size ();
    small_message next;
    while (find_small (from, end, masked, next)) {
        if (next.flags > wire::zws_flag_more || next.size > body_bytes_max
            || to_end - to
                 < static_cast<std::ptrdiff_t> (wire::frame_header_bytes_max + in_blocks (next.size)))
            break;
        to += wire::encode_frame_header (wire::framing::zmtp_3, to, next.size, next.flags != 0, false);
        copy_body (to, next.body, next.size, next.mask, end);
        to += next.size;
        from = next.body + next.size;
    }
    return {static_cast<std::size_t> (from - in.data ()), static_cast<std::size_t> (to - room.data ())};
}

}  // namespace zlink::engine
