#include "platform/epoll_poller.hpp"

#include <array>
#include <csignal>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "platform/system_clock.hpp"
#include "platform/test_tools.hpp"

namespace zlink::platform {
namespace {

using base::errc;
using base::poll_event;

struct socket_pair
{
    descriptor near;
    descriptor far;

    socket_pair ()
    {
        int both[2] = {-1, -1};
        if (::socketpair (AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, both) == 0) {
            near = descriptor (both[0]);
            far = descriptor (both[1]);
        }
    }

    void send (char c = 'x') const { EXPECT_EQ (::write (far.get (), &c, 1), 1); }
    void drain () const
    {
        char c;
        while (::read (near.get (), &c, 1) == 1)
            continue;
    }
};

// Every case runs with and without the kernel's nanosecond time-outs.
class epoll_poller_test : public ::testing::TestWithParam<bool>
{
  protected:
    void SetUp () override
    {
        auto made = factory_.make ();
        ASSERT_TRUE (made);
        poller_ = std::move (made.value ());
    }

    std::vector<poll_event> wait (base::time_ns timeout_ns)
    {
        std::array<poll_event, 8> events{};
        const auto got = poller_->wait (events, timeout_ns);
        EXPECT_TRUE (got);
        return {events.begin (), events.begin () + (got ? got.value () : 0)};
    }

