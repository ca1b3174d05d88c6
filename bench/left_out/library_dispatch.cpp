// Instead of library_dispatch, where sockets are all that is measured. Chosen by
// bench/CMakeLists.txt; the contract is that of bench/worker.hpp.
#include "bench/library_run.hpp"
#include "bench/worker.hpp"

namespace zlink::bench {

outcome run_loaded (const library &calls, const worker_task &task) { return run_sockets (calls, task); }

}  // namespace zlink::bench
