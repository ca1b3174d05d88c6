// Whether a peer still lives, seen from one connection: when the next PING is
// due, and when silence has lasted too long. Any byte that was read counts as
// life (RFC 37). Time only; the socket reads and writes.
// PINGs go up to a 32nd of their interval early, at times that all connections
// with this interval have in common: who has a thousand of them wakes a few times
// for all, and so do their peers, instead of a thousand times. Where both ends send PINGs
// the one that connected is the first, and the other's goes with its answer, up to a
// 16th early.
// Thread rule: under the socket lock. Blocking: never.
#pragma once

#include <algorithm>

#include "base/clock.hpp"

namespace zlink::engine {

class heartbeat
{
  public:
    // Ours, from a session that can: interval 0 = we send no PINGs. first: ours are to
    // come before the peer's, if it sends any.
    void start (base::time_ns now, base::time_ns interval_ns, base::time_ns timeout_ns, bool first) noexcept
    {
        *this = {};
        first_ = first;
        interval_ns_ = interval_ns;
        timeout_ns_ = timeout_ns;
        if (interval_ns > 0)
            ping_at_ = next_ping (now);
    }
    // Bytes came.
    void heard () noexcept { heard_ = true; }
    // The peer's PING asks us to give up when it is silent for so long; 0 = it
    // does not. That it asks is a sign of life, at this time and no later.
    void bear (base::time_ns now, base::time_ns ttl_ns) noexcept
    {
        ttl_ns_ = ttl_ns;
        forgive (now);
    }

    // When to look again.
    [[nodiscard]] base::time_ns next () const noexcept
    {
        return std::min ({ping_at_, answer_until_, bear_until_});
    }
    // True when the peer has been silent for too long.
    [[nodiscard]] bool silent (base::time_ns now) noexcept
    {
        if (heard_)
            forgive (now);
        return std::min (answer_until_, bear_until_) <= now;
    }
    // Starts every count of silence anew: bytes came, or nobody could read them.
    void forgive (base::time_ns now) noexcept
    {
        heard_ = false;
        answer_until_ = base::never_ns;
        bear_until_ = ttl_ns_ > 0 ? now + ttl_ns_ : base::never_ns;
    }
    // True when a PING is to be sent now; counts it as sent.
    [[nodiscard]] bool ping_due (base::time_ns now) noexcept { return ping_due_within (now, 0); }
    // The same where something is written to the peer now anyway: of those that are due
    // soon, too.
    [[nodiscard]] bool ping_due_soon (base::time_ns now) noexcept
    {
        return ping_due_within (now, soon_in_times * apart_ns ());
    }

  private:
    static constexpr base::time_ns times_each_interval = 64;
    static constexpr base::time_ns soon_in_times = 2;
    static constexpr base::time_ns common_at_least_ns = base::ns_per_ms;  // apart; closer it is not worth it

    // Between two common times; 0: there are none.
    [[nodiscard]] base::time_ns apart_ns () const noexcept
    {
        const base::time_ns apart = interval_ns_ / times_each_interval;
        return apart < common_at_least_ns ? 0 : apart;
    }
    [[nodiscard]] base::time_ns next_ping (base::time_ns now) const noexcept
    {
        const base::time_ns apart = apart_ns ();
        const base::time_ns latest = now + interval_ns_ - (first_ ? apart : 0);
        return apart == 0 ? latest : latest - latest % apart;
    }
    [[nodiscard]] bool ping_due_within (base::time_ns now, base::time_ns early_ns) noexcept
    {
        if (ping_at_ == base::never_ns || ping_at_ - early_ns > now)
            return false;
        ping_at_ = next_ping (now);
        answer_until_ = std::min (answer_until_, now + timeout_ns_);
        return true;
    }

    base::time_ns interval_ns_ = 0;
    base::time_ns timeout_ns_ = 0;
    base::time_ns ttl_ns_ = 0;
    base::time_ns ping_at_ = base::never_ns;
    base::time_ns answer_until_ = base::never_ns;
    base::time_ns bear_until_ = base::never_ns;
    bool heard_ = false;
    bool first_ = false;
};

}  // namespace zlink::engine
