// What a call does with its argument once the engine has the bytes: a view was
// the caller's and stays so, a message is empty afterwards.
// Thread rule: as of the message.
#pragma once

#include <span>

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

}  // namespace zlink::engine
