#include "platform/system_clock.hpp"

#include <gtest/gtest.h>

#include "platform/test_tools.hpp"

namespace zlink::platform {
namespace {

TEST (system_clock, never_runs_backwards_and_moves_on)
{
    system_clock time;
    const base::time_ns first = time.now_ns ();
    const std::uint64_t first_ticks = time.ticks ();
    for (int i = 0; i < 1000; ++i) {
        const base::time_ns before = time.now_ns ();
        EXPECT_LE (before, time.now_ns ());
        const std::uint64_t ticks = time.ticks ();
        EXPECT_LE (ticks, time.ticks ());
    }
    EXPECT_TRUE (
      test_tools::eventually ([&] { return time.now_ns () > first && time.ticks () > first_ticks; }));
}

TEST (system_clock, clocks_of_one_process_agree_on_the_rate)
{
    const system_clock one;
    const system_clock other;
    EXPECT_GT (one.ticks_per_us (), 0U);
    EXPECT_EQ (one.ticks_per_us (), other.ticks_per_us ());
}

TEST (system_clock, ticks_follow_the_clock)
{
    // Ten milliseconds by the clock are at least five by the counter: a
    // preempted reading can only add ticks.
    system_clock time;
    const std::uint64_t first = time.ticks ();
    const base::time_ns until = time.now_ns () + 10 * base::ns_per_ms;
    ASSERT_TRUE (test_tools::eventually ([&] { return time.now_ns () >= until; }));
    EXPECT_GE ((time.ticks () - first) / time.ticks_per_us (), 5000U);
}

}  // namespace
}  // namespace zlink::platform
