// What a call does with its argument once the engine has the bytes: a view was
// the caller's and stays so, a message is empty afterwards.
// And what one does with what goes to several: copies share a body that is shared.
// Thread rule: as of the message.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "base/message.hpp"

namespace zlink::engine {

inline void taken_from (base::bytes_view) noexcept {}

inline void taken_from (base::message &part) noexcept
{
    part.close ();
    part.init ();
}

inline void taken_from (std::span<base::message> parts) noexcept
{
    for (base::message &part : parts)
        taken_from (part);
}

// The parts once more, for whoever takes them. Throws bad_alloc.
inline std::vector<base::message> copies_of (std::span<base::message> parts)
{
    std::vector<base::message> copies (parts.size ());
    for (std::size_t i = 0; i < parts.size (); ++i) {
        copies[i].init ();
        copies[i].copy_from (parts[i]);
    }
    return copies;
}

inline std::size_t bytes_of (std::span<const base::message> parts) noexcept
{
    std::size_t bytes = 0;
    for (const base::message &part : parts)
        bytes += part.size ();
    return bytes;
}

}  // namespace zlink::engine
