#include "api/utilities.hpp"

#include <array>
#include <atomic>
#include <cerrno>

#include <gtest/gtest.h>

namespace zlink::api {
namespace {

TEST (counters, count)
{
    void *counter = counter_new ();
    ASSERT_NE (counter, nullptr);
    EXPECT_EQ (counter_increment (counter), 0);
    EXPECT_EQ (counter_increment (counter), 1);
    EXPECT_EQ (counter_value (counter), 2);
    EXPECT_EQ (counter_decrement (counter), 1);
    EXPECT_EQ (counter_decrement (counter), 0);
    EXPECT_EQ (counter_value (counter), 0);
    counter_set (counter, 5);
    EXPECT_EQ (counter_value (counter), 5);
    void *stale = counter;
    counter_destroy (&counter);
    EXPECT_EQ (counter, nullptr);
    EXPECT_EQ (counter_increment (stale), 0);
    EXPECT_EQ (counter_value (stale), 0);
}

TEST (counters, what_is_none_counts_as_zero)
{
    alignas (16) std::array<std::byte, 128> foreign{};
    for (void *bad : {static_cast<void *> (nullptr), static_cast<void *> (foreign.data ())}) {
        counter_set (bad, 3);
        EXPECT_EQ (counter_increment (bad), 0);
        EXPECT_EQ (counter_decrement (bad), 0);
        EXPECT_EQ (counter_value (bad), 0);
        counter_destroy (&bad);
    }
    counter_destroy (nullptr);
}

TEST (stopwatches, never_run_backwards)
{
    void *watch = stopwatch_start ();
    ASSERT_NE (watch, nullptr);
    const unsigned long first = stopwatch_read (watch);
    const unsigned long second = stopwatch_stop (watch);
    EXPECT_GE (second, first);
    EXPECT_EQ (stopwatch_read (watch), 0U);
    EXPECT_EQ (stopwatch_stop (watch), 0U);
    EXPECT_EQ (stopwatch_stop (nullptr), 0U);
}

TEST (timer_handles, bad_ones_are_efault)
{
    void *stale = timers_new ();
    void *copy = stale;
    ASSERT_EQ (timers_destroy (&copy), 0);
    EXPECT_EQ (copy, nullptr);
    void *counter = counter_new ();
    for (void *bad : {static_cast<void *> (nullptr), stale, counter}) {
        for (const long outcome : {long{timers_add (
                                     bad, 1, [] (int, void *) {}, nullptr)},
                                   long{timers_cancel (bad, 1)}, long{timers_set_interval (bad, 1, 1)},
                                   long{timers_reset (bad, 1)}, timers_timeout (bad),
                                   long{timers_execute (bad)}, long{timers_destroy (&bad)}}) {
            EXPECT_EQ (outcome, -1);
            EXPECT_EQ (errno, EFAULT);
        }
    }
    EXPECT_EQ (timers_destroy (nullptr), -1);
    counter_destroy (&counter);
}

TEST (timer_handles, work)
{
    void *set = timers_new ();
    int calls = 0;
    EXPECT_EQ (timers_timeout (set), -1);
    EXPECT_EQ (timers_add (set, 0, nullptr, nullptr), -1);
    EXPECT_EQ (errno, EFAULT);
    const int id = timers_add (
      set, 0, [] (int, void *count) { ++*static_cast<int *> (count); }, &calls);
    ASSERT_GT (id, 0);
    EXPECT_EQ (timers_timeout (set), 0);
    EXPECT_EQ (timers_execute (set), 0);
    EXPECT_EQ (calls, 1);
    EXPECT_EQ (timers_set_interval (set, id, 1'000'000), 0);
    EXPECT_EQ (timers_reset (set, id), 0);
    EXPECT_GT (timers_timeout (set), 0);
    EXPECT_EQ (timers_cancel (set, id), 0);
    EXPECT_EQ (timers_cancel (set, id), -1);
    EXPECT_EQ (errno, EINVAL);
    EXPECT_EQ (timers_destroy (&set), 0);
}

TEST (threads, run_and_are_joined)
{
    std::atomic<int> seen{0};
    void *thread = thread_start ([] (void *to) { static_cast<std::atomic<int> *> (to)->store (1); }, &seen);
    ASSERT_NE (thread, nullptr);
    thread_close (thread);
    EXPECT_EQ (seen.load (), 1);
    thread_close (thread);
    thread_close (nullptr);
    EXPECT_EQ (thread_start (nullptr, nullptr), nullptr);
    EXPECT_EQ (errno, EFAULT);
    sleep_seconds (0);
    sleep_seconds (-1);
}

TEST (transports, are_known_by_scheme)
{
    EXPECT_TRUE (has_transport ("tcp"));
    EXPECT_TRUE (has_transport ("ipc"));
    EXPECT_FALSE (has_transport (""));
    EXPECT_FALSE (has_transport ("carrier-pigeon"));
}

TEST (proxies, check_their_sockets)
{
    void *counter = counter_new ();
    EXPECT_EQ (proxy_sockets (nullptr, nullptr, nullptr, nullptr), -1);
    EXPECT_EQ (errno, EFAULT);
    EXPECT_EQ (proxy_sockets (counter, counter, nullptr, nullptr), -1);
    EXPECT_EQ (errno, ENOTSOCK);
    counter_destroy (&counter);
}

}  // namespace
}  // namespace zlink::api
