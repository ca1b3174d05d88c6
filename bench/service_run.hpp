// Gateways and receivers, as a program meets them: through zlink.h alone. One gateway
// speaks to one receiver whose address it is given; messages are made and closed as
// zlink.h's calls want it.
#pragma once

#include "bench/library.hpp"
#include "bench/outcome.hpp"
#include "bench/worker.hpp"

namespace zlink::bench {

// throughput: messages one way. latency: half of what a blocking request takes, as REQ
// and REP are counted. pipelined: requests whose handlers send the next one. Ends the
// process when something fails.
[[nodiscard]] outcome run_services (const library &calls, const worker_task &task);

}  // namespace zlink::bench
