// Seam: time.
//
// Only src/api and tests create one. The simulator's stands still until every
// fibre waits. Thread rule: all members may be called from any thread.
#pragma once

#include <cstdint>

namespace zlink::base {

// Monotonic time in nanoseconds since an arbitrary start.
using time_ns = std::int64_t;

inline constexpr time_ns never_ns = INT64_MAX;
inline constexpr time_ns ns_per_us = 1'000;
inline constexpr time_ns ns_per_ms = 1'000'000;
inline constexpr time_ns ns_per_s = 1'000'000'000;

class clock
{
  public:
    virtual ~clock () = default;

    // The time now. About 25 ns on real hardware: read once per turn and hand
    // the value down.
    [[nodiscard]] virtual time_ns now_ns () noexcept = 0;

    // The cheap tick counter that the burst rule reads on hot paths, and its
    // rate. Ticks never run backwards on one thread.
    [[nodiscard]] virtual std::uint64_t ticks () noexcept = 0;
    [[nodiscard]] virtual std::uint64_t ticks_per_us () const noexcept = 0;

    // Unix time in seconds, for what is valid until a day: it may be set, and run
    // backwards. 0: nobody knows.
    [[nodiscard]] virtual std::int64_t unix_s () noexcept { return 0; }

    // As now_ns, of a clock that goes on while the machine sleeps: for leases that others
    // give. Not comparable with now_ns.
    [[nodiscard]] virtual time_ns boot_ns () noexcept { return now_ns (); }
};

}  // namespace zlink::base
