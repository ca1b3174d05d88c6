// Nodes of SPOT, as a program meets them: through zlink.h alone, one topic each way. Over
// inproc there is one node, which publishers and subscribers share; else each role has
// nodes of its own, that know each other by address. Of a fan every subscriber has a node
// of its own, but over inproc.
#pragma once

#include "bench/library.hpp"
#include "bench/outcome.hpp"
#include "bench/worker.hpp"

namespace zlink::bench {

// throughput, also to several subscribers; latency, as of PUB and SUB. Publishers wait for
// who has no room. Ends the process when something fails.
[[nodiscard]] outcome run_spots (const library &calls, const worker_task &task);

}  // namespace zlink::bench
