// Bytes that share no cache line with anything else. Both ends of a cell run in one
// process: a message next to what the other end writes would make both wait for a line,
// which says something about where memory happens to lie and nothing about a library.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace zlink::bench {

template <class Value> struct line_allocator
{
    using value_type = Value;
    static constexpr std::size_t line_bytes = 128;  // with the neighbour that is fetched along

    line_allocator () = default;
    template <class Other> explicit line_allocator (const line_allocator<Other> &) noexcept {}

    [[nodiscard]] Value *allocate (std::size_t count)
    {
        const std::size_t bytes = (count * sizeof (Value) + line_bytes - 1) / line_bytes * line_bytes;
        return static_cast<Value *> (::operator new (bytes, std::align_val_t{line_bytes}));
    }
    void deallocate (Value *gone, std::size_t) noexcept
    {
        ::operator delete (gone, std::align_val_t{line_bytes});
    }
    friend bool operator== (line_allocator, line_allocator) noexcept { return true; }
};

using lines_of_bytes = std::vector<std::byte, line_allocator<std::byte>>;

}  // namespace zlink::bench
