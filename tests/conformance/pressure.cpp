// High-water marks that hold over every transport. What depends on the
// kernel's buffers is in stream_pressure.cpp.
#include "conformance/transport.hpp"

namespace zlink::test {
namespace {

struct pressure : conformance
{
    // A pair of sockets with their marks, joined.
    void open_marked (int send_mark, int receive_mark)
    {
        push.emplace (own, ZMQ_PUSH);
        pull.emplace (own, ZMQ_PULL);
        push->set (ZMQ_SNDHWM, send_mark);
        pull->set (ZMQ_RCVHWM, receive_mark);
        push->set (ZMQ_SNDBUF, 16'384);
        pull->set (ZMQ_RCVBUF, 16'384);
        ASSERT_TRUE (join (*pull, *push));
    }
    // What was accepted arrives, and then sending goes on.
    void drain (int accepted, const std::string &text)
    {
        for (int i = 0; i < accepted; ++i)
            ASSERT_TRUE (pull->receive () == text) << i << " of " << accepted;
        EXPECT_FALSE (pull->receive (ZMQ_DONTWAIT));
        ASSERT_TRUE (push->send ("after"));
        EXPECT_EQ (pull->receive (), "after");
    }

    std::optional<socket> push;
    std::optional<socket> pull;
};

struct marks : pressure, testing::WithParamInterface<int>
{
};

INSTANTIATE_TEST_SUITE_P (of, marks, testing::Values (1, 2, 10, 1000));

// The reader does not read: a bounded number is accepted, and none is lost.
TEST_P (marks, bound_what_is_accepted)
{
    const int mark = GetParam ();
    open_marked (mark, mark);
    const std::string text = pattern (1000);
    const int accepted = push->send_until_full (text, 200);
    if (under_test ().one_queue) {
        EXPECT_EQ (accepted, 2 * mark);
    } else {
        const int low_water = (mark + 1) / 2;
        EXPECT_GE (accepted, mark - (low_water - 1));
    }
    drain (accepted, text);
}

TEST_P (marks, bound_what_dontwait_accepts_in_a_tight_loop)
{
    const int mark = GetParam ();
    open_marked (mark, mark);
    const std::string text = pattern (1000);
    int accepted = 0;
    while (push->send (text, ZMQ_DONTWAIT))
        ++accepted;
    EXPECT_EQ (errno, EAGAIN);
    EXPECT_GE (accepted, mark);
    if (under_test ().one_queue) {
        EXPECT_EQ (accepted, 2 * mark);
    }
    drain (accepted, text);
}

TEST_P (marks, count_whole_messages_however_many_parts)
{
    const int mark = GetParam ();
    open_marked (mark, mark);
    push->set (ZMQ_SNDTIMEO, 200);
    const std::string text = pattern (300);
    int accepted = 0;
    while (push->send (text, ZMQ_SNDMORE)) {
        ASSERT_TRUE (push->send (text, ZMQ_SNDMORE));
        ASSERT_TRUE (push->send (text));
        ++accepted;
    }
    EXPECT_EQ (errno, EAGAIN);
    if (under_test ().one_queue) {
        EXPECT_EQ (accepted, 2 * mark);
    }
    const std::vector<std::string> whole = {text, text, text};
    for (int i = 0; i < accepted; ++i)
        ASSERT_TRUE (pull->receive_message () == whole) << i;
}

// A message whose first part was accepted is above the mark if it must be.
TEST_P (marks, leave_room_for_the_rest_of_what_was_begun)
{
    open_marked (GetParam (), GetParam ());
    const std::string text = pattern (1000);
    ASSERT_TRUE (push->send ("first", ZMQ_SNDMORE));
    int before = 0;
    parts_of<1> whole;
    for (whole.set (0, text); zlink_sendv (*push, whole.data (), 1, ZLINK_DONTWAIT) == 1; whole.set (0, text))
        ++before;
    EXPECT_EQ (errno, EAGAIN);
    ASSERT_TRUE (push->send ("second", ZMQ_SNDMORE | ZMQ_DONTWAIT));
    ASSERT_TRUE (push->send ("last", ZMQ_DONTWAIT));
    for (int i = 0; i < before; ++i)
        ASSERT_TRUE (pull->receive () == text) << i;
    const std::vector<std::string> begun = {"first", "second", "last"};
    EXPECT_EQ (pull->receive_message (), begun);
}

// Full, and from then on one is read for each that is sent: neither side ever
// stops for good.
TEST_P (marks, let_a_full_link_go_on_in_step)
{
    const int mark = GetParam ();
    open_marked (mark, mark);
    const std::string text = pattern (1000);
    const int accepted = push->send_until_full (text, 100);
    const int more = 3 * accepted + 100;
    worker sender ([&] {
        for (int i = 0; i < more; ++i)
            EXPECT_TRUE (push->send (text)) << i;
    });
    for (int i = 0; i < accepted + more; ++i)
        ASSERT_TRUE (pull->receive () == text) << i;
}

TEST_F (pressure, a_mark_of_zero_is_no_mark)
{
    open_marked (0, 0);
    const std::string text = pattern (100);
    constexpr int count = 50'000;
    for (int i = 0; i < count; ++i)
        ASSERT_TRUE (push->send (text, ZMQ_DONTWAIT)) << i;
    for (int i = 0; i < count; ++i)
        ASSERT_TRUE (pull->receive () == text) << i;
}

// As with libzmq: no mark on one side of an inproc link, no mark on the link.
TEST_F (pressure, a_mark_of_zero_at_either_end)
{
    for (const auto &[send_mark, receive_mark] : {std::pair (0, 3), std::pair (3, 0)}) {
        open_marked (send_mark, receive_mark);
        const std::string text = pattern (100);
        worker sender ([&] {
            for (int i = 0; i < 5000; ++i)
                EXPECT_TRUE (push->send (text));
        });
        for (int i = 0; i < 5000; ++i)
            ASSERT_TRUE (pull->receive () == text);
        sender.join ();
        push.reset ();
        pull.reset ();
    }
}

TEST_F (pressure, marks_in_bytes_stop_the_sender)
{
    push.emplace (own, ZMQ_PUSH);
    pull.emplace (own, ZMQ_PULL);
    push->set (ZMQ_SNDHWM, 0);
    pull->set (ZMQ_RCVHWM, 0);
    push->set_wide (ZLINK_SNDHWM_BYTES, 100'000);
    pull->set_wide (ZLINK_RCVHWM_BYTES, 100'000);
    push->set (ZMQ_SNDBUF, 16'384);
    pull->set (ZMQ_RCVBUF, 16'384);
    ASSERT_TRUE (join (*pull, *push));
    const std::string text = pattern (10'000);
    const int accepted = push->send_until_full (text, 200);
    EXPECT_GE (accepted, 10);
    // No more than both marks; over a stream a slab and some kernel memory more.
    EXPECT_LE (accepted, under_test ().one_queue ? 20 : 200);
    drain (accepted, text);
}

// A message above the mark goes when nothing is queued.
TEST_F (pressure, marks_in_bytes_let_a_large_message_through_alone)
{
    push.emplace (own, ZMQ_PUSH);
    pull.emplace (own, ZMQ_PULL);
    push->set_wide (ZLINK_SNDHWM_BYTES, 1000);
    pull->set_wide (ZLINK_RCVHWM_BYTES, 1000);
    ASSERT_TRUE (join (*pull, *push));
    const std::string text = pattern (500'000);
    worker sender ([&] {
        for (int i = 0; i < 20; ++i)
            EXPECT_TRUE (push->send (text));
    });
    for (int i = 0; i < 20; ++i)
        ASSERT_TRUE (pull->receive () == text) << i;
}

TEST_F (pressure, marks_may_change_while_the_socket_lives)
{
    open_marked (2, 2);
    const std::string text = pattern (1000);
    const int before = push->send_until_full (text, 100);
    EXPECT_GE (before, 2);
    drain (before, text);
    push->set (ZMQ_SNDHWM, 3000);
    EXPECT_EQ (push->get (ZMQ_SNDHWM), 3000);
}

// 10,000 sends that never wait, at a pace, to a reader that reads: not one
// EAGAIN, although credit comes back in steps only.
TEST_F (pressure, a_steady_dontwait_sender_is_never_refused)
{
    open_marked (1000, 1000);
    constexpr int count = 10'000;
    std::atomic<int> received{0};
    worker reader ([&] {
        for (int i = 0; i < count; ++i) {
            ASSERT_EQ (pull->receive (), std::to_string (i));
            ++received;
        }
    });
    const metronome pace (200);
    for (int i = 0; i < count; ++i) {
        pace.beat ();
        // A reader that the machine has put aside is not what is measured.
        ASSERT_TRUE (eventually ([&] { return i - received < 400; }));
        ASSERT_TRUE (push->send (std::to_string (i), ZMQ_DONTWAIT)) << i << ' ' << zmq_strerror (errno);
    }
}

TEST_F (pressure, a_steady_dontwait_sender_is_never_refused_at_a_low_mark)
{
    open_marked (10, 10);
    constexpr int count = 1000;
    std::atomic<int> received{0};
    worker reader ([&] {
        for (int i = 0; i < count; ++i) {
            ASSERT_EQ (pull->receive (), std::to_string (i));
            ++received;
        }
    });
    const metronome pace (1000);
    for (int i = 0; i < count; ++i) {
        pace.beat ();
        ASSERT_TRUE (eventually ([&] { return i - received < 4; }));
        ASSERT_TRUE (push->send (std::to_string (i), ZMQ_DONTWAIT)) << i << ' ' << zmq_strerror (errno);
    }
}

// A poll for room, then a DONTWAIT send: never refused with one sender.
TEST_F (pressure, what_poll_calls_writable_can_be_sent)
{
    open_marked (4, 4);
    const std::string text = pattern (20'000);
    constexpr int count = 2000;
    worker reader ([&] {
        for (int i = 0; i < count; ++i)
            ASSERT_TRUE (pull->receive () == text) << i;
    });
    for (int i = 0; i < count; ++i) {
        zmq_pollitem_t item{*push, 0, ZMQ_POLLOUT, 0};
        ASSERT_EQ (zmq_poll (&item, 1, watchdog_ms), 1) << i;
        ASSERT_TRUE (push->send (text, ZMQ_DONTWAIT)) << i;
    }
}

}  // namespace
}  // namespace zlink::test
