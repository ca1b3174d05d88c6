// The lock word of a socket, so that a simulation can see that nobody holds
// it across a system call.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"

namespace zlink::sim {

// Null when there is no such socket. The word stays where it is for ever.
[[nodiscard]] const base::atomic<std::uint32_t> *lock_word_of (void *socket) noexcept;

}  // namespace zlink::sim
