// What large numbers cost in SPOT: topics and subscriptions of one node, nodes of one mesh.
#pragma once

#include "bench/library.hpp"
#include "bench/outcome.hpp"
#include "bench/worker.hpp"

namespace zlink::bench {

// value: microseconds that publishing one message takes, as the median of short bursts
// that are read between. Ten subscribers of one node have a topic each, or 100,000 each,
// the same ones; published is to ten of those. bytes_each: resident memory of one of these
// subscriptions.
[[nodiscard]] outcome run_spot_publish (const library &calls, const worker_task &task);

// value: microseconds until each of 32 nodes, eight in a process, is read by all others,
// with their topics, from when all are bound; cpu_s: of all four processes in the five
// seconds after that, in which there is nothing but one heartbeat of each connection, by
// who reads.
[[nodiscard]] outcome run_spot_mesh (const library &calls, const worker_task &task);

}  // namespace zlink::bench
