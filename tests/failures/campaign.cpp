// The conversation over each transport with each request to the system
// refused in turn: every call says so or does without, nothing ends the
// process, and what comes behind finds all in order. Nothing is kept: no
// descriptor, no memory.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <dirent.h>
#include <exception>
#include <string>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "failures/script.hpp"
#include "support/waiting.hpp"
#include "zlink/zlink.h"

namespace zlink::test {
namespace {

constexpr unsigned alarm_s = 100;  // longer than the script's own patience

// Every so many requests one is refused.
#if defined(__SANITIZE_ADDRESS__)
constexpr std::uint64_t stride = 3;
#else
constexpr std::uint64_t stride = 1;
#endif

struct campaign
{
    const char *name;
    void (*play) (const char *endpoint, const char *remote);
    const char *endpoint;
    const char *remote;
    std::uint64_t every = 1;  // so many requests one is refused, as a play takes long
    friend void PrintTo (const campaign &of, std::ostream *to) { *to << of.name; }
};

constexpr campaign campaigns[] = {
  {"zmq_inproc", play_zmq, "inproc://meeting", nullptr},
  {"zmq_ipc", play_zmq, "ipc://*", nullptr},
  {"zmq_tcp", play_zmq, "tcp://127.0.0.1:*", nullptr},
  {"zlink_inproc", play_zlink, "inproc://meeting", nullptr},
  {"zlink_ipc", play_zlink, "ipc://*", nullptr},
  {"zlink_tcp_by_name", play_zlink, "tcp://127.0.0.1:*", "tcp://localhost"},
  {"topics_inproc", play_topics, "inproc://meeting", nullptr},
  {"topics_ipc", play_topics, "ipc://*", nullptr},
  {"topics_tcp", play_topics, "tcp://127.0.0.1:*", nullptr},
  {"met_inproc", play_met, "inproc://meeting", nullptr},
  {"met_tcp", play_met, "tcp://127.0.0.1:*", nullptr},
  {"asked_inproc", play_asked, "inproc://meeting", nullptr},
  {"asked_ipc", play_asked, "ipc://*", nullptr},
  {"asked_tcp", play_asked, "tcp://127.0.0.1:*", nullptr},
  {"names_inproc", play_names, "inproc://meeting", nullptr},
  {"names_ipc", play_names, "ipc://*", nullptr},
  {"names_tcp", play_names, "tcp://127.0.0.1:*", nullptr},
  {"requests_inproc", play_requests, "inproc://meeting", nullptr},
  {"requests_ipc", play_requests, "ipc://*", nullptr},
  {"requests_tcp", play_requests, "tcp://127.0.0.1:*", nullptr},
  {"packets_ipc", play_packets, "ipc://*", nullptr},
  {"packets_tcp", play_packets, "tcp://127.0.0.1:*", nullptr},
  {"datagrams_udp", play_datagrams, "udp://127.0.0.1:*", nullptr},
  {"services_tcp", play_services, "tcp://127.0.0.1:*", nullptr},
  {"statistics_tcp", play_statistics, "tcp://127.0.0.1:*", nullptr},
  {"spots_tcp", play_spots, "tcp://127.0.0.1:*", nullptr},
  {"parted_tcp", play_parted, "tcp://127.0.0.1:*", nullptr, 7},
};

// A gateway may miss who comes, and a part of what comes, while there is no memory: of
// these the kernel's requests alone are refused.
constexpr campaign kernel_campaigns[] = {
  {"gateways_tcp", play_gateways, "tcp://127.0.0.1:*", nullptr},
};

// What the process is about, for whoever ends it.
const char *current_name = "";
fault_plan current_plan;
const char *volatile current_step = "";

void tell (const char *what) noexcept
{
    std::array<char, 300> line{};
    const int size = std::snprintf (
      line.data (), line.size (), "%s: %s, %s %llu and %llu in all, first a refused %s, at %s\n", what,
      current_name, current_plan.of == resource::memory ? "memory" : "kernel",
      static_cast<unsigned long long> (current_plan.first),
      static_cast<unsigned long long> (current_plan.width), first_fault (), current_step);
    if (::write (2, line.data (), static_cast<std::size_t> (size)) < 0)
        std::_Exit (1);
}

void die (int number)
{
    tell (number == SIGALRM ? "it hangs" : "a signal");
    std::_Exit (1);
}

long open_descriptors ()
{
    DIR *const all = ::opendir ("/proc/self/fd");
    long count = 0;
    while (::readdir (all) != nullptr)
        ++count;
    ::closedir (all);
    return count;
}

class failures : public testing::TestWithParam<campaign>
{
  protected:
    failures ()
    {
        for (const int number : {SIGABRT, SIGSEGV, SIGBUS, SIGALRM})
            std::signal (number, die);
        std::set_terminate ([] {
            tell ("std::terminate");
            std::_Exit (1);
        });
        count_library_calls_only ();
        current_name = GetParam ().name;
        (void)zlink_set_log (zlink_log_discard, nullptr);
    }
    ~failures () override { ::alarm (0); }

