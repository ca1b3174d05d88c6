#include "bench/quiet_time.hpp"

#include "bench/os.hpp"
#include "bench/watchdog.hpp"

namespace zlink::bench {

void measure_quiet (std::int64_t window_ns, std::span<const int> others, outcome &found)
{
    constexpr std::int64_t settle_ns = 500'000'000;
    const auto cpu_ns = [&] {
        std::int64_t all = os::cpu_ns ();
        for (const int each : others)
            all += os::cpu_ns_of (each);
        return all;
    };
    watchdog::stage ("measuring");
    os::wait_until (os::now_ns () + settle_ns);
    const std::int64_t start_ns = os::now_ns ();
    const std::int64_t start_cpu_ns = cpu_ns ();
    os::wait_until (start_ns + window_ns);
    found.cpu_s = static_cast<double> (cpu_ns () - start_cpu_ns) / 1e9;
    found.seconds = static_cast<double> (os::now_ns () - start_ns) / 1e9;
}

}  // namespace zlink::bench
