// The burst rule: when an append is written at once and when it is left for
// a fuller arena.
//
// A token bucket: a lone message finds a token and leaves at once; a burst
// runs out of tokens and leaves in arenas. Tokens come back for time in which
// nothing was unwritten, and for reads that brought data, so that ping-pong
// never runs dry and streaming never refills. Without a token the age of the
// oldest unwritten byte bounds the wait; reading the tick counter costs as
// much as appending, so it is read every few appends only.
// Of who writes to many, one after the other, a tail waits twice as long as that takes, up to
// a limit: a third of its time goes into writes of few.
// Who goes on at once without having read anything loses half of its tokens
// with each message: a window of requests leaves in a handful of writes.
// A paced sender, microseconds between its messages, is no burst either: it
// writes at once again when it has done something else for about as long as a
// write takes, so that half of its time at most goes into writes of few.
// Who says that more follows at once (append_among) has its octets left for that, about
// as long as a write takes: whoever waits for them is not to fall asleep meanwhile.
// A thread has such a bucket, too: who sends one message each to a hundred
// sockets sends a burst, though none of the sockets sees one, and the tails are
// the reactor's. It is a hint; a caller that moves between threads loses nothing
// but a little time.
// Thread rule: under the socket lock; a burst_thread by its thread. Units:
// ticks of the clock seam.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/clock.hpp"
#include "engine/limits.hpp"

namespace zlink::engine {

// Tokens, kept as the time that earns them.
class burst_bucket
{
  public:
    constexpr burst_bucket () noexcept = default;
    // A full one.
    explicit burst_bucket (std::uint64_t ticks_per_us) noexcept
      : price_ticks_ (burst_token_us * ticks_per_us), balance_ticks_ (burst_tokens_max * price_ticks_)
    {
    }

    [[nodiscard]] bool has_token () const noexcept { return balance_ticks_ >= price_ticks_; }
    void spend () noexcept { balance_ticks_ -= price_ticks_; }
    void earn (std::uint64_t ticks) noexcept
    {
        balance_ticks_ = std::min (balance_ticks_ + ticks, burst_tokens_max * price_ticks_);
    }
    void halve () noexcept { balance_ticks_ /= 2; }
    void earn_token () noexcept { earn (price_ticks_); }

  private:
    std::uint64_t price_ticks_ = 1;
    std::uint64_t balance_ticks_ = 0;
};

// What a thread may still write at once.
class burst_thread
{
  public:
    constexpr burst_thread () noexcept = default;

    // A look at the time before an append, for whichever socket. True when the
    // last look and the end of the last write are no gap away: it streams, and
    // earns nothing.
    bool look (base::clock &time, std::uint64_t now) noexcept
    {
        if (of_ != &time || now < looked_at_) [[unlikely]]
            *this = burst_thread (time);  // what another clock noted says nothing
        const std::uint64_t apart = now - looked_at_;
        looked_at_ = now;
        if (apart < gap_ticks_)
            return true;
        tokens_.earn (apart);
        return false;
    }
    // Its last write lies far enough back for another one.
    [[nodiscard]] bool rested (std::uint64_t now) const noexcept { return now - wrote_at_ >= rest_ticks_; }
    [[nodiscard]] bool has_token () const noexcept { return tokens_.has_token (); }
    void spend () noexcept { tokens_.spend (); }
    // Its last write was done then.
    void wrote (std::uint64_t at) noexcept
    {
        spoke_ = true;
        wrote_at_ = std::max (wrote_at_, at);
        looked_at_ = std::max (looked_at_, at);
    }
    [[nodiscard]] std::uint64_t wrote_at () const noexcept { return wrote_at_; }
    [[nodiscard]] std::uint64_t looked_at () const noexcept { return looked_at_; }
    // A read of its brought data.
    void data_arrived () noexcept
    {
        heard_ = true;
        tokens_.earn_token ();
    }
    // It has sent something large, however that goes.
    void sent_large () noexcept { spoke_ = true; }
    // Has it, or written anything, since this was asked the last time?
    [[nodiscard]] bool take_spoke () noexcept { return std::exchange (spoke_, false); }
    // Has it read since this was asked the last time?
    [[nodiscard]] bool take_heard () noexcept { return std::exchange (heard_, false); }

