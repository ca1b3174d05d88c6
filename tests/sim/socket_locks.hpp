// The lock word of a socket, so that a simulation can see that nobody holds
// it across a system call.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"

namespace zlink::engine {
class socket_core;
}

namespace zlink::sim {

// The slot behind a handle; null when there is no such socket.
[[nodiscard]] engine::socket_core *slot_of (void *socket) noexcept;
[[nodiscard]] const base::atomic<std::uint32_t> &lock_word_of (const engine::socket_core &slot) noexcept;
// Null when there is no such socket. The word stays where it is for ever.
[[nodiscard]] const base::atomic<std::uint32_t> *lock_word_of (void *socket) noexcept;

}  // namespace zlink::sim
