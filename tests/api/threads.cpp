// What the context's options about threads do to the threads that it starts, as
// the system sees them.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sched.h>

#include "support/sockets.hpp"

namespace zlink::test {
namespace {

std::string line_of (const std::filesystem::path &file)
{
    std::ifstream from (file);
    std::string line;
    std::getline (from, line);
    return line;
}

// The thread of this process whose name begins so; 0: there is none.
pid_t thread_named (const std::string &beginning)
{
    for (const auto &each : std::filesystem::directory_iterator ("/proc/self/task"))
        if (line_of (each.path () / "comm").starts_with (beginning))
            return static_cast<pid_t> (std::atoi (each.path ().filename ().c_str ()));
    return 0;
}

// A context with options, whose threads run once a socket of it is bound.
class thread_options : public testing::Test
{
  protected:
    void set (int option, int value) { EXPECT_EQ (zmq_ctx_set (own_, option, value), 0) << option; }
    pid_t start ()
    {
        EXPECT_EQ (zmq_ctx_set_ext (own_, ZMQ_THREAD_NAME_PREFIX, "our own", 7),
                   0);  // four bytes would be a number
        pull_.emplace (own_, ZMQ_PULL);
        pull_->bind ("tcp://127.0.0.1:*");
        pid_t found = 0;
        EXPECT_TRUE (eventually ([&] { return (found = thread_named ("our own")) != 0; }));
        return found;
    }
    static cpu_set_t cpus_of (pid_t thread)
    {
        cpu_set_t all;
        CPU_ZERO (&all);
        EXPECT_EQ (::sched_getaffinity (thread, sizeof all, &all), 0);
        return all;
    }

  private:
    context own_;
    std::optional<socket> pull_;
};

TEST_F (thread_options, name_them)
{
    ASSERT_EQ (thread_named ("our own"), 0);
    const pid_t thread = start ();
    EXPECT_NE (thread, 0);
    EXPECT_NE (thread, ::getpid ());
}

TEST_F (thread_options, bind_them_to_processors)
{
    const cpu_set_t allowed = cpus_of (0);
    std::vector<int> ours;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
        if (CPU_ISSET (cpu, &allowed))
            ours.push_back (cpu);
    for (const int cpu : ours)
        set (ZMQ_THREAD_AFFINITY_CPU_ADD, cpu);
    for (std::size_t i = 0; i + 1 < ours.size (); ++i)
        set (ZMQ_THREAD_AFFINITY_CPU_REMOVE, ours[i]);
    const pid_t thread = start ();
    ASSERT_TRUE (eventually ([&] {
        const cpu_set_t now = cpus_of (thread);
        return CPU_COUNT (&now) == 1 && CPU_ISSET (ours.back (), &now);
    }));
    const cpu_set_t callers = cpus_of (0);
    EXPECT_TRUE (CPU_EQUAL (&callers, &allowed));
}

// A policy that takes no privilege.
TEST_F (thread_options, give_them_a_policy)
{
    set (ZMQ_THREAD_SCHED_POLICY, SCHED_BATCH);
    const pid_t thread = start ();
    EXPECT_TRUE (eventually ([&] { return ::sched_getscheduler (thread) == SCHED_BATCH; }));
    EXPECT_EQ (::sched_getscheduler (0), SCHED_OTHER);
}

TEST_F (thread_options, give_them_a_priority_where_the_system_lets_them)
{
    const int priority = ::sched_get_priority_min (SCHED_RR) + 1;
    sched_param wish{};
    wish.sched_priority = priority;
    const bool allowed = ::sched_setscheduler (0, SCHED_RR, &wish) == 0;
    wish.sched_priority = 0;
    ASSERT_EQ (::sched_setscheduler (0, SCHED_OTHER, &wish), 0);
    set (ZMQ_THREAD_SCHED_POLICY, SCHED_RR);
    set (ZMQ_THREAD_PRIORITY, priority);
    const pid_t thread = start ();
    ASSERT_NE (thread, 0);  // it runs in any case
    if (!allowed)
        GTEST_SKIP () << "the system grants no priority";
    EXPECT_TRUE (eventually ([&] {
        sched_param now{};
        return ::sched_getparam (thread, &now) == 0 && now.sched_priority == priority;
    }));
}

}  // namespace
}  // namespace zlink::test
