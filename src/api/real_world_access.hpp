// The only place where the real world is made: clock, threads, network; and
// where a test puts another one in its place.
#pragma once

#include <memory>

#include "base/error.hpp"
#include "base/world.hpp"

namespace zlink::api {

// A world of its own for a context; lives as long as the pointer. Null when
// memory or descriptors are out.
[[nodiscard]] std::shared_ptr<base::world> make_world () noexcept;

// The world for what belongs to no context: poll, timers, stopwatches,
// threads. Made at the first call, never unmade, so that calls from exit
// handlers work; a fork may come at any moment. Null when memory is out, which
// can only be before the first success; make_world() succeeds after it only.
[[nodiscard]] base::world *process_world () noexcept;

// For tests that link the layer itself (the shared libraries do not export
// it): both functions above answer this world from now on, the real ones again
// after null. It is the caller's, and outlives what is made on it. Thread
// rule: while no call of the API is under way and no context is open.
void replace_world (base::world *by) noexcept;

}  // namespace zlink::api
