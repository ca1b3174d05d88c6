#include "bench/worker.hpp"

#include <optional>

#include "bench/os.hpp"
#include "bench/roles.hpp"

namespace zlink::bench {

outcome run_worker (const worker_task &task)
{
    os::die_with_parent ();
    std::optional<os::busy_children> burners;
    constexpr unsigned busy_per_core = 4;
    if (task.measured.with.busy)
        burners.emplace (busy_per_core * static_cast<unsigned> (os::processors ().size ()));
    if (task.measured.with.one_cpu)
        os::bind_to_processor (os::processors ().front ());
    outcome found = task.library_path.empty () ? run_floor (task) : run_library (task);
    found.peak_memory_kib += static_cast<double> (os::peak_memory_kib ());
    return found;
}

}  // namespace zlink::bench
