// Tells a process and its forked children apart, so that what must not be
// shared between them (random state, descriptors, threads, whole contexts) is
// renewed or let go.
//
// Forks by the C library's fork() are seen, from the moment the library is
// loaded; a raw clone(2) and vfork() are not.
// Thread rule: any thread.
#pragma once

#include <cstdint>

namespace zlink::platform {

// 0 in the process that loaded us, one more in every child of a child. A
// relaxed load.
[[nodiscard]] std::uint32_t fork_generation () noexcept;

// True from just before this process' first fork on: another process may hold
// copies of what it has open. True in children, too.
[[nodiscard]] bool has_forked () noexcept;

// From now on what() runs in every child before fork() returns there, when
// the forking thread is all that is left: locks may be held by nobody, data
// half changed. One for the process; again with the same is fine.
void set_child_handler (void (*what) () noexcept) noexcept;

}  // namespace zlink::platform
