// Whether two short strings of octets are the same, where they mostly are: names, topics
// and heads that are compared for every message. No call is made, and words are compared.
//
// Pure; any thread. Not for secrets: it is done at the first difference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/bytes.hpp"

namespace zlink::base {

namespace detail {

template <class Word> [[nodiscard]] inline bool same_words (const void *a, const void *b) noexcept
{
    Word of_a, of_b;
    std::memcpy (&of_a, a, sizeof of_a);
    std::memcpy (&of_b, b, sizeof of_b);
    return of_a == of_b;
}

// At least a word of each: the last one may overlap that in front of it.
template <class Word>
[[nodiscard]] inline bool same_by_words (const char *a, const char *b, std::size_t size) noexcept
{
    const std::size_t last = size - sizeof (Word);
    for (std::size_t at = 0; at < last; at += sizeof (Word))
        if (!same_words<Word> (a + at, b + at))
            return false;
    return same_words<Word> (a + last, b + last);
}

}  // namespace detail

[[nodiscard]] inline bool same_octets (std::string_view a, std::string_view b) noexcept
{
    if (a.size () != b.size ())
        return false;
    if (a.size () >= sizeof (std::uint64_t)) [[likely]]
        return detail::same_by_words<std::uint64_t> (a.data (), b.data (), a.size ());
    if (a.size () >= sizeof (std::uint16_t))
        return detail::same_by_words<std::uint16_t> (a.data (), b.data (), a.size ());
    return a.empty () || a.front () == b.front ();
}
[[nodiscard]] inline bool same_octets (bytes_view a, bytes_view b) noexcept
{
    return same_octets (as_text (a), as_text (b));
}

}  // namespace zlink::base
