// When the next message of a steady stream is due: the gaps between those that
// somebody waited for, while they agree. And how long it takes to get up for it.
// Thread rule: under the socket lock. Times are of the clock's, in ns.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/clock.hpp"
#include "engine/limits.hpp"

namespace zlink::engine {

class pace
{
  public:
    // One came at this time, and was waited for: awake, or asleep, who sees it
    // later by what waking up takes. A gap between the two says nothing.
    void came (base::time_ns now, bool awake) noexcept
    {
        const base::time_ns gap = now - last_;
        last_ = now;
        if (awake_ != awake && agreed_ == pace_agreed_min && gap <= pace_max_ns) {
            awake_ = awake;
            return;
        }
        awake_ = awake;
        const base::time_ns off = gap > gap_ ? gap - gap_ : gap_ - gap;
        const bool agrees = gap >= pace_min_ns && gap <= pace_max_ns && off * 4 <= gap_;
        agreed_ = agrees ? std::min (agreed_ + 1, pace_agreed_min) : 0;
        gap_ = agrees ? gap_ + (gap - gap_) / 8 : gap;
    }

    // When the next one is due, or 0 when there is no pace.
    [[nodiscard]] base::time_ns due () const noexcept
    {
        return agreed_ == pace_agreed_min ? last_ + gap_ : 0;
    }

    // Whether the last one was seen when it came.
    [[nodiscard]] bool awake () const noexcept { return awake_; }

  private:
    base::time_ns last_ = 0;
    base::time_ns gap_ = 0;
    unsigned agreed_ = 0;
    bool awake_ = false;
};

// Learned at once when it takes longer, and forgotten slowly: who is up too late
// has slept for nothing.
class rise_cost
{
  public:
    void took (base::time_ns ns) noexcept
    {
        constexpr base::time_ns forgets = 16;
        expected_ = ns > expected_ ? std::min (ns, pace_wake_max_ns) : expected_ - (expected_ - ns) / forgets;
    }
    [[nodiscard]] base::time_ns expected () const noexcept { return expected_; }

  private:
    base::time_ns expected_ = pace_late_ns;
};

}  // namespace zlink::engine
