#include "platform/futex_waiter.hpp"

#include <csignal>
#include <gtest/gtest.h>
#include <pthread.h>
#include <thread>

#include "platform/system_clock.hpp"
#include "platform/test_tools.hpp"

namespace zlink::platform {
namespace {

using base::wait_outcome;

TEST (futex_waiter, does_not_sleep_when_the_word_has_changed)
{
    futex_waiter sleep;
    std::atomic<std::uint32_t> word{1};
    EXPECT_EQ (sleep.wait (word, 0, base::never_ns), wait_outcome::woken);
}

TEST (futex_waiter, a_deadline_ends_the_sleep)
{
    futex_waiter sleep;
    system_clock time;
    std::atomic<std::uint32_t> word{0};
    EXPECT_EQ (sleep.wait (word, 0, 0), wait_outcome::timed_out);
    EXPECT_EQ (sleep.wait (word, 0, -1), wait_outcome::timed_out);
    const base::time_ns deadline = time.now_ns () + base::ns_per_ms;
    EXPECT_EQ (sleep.wait (word, 0, deadline), wait_outcome::timed_out);
    EXPECT_GE (time.now_ns (), deadline);
}

TEST (futex_waiter, wakes_a_sleeper)
{
    futex_waiter sleep;
    std::atomic<std::uint32_t> word{0};
    std::atomic<bool> done{false};
    std::thread sleeper ([&] {
        while (word.load () == 0)
            static_cast<void> (sleep.wait (word, 0, base::never_ns));
        done = true;
    });
    word = 1;
    EXPECT_TRUE (test_tools::eventually ([&] {
        sleep.wake (word, 1);
        return done.load ();
    }));
    sleeper.join ();
}

void ignore_signal (int) {}

TEST (futex_waiter, a_signal_handler_interrupts_even_with_restart)
{
    struct sigaction with_restart = {};
    with_restart.sa_handler = ignore_signal;
    with_restart.sa_flags = SA_RESTART;
    struct sigaction before = {};
    ASSERT_EQ (::sigaction (SIGUSR1, &with_restart, &before), 0);

    futex_waiter sleep;
    std::atomic<std::uint32_t> word{0};
    std::atomic<bool> interrupted{false};
    std::thread sleeper ([&] {
        while (sleep.wait (word, 0, base::never_ns) != wait_outcome::interrupted)
            continue;
        interrupted = true;
    });
    EXPECT_TRUE (test_tools::eventually ([&] {
        if (!interrupted)
            ::pthread_kill (sleeper.native_handle (), SIGUSR1);
        return interrupted.load ();
    }));
    sleeper.join ();
    ::sigaction (SIGUSR1, &before, nullptr);
}

TEST (futex_waiter, knows_its_cores_and_returns_from_pauses)
{
    futex_waiter sleep;
    EXPECT_GE (sleep.cores (), 1U);
    sleep.pause ();
    sleep.yield ();
}

}  // namespace
}  // namespace zlink::platform
