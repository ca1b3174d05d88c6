// Patterns of topics: a topic is bytes, in segments that '.' and '/' part.
//
//   *        any bytes of a segment, or none
//   ?        one byte of a segment
//   [a-z_]   one of these bytes; [!a-z] or [^a-z]: one that is none of them; a ']'
//            that comes first stands for itself
//   #        as a whole segment: any number of segments, none included, with what
//            parts them; elsewhere a byte like others
//   \x       x itself, which is neither '.' nor '/'
//
// Everything else stands for itself, the parting bytes too, and the whole topic
// has to match: "a.*" is "a.b" and "a.", not "a" and not "a.b.c"; "a.#" is all of
// these. Bytes are compared, not letters.
//
// A look costs at most the product of both lengths, whatever the pattern: what
// follows a '*' or '#' is tried anew only behind the last of its kind. Both
// lengths have a limit.
// Thread rule: pure functions. Nothing here blocks, allocates or recurses.
#pragma once

#include <cstddef>

#include "base/bytes.hpp"

namespace zlink::base {

inline constexpr std::size_t glob_bytes_max = 256;        // of a pattern
inline constexpr std::size_t glob_text_bytes_max = 4096;  // a longer text matches none

// False: it is too long; a '[' without its ']' or an empty range as in "[z-a]"; a
// '\' at the end, or in front of a '.' or '/'.
[[nodiscard]] bool glob_valid (bytes_view pattern) noexcept;

// Does the whole text match? The pattern is valid.
[[nodiscard]] bool glob_matches (bytes_view pattern, bytes_view text) noexcept;

// How many bytes of the pattern stand in front of what may vary and stand for
// themselves: every text that matches begins with them. "a.#" has one, "a".
[[nodiscard]] std::size_t glob_literal_bytes (bytes_view pattern) noexcept;

}  // namespace zlink::base
