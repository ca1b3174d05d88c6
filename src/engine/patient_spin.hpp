// How long to look before sleeping, if at all.
//
// Two who answer each other can be caught asleep: each has to wake the other,
// that takes longer than either looks, and so looking never helps again. Who
// looks again after a failure therefore looks for longer than a wake takes, a
// few waits in a row; when both do so at once, both are back. What is seen so
// late is no success, though: it may be the peer's work that takes that long,
// and looking on would cost a core. Decision 0050.
//
// Thread rule: under the socket lock. Times in nanoseconds.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/adaptive_spin.hpp"
#include "base/clock.hpp"
#include "engine/limits.hpp"

namespace zlink::engine {

class patient_spin : public base::adaptive_spin
{
  public:
    // How long a look for bodies of so many octets (0: small ones) is to last; 0: there
    // is none. Of a stream of large ones, which nobody answers, it is never long. Asked
    // once per wait.
    [[nodiscard]] base::time_ns begin (std::size_t large_bytes, bool answers) noexcept
    {
        if (!should_spin ())
            return 0;
        const std::size_t comes_late_by = answers ? large_bytes / spin_bytes_per_ns : 0;
        pays_ = std::min (spin_ns + static_cast<base::time_ns> (comes_late_by), spin_long_ns);
        const bool streams = large_bytes > 0 && !answers;
        return streams || failures () < spin_failures_min ? pays_ : spin_long_ns;
    }

    // What came of it: the news was there after so long, or was not.
    void seen_after (base::time_ns took) noexcept
    {
        if (took <= pays_) {
            late_ = 0;
            succeeded ();
        } else if (++late_ == spin_late_max) {
            failed_after (spin_long_ns + took);
        }
    }
    void failed_after (base::time_ns took) noexcept
    {
        late_ = 0;
        failed (took < spin_long_ns ? 0 : static_cast<unsigned> (took));
    }

    void reset () noexcept { *this = {}; }

  private:
    base::time_ns pays_ = spin_ns;
    unsigned late_ = 0;  // in a row
};

}  // namespace zlink::engine
