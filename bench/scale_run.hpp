// What large numbers cost: connections that say nothing, subscriptions that a
// publisher has to look through. Two processes; the one that holds the many
// is measured and is the calling one.
#pragma once

#include <string>

#include "bench/library.hpp"
#include "bench/outcome.hpp"
#include "bench/worker.hpp"

namespace zlink::bench {

// value: bytes of resident memory that a connection of 10,000 to one ROUTER
// takes; cpu_s: of both processes in a second in which nothing happens.
[[nodiscard]] outcome run_idle (const library &calls, const worker_task &task);

// value: microseconds that one send of an XPUB takes, as the median of short
// bursts to a peer that keeps up. The same ten topics, whatever else is
// subscribed, so that it is the number of subscriptions that is seen; in
// publish-all from all of them, so that it is the processor's caches, too.
// bytes_each: resident memory of a subscription beyond its topic.
[[nodiscard]] outcome run_publish (const library &calls, const worker_task &task);

}  // namespace zlink::bench
