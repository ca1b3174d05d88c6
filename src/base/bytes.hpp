// Views of bytes and network byte order. Pure; no allocation.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "base/cpu.hpp"

namespace zlink::base {

// Borrowed bytes: whoever passes a view keeps the memory alive for the call.
using bytes_view = std::span<const std::byte>;
using bytes_span = std::span<std::byte>;

// The same memory under the other name; neither copies.
[[nodiscard]] inline bytes_view as_bytes (std::string_view text) noexcept
{
    return std::as_bytes (std::span (text.data (), text.size ()));
}

[[nodiscard]] inline std::string_view as_text (bytes_view bytes) noexcept
{
    return {reinterpret_cast<const char *> (bytes.data ()), bytes.size ()};
}

// What of a gather or scatter list is left behind its first bytes; the spans
// themselves are shortened.
template <class Span>
[[nodiscard]] inline std::span<Span> without_front (std::span<Span> list, std::size_t bytes) noexcept
{
    while (!list.empty () && bytes >= list.front ().size ()) {
        bytes -= list.front ().size ();
        list = list.subspan (1);
    }
    if (!list.empty ())
        list.front () = list.front ().subspan (bytes);
    return list;
}

// Network byte order.
template <class U> [[nodiscard]] inline U swapped_to_be (U value) noexcept
{
    if constexpr (std::endian::native == std::endian::big)
        return value;
    else
        return cpu_swapped (value);
}

template <class U> inline void store_be (std::byte *to, U value) noexcept
{
    const U swapped = swapped_to_be (value);
    std::memcpy (to, &swapped, sizeof swapped);
}

template <class U> [[nodiscard]] inline U load_be (const std::byte *from) noexcept
{
    U value = 0;
    std::memcpy (&value, from, sizeof value);
    return swapped_to_be (value);
}

inline void store_u16_be (std::byte *to, std::uint16_t value) noexcept { store_be (to, value); }
inline void store_u32_be (std::byte *to, std::uint32_t value) noexcept { store_be (to, value); }
inline void store_u64_be (std::byte *to, std::uint64_t value) noexcept { store_be (to, value); }
[[nodiscard]] inline std::uint16_t load_u16_be (const std::byte *from) noexcept
{
    return load_be<std::uint16_t> (from);
}
[[nodiscard]] inline std::uint32_t load_u32_be (const std::byte *from) noexcept
{
    return load_be<std::uint32_t> (from);
}
[[nodiscard]] inline std::uint64_t load_u64_be (const std::byte *from) noexcept
{
    return load_be<std::uint64_t> (from);
}

}  // namespace zlink::base
