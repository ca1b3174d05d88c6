#include "platform/system_threads.hpp"

#include <array>
#include <atomic>
#include <csignal>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <string>
#include <sys/prctl.h>

#include "platform/test_tools.hpp"

namespace zlink::platform {
namespace {

struct facts
{
    std::string name;
    int slack_ns = 0;
    bool signals_blocked = false;
    int cpus = 0;
};

facts look_from_inside ()
{
    facts seen;
    std::array<char, 16> name{};
    ::pthread_getname_np (::pthread_self (), name.data (), name.size ());
    seen.name = name.data ();
    seen.slack_ns = ::prctl (PR_GET_TIMERSLACK, 0, 0, 0, 0);
    sigset_t blocked;
    ::pthread_sigmask (SIG_SETMASK, nullptr, &blocked);
    seen.signals_blocked = ::sigismember (&blocked, SIGINT) == 1 && ::sigismember (&blocked, SIGUSR1) == 1;
    cpu_set_t mask;
    if (::sched_getaffinity (0, sizeof mask, &mask) == 0)
        seen.cpus = CPU_COUNT (&mask);
    return seen;
}

TEST (system_threads, destroying_the_handle_joins)
{
    system_threads threads;
    std::atomic<bool> done{false};
    {
        const auto started = threads.start ({}, [&] {
            for (int i = 0; i < 100; ++i)
                ::sched_yield ();
            done = true;
        });
        ASSERT_TRUE (started);
    }
    EXPECT_TRUE (done);
}

TEST (system_threads, have_a_name_fine_timers_and_no_signals)
{
    base::thread_options options;
    options.name = "a-name-longer-than-the-system-takes";
    facts seen;
    {
        system_threads threads;
        const auto started = threads.start (options, [&] { seen = look_from_inside (); });
        ASSERT_TRUE (started);
    }
    EXPECT_EQ (seen.name, "a-name-longer-t");
    EXPECT_EQ (seen.slack_ns, 1000);
    EXPECT_TRUE (seen.signals_blocked);

    sigset_t ours;
    ::pthread_sigmask (SIG_SETMASK, nullptr, &ours);
    EXPECT_EQ (::sigismember (&ours, SIGINT), 0);  // the starter's mask is as before
}

TEST (system_threads, keep_to_their_processors)
{
    base::thread_options options;
    options.cpus = {::sched_getcpu (), -1, 1 << 30};
    facts seen;
    {
        system_threads threads;
        const auto started = threads.start (options, [&] { seen = look_from_inside (); });
        ASSERT_TRUE (started);
    }
    EXPECT_EQ (seen.cpus, 1);
}

TEST (system_threads, run_whatever_schedule_was_asked_for)
{
    for (const int policy : {-1, SCHED_OTHER, SCHED_FIFO, 9999}) {
        base::thread_options options;
        options.policy = policy;
        options.priority = 5;
        std::atomic<bool> ran{false};
        {
            system_threads threads;
            const auto started = threads.start (options, [&] { ran = true; });
            ASSERT_TRUE (started);
        }
        EXPECT_TRUE (ran) << policy;
    }
}

TEST (system_threads, may_drop_their_own_handle)
{
    system_threads threads;
    std::unique_ptr<base::joinable> handle;
    std::atomic<bool> stored{false};
    std::atomic<bool> done{false};
    auto started = threads.start ({}, [&] {
        EXPECT_TRUE (test_tools::eventually ([&] { return stored.load (); }));
        handle.reset ();
        done = true;
    });
    ASSERT_TRUE (started);
    handle = std::move (started.value ());
    stored = true;
    EXPECT_TRUE (test_tools::eventually ([&] { return done.load (); }));
}

}  // namespace
}  // namespace zlink::platform