  private:
    explicit burst_thread (base::clock &time) noexcept
      : of_ (&time), gap_ticks_ (paced_gap_us_min * time.ticks_per_us ()),
        rest_ticks_ (paced_rest_us_min * time.ticks_per_us ()), tokens_ (time.ticks_per_us ())
    {
    }

    const base::clock *of_ = nullptr;
    std::uint64_t gap_ticks_ = 0;
    std::uint64_t rest_ticks_ = 0;
    std::uint64_t looked_at_ = 0;
    std::uint64_t wrote_at_ = 0;
    bool heard_ = false;
    bool spoke_ = false;
    burst_bucket tokens_;
};

class burst_rule
{
  public:
    void reset (base::clock &time) noexcept
    {
        time_ = &time;
        ticks_per_us_ = time.ticks_per_us ();
        tokens_ = burst_bucket (ticks_per_us_);
        age_ticks_ = tail_age_us_max * ticks_per_us_;
        countdown_ = 1;
        interval_ = 1;
        wrote_at_ = time.ticks ();
    }

    // Before an append; was_idle: nothing was unwritten. True: write now.
    bool append (bool was_idle, burst_thread &by) noexcept
    {
        return !append_behind (was_idle) && decide (was_idle, by);
    }
    // The same in two steps. True: there is nothing to decide, do not write.
    [[nodiscard]] bool append_behind (bool was_idle) noexcept
    {
        if (was_idle || tokens_.has_token () || countdown_ <= 1) [[unlikely]]
            return false;
        --countdown_;
        return true;
    }
    [[nodiscard]] bool decide (bool was_idle, burst_thread &by) noexcept;
    // The same of one behind which the thread has more to send, or so it says.
    [[nodiscard]] bool append_among (bool was_idle, burst_thread &by) noexcept;

    // What a connection had to write is written; others may have more.
    void wrote () noexcept { wrote_at_ = time_->ticks (); }
    [[nodiscard]] std::uint64_t wrote_at () const noexcept { return wrote_at_; }
    // A round of writes, one for each of many, that began then is over. What it has left
    // is others' to write.
    void wrote_to_many (std::uint64_t began) noexcept
    {
        oldest_ = std::max (wrote_at_, began);
        age_ticks_ = std::clamp (round_rests * (oldest_ - began), tail_age_us_max * ticks_per_us_,
                                 tails_age_us_max * ticks_per_us_);
    }
    // What has been appended to one only.
    void wrote_to_one () noexcept { age_ticks_ = tail_age_us_max * ticks_per_us_; }
    // A read brought data.
    void data_arrived () noexcept { tokens_.earn_token (); }

  private:
    void begin_tail (std::uint64_t now) noexcept;
    bool decide_idle (burst_thread &by) noexcept;
    bool check_age (burst_thread &by) noexcept;
    [[nodiscard]] bool spend (burst_thread &by) noexcept;
    [[nodiscard]] bool rested (std::uint64_t now, const burst_thread &by) const noexcept
    {
        return by.rested (now) && now - wrote_at_ >= paced_rest_us_min * ticks_per_us_;
    }

    base::clock *time_ = nullptr;
    std::uint64_t ticks_per_us_ = 1000;
    std::uint64_t wrote_at_ = 0;  // idle since then, if it is
    std::uint64_t oldest_ = 0;
    std::uint64_t age_ticks_ = 0;  // that is allowed
    std::uint64_t last_check_ = 0;
    burst_bucket tokens_;
    std::uint32_t interval_ = 1;
    std::uint32_t countdown_ = 1;
};

}  // namespace zlink::engine
