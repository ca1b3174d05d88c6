#include "engine/burst.hpp"

namespace zlink::engine {

bool burst_rule::decide (bool was_idle, burst_thread &by) noexcept
{
    if (was_idle) {
        oldest_ = time_->ticks ();
        last_check_ = oldest_;
        // The spacing of what follows is unknown: what it was in a burst before
        // would let a slow sender's tail lie.
        countdown_ = interval_ = 1;
        refill (oldest_);
    }
    if (tokens_ > 0
        && (was_idle ? by.spend (*time_, oldest_, burst_token_us * ticks_per_us_) : by.spend ())) {
        --tokens_;
        return true;
    }
    if (was_idle)
        return false;  // nothing is old yet
    return --countdown_ == 0 && check_age ();
}

void burst_rule::refill (std::uint64_t now) noexcept
{
    if (tokens_ >= burst_tokens_max) {
        idle_ticks_ = 0;
        return;
    }
    const std::uint64_t per_token = burst_token_us * ticks_per_us_;
    idle_ticks_ += now - idle_since_;
    const std::uint64_t earned = idle_ticks_ / per_token;
    idle_ticks_ %= per_token;
    tokens_ = static_cast<std::uint32_t> (std::min<std::uint64_t> (tokens_ + earned, burst_tokens_max));
}

bool burst_rule::check_age () noexcept
{
    const std::uint64_t now = time_->ticks ();
    const std::uint64_t spacing = (now - last_check_) / interval_ + 1;
    last_check_ = now;
    const std::uint64_t quarter = tail_age_us_max * ticks_per_us_ / 4;
    interval_ =
      static_cast<std::uint32_t> (std::clamp<std::uint64_t> (quarter / spacing, 1, age_check_interval_max));
    countdown_ = interval_;
    return now - oldest_ > tail_age_us_max * ticks_per_us_;
}

}  // namespace zlink::engine
