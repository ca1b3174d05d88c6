#include "platform/process_barrier.hpp"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

namespace zlink::platform {
namespace {

TEST (process_barrier, is_there_the_second_time_as_the_first)
{
    const bool has = process_barrier ();
    EXPECT_EQ (process_barrier (), has);
}

// Of two threads that write and then look at what the other writes, one of which passes the
// barrier for both, one sees the other, every time.
TEST (process_barrier, keeps_writes_and_looks_of_others_in_order)
{
    if (!process_barrier ())
        GTEST_SKIP () << "this system has none";
    constexpr int rounds = 10'000;
    std::atomic<int> here{0}, there{0}, round{0}, done{0};
    std::atomic<int> seen_there{0};
    std::thread other ([&] {
        for (int i = 1; i <= rounds; ++i) {
            while (round.load () < i)
                continue;
            there.store (i, std::memory_order_relaxed);
            std::atomic_signal_fence (std::memory_order_seq_cst);
            seen_there.store (here.load (std::memory_order_relaxed));
            done.store (i);
        }
    });
    for (int i = 1; i <= rounds; ++i) {
        round.store (i);
        here.store (i, std::memory_order_relaxed);
        EXPECT_TRUE (process_barrier ());
        const int seen_here = there.load (std::memory_order_relaxed);
        while (done.load () < i)
            continue;
        ASSERT_TRUE (seen_here == i || seen_there.load () == i) << "neither saw the other, round " << i;
    }
    other.join ();
}

}  // namespace
}  // namespace zlink::platform
