// What a large registry costs, and how soon those who watch it know of a change.
#pragma once

#include "bench/library.hpp"
#include "bench/outcome.hpp"
#include "bench/worker.hpp"

namespace zlink::bench {

// A registry in a process of its own, the calling one: a hundred receivers in another one
// have registered ten providers of each of 1,000 services, and a hundred lists in a third
// one watch a hundred of them each.
//
// value: microseconds from when another service is registered that all lists watch, until
// the last of them has it, the longest of several; bytes_each: resident memory of the registry by
// registration; cpu_s: of the registry in the seconds before, in which nothing changes.
[[nodiscard]] outcome run_registry (const library &calls, const worker_task &task);

}  // namespace zlink::bench
