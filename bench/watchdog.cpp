#include "bench/watchdog.hpp"

#include <chrono>
#include <string>

#include "bench/roles.hpp"

namespace zlink::bench {

namespace {

std::atomic<const char *> current_stage{"starting"};

}  // namespace

watchdog::watchdog (std::int64_t limit_ns) : thread_ ([this, limit_ns] { watch (limit_ns); }) {}

watchdog::~watchdog ()
{
    {
        const std::lock_guard guard (lock_);
        over_ = true;
    }
    changed_.notify_one ();
    thread_.join ();
}

void watchdog::stage (const char *text) noexcept { current_stage.store (text, std::memory_order_relaxed); }

void watchdog::watch (std::int64_t limit_ns)
{
    std::unique_lock guard (lock_);
    if (!changed_.wait_for (guard, std::chrono::nanoseconds (limit_ns), [this] { return over_; }))
        fail (std::string ("hung while ") + current_stage.load (std::memory_order_relaxed));
}

}  // namespace zlink::bench
