#include "platform/system_clock.hpp"

#include <atomic>
#include <ctime>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

#include "base/cpu.hpp"

namespace zlink::platform {

base::time_ns read_clock () noexcept
{
    timespec now{};
    ::clock_gettime (CLOCK_MONOTONIC, &now);
    return base::time_ns{now.tv_sec} * base::ns_per_s + now.tv_nsec;
}

namespace {

#if defined(__x86_64__) || defined(__i386__)

std::uint64_t read_counter () noexcept { return __rdtsc (); }

// Whether the counter keeps its rate through frequency changes and sleep
// states (CPUID 8000_0007h, EDX bit 8).
bool counter_is_invariant () noexcept
{
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid (0x80000007U, &a, &b, &c, &d) != 0 && (d & (1U << 8)) != 0;
}

struct sample
{
    base::time_ns clock_ns;
    std::uint64_t counter;
};

// Both at the same moment: of some attempts the one whose two counter readings
// lie closest together.
sample read_both () noexcept
{
    sample best{};
    std::uint64_t best_gap = UINT64_MAX;
    for (int i = 0; i < 8; ++i) {
        const std::uint64_t before = read_counter ();
        const base::time_ns middle = read_clock ();
        const std::uint64_t gap = read_counter () - before;
        if (gap < best_gap) {
            best_gap = gap;
            best = {middle, before + gap / 2};
        }
    }
    return best;
}

// Counter ticks per microsecond; 0 where the counter is of no use.
std::uint64_t measure_counter () noexcept
{
    constexpr base::time_ns span_ns = 200 * base::ns_per_us;
    if (!counter_is_invariant ())
        return 0;
    const sample first = read_both ();
    while (read_clock () - first.clock_ns < span_ns)
        base::cpu_pause ();
    const sample last = read_both ();
    if (last.counter <= first.counter || last.clock_ns <= first.clock_ns)
        return 0;
    const auto elapsed_ns = static_cast<double> (last.clock_ns - first.clock_ns);
    const double rate = static_cast<double> (last.counter - first.counter) * 1000.0 / elapsed_ns;
    // Slower than the clock's own unit or faster than any processor: distrust it.
    if (rate < 100.0 || rate > 100'000.0)
        return 0;
    return static_cast<std::uint64_t> (rate + 0.5);
}

#else

std::uint64_t read_counter () noexcept { return 0; }

std::uint64_t measure_counter () noexcept { return 0; }

#endif

constexpr std::uint64_t unmeasured = ~std::uint64_t{0};

}  // namespace

system_clock::system_clock () noexcept
{
    // Not a static's initialiser: a fork in the middle of it would leave its
    // guard locked in the child. Two threads may measure at once.
    static constinit std::atomic<std::uint64_t> measured{unmeasured};
    std::uint64_t rate = measured.load (std::memory_order_relaxed);
    if (rate == unmeasured)
        measured.store (rate = measure_counter (), std::memory_order_relaxed);
    counter_ = rate != 0;
    ticks_per_us_ = counter_ ? rate : static_cast<std::uint64_t> (base::ns_per_us);
}

base::time_ns system_clock::now_ns () noexcept { return read_clock (); }

std::int64_t system_clock::unix_s () noexcept
{
    timespec now{};
    ::clock_gettime (CLOCK_REALTIME, &now);
    return now.tv_sec;
}

base::time_ns system_clock::boot_ns () noexcept
{
    timespec now{};
    ::clock_gettime (CLOCK_BOOTTIME, &now);
    return base::time_ns{now.tv_sec} * base::ns_per_s + now.tv_nsec;
}

std::uint64_t system_clock::ticks () noexcept
{
    return counter_ ? read_counter () : static_cast<std::uint64_t> (read_clock ());
}

}  // namespace zlink::platform
