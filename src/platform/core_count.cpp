#include "platform/core_count.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <sched.h>
#include <unistd.h>

#include "platform/processor_quota.hpp"

namespace zlink::platform {

namespace {

unsigned affinity_count () noexcept
{
    // Machines with more than 1024 processors need a larger mask.
    for (int cpus = 1024; cpus <= 1 << 18; cpus *= 4) {
        cpu_set_t *mask = CPU_ALLOC (cpus);
        if (mask == nullptr)
            break;
        const std::size_t size = CPU_ALLOC_SIZE (cpus);
        const bool ok = ::sched_getaffinity (0, size, mask) == 0;
        const int count = ok ? CPU_COUNT_S (size, mask) : 0;
        CPU_FREE (mask);
        if (ok)
            return static_cast<unsigned> (std::max (count, 1));
    }
    return static_cast<unsigned> (std::max (::sysconf (_SC_NPROCESSORS_ONLN), 1L));
}

}  // namespace

unsigned core_count () noexcept
{
    const unsigned allowed = affinity_count ();
    try {
        const std::optional<double> quota = quota_cores ();
        if (!quota || *quota >= allowed)
            return allowed;
        return std::max (1U, static_cast<unsigned> (std::ceil (*quota)));
    } catch (...) {  // no memory for a path: the mask alone will do
        return allowed;
    }
}

}  // namespace zlink::platform
