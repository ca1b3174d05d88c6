#include "sim/leaks.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

namespace zlink::sim {

bool has_lost_memory () noexcept
{
#if defined(__SANITIZE_ADDRESS__)
    return __lsan_do_recoverable_leak_check () != 0;
#else
    return false;
#endif
}

}  // namespace zlink::sim
