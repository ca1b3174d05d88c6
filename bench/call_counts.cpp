#include "bench/call_counts.hpp"

#include <dlfcn.h>

namespace zlink::bench {

bool read_call_counts (call_counts *into) noexcept
{
    using reader = void (call_counts *);
    static auto *const found = reinterpret_cast<reader *> (dlsym (RTLD_DEFAULT, "zlink_bench_counts"));
    if (found == nullptr)
        return false;
    found (into);
    return true;
}

}  // namespace zlink::bench
