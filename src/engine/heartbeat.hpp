// Whether a peer still lives, seen from one connection: when the next PING is
// due, and when silence has lasted too long. Any byte that was read counts as
// life (RFC 37). Time only; the socket reads and writes.
// PINGs go up to a 64th of their interval early, at times that all connections
// with this interval have in common: who has a thousand of them wakes a few times
// for all, and so do their peers, instead of a thousand times.
// Thread rule: under the socket lock. Blocking: never.
#pragma once

#include <algorithm>

#include "base/clock.hpp"

namespace zlink::engine {

class heartbeat
{
  public:
    // Ours, from a session that can: interval 0 = we send no PINGs.
    void start (base::time_ns now, base::time_ns interval_ns, base::time_ns timeout_ns) noexcept
    {
        *this = {};
        interval_ns_ = interval_ns;
        timeout_ns_ = timeout_ns;
        if (interval_ns > 0)
            ping_at_ = next_ping (now);
    }
    // Bytes came.
    void heard () noexcept { heard_ = true; }
    // The peer's PING asks us to give up when it is silent for so long; 0 = it
    // does not.
    void bear (base::time_ns now, base::time_ns ttl_ns) noexcept
    {
        ttl_ns_ = ttl_ns;
        bear_until_ = ttl_ns > 0 ? now + ttl_ns : base::never_ns;
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
    [[nodiscard]] bool ping_due (base::time_ns now) noexcept
    {
        if (ping_at_ > now)
            return false;
        ping_at_ = next_ping (now);
        answer_until_ = std::min (answer_until_, now + timeout_ns_);
        return true;
    }

  private:
    static constexpr base::time_ns times_each_interval = 64;
    static constexpr base::time_ns common_at_least_ns = base::ns_per_ms;  // apart; closer it is not worth it

    [[nodiscard]] base::time_ns next_ping (base::time_ns now) const noexcept
    {
        const base::time_ns latest = now + interval_ns_;
        const base::time_ns apart = interval_ns_ / times_each_interval;
        return apart < common_at_least_ns ? latest : latest - latest % apart;
    }

    base::time_ns interval_ns_ = 0;
    base::time_ns timeout_ns_ = 0;
    base::time_ns ttl_ns_ = 0;
    base::time_ns ping_at_ = base::never_ns;
    base::time_ns answer_until_ = base::never_ns;
    base::time_ns bear_until_ = base::never_ns;
    bool heard_ = false;
};

}  // namespace zlink::engine
