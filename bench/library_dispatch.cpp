#include "bench/handshake_run.hpp"
#include "bench/library_run.hpp"
#include "bench/scale_run.hpp"
#include "bench/service_run.hpp"
#include "bench/spot_run.hpp"
#include "bench/worker.hpp"

namespace zlink::bench {

outcome run_loaded (const library &calls, const worker_task &task)
{
    const metric measured = task.measured.measured;
    if (task.measured.wiring ().services)
        return publishes (task.measured.wiring ()) ? run_spots (calls, task) : run_services (calls, task);
    if (measured == metric::idle)
        return run_idle (calls, task);
    if (measured == metric::handshakes)
        return run_handshakes (calls, task);
    if (counts_scale (measured))
        return run_publish (calls, task);
    return run_sockets (calls, task);
}

}  // namespace zlink::bench
