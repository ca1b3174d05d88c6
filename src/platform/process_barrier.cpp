#include "platform/process_barrier.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace zlink::platform {

namespace {

bool membarrier (int command) noexcept { return ::syscall (SYS_membarrier, command, 0, 0) == 0; }

}  // namespace

bool process_barrier () noexcept
{
    if (membarrier (MEMBARRIER_CMD_PRIVATE_EXPEDITED))
        return true;
    // The first time in a process.
    return membarrier (MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED)
           && membarrier (MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}

}  // namespace zlink::platform
