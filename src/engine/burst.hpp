// The burst rule: when an append is written at once and when it is left for
// a fuller arena.
//
// A token bucket: a lone message finds a token and leaves at once; a burst
// runs out of tokens and leaves in arenas. Tokens come back for time in which
// nothing was unwritten, and for reads that brought data, so that ping-pong
// never runs dry and streaming never refills. Without a token the age of the
// oldest unwritten byte bounds the wait; reading the tick counter costs as
// much as appending, so it is read every few appends only.
// A thread has such a bucket, too: who sends one message each to a hundred
// sockets sends a burst, though none of the sockets sees one. It is a hint; a
// caller that moves between threads loses nothing but a little time.
// Thread rule: under the socket lock; a burst_thread by its thread. Units:
// ticks of the clock seam.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/clock.hpp"
#include "engine/limits.hpp"

namespace zlink::engine {

// What a thread may still write at once.
class burst_thread
{
  public:
    // Before a write at once; now in ticks. False: leave it for an arena.
    bool spend (const base::clock &time, std::uint64_t now, std::uint64_t ticks_per_token) noexcept
    {
        if (of_ != &time || now < wrote_at_)
            *this = burst_thread (time);
        const std::uint64_t earned = (now - wrote_at_) / ticks_per_token;
        tokens_ = static_cast<std::uint32_t> (std::min<std::uint64_t> (tokens_ + earned, burst_tokens_max));
        wrote_at_ = now;
        return spend ();
    }
    // The same right behind another append.
    bool spend () noexcept
    {
        if (tokens_ == 0)
            return false;
        --tokens_;
        return true;
    }
    // Its write is done.
    void wrote (std::uint64_t now) noexcept { wrote_at_ = now; }
    // A read of its brought data.
    void data_arrived () noexcept { tokens_ = std::min (tokens_ + 1, burst_tokens_max); }

    constexpr burst_thread () noexcept = default;

  private:
    explicit burst_thread (const base::clock &time) noexcept : of_ (&time), tokens_ (burst_tokens_max) {}

    const base::clock *of_ = nullptr;
    std::uint64_t wrote_at_ = 0;
    std::uint32_t tokens_ = 0;
};

class burst_rule
{
  public:
    void reset (base::clock &time) noexcept
    {
        time_ = &time;
        ticks_per_us_ = time.ticks_per_us ();
        tokens_ = burst_tokens_max;
        countdown_ = 1;
        interval_ = 1;
        idle_since_ = time.ticks ();
        idle_ticks_ = 0;
    }

    // Before an append; was_idle: nothing was unwritten. True: write now.
    bool append (bool was_idle, burst_thread &by) noexcept
    {
        return !append_behind (was_idle) && decide (was_idle, by);
    }
    // The same in two steps. True: there is nothing to decide, do not write.
    [[nodiscard]] bool append_behind (bool was_idle) noexcept
    {
        if (was_idle || tokens_ > 0 || countdown_ <= 1) [[unlikely]]
            return false;
        --countdown_;
        return true;
    }
    [[nodiscard]] bool decide (bool was_idle, burst_thread &by) noexcept;

    // Everything is written.
    void idle () noexcept { idle_since_ = time_->ticks (); }
    [[nodiscard]] std::uint64_t idle_since () const noexcept { return idle_since_; }
    // A read brought data.
    void data_arrived () noexcept { tokens_ = std::min (tokens_ + 1, burst_tokens_max); }

  private:
    void refill (std::uint64_t now) noexcept;
    bool check_age () noexcept;

    base::clock *time_ = nullptr;
    std::uint64_t ticks_per_us_ = 1000;
    std::uint64_t idle_since_ = 0;
    std::uint64_t idle_ticks_ = 0;  // of idle time that has not made a token yet
    std::uint64_t oldest_ = 0;
    std::uint64_t last_check_ = 0;
    std::uint32_t tokens_ = burst_tokens_max;
    std::uint32_t interval_ = 1;
    std::uint32_t countdown_ = 1;
};

}  // namespace zlink::engine