    // Answers how many requests there were.
    static std::uint64_t play (const fault_plan &plan)
    {
        current_plan = plan;
        ::alarm (alarm_s);
        start_faults (plan);
        GetParam ().play (GetParam ().endpoint, GetParam ().remote);
        return stop_faults ();
    }
    // The plan, and the same without any failure. Answers what failed first.
    static const char *play_both (const fault_plan &plan)
    {
        play (plan);
        const char *const refused = first_fault ();
        play ({plan.of, 0, 0});
        return refused;
    }

    // Slots keep the room that they once had, so that a time may use more than the
    // one before. What grows again and again is lost.
    static void check (const fault_plan &plan)
    {
        constexpr int looks = 100;  // a busy machine finds new ways to need more room
        const char *refused = "";
        for (int i = 0; i < looks; ++i) {
            const std::int64_t blocks = live_blocks ();
            const long descriptors = open_descriptors ();
            refused = play_both (plan);

            if (eventually_gone (
                  [&] { return live_blocks () <= blocks && open_descriptors () <= descriptors; }))
                return;
        }
        ADD_FAILURE () << "memory or descriptors are lost: " << current_name << ", "
                       << (plan.of == resource::memory ? "memory " : "kernel ") << plan.first << " width "
                       << plan.width << ", first a refused " << refused;
    }
    // What another thread lets go of may take a moment.
    template <class Condition> static bool eventually_gone (Condition holds)
    {
        for (int look = 0; look < 200 && !holds (); ++look)
            here ().give_way ();
        return holds ();
    }

    // Bodies that another thread closes are used again once there are many of them (decision
    // 0052), up to then each play may leave one more.
    static void fill_pools ()
    {
        std::vector<zmq_msg_t> bodies (256);
        for (const std::size_t bytes : {20'000U, 40'000U}) {
            for (zmq_msg_t &each : bodies)
                ASSERT_EQ (zmq_msg_init_size (&each, bytes), 0);
            const test::worker closing ([&] {
                for (zmq_msg_t &each : bodies)
                    (void)zmq_msg_close (&each);
            });
        }
    }

    static void run (resource of)
    {
        ASSERT_NO_FATAL_FAILURE (fill_pools ());
        // Handles of utilities come back late.
        for (int i = 0; i < 2000; ++i)
            (void)zmq_stopwatch_stop (zmq_stopwatch_start ());
        for (int i = 0; i < 10; ++i)
            play ({of, 0, 0});
        const std::uint64_t requests = play ({of, 0, 0});
        ASSERT_GT (requests, 3u);
        const std::uint64_t step = stride * GetParam ().every;
        for (std::uint64_t first = 1; first <= requests && !HasFailure (); first += step) {
            check ({of, first, 1});
            if (first % 4 == 0)
                check ({of, first, 25});
        }
        std::printf ("%llu requests, one in %llu refused\n", static_cast<unsigned long long> (requests),
                     static_cast<unsigned long long> (step));
    }
};

TEST_P (failures, of_memory) { run (resource::memory); }
TEST_P (failures, of_the_kernel) { run (resource::kernel); }

class kernel_failures : public failures
{
};
TEST_P (kernel_failures, of_the_kernel) { run (resource::kernel); }

std::string name_of (const testing::TestParamInfo<campaign> &of) { return of.param.name; }

INSTANTIATE_TEST_SUITE_P (by, failures, testing::ValuesIn (campaigns), name_of);
INSTANTIATE_TEST_SUITE_P (by, kernel_failures, testing::ValuesIn (kernel_campaigns), name_of);

}  // namespace

void script_is_at (const char *step) noexcept { current_step = step; }

void script_failed (const char *step, const char *problem, int error) noexcept
{
    std::fprintf (stderr, "%s %s %d (%s)\n", step, problem, error, std::strerror (error));
    tell ("the script fails");
    std::_Exit (1);
}

bool says_out_of_something (int error) noexcept
{
    constexpr int known[] = {ENOMEM, EMFILE, ENFILE, ENOBUFS, ENOSPC, ENOLCK, EAGAIN, EINTR};
    return std::find (std::begin (known), std::end (known), error) != std::end (known);
}

std::size_t next_part (std::size_t played, std::size_t) noexcept { return played; }

}  // namespace zlink::test
