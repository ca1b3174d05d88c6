// Instead of socket_secured, in a minimal library: it has NULL alone, and asks
// nobody.
// Chosen by src/engine/CMakeLists.txt; contracts and thread rules are those of
// engine/socket_core.hpp.
#include "engine/socket_core.hpp"

namespace zlink::engine {

bool socket_core::judge_locked (connection &) { return true; }

void socket_core::forget_verdict_locked (connection &) noexcept {}

void socket_core::look_at_answers (std::uint32_t) noexcept {}

bool socket_core::seal_stream_locked (connection &) { return true; }

}  // namespace zlink::engine
