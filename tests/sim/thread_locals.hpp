// The program's thread_local objects, so that each fibre can have its own as
// the thread that it stands for would.
//
// Only bytes are moved: constructors and destructors of thread_locals do not
// run for fibres. Linux only, as fibres are.
// Thread rule: one thread.
#pragma once

#include <cstddef>
#include <vector>

namespace zlink::sim {

// As a new thread finds them; empty when the program has none.
[[nodiscard]] std::vector<std::byte> fresh_thread_locals ();
// The bytes become the thread's, the thread's become the bytes.
void swap_thread_locals (std::vector<std::byte> &with) noexcept;

}  // namespace zlink::sim
