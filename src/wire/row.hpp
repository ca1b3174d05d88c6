// Several octet strings one behind the other in one frame, each behind its size:
//
//   size (2) octets | size (2) octets | ...
//
// and the frame header that such a frame has, which may say more later. Sizes are big
// endian. Pure functions; what is read borrows from the octets it was read from. Any
// thread.
#pragma once

#include <cstddef>
#include <cstring>

#include "base/bytes.hpp"
#include "base/copying.hpp"
#include "base/joined_part.hpp"
#include "wire/framing.hpp"

namespace zlink::wire {

inline constexpr std::size_t row_mark_bytes = 2;
inline constexpr std::size_t row_item_bytes_max = 1024;   // of one that is written
inline constexpr std::size_t row_frame_bytes_max = 8192;  // a frame's body grows up to this
inline constexpr std::size_t long_frame_header_bytes = 9;

// Writes one of at most row_item_bytes_max octets, and answers what it takes.
[[nodiscard]] inline std::size_t write_row_item (std::byte *to, bytes_view item) noexcept
{
    base::store_u16_be (to, static_cast<std::uint16_t> (item.size ()));
    if (!item.empty ())
        std::memcpy (to + row_mark_bytes, item.data (), item.size ());
    return row_mark_bytes + item.size ();
}

// Takes the first one off left. False: it is not whole, and nothing was done.
[[nodiscard]] inline bool take_row_item (bytes_view &left, bytes_view &item) noexcept
{
    if (left.size () < row_mark_bytes)
        return false;
    const std::size_t size = base::load_u16_be (left.data ());
    if (size > left.size () - row_mark_bytes)
        return false;
    item = left.subspan (row_mark_bytes, size);
    left = left.subspan (row_mark_bytes + size);
    return true;
}

// What a part takes where it stands in a frame of its own, and writes it there.
[[nodiscard]] inline std::size_t joined_bytes (const base::joined_part &what) noexcept
{
    return what.front.size () + (what.row != 0 ? row_mark_bytes : 0) + what.rest.size ();
}
inline void write_joined (std::byte *to, const base::joined_part &what) noexcept
{
    if (!what.front.empty ())
        std::memcpy (to, what.front.data (), what.front.size ());
    if (what.number_at != 0)
        base::store_u64_be (to + what.number_at, what.number);
    to += what.front.size ();
    if (what.row != 0)
        (void)write_row_item (to, what.rest);
    else if (!what.rest.empty ())
        base::copy_octets (to, what.rest.data (), what.rest.size ());
}

// A frame of ZMTP 2.0 or 3.x, the last of its message, in its long form whatever its size:
// it can be written once more when the body has grown.
inline void write_long_frame_header (std::byte *to, std::size_t body_bytes) noexcept
{
    to[0] = static_cast<std::byte> (detail::flag_long);
    base::store_u64_be (to + 1, body_bytes);
}

}  // namespace zlink::wire
