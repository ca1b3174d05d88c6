// Gateways and receivers, as a program meets them: through zlink.h alone. One gateway
// speaks to one receiver whose address it is given; messages are made and closed as
// zlink.h's calls want it.
#pragma once

#include <cstdint>

#include "bench/cell.hpp"
#include "bench/library.hpp"
#include "bench/outcome.hpp"
#include "bench/worker.hpp"

namespace zlink::bench {

// throughput: messages one way. latency: half of what a blocking request takes, as REQ
// and REP are counted. pipelined: requests whose handlers send the next one. Ends the
// process when something fails.
[[nodiscard]] outcome run_services (const library &calls, const worker_task &task);

// What marks of services and buffers can hold: 100,000 messages at each end, if they are small.
[[nodiscard]] std::uint64_t held_by_services (const cell &measured);

}  // namespace zlink::bench
