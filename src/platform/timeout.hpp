// Nanoseconds as the kernel's time structures want them. For this folder's own
// .cpp files only: it names system types.
#pragma once

#include <ctime>

#include "base/clock.hpp"

namespace zlink::platform {

// The longest single sleep. Callers loop around their conditions anyway, and a
// sleep with a time-out is never restarted by the kernel behind our back.
inline constexpr base::time_ns longest_sleep_ns = 3600 * base::ns_per_s;

[[nodiscard]] inline timespec to_timespec (base::time_ns ns) noexcept
{
    if (ns < 0)
        ns = 0;
    timespec out{};
    out.tv_sec = static_cast<decltype (out.tv_sec)> (ns / base::ns_per_s);
    out.tv_nsec = static_cast<decltype (out.tv_nsec)> (ns % base::ns_per_s);
    return out;
}

// Milliseconds, rounded up so that nobody wakes too early and spins.
[[nodiscard]] inline int to_milliseconds_up (base::time_ns ns) noexcept
{
    if (ns <= 0)
        return 0;
    if (ns > longest_sleep_ns)
        ns = longest_sleep_ns;
    return static_cast<int> ((ns + base::ns_per_ms - 1) / base::ns_per_ms);
}

}  // namespace zlink::platform
