// The system's monotonic clock, and the processor's time-stamp counter where it
// runs at a constant rate (elsewhere ticks are nanoseconds).
//
// The first one made in a process measures the counter's rate against the
// clock; that takes a fifth of a millisecond. Thread rule: any thread.
#pragma once

#include "base/clock.hpp"

namespace zlink::platform {

// The system's monotonic clock, for src/platform's own waits.
[[nodiscard]] base::time_ns read_clock () noexcept;

class system_clock final : public base::clock
{
  public:
    system_clock () noexcept;

    [[nodiscard]] base::time_ns now_ns () noexcept override;
    [[nodiscard]] std::uint64_t ticks () noexcept override;
    [[nodiscard]] std::uint64_t ticks_per_us () const noexcept override { return ticks_per_us_; }
    [[nodiscard]] std::int64_t unix_s () noexcept override;
    [[nodiscard]] base::time_ns boot_ns () noexcept override;

  private:
    std::uint64_t ticks_per_us_;
    bool counter_;  // ticks come from the processor's counter
};

}  // namespace zlink::platform
