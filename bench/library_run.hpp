// Streams, loops and bursts between the sockets of a library, by its own calls.
#pragma once

#include "bench/library.hpp"
#include "bench/outcome.hpp"
#include "bench/worker.hpp"

namespace zlink::bench {

// Of the metrics that one cell's sockets have; ends the process for others.
[[nodiscard]] outcome run_sockets (const library &calls, const worker_task &task);

}  // namespace zlink::bench
