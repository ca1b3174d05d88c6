#include "platform/fork_generation.hpp"

#include <atomic>
#include <pthread.h>

namespace zlink::platform {

namespace {

std::atomic<std::uint32_t> generation{0};

void count_child () noexcept { generation.fetch_add (1, std::memory_order_relaxed); }

}  // namespace

std::uint32_t fork_generation () noexcept
{
    static const bool watching = ::pthread_atfork (nullptr, nullptr, count_child) == 0;
    static_cast<void> (watching);
    return generation.load (std::memory_order_relaxed);
}

}  // namespace zlink::platform
