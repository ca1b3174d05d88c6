// Copies as memcpy does, and as fast wherever the two places lie. Decision 0051.
//
// Some processors copy what is longer than a few KiB by one instruction (rep movsb), and
// that one takes ten times as long where the destination lies less than 16 octets behind
// the source, modulo 4,096. Bodies have a header in front of them, so that they do lie so.
//
// Thread rule: any thread. The places do not overlap; none may be null, of any size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace zlink::base {

void copy_octets (void *to, const void *from, std::size_t bytes) noexcept;

// The same, for what mostly has 8 to 64: no call is made then, and words are copied.
inline void copy_few_octets (void *to, const void *from, std::size_t bytes) noexcept
{
    constexpr std::size_t word_bytes = sizeof (std::uint64_t);
    if (bytes < word_bytes || bytes > 8 * word_bytes) [[unlikely]] {
        copy_octets (to, from, bytes);
        return;
    }
    auto *const there = static_cast<std::byte *> (to);
    const auto *const here = static_cast<const std::byte *> (from);
    const std::size_t last = bytes - word_bytes;  // it may overlap the one in front of it
    for (std::size_t at = 0; at < last; at += word_bytes)
        std::memcpy (there + at, here + at, word_bytes);
    std::memcpy (there + last, here + last, word_bytes);
}

}  // namespace zlink::base
