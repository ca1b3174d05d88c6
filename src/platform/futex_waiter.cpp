#include "platform/futex_waiter.hpp"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cpu.hpp"
#include "platform/core_count.hpp"
#include "platform/system_clock.hpp"
#include "platform/timeout.hpp"

namespace zlink::platform {

namespace {

static_assert (sizeof (std::atomic<std::uint32_t>) == sizeof (std::uint32_t));
static_assert (std::atomic<std::uint32_t>::is_always_lock_free);

// How many pause instructions make up a spin step of about 35 ns.
unsigned measure_pauses () noexcept
{
    constexpr int batch = 64;
    constexpr base::time_ns step_ns = 35;
    base::time_ns best_ns = INT64_MAX;
    for (int attempt = 0; attempt < 5; ++attempt) {
        const base::time_ns before = read_clock ();
        for (int i = 0; i < batch; ++i)
            base::cpu_pause ();
        best_ns = std::min (best_ns, read_clock () - before);
    }
    const base::time_ns pauses = (step_ns * batch + best_ns / 2) / std::max<base::time_ns> (best_ns, 1);
    return static_cast<unsigned> (std::clamp<base::time_ns> (pauses, 1, 64));
}

long futex (std::atomic<std::uint32_t> &word,
            int operation,
            std::uint32_t value,
            const timespec *deadline) noexcept
{
    return ::syscall (SYS_futex, reinterpret_cast<std::uint32_t *> (&word), operation, value, deadline,
                      nullptr, FUTEX_BITSET_MATCH_ANY);
}

}  // namespace

futex_waiter::futex_waiter () noexcept
{
    // Not a static's initialiser: a fork in the middle of it would leave its
    // guard locked in the child. Two threads may measure at once.
    static constinit std::atomic<unsigned> measured{0};
    pauses_ = measured.load (std::memory_order_relaxed);
    if (pauses_ == 0)
        measured.store (pauses_ = measure_pauses (), std::memory_order_relaxed);
    cores_ = core_count ();
}

base::wait_outcome
futex_waiter::wait (std::atomic<std::uint32_t> &word, std::uint32_t expected, base::time_ns deadline) noexcept
{
    bool capped = false;
    if (deadline == base::never_ns) {
        deadline = read_clock () + longest_sleep_ns;
        capped = true;
    }
    const timespec until = to_timespec (deadline);
    if (futex (word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, expected, &until) == 0)
        return base::wait_outcome::woken;
    switch (errno) {
    case ETIMEDOUT:
        return capped ? base::wait_outcome::woken : base::wait_outcome::timed_out;
    case EINTR:
        return base::wait_outcome::interrupted;
    default:  // EAGAIN: the word had changed; anything else reads as spurious
        return base::wait_outcome::woken;
    }
}

void futex_waiter::wake (std::atomic<std::uint32_t> &word, int count) noexcept
{
    futex (word, FUTEX_WAKE_BITSET | FUTEX_PRIVATE_FLAG, static_cast<std::uint32_t> (count), nullptr);
}

void futex_waiter::yield () noexcept { ::sched_yield (); }

void futex_waiter::pause () noexcept
{
    for (unsigned i = 0; i < pauses_; ++i)
        base::cpu_pause ();
}

}  // namespace zlink::platform
