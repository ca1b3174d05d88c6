#include "wire/ws_mask.hpp"

#include <algorithm>
#include <cstring>

namespace zlink::wire {

namespace {

// Whole blocks go word by word, in a loop that compilers turn into the widest
// registers they may use; a phase is only another order of the key's octets.
constexpr std::size_t word_bytes = sizeof (std::uint64_t);
constexpr std::size_t block_words = 8;
constexpr std::size_t block_bytes = block_words * word_bytes;

std::uint64_t word_of (ws_mask_key key, std::uint64_t phase) noexcept
{
    std::array<std::byte, word_bytes> octets;
    for (std::size_t i = 0; i < word_bytes; ++i)
        octets[i] = key[(i + phase) % ws_mask_key_bytes];
    std::uint64_t word = 0;
    std::memcpy (&word, octets.data (), word_bytes);
    return word;
}

void mask_block (std::byte *to, const std::byte *from, std::uint64_t mask) noexcept
{
    std::array<std::uint64_t, block_words> words;
    std::memcpy (words.data (), from, block_bytes);
    for (std::uint64_t &word : words)
        word ^= mask;
    std::memcpy (to, words.data (), block_bytes);
}

// `to` is `from` or does not overlap it. A block is a multiple of the key, so the
// phase is the same in front of all.
void mask_to (std::byte *to, const std::byte *from, std::size_t size, std::uint64_t mask) noexcept
{
    for (; size >= block_bytes; size -= block_bytes) {
        mask_block (to, from, mask);
        to += block_bytes;
        from += block_bytes;
    }
    for (; size >= word_bytes; size -= word_bytes) {
        std::uint64_t word = 0;
        std::memcpy (&word, from, word_bytes);
        word ^= mask;
        std::memcpy (to, &word, word_bytes);
        to += word_bytes;
        from += word_bytes;
    }
    std::array<std::byte, word_bytes> last;
    std::memcpy (last.data (), &mask, word_bytes);
    for (std::size_t i = 0; i < size; ++i)
        to[i] = from[i] ^ last[i];
}

}  // namespace

void ws_mask (bytes_span data, ws_mask_key key, std::uint64_t phase) noexcept
{
    mask_to (data.data (), data.data (), data.size (), word_of (key, phase));
}

void ws_mask_copy (std::byte *to, bytes_view from, ws_mask_key key, std::uint64_t phase) noexcept
{
    mask_to (to, from.data (), from.size (), word_of (key, phase));
}

void ws_mask_keys::refill () noexcept
{
    stream_.draw (drawn_);
    used_bytes_ = 0;
}

}  // namespace zlink::wire
