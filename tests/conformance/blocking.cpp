// Waiting: how long, what wakes, what interrupts.
#include "conformance/transport.hpp"

namespace zlink::test {
namespace {

struct blocking : conformance
{
};

TEST_F (blocking, dontwait_is_eagain_where_there_is_nothing)
{
    socket one = open (ZMQ_PAIR);
    EXPECT_FALSE (one.send ("x", ZMQ_DONTWAIT));
    EXPECT_EQ (errno, EAGAIN);
    EXPECT_FALSE (one.receive (ZMQ_DONTWAIT));
    EXPECT_EQ (errno, EAGAIN);
    socket two = open (ZMQ_PAIR);
    ASSERT_TRUE (join (one, two));
    EXPECT_FALSE (one.receive (ZMQ_DONTWAIT));
    EXPECT_EQ (errno, EAGAIN);
}

TEST_F (blocking, time_outs_last_at_least_as_long_as_said)
{
    constexpr int wait_ms = 80;
    socket one = open (ZMQ_PAIR);
    one.set (ZMQ_RCVTIMEO, wait_ms);
    one.set (ZMQ_SNDTIMEO, wait_ms);
    EXPECT_GE (elapsed_ms ([&] { EXPECT_FALSE (one.send ("x")); }), wait_ms);
    EXPECT_EQ (errno, EAGAIN);
    EXPECT_GE (elapsed_ms ([&] { EXPECT_FALSE (one.receive ()); }), wait_ms);
    EXPECT_EQ (errno, EAGAIN);
    socket two = open (ZMQ_PAIR);
    ASSERT_TRUE (join (one, two));
    EXPECT_GE (elapsed_ms ([&] { EXPECT_FALSE (one.receive ()); }), wait_ms);
    EXPECT_EQ (errno, EAGAIN);
    one.set (ZMQ_RCVTIMEO, 0);
    EXPECT_FALSE (one.receive ());
    EXPECT_EQ (errno, EAGAIN);
}

TEST_F (blocking, a_receiver_wakes_for_a_message)
{
    socket one = open (ZMQ_PAIR);
    socket two = open (ZMQ_PAIR);
    ASSERT_TRUE (join (one, two));
    for (int i = 0; i < 200; ++i) {
        worker receiver ([&] { EXPECT_EQ (one.receive (), "ping"); });
        ASSERT_TRUE (two.send ("ping"));
        receiver.join ();
    }
}

TEST_F (blocking, a_receiver_that_waits_before_there_is_a_peer_wakes)
{
    socket pull = open (ZMQ_PULL);
    worker receiver ([&] { EXPECT_EQ (pull.receive (), "found you"); });
    socket push = open (ZMQ_PUSH);
    ASSERT_TRUE (join (pull, push));
    ASSERT_TRUE (push.send ("found you"));
}

TEST_F (blocking, a_sender_that_waits_for_a_peer_wakes)
{
    socket push = open (ZMQ_PUSH);
    worker sender ([&] { EXPECT_TRUE (push.send ("at last")); });
    socket pull = open (ZMQ_PULL);
    ASSERT_TRUE (join (push, pull));
    EXPECT_EQ (pull.receive (), "at last");
}

TEST_F (blocking, a_sender_at_the_mark_wakes_when_the_reader_reads)
{
    socket push = open (ZMQ_PUSH);
    socket pull = open (ZMQ_PULL);
    for (socket *each : {&push, &pull}) {
        each->set (ZMQ_SNDHWM, 5);
        each->set (ZMQ_RCVHWM, 5);
        each->set (ZMQ_SNDBUF, 8192);
        each->set (ZMQ_RCVBUF, 8192);
    }
    ASSERT_TRUE (join (pull, push));
    constexpr int count = 3000;
    const std::string text = pattern (1000);
    worker sender ([&] {
        for (int i = 0; i < count; ++i)
            EXPECT_TRUE (push.send (text));
    });
    for (int i = 0; i < count; ++i)
        ASSERT_TRUE (pull.receive () == text) << i;
}

// Ping-pong through blocking calls: a lost wake-up stops it.
TEST_F (blocking, ping_pong_never_stops)
{
    socket one = open (ZMQ_PAIR);
    socket two = open (ZMQ_PAIR);
    ASSERT_TRUE (join (one, two));
    constexpr int rounds = 5000;
    worker echo ([&] {
        for (int i = 0; i < rounds; ++i) {
            const auto got = two.receive ();
            ASSERT_TRUE (got);
            ASSERT_TRUE (two.send (*got));
        }
    });
    for (int i = 0; i < rounds; ++i) {
        ASSERT_TRUE (one.send (std::to_string (i)));
        ASSERT_EQ (one.receive (), std::to_string (i));
    }
}

// --- the end of the context ---------------------------------------------------

// Blocks in three ways until end() is called; all answer ETERM.
template <class End> void wakes_with_eterm (context &own, End end)
{
    std::atomic<int> entered{0};
    const auto blocked = [&] (int type, bool sending) {
        void *const made = zmq_socket (own, type);
        ++entered;
        char byte = 0;
        const int outcome = sending ? zmq_send (made, "x", 1, 0) : zmq_recv (made, &byte, 1, 0);
        EXPECT_EQ (outcome, -1);
        EXPECT_EQ (errno, ETERM);
        EXPECT_EQ (zmq_recv (made, &byte, 1, ZMQ_DONTWAIT), -1);
        EXPECT_EQ (errno, ETERM);
        EXPECT_EQ (zmq_setsockopt (made, ZMQ_LINGER, "", 0), -1);
        EXPECT_EQ (zmq_close (made), 0);
    };
    worker receiver ([&] { blocked (ZMQ_PAIR, false); });
    worker sender ([&] { blocked (ZMQ_PAIR, true); });
    worker poller ([&] {
        void *const made = zmq_socket (own, ZMQ_PAIR);
        zmq_pollitem_t item{made, 0, ZMQ_POLLIN, 0};
        ++entered;
        EXPECT_EQ (zmq_poll (&item, 1, -1), -1);
        EXPECT_EQ (errno, ETERM);
        EXPECT_EQ (zmq_close (made), 0);
    });
    ASSERT_TRUE (eventually ([&] { return entered == 3; }));
    end ();
}

TEST_F (blocking, terminating_wakes_with_eterm)
{
    wakes_with_eterm (own, [this] { EXPECT_EQ (own.term (), 0); });
}

TEST_F (blocking, shutting_down_wakes_with_eterm)
{
    wakes_with_eterm (own, [this] { EXPECT_EQ (zmq_ctx_shutdown (own), 0); });
}

TEST_F (blocking, terminating_wakes_those_with_peers)
{
    socket pull = open (ZMQ_PULL);
    socket push = open (ZMQ_PUSH);
    push.set (ZMQ_SNDHWM, 1);
    pull.set (ZMQ_RCVHWM, 1);
    ASSERT_TRUE (join (pull, push));
    socket idle = open (ZMQ_PULL);
    socket other_push = open (ZMQ_PUSH);
    ASSERT_TRUE (join (idle, other_push));
    worker sender ([&] {
        const std::string text = pattern (10'000);
        while (push.send (text)) {}
        EXPECT_EQ (errno, ETERM);
        push.close ();
        pull.close ();
    });
    worker receiver ([&] {
        EXPECT_FALSE (idle.receive ());
        EXPECT_EQ (errno, ETERM);
        idle.close ();
        other_push.close ();
    });
    EXPECT_EQ (own.term (), 0);
}

TEST_F (blocking, closing_wakes_with_enotsock)
{
    socket one = open (ZMQ_PAIR);
    socket two = open (ZMQ_PAIR);
    ASSERT_TRUE (join (one, two));
    void *const handle = one;
    std::atomic<bool> entered{false};
    worker receiver ([&] {
        char byte = 0;
        entered = true;
        EXPECT_EQ (zmq_recv (handle, &byte, 1, 0), -1);
        EXPECT_EQ (errno, ENOTSOCK);
    });
    ASSERT_TRUE (eventually ([&] { return entered.load (); }));
    EXPECT_EQ (one.close (), 0);
}

// --- signals -----------------------------------------------------------------

struct signals : conformance, testing::WithParamInterface<int>
{
    harmless_signal handler{GetParam ()};
    static constexpr int number = harmless_signal::number;
};

INSTANTIATE_TEST_SUITE_P (with, signals, testing::Values (0, SA_RESTART), [] (const auto &of) {
    return std::string (of.param == 0 ? "plain_handler" : "SA_RESTART");
});

TEST_P (signals, interrupt_a_receive)
{
    socket one = open (ZMQ_PAIR);
    socket two = open (ZMQ_PAIR);
    ASSERT_TRUE (join (one, two));
    for (int i = 0; i < 20; ++i) {
        worker receiver ([&] {
            EXPECT_FALSE (one.receive ());
            EXPECT_EQ (errno, EINTR);
        });
        ASSERT_TRUE (receiver.interrupt_until_done (number));
    }
    ASSERT_TRUE (two.send ("still works"));
    EXPECT_EQ (one.receive (), "still works");
}

TEST_P (signals, interrupt_a_receive_without_peers)
{
    socket one = open (ZMQ_PULL);
    worker receiver ([&] {
        EXPECT_FALSE (one.receive ());
        EXPECT_EQ (errno, EINTR);
    });
    ASSERT_TRUE (receiver.interrupt_until_done (number));
}

TEST_P (signals, interrupt_every_one_of_several_receivers)
{
    socket one = open (ZMQ_PAIR);
    socket two = open (ZMQ_PAIR);
    ASSERT_TRUE (join (one, two));
    std::vector<worker> receivers;
    for (int i = 0; i < 3; ++i)
        receivers.emplace_back ([&] {
            EXPECT_FALSE (one.receive ());
            EXPECT_EQ (errno, EINTR);
        });
    for (worker &each : receivers)
        ASSERT_TRUE (each.interrupt_until_done (number));
}

TEST_P (signals, interrupt_a_send_without_a_peer)
{
    socket one = open (ZMQ_PUSH);
    worker sender ([&] {
        EXPECT_FALSE (one.send ("x"));
        EXPECT_EQ (errno, EINTR);
    });
    ASSERT_TRUE (sender.interrupt_until_done (number));
}

TEST_P (signals, interrupt_a_send_at_the_mark)
{
    socket pull = open (ZMQ_PULL);
    socket push = open (ZMQ_PUSH);
    push.set (ZMQ_SNDHWM, 1);
    pull.set (ZMQ_RCVHWM, 1);
    ASSERT_TRUE (join (pull, push));
    const std::string text = pattern (100'000);
    std::atomic<int> accepted{0};
    worker sender ([&] {
        while (push.send (text))
            ++accepted;
        EXPECT_EQ (errno, EINTR);
    });
    ASSERT_TRUE (sender.interrupt_until_done (number));
    sender.join ();
    for (int i = 0; i < accepted; ++i)
        ASSERT_TRUE (pull.receive () == text);
    ASSERT_TRUE (push.send ("still works"));
    EXPECT_EQ (pull.receive (), "still works");
}

TEST_P (signals, interrupt_a_poll)
{
    socket one = open (ZMQ_PAIR);
    socket two = open (ZMQ_PAIR);
    ASSERT_TRUE (join (one, two));
    worker poller ([&] {
        zmq_pollitem_t item{one, 0, ZMQ_POLLIN, 0};
        EXPECT_EQ (zmq_poll (&item, 1, -1), -1);
        EXPECT_EQ (errno, EINTR);
    });
    ASSERT_TRUE (poller.interrupt_until_done (number));
}

TEST_P (signals, interrupt_a_terminating_context_which_goes_on_after)
{
    auto *const mine = new context (under_test ().zmq_context ());
    void *const handle = *mine;
    void *const held = zmq_socket (handle, ZMQ_PAIR);
    worker ender ([&] {
        EXPECT_EQ (zmq_ctx_term (handle), -1);
        EXPECT_EQ (errno, EINTR);
    });
    ASSERT_TRUE (ender.interrupt_until_done (number));
    ender.join ();
    EXPECT_EQ (zmq_close (held), 0);
    EXPECT_EQ (zmq_ctx_term (handle), 0);
    mine->forget ();
    delete mine;
}

TEST_P (signals, interrupt_waiting_for_peers)
{
    socket one = open (ZMQ_PAIR);
    worker waiter ([&] {
        EXPECT_EQ (zlink_wait_peers (one, 1, -1), -1);
        EXPECT_EQ (errno, EINTR);
    });
    ASSERT_TRUE (waiter.interrupt_until_done (number));
}

}  // namespace
}  // namespace zlink::test
