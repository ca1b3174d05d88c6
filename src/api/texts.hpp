// Texts that a caller hands over, and those that go into his room.
// Thread rule: any thread. Blocking: never.
#pragma once

#include <cstddef>
#include <string_view>

namespace zlink::api {

// A caller's text; nullptr is an empty one.
[[nodiscard]] inline std::string_view text_of (const char *text) noexcept
{
    return text == nullptr ? std::string_view () : text;
}

// Cut off where there is less room, and always ended; without room nothing is written.
inline void copy_text (std::string_view from, char *to, std::size_t room) noexcept
{
    if (to != nullptr && room > 0)
        to[from.copy (to, room - 1)] = '\0';
}

// Into a field of a struct.
template <std::size_t Room> void copy_text (std::string_view from, char (&to)[Room]) noexcept
{
    copy_text (from, to, Room);
}

}  // namespace zlink::api
