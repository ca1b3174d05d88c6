// Waiting under another signal mask: zmq_ppoll and zlink_ppoll.
#include <climits>
#include <csignal>
#include <pthread.h>
#include <sys/eventfd.h>

#include "support/sockets.hpp"

namespace zlink::test {
namespace {

std::atomic<int> caught{0};

// SIGUSR1 is counted and, in this thread and those that it starts, blocked.
class blocked_signal
{
  public:
    blocked_signal ()
    {
        caught = 0;
        struct sigaction wish = {};
        wish.sa_handler = [] (int) { ++caught; };
        ::sigaction (SIGUSR1, &wish, &action_before_);
        sigset_t blocked = open ();
        ::sigaddset (&blocked, SIGUSR1);
        ::pthread_sigmask (SIG_BLOCK, &blocked, &mask_before_);
    }
    ~blocked_signal ()
    {
        // What is pending still is taken, not kept for the next test.
        const sigset_t all = only ();
        const timespec at_once{0, 0};
        while (::sigtimedwait (&all, nullptr, &at_once) > 0) {}
        ::pthread_sigmask (SIG_SETMASK, &mask_before_, nullptr);
        ::sigaction (SIGUSR1, &action_before_, nullptr);
    }
    blocked_signal (const blocked_signal &) = delete;
    blocked_signal &operator= (const blocked_signal &) = delete;

    // Lets everything through.
    static sigset_t open ()
    {
        sigset_t none;
        ::sigemptyset (&none);
        return none;
    }
    static sigset_t only ()
    {
        sigset_t one = open ();
        ::sigaddset (&one, SIGUSR1);
        return one;
    }
    static bool is_blocked ()
    {
        sigset_t now;
        ::pthread_sigmask (SIG_BLOCK, nullptr, &now);
        return ::sigismember (&now, SIGUSR1) == 1;
    }

  private:
    struct sigaction action_before_ = {};
    sigset_t mask_before_ = {};
};

struct signals : testing::Test
{
    context own;
    socket pull{own, ZMQ_PULL};
    socket push{own, ZMQ_PUSH};
    blocked_signal guard;
    const sigset_t everything = blocked_signal::open ();
    zmq_pollitem_t item{pull, 0, ZMQ_POLLIN, 0};
};

TEST_F (signals, one_that_waited_ends_the_poll_at_once)
{
    ASSERT_EQ (::raise (SIGUSR1), 0);
    EXPECT_EQ (zmq_poll (&item, 1, 20), 0);
    EXPECT_EQ (zmq_ppoll (&item, 1, 20, nullptr), 0);
    EXPECT_EQ (caught, 0);
    EXPECT_EQ (zmq_ppoll (&item, 1, watchdog_ms, &everything), -1);
    EXPECT_EQ (errno, EINTR);
    EXPECT_EQ (caught, 1);
    EXPECT_TRUE (blocked_signal::is_blocked ());
}

TEST_F (signals, one_look_sees_it_too)
{
    ASSERT_EQ (::raise (SIGUSR1), 0);
    EXPECT_EQ (zmq_ppoll (&item, 1, 0, &everything), -1);
    EXPECT_EQ (errno, EINTR);
    EXPECT_EQ (caught, 1);
    EXPECT_EQ (zmq_ppoll (&item, 1, 0, &everything), 0);
}

TEST_F (signals, one_that_comes_during_the_poll_ends_it)
{
    int outcome = 0;
    int number = 0;
    worker sleeper ([&] {
        outcome = zmq_ppoll (&item, 1, -1, &everything);
        number = errno;
    });
    EXPECT_TRUE (sleeper.interrupt_until_done (SIGUSR1));
    sleeper.join ();
    EXPECT_EQ (outcome, -1);
    EXPECT_EQ (number, EINTR);
    EXPECT_GE (caught, 1);
}

TEST_F (signals, zlinks_own_call_does_the_same)
{
    ASSERT_EQ (::raise (SIGUSR1), 0);
    zlink_pollitem_t own_item{pull, 0, ZLINK_POLLIN, 0};
    EXPECT_EQ (zlink_ppoll (&own_item, 1, 20, nullptr), 0);
    EXPECT_EQ (zlink_ppoll (&own_item, 1, watchdog_ms, &everything), -1);
    EXPECT_EQ (errno, EINTR);
    EXPECT_EQ (caught, 1);
}

TEST_F (signals, what_is_ready_goes_first)
{
    push.connect (pull.bind ("inproc://ready"));
    ASSERT_TRUE (push.send ("x"));
    ASSERT_EQ (::raise (SIGUSR1), 0);
    for (const long timeout_ms : {0L, -1L})
        EXPECT_EQ (zmq_ppoll (&item, 1, timeout_ms, &everything), 1);
    EXPECT_EQ (item.revents, ZMQ_POLLIN);
    EXPECT_EQ (caught, 0);
}

TEST_F (signals, a_ready_socket_beside_a_descriptor_goes_first)
{
    push.connect (pull.bind ("inproc://ready"));
    ASSERT_TRUE (push.send ("x"));
    const int bell = ::eventfd (0, EFD_CLOEXEC);
    ASSERT_EQ (::raise (SIGUSR1), 0);
    zmq_pollitem_t items[] = {{nullptr, bell, ZMQ_POLLIN, 0}, {pull, 0, ZMQ_POLLIN, 0}};
    EXPECT_EQ (zmq_ppoll (items, 2, -1, &everything), 1);
    EXPECT_EQ (caught, 0);
    ASSERT_TRUE (pull.receive (ZMQ_DONTWAIT));
    EXPECT_EQ (zmq_ppoll (items, 2, -1, &everything), -1);
    EXPECT_EQ (errno, EINTR);
    ::close (bell);
}

// The longest time-outs there are do not wrap around into short ones: only
// the signal ends these.
TEST_F (signals, end_waits_that_are_longer_than_the_clock)
{
    for (const long timeout_ms : {LONG_MAX, LONG_MAX / 1'000'000 + 1, LONG_MAX / 2'000'000, LONG_MIN}) {
        int outcome = 0;
        worker sleeper ([&] { outcome = zmq_ppoll (&item, 1, timeout_ms, &everything); });
        EXPECT_TRUE (sleeper.interrupt_until_done (SIGUSR1));
        sleeper.join ();
        EXPECT_EQ (outcome, -1) << timeout_ms;
    }
}

// The other direction: the mask keeps out what the thread lets through.
TEST_F (signals, a_closing_mask_keeps_them_out)
{
    push.connect (pull.bind ("inproc://closing"));
    const sigset_t closing = blocked_signal::only ();
    for (int i = 0; i < 100; ++i) {
        worker sleeper ([&] {
            const sigset_t open = blocked_signal::only ();
            zmq_pollitem_t mine{pull, 0, ZMQ_POLLIN, 0};
            ::pthread_sigmask (SIG_UNBLOCK, &open, nullptr);
            EXPECT_EQ (zmq_ppoll (&mine, 1, watchdog_ms, &closing), 1);
            EXPECT_EQ (pull.receive (ZMQ_DONTWAIT), "x");
        });
        sleeper.interrupt (SIGUSR1);
        ASSERT_TRUE (push.send ("x"));
    }
}

}  // namespace
}  // namespace zlink::test
