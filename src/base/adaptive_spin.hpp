// Whether to look a little longer before sleeping: only while looking has
// helped lately. That a sleep turned out short proves nothing; on a busy
// machine the spinner sits on the core that its peer needs.
// Thread rule: one thread at a time.
#pragma once

#include <algorithm>
#include <cstdint>

namespace zlink::base {

inline constexpr unsigned spin_backoff_max = 8;  // skips 2^k waits

class adaptive_spin
{
  public:
    // Asked once per wait.
    [[nodiscard]] bool should_spin () noexcept
    {
        if (skip_ == 0)
            return true;
        --skip_;
        return false;
    }
    void succeeded () noexcept { failures_ = 0; }
    // Skips up to half of the waits fewer: who gives different numbers falls out of
    // step with somebody who fails as often.
    void failed (unsigned any_number = 0) noexcept
    {
        failures_ = std::min (failures_ + 1, spin_backoff_max);
        const unsigned half = 1u << (failures_ - 1);
        skip_ = 2 * half - any_number % half;
    }
    [[nodiscard]] unsigned failures () const noexcept { return failures_; }
    void reset () noexcept { failures_ = skip_ = 0; }

  private:
    unsigned failures_ = 0;
    unsigned skip_ = 0;
};

}  // namespace zlink::base