    epoll_poller_factory factory_{GetParam ()};
    std::unique_ptr<base::poller> poller_;
    socket_pair pair_;
};

INSTANTIATE_TEST_SUITE_P (time_outs, epoll_poller_test, ::testing::Bool ());

TEST_P (epoll_poller_test, a_keen_wait_leaves_the_threads_slack_as_it_was)
{
    ASSERT_EQ (::prctl (PR_SET_TIMERSLACK, 40'000, 0, 0, 0), 0);
    std::array<poll_event, 8> events{};
    const auto none = poller_->wait_keenly (events, base::ns_per_ms);
    ASSERT_TRUE (none);
    EXPECT_EQ (none.value (), 0u);
    EXPECT_EQ (::prctl (PR_GET_TIMERSLACK, 0, 0, 0, 0), 40'000);
    ::prctl (PR_SET_TIMERSLACK, 0, 0, 0, 0);

    ASSERT_TRUE (poller_->add (pair_.near.get (), base::interest_read, 7));
    pair_.send ();
    const auto one = poller_->wait_keenly (events, base::ns_per_s);
    ASSERT_TRUE (one);
    ASSERT_EQ (one.value (), 1u);
    EXPECT_EQ (events[0].tag, 7u);
}

TEST_P (epoll_poller_test, an_empty_set_times_out)
{
    system_clock time;
    EXPECT_TRUE (wait (0).empty ());
    const base::time_ns before = time.now_ns ();
    EXPECT_TRUE (wait (200 * base::ns_per_us).empty ());
    EXPECT_GE (time.now_ns () - before, 200 * base::ns_per_us);
}

TEST_P (epoll_poller_test, reports_the_tag_and_what_is_ready)
{
    ASSERT_TRUE (poller_->add (pair_.near.get (), base::interest_read, 42));
    EXPECT_TRUE (wait (0).empty ());
    pair_.send ();
    const auto events = wait (test_tools::watchdog_ns);
    ASSERT_EQ (events.size (), 1U);
    EXPECT_EQ (events[0].tag, 42U);
    EXPECT_EQ (events[0].ready, base::ready_read);
    EXPECT_EQ (wait (-1).size (), 1U);  // level: it is reported again
}

TEST_P (epoll_poller_test, an_edge_is_reported_once)
{
    ASSERT_TRUE (poller_->add (pair_.near.get (), base::interest_read | base::interest_edge, 1));
    pair_.send ();
    EXPECT_EQ (wait (test_tools::watchdog_ns).size (), 1U);
    EXPECT_TRUE (wait (0).empty ());
    pair_.send ();
    EXPECT_EQ (wait (test_tools::watchdog_ns).size (), 1U);
}

TEST_P (epoll_poller_test, an_edge_tells_of_a_half_close)
{
    ASSERT_TRUE (poller_->add (pair_.near.get (), base::interest_read | base::interest_edge, 1));
    pair_.send ();
    ::shutdown (pair_.far.get (), SHUT_WR);
    const auto events = wait (test_tools::watchdog_ns);
    ASSERT_EQ (events.size (), 1U);
    EXPECT_EQ (events[0].ready, base::ready_read | base::ready_hangup);
}

TEST_P (epoll_poller_test, one_shot_stays_silent_until_modified)
{
    const auto interest = base::interest_write | base::interest_one_shot;
    ASSERT_TRUE (poller_->add (pair_.near.get (), interest, 7));
    ASSERT_EQ (wait (test_tools::watchdog_ns).size (), 1U);
    EXPECT_TRUE (wait (0).empty ());
    ASSERT_TRUE (poller_->modify (pair_.near.get (), interest, 8));
    const auto events = wait (test_tools::watchdog_ns);
    ASSERT_EQ (events.size (), 1U);
    EXPECT_EQ (events[0].tag, 8U);
    EXPECT_EQ (events[0].ready, base::ready_write);
}

TEST_P (epoll_poller_test, a_close_is_a_hangup)
{
    ASSERT_TRUE (poller_->add (pair_.near.get (), base::interest_read, 3));
    pair_.far.close ();
    const auto events = wait (test_tools::watchdog_ns);
    ASSERT_EQ (events.size (), 1U);
    EXPECT_NE (events[0].ready & base::ready_hangup, 0U);
}

TEST_P (epoll_poller_test, wakes_are_never_drained_and_never_lost)
{
    for (int i = 0; i < 3; ++i) {
        poller_->wake ();
        const auto events = wait (test_tools::watchdog_ns);
        ASSERT_EQ (events.size (), 1U);
        EXPECT_EQ (events[0].tag, base::wake_tag);
        EXPECT_TRUE (wait (0).empty ());
    }
}

TEST_P (epoll_poller_test, wakes_a_waiting_thread)
{
    std::atomic<bool> woken{false};
    std::thread waiting ([&] {
        std::array<poll_event, 1> events{};
        const auto got = poller_->wait (events, test_tools::watchdog_ns);
        woken = got && got.value () == 1 && events[0].tag == base::wake_tag;
    });
    poller_->wake ();
    waiting.join ();
    EXPECT_TRUE (woken);
}

TEST_P (epoll_poller_test, removal_is_forgiving_and_final)
{
    ASSERT_TRUE (poller_->add (pair_.near.get (), base::interest_read, 1));
    pair_.send ();
    poller_->remove (pair_.near.get ());
    poller_->remove (pair_.near.get ());
    poller_->remove (-1);
    poller_->remove (1'000'000);
    EXPECT_TRUE (wait (0).empty ());
}

TEST_P (epoll_poller_test, wrong_handles_are_values)
{
    EXPECT_FALSE (poller_->add (-1, base::interest_read, 1));
    EXPECT_FALSE (poller_->modify (pair_.near.get (), base::interest_read, 1));
    ASSERT_TRUE (poller_->add (pair_.near.get (), base::interest_read, 1));
    EXPECT_FALSE (poller_->add (pair_.near.get (), base::interest_read, 1));
}

TEST_P (epoll_poller_test, sets_nest)
{
    ASSERT_TRUE (factory_.nests ());
    auto outer = factory_.make ();
    ASSERT_TRUE (outer);
    ASSERT_TRUE (outer.value ()->add (poller_->handle (), base::interest_read, 99));
    ASSERT_TRUE (poller_->add (pair_.near.get (), base::interest_read | base::interest_edge, 1));
    std::array<poll_event, 4> events{};
    EXPECT_EQ (outer.value ()->wait (events, 0).value (), 0U);
    pair_.send ();
    EXPECT_EQ (outer.value ()->wait (events, test_tools::watchdog_ns).value (), 1U);
    EXPECT_EQ (events[0].tag, 99U);
    EXPECT_EQ (wait (0).size (), 1U);
    EXPECT_EQ (outer.value ()->wait (events, 0).value (), 0U);
    poller_->wake ();
    EXPECT_EQ (outer.value ()->wait (events, test_tools::watchdog_ns).value (), 1U);
}

TEST_P (epoll_poller_test, fills_no_more_than_there_is_room)
{
    socket_pair second;
    ASSERT_TRUE (poller_->add (pair_.near.get (), base::interest_write, 1));
    ASSERT_TRUE (poller_->add (second.near.get (), base::interest_write, 2));
    std::array<poll_event, 1> events{};
    EXPECT_EQ (poller_->wait (events, 0).value (), 1U);
    const auto first = events[0].tag;
    EXPECT_EQ (poller_->wait (events, 0).value (), 1U);
    EXPECT_NE (events[0].tag, first);  // the others get their turn
}

void ignore_signal (int) {}

TEST_P (epoll_poller_test, a_signal_is_told)
{
    struct sigaction with_restart = {};
    with_restart.sa_handler = ignore_signal;
    with_restart.sa_flags = SA_RESTART;
    struct sigaction before = {};
    ASSERT_EQ (::sigaction (SIGUSR1, &with_restart, &before), 0);
    std::atomic<int> interrupted{0};
    std::thread waiting ([&] {
        std::array<poll_event, 1> events{};
        std::array<base::poll_entry, 1> list{{{pair_.near.get (), base::interest_read, 0}}};
        while (poller_->wait (events, test_tools::watchdog_ns).code () != errc::interrupted)
            continue;
        interrupted = 1;
        while (factory_.wait_list (list, -1, {}).code () != errc::interrupted)
            continue;
        interrupted = 2;
    });
    EXPECT_TRUE (test_tools::eventually ([&] {
        if (interrupted < 2)
            ::pthread_kill (waiting.native_handle (), SIGUSR1);
        return interrupted == 2;
    }));
    waiting.join ();
    ::sigaction (SIGUSR1, &before, nullptr);
}

TEST_P (epoll_poller_test, list_reports_entries_in_place)
{
    std::array<base::poll_entry, 4> list{{{pair_.near.get (), base::interest_read | base::interest_write, 77},
                                          {pair_.near.get (), base::interest_read, 77},
                                          {base::no_handle, base::interest_read, 77},
                                          {pair_.far.get (), 0, 77}}};
    EXPECT_EQ (factory_.wait_list (list, 0, {}).value (), 1U);
    EXPECT_EQ (list[0].ready, base::ready_write);
    EXPECT_EQ (list[1].ready, 0U);
    EXPECT_EQ (list[2].ready, 0U);
    EXPECT_EQ (list[3].ready, 0U);
    pair_.send ();
    EXPECT_EQ (factory_.wait_list (list, test_tools::watchdog_ns, {}).value (), 2U);
    EXPECT_EQ (list[0].ready, base::ready_read | base::ready_write);
    EXPECT_EQ (list[1].ready, base::ready_read);
}

TEST_P (epoll_poller_test, list_longer_than_the_stack_room)
{
    std::vector<base::poll_entry> list (200, {pair_.near.get (), base::interest_read, 0});
    EXPECT_EQ (factory_.wait_list (list, 0, {}).value (), 0U);
    list.back ().interest = base::interest_write;
    EXPECT_EQ (factory_.wait_list (list, 0, {}).value (), 1U);
    EXPECT_EQ (list.back ().ready, base::ready_write);
    std::vector<base::poll_entry> none;
    EXPECT_EQ (factory_.wait_list (none, 0, {}).value (), 0U);
}

TEST_P (epoll_poller_test, list_tells_of_bad_handles)
{
    std::array<base::poll_entry, 1> list{{{1'000'000, base::interest_read, 0}}};
    EXPECT_EQ (factory_.wait_list (list, 0, {}).value (), 1U);
    EXPECT_EQ (list[0].ready, base::ready_hangup);
}

// A blocked signal that came before is taken by the wait whose mask lets it
// through, and by no other.
TEST_P (epoll_poller_test, list_waits_under_the_mask)
{
    struct sigaction quiet = {};
    quiet.sa_handler = [] (int) {};
    struct sigaction before = {};
    ::sigaction (SIGUSR2, &quiet, &before);
    sigset_t blocked;
    sigset_t open;
    ::sigemptyset (&blocked);
    ::sigemptyset (&open);
    ::sigaddset (&blocked, SIGUSR2);
    ::pthread_sigmask (SIG_BLOCK, &blocked, nullptr);
    ::raise (SIGUSR2);
    std::array<base::poll_entry, 1> list{{{pair_.near.get (), base::interest_read, 0}}};
    EXPECT_EQ (factory_.wait_list (list, 0, {}).value (), 0U);
    EXPECT_EQ (factory_.wait_list (list, 0, {&blocked}).value (), 0U);
    EXPECT_EQ (factory_.wait_list (list, test_tools::watchdog_ns, {&open}).code (), errc::interrupted);
    EXPECT_EQ (factory_.wait_list (list, 0, {&open}).value (), 0U);
    ::pthread_sigmask (SIG_UNBLOCK, &blocked, nullptr);
    ::sigaction (SIGUSR2, &before, nullptr);
}

TEST_P (epoll_poller_test, uses_two_descriptors_and_gives_them_back)
{
    const std::size_t before = test_tools::open_descriptors ();
    {
        const auto other = factory_.make ();
        ASSERT_TRUE (other);
        EXPECT_EQ (test_tools::open_descriptors (), before + 2);
    }
    EXPECT_EQ (test_tools::open_descriptors (), before);
}

}  // namespace
}  // namespace zlink::platform
