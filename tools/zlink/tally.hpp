// Messages and their octets, counted from the beginning and from reading to reading. Pure.
#pragma once

#include <cstddef>
#include <cstdint>

namespace zlink::tool {

struct tally
{
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    std::uint64_t messages_before = 0;  // when it was read last
    std::uint64_t bytes_before = 0;

    void take (std::size_t octets) noexcept
    {
        ++messages;
        bytes += octets;
    }
    [[nodiscard]] std::uint64_t messages_lately () const noexcept { return messages - messages_before; }
    [[nodiscard]] std::uint64_t bytes_lately () const noexcept { return bytes - bytes_before; }
    // It has been read.
    void begin_next () noexcept
    {
        messages_before = messages;
        bytes_before = bytes;
    }
};

}  // namespace zlink::tool
