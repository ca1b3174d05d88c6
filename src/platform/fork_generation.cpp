#include "platform/fork_generation.hpp"

#include <atomic>
#include <pthread.h>

namespace zlink::platform {

namespace {

constinit std::atomic<std::uint32_t> generation{0};
constinit std::atomic<bool> forked{false};
constinit std::atomic<void (*) () noexcept> child_handler{nullptr};

void note_fork () noexcept { forked.store (true, std::memory_order_relaxed); }

void count_child () noexcept
{
    generation.fetch_add (1, std::memory_order_relaxed);
    if (auto *const what = child_handler.load (std::memory_order_acquire); what != nullptr)
        what ();
}

// At load time: a first use could be in the middle of another thread's fork.
const bool watching = ::pthread_atfork (note_fork, nullptr, count_child) == 0;

}  // namespace

std::uint32_t fork_generation () noexcept { return generation.load (std::memory_order_relaxed); }

bool has_forked () noexcept { return !watching || forked.load (std::memory_order_relaxed); }

void set_child_handler (void (*what) () noexcept) noexcept
{
    child_handler.store (what, std::memory_order_release);
}

}  // namespace zlink::platform
