// The only place where the real world is made: clock, threads, network.
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
// handlers work.
[[nodiscard]] base::world &process_world ();

}  // namespace zlink::api
