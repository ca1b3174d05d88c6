#include "bench/worker.hpp"

#include <optional>

#include "bench/os.hpp"
#include "bench/roles.hpp"
#include "bench/watchdog.hpp"

namespace zlink::bench {

namespace {

outcome run_library (const worker_task &task)
{
    library calls;
    const std::string trouble = calls.load (task.library_path, task.names);
    if (!trouble.empty ())
        fail (trouble);
    outcome found = run_loaded (calls, task);
    found.library = calls.path + " " + calls.version;
    return found;
}

}  // namespace

outcome run_worker (const worker_task &task)
{
    os::die_with_parent ();
    constexpr double limit_s = 12;
    const watchdog guard (static_cast<std::int64_t> ((limit_s + 20 * task.seconds) * 1e9));
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
