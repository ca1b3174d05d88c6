// A barrier that every thread of the process passes, though only one asks for it.
//
// Thread rule: any thread. Blocking: a system call, which interrupts those who run; the
// first one in a process takes milliseconds. Source: membarrier(2).
#pragma once

namespace zlink::platform {

// False: the system has none.
bool process_barrier () noexcept;

}  // namespace zlink::platform
