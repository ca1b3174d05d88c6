// Instead of socket_patience, in a minimal library: nobody yields on one core,
// and nobody gets up for a message.
// Chosen by src/engine/CMakeLists.txt; contracts and thread rules are those of
// engine/socket_core.hpp.
#include "engine/socket_leading.hpp"

namespace zlink::engine {

socket_core::look socket_core::yield_for_word (const wait_word &, std::uint32_t) noexcept
{
    return look::nothing;
}

void socket_core::expect_locked (leading &, int) noexcept {}

void socket_core::get_up_for_it (leading &) noexcept {}

void socket_core::note_pace_locked (const leading &) noexcept {}

}  // namespace zlink::engine
