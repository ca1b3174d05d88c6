// Looking at a word that somebody else moves, before sleeping until it does.
//
// Thread rule: any thread. Times in nanoseconds.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "base/clock.hpp"
#include "base/waiter.hpp"

namespace zlink::base {

// Until it is another than that; false: it stayed for so long, and `took` is how long the look
// was. Gives the core away now and then, but seldom: what comes meanwhile is seen behind that.
[[nodiscard]] inline bool look_at_word (clock &time,
                                        waiter &sleep,
                                        const atomic<std::uint32_t> &word,
                                        std::uint32_t than,
                                        time_ns patience,
                                        time_ns &took) noexcept
{
    constexpr int looks_per_yield = 64;
    const time_ns from = time.now_ns ();
    for (took = 0; took < patience; took = time.now_ns () - from) {  // a yield may have taken a time slice
        for (int i = 0; i < looks_per_yield; ++i) {
            if (word.load (std::memory_order_acquire) != than)
                return true;
            sleep.pause ();
        }
        sleep.yield ();
    }
    return false;
}

}  // namespace zlink::base
