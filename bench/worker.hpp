// One run of one cell in a process of its own.
//
// The tool starts itself again for every run, so that no run inherits
// threads, heaps or sockets of another and no two libraries meet.
#pragma once

#include <cstdint>
#include <string>

#include "bench/cell.hpp"
#include "bench/library.hpp"
#include "bench/outcome.hpp"

namespace zlink::bench {

struct worker_task
{
    cell measured;
    std::string library_path;  // empty: the floor
    abi names = abi::zmq;
    std::string directory;  // for socket files; must exist
    double seconds = 0.4;   // of the measured window
};

// Applies the processor modifiers, runs, fills in what every run reports
// (memory, counters). Ends the process when something fails.
[[nodiscard]] outcome run_worker (const worker_task &task);

// The same over a library that was loaded: run_sockets, or what has a run of its own.
[[nodiscard]] outcome run_loaded (const library &calls, const worker_task &task);

// The same without any library: what the kernel and the memory give. Ends the
// process for cells that have no floor; has_floor tells.
[[nodiscard]] outcome run_floor (const worker_task &task);
[[nodiscard]] bool has_floor (const cell &measured);

}  // namespace zlink::bench
