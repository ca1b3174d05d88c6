// Close, linger and term: what still arrives, and who waits for it.
#include "conformance/transport.hpp"

namespace zlink::test {
namespace {

struct closing : conformance
{
};

TEST_F (closing, with_endless_linger_everything_arrives)
{
    socket pull = open (ZMQ_PULL);
    pull.set (ZMQ_RCVHWM, 10);
    const std::string where = pull.bind (place ());
    constexpr int count = 5000;
    const std::string text = pattern (2000);
    worker sender ([&] {
        // inproc lives in one context; the others may have their own.
        context second (under_test ().zmq_context ());
        socket push (under_test ().one_queue ? static_cast<void *> (own) : static_cast<void *> (second),
                     ZMQ_PUSH);
        push.set (ZMQ_LINGER, -1);
        push.connect (where);
        for (int i = 0; i < count; ++i)
            EXPECT_TRUE (push.send (text));
        EXPECT_EQ (push.close (), 0);
        EXPECT_EQ (second.term (), 0);
    });
    for (int i = 0; i < count; ++i)
        ASSERT_TRUE (pull.receive () == text) << i;
}

TEST_F (closing, with_linger_large_messages_arrive_whole)
{
    socket pull = open (ZMQ_PULL);
    const std::string where = pull.bind (place ());
    const std::string text = pattern (8'000'000);
    {
        socket push = open (ZMQ_PUSH);
        push.set (ZMQ_LINGER, watchdog_ms);
        push.connect (where);
        ASSERT_TRUE (push.send (text));
        ASSERT_TRUE (push.send ("behind it"));
    }
    EXPECT_TRUE (pull.receive () == text);
    EXPECT_EQ (pull.receive (), "behind it");
}

TEST_F (closing, without_linger_a_context_ends_whatever_is_queued)
{
    socket push = open (ZMQ_PUSH);
    push.connect (place ());
    for (int i = 0; i < 100; ++i)
        ASSERT_TRUE (push.send (pattern (1000)));
    push.close ();
    EXPECT_EQ (own.term (), 0);
}

TEST_F (closing, without_linger_a_context_ends_beside_a_reader_that_does_not_read)
{
    socket pull = open (ZMQ_PULL);
    pull.set (ZMQ_RCVHWM, 1);
    socket push = open (ZMQ_PUSH);
    ASSERT_TRUE (join (pull, push));
    while (push.send (pattern (10'000), ZMQ_DONTWAIT)) {}
    push.close ();
    pull.close ();
    EXPECT_EQ (own.term (), 0);
}

// Closing with input that nobody read must not take away what the other side
// has not read yet.
TEST_F (closing, with_unread_input_does_not_reset_what_was_sent)
{
    for (int round = 0; round < 10; ++round) {
        socket one = open (ZMQ_PAIR);
        socket two = open (ZMQ_PAIR);
        one.set (ZMQ_LINGER, watchdog_ms);
        ASSERT_TRUE (join (one, two));
        for (int i = 0; i < 300; ++i)
            ASSERT_TRUE (two.send (pattern (1000)));
        for (int i = 0; i < 300; ++i)
            ASSERT_TRUE (one.send (std::to_string (i)));
        one.close ();
        for (int i = 0; i < 300; ++i)
            ASSERT_EQ (two.receive (), std::to_string (i)) << round;
    }
}

// Neither reads, and neither's link takes any more: each must make room for the
// other's rest, or both wait for ever.
TEST_F (closing, both_ends_of_full_links_end)
{
    socket one = open (ZMQ_DEALER);
    socket two = open (ZMQ_DEALER);
    for (socket *each : {&one, &two}) {
        each->set (ZMQ_SNDHWM, 10);
        each->set (ZMQ_RCVHWM, 10);
        each->set (ZMQ_SNDBUF, 8192);
        each->set (ZMQ_RCVBUF, 8192);
        each->set (ZMQ_LINGER, -1);
    }
    ASSERT_TRUE (join (one, two));
    const std::string text = pattern (8000);
    EXPECT_GT (one.send_until_full (text, 50), 0);
    EXPECT_GT (two.send_until_full (text, 50), 0);
    EXPECT_EQ (one.close (), 0);
    EXPECT_EQ (two.close (), 0);
    EXPECT_TRUE (eventually ([&] {
        std::string holders (500, '\0');
        std::size_t size = holders.size ();
        return zlink_ctx_holders (own, holders.data (), &size) == 0
               && holders.find ("DEALER") == std::string::npos;
    }));
}

TEST_F (closing, twice_is_enotsock)
{
    socket one = open (ZMQ_PAIR);
    void *const handle = one;
    EXPECT_EQ (one.close (), 0);
    EXPECT_EQ (zmq_close (handle), -1);
    EXPECT_EQ (errno, ENOTSOCK);
}

TEST_F (closing, a_bounded_term_tells_who_holds_it)
{
    socket push = open (ZMQ_PUSH);
    push.connect (place ());
    ASSERT_TRUE (push.send ("never delivered"));
    EXPECT_GE (elapsed_ms ([&] { EXPECT_EQ (zlink_ctx_term_ms (own, 50), -1); }), 50);
    EXPECT_EQ (errno, ETIMEDOUT);
    std::string text (500, '\0');
    std::size_t size = text.size ();
    ASSERT_EQ (zlink_ctx_holders (own, text.data (), &size), 0);
    EXPECT_NE (text.find ("PUSH"), std::string::npos) << text;
    push.close ();
    EXPECT_EQ (own.term (), 0);
}

TEST_F (closing, from_another_thread_while_traffic_flows)
{
    for (int round = 0; round < 30; ++round) {
        socket pull = open (ZMQ_PULL);
        socket push = open (ZMQ_PUSH);
        ASSERT_TRUE (join (pull, push));
        void *const sending = push;
        void *const receiving = pull;
        worker sender ([&] {
            while (zmq_send (sending, "text", 4, 0) == 4) {}
            EXPECT_EQ (errno, ENOTSOCK);
        });
        std::atomic<int> received{0};
        worker receiver ([&] {
            char room[8];
            while (zmq_recv (receiving, room, sizeof room, 0) == 4)
                ++received;
            EXPECT_EQ (errno, ENOTSOCK);
        });
        ASSERT_TRUE (eventually ([&] { return received > 100; }));
        push.close ();
        pull.close ();
    }
}

TEST_F (closing, many_sockets_over_and_over_leaves_nothing_behind)
{
    for (int round = 0; round < 200; ++round) {
        socket pull = open (ZMQ_PULL);
        socket push = open (ZMQ_PUSH);
        push.connect (pull.bind (place ()));
        ASSERT_TRUE (push.send ("x"));
        ASSERT_EQ (pull.receive (), "x");
    }
}

TEST_F (closing, contexts_over_and_over)
{
    for (int round = 0; round < 50; ++round) {
        context mine (under_test ().zmq_context ());
        socket pull (mine, ZMQ_PULL);
        socket push (mine, ZMQ_PUSH);
        push.connect (pull.bind (place ()));
        ASSERT_TRUE (push.send ("x"));
        ASSERT_EQ (pull.receive (), "x");
    }
}

}  // namespace
}  // namespace zlink::test
