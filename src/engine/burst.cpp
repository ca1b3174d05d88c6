#include "engine/burst.hpp"

namespace zlink::engine {

bool burst_rule::decide (bool was_idle, burst_thread &by) noexcept
{
    if (was_idle)
        return decide_idle (by);
    return spend (by) || (--countdown_ == 0 && check_age (by));
}

bool burst_rule::spend (burst_thread &by) noexcept
{
    if (!tokens_.has_token () || !by.has_token ())
        return false;
    tokens_.spend ();
    by.spend ();
    return true;
}

// Behind nothing that is unwritten.
void burst_rule::begin_tail (std::uint64_t now) noexcept
{
    oldest_ = now;
    last_check_ = now;
    // The spacing of what follows is unknown: what it was in a burst before
    // would let a slow sender's tail lie.
    countdown_ = interval_ = 1;
    tokens_.earn (now - wrote_at_);
}

// Who has done something else for so long does so again, perhaps, before more follows. Who
// has just read something has waited for it.
bool burst_rule::append_among (bool was_idle, burst_thread &by) noexcept
{
    const std::uint64_t now = time_->ticks ();
    const bool heard = by.take_heard ();
    const std::uint64_t since = !was_idle ? oldest_ : heard ? now : std::min (by.looked_at (), now);
    if (was_idle)
        begin_tail (now);
    (void)by.look (*time_, now);
    return now - since > among_age_us_max * ticks_per_us_;
}

bool burst_rule::decide_idle (burst_thread &by) noexcept
{
    const std::uint64_t now = time_->ticks ();
    begin_tail (now);
    const bool streams = by.look (*time_, now);
    if (!by.take_heard () && streams)
        tokens_.halve ();
    const bool paced = !streams && rested (now, by);
    return spend (by) || paced;
}

bool burst_rule::check_age (burst_thread &by) noexcept
{
    const std::uint64_t now = time_->ticks ();
    // A write in between empties one connection of many, and is no gap of its sender's.
    const std::uint64_t since = std::clamp (by.wrote_at (), last_check_, now);
    const std::uint64_t spacing = (now - since) / interval_ + 1;
    last_check_ = now;
    const std::uint64_t quarter = age_ticks_ / 4;
    // Grown in steps: a few messages that had to catch up are no burst.
    const std::uint64_t most = std::min<std::uint64_t> (2 * interval_, age_check_interval_max);
    interval_ = static_cast<std::uint32_t> (std::clamp<std::uint64_t> (quarter / spacing, 1, most));
    countdown_ = interval_;
    // Who streams and yet looks so often has other sockets between: a tail would
    // be old at each of its turns, and a write each is what makes it so.
    if (by.look (*time_, now))
        return false;
    if (spacing >= paced_gap_us_min * ticks_per_us_ && rested (now, by))
        return true;
    return now - oldest_ > age_ticks_;
}

}  // namespace zlink::engine
