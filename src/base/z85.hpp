// Z85: binary data as printable text, 4 bytes as 5 letters (RFC 32). Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.hpp"

namespace zlink::base {

// Writes size / 4 * 5 letters and a NUL. False when size is no multiple of 4.
[[nodiscard]] bool z85_encode (char *to, const std::uint8_t *data, std::size_t size) noexcept;

// Writes text.size () / 5 * 4 bytes. False when the length is no multiple of
// 5, a letter is foreign, or five letters exceed 32 bits; then what was
// written is meaningless.
[[nodiscard]] bool z85_decode (std::uint8_t *to, std::string_view text) noexcept;

// What z85_encode writes of so many octets, a multiple of 4, without the NUL. May
// throw std::bad_alloc.
[[nodiscard]] inline std::string z85_text (bytes_view octets)
{
    std::string text (octets.size () / 4 * 5 + 1, '\0');
    (void)z85_encode (text.data (), reinterpret_cast<const std::uint8_t *> (octets.data ()), octets.size ());
    text.pop_back ();
    return text;
}

}  // namespace zlink::base
