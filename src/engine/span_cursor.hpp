// Where in a list of slices the next byte is. A plain value over the caller's
// list; one thread at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>

#include "base/bytes.hpp"

namespace zlink::engine {

template <class Span> struct span_cursor
{
    std::span<Span> slices;
    std::size_t index = 0;
    std::size_t offset = 0;
    [[nodiscard]] bool done () const noexcept { return index == slices.size (); }
    // What is left of its slice; not of one that is done.
    [[nodiscard]] std::remove_const_t<Span> front () const noexcept { return slices[index].subspan (offset); }
    // To the first slice with something in it.
    void settle () noexcept
    {
        for (; index < slices.size () && offset == slices[index].size (); ++index)
            offset = 0;
    }
    // At most what is there; settled behind it.
    void skip (std::size_t bytes) noexcept
    {
        while (bytes > 0) {
            const std::size_t here = std::min (bytes, slices[index].size () - offset);
            offset += here;
            bytes -= here;
            settle ();
        }
    }
};

}  // namespace zlink::engine
