// What the engine does in a forked child before anything else runs there.
#pragma once

namespace zlink::engine {

// Leaves everything of the parent alone for ever: its sockets, its links, what
// the forking thread meant to write for it. What is made from now on is the
// child's own. Thread rule: there is only one thread.
void forsake_parent () noexcept;

// Its parts: no slot of the parent's is used again; the forking thread forgets
// which tails it meant to flush.
void forsake_slots () noexcept;
void forget_tails () noexcept;

}  // namespace zlink::engine
