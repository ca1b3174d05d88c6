// Z85: binary data as printable text, 4 bytes as 5 letters (RFC 32). Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace zlink::base {

// Writes size / 4 * 5 letters and a NUL. False when size is no multiple of 4.
[[nodiscard]] bool z85_encode (char *to, const std::uint8_t *data, std::size_t size) noexcept;

// Writes text.size () / 5 * 4 bytes. False when the length is no multiple of
// 5, a letter is foreign, or five letters exceed 32 bits; then what was
// written is meaningless.
[[nodiscard]] bool z85_decode (std::uint8_t *to, std::string_view text) noexcept;

}  // namespace zlink::base
