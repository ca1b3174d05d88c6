// The byte budget of a context: it bounds what is held, holds senders back, and
// nobody waits for it for ever.
#include "conformance/budget.hpp"
#include "support/events.hpp"

namespace zlink::test {
namespace {

struct budget : with_budget
{
};

TEST_F (budget, is_none_unless_set)
{
    EXPECT_EQ (zmq_ctx_get (own, ZLINK_BUDGET_KIB), budget_kib);
    context untouched (under_test ().zmq_context ());
    EXPECT_EQ (zmq_ctx_get (untouched, ZLINK_BUDGET_KIB), 0);
    EXPECT_EQ (zmq_ctx_set (untouched, ZLINK_BUDGET_KIB, -1), -1);
}

TEST_F (budget, holds_a_sender_back_and_lets_it_go_on)
{
    socket push = open_unmarked (ZMQ_PUSH);
    socket pull = open_unmarked (ZMQ_PULL);
    events at_push (push, ZLINK_EVENT_BUDGET_REACHED);
    ASSERT_TRUE (join (pull, push));
    const int accepted = fill (push);
    // The budget, and what the kernel and a slab hold besides.
    EXPECT_GE (accepted, 50);
    EXPECT_LE (accepted, 400);
    EXPECT_EQ (event_name (at_push.next ().event), event_name (ZLINK_EVENT_BUDGET_REACHED));
    EXPECT_GE (own_row (push).budget_holds, 1U);
    constexpr int more = 1000;
    worker sender ([&] {
        for (int i = accepted; i < accepted + more; ++i)
            EXPECT_TRUE (push.send (numbered (i))) << i;
    });
    take (pull, 0, accepted + more);
}

TEST_F (budget, is_told_by_polls)
{
    socket push = open_unmarked (ZMQ_PUSH);
    socket pull = open_unmarked (ZMQ_PULL);
    ASSERT_TRUE (join (pull, push));
    int sent = 0;
    while (push.send (numbered (sent), ZMQ_DONTWAIT))
        ++sent;
    EXPECT_EQ (errno, EAGAIN);
    int taken = 0;
    for (int round = 0; round < 5; ++round) {
        // What the kernel takes meanwhile makes room, too.
        sent = fill (push, sent);
        worker reader ([&] { take (pull, taken, sent); });
        // The reader's own reading may take the room that was there.
        ASSERT_TRUE (eventually ([&] {
            zmq_pollitem_t item{push, 0, ZMQ_POLLOUT, 0};
            EXPECT_EQ (zmq_poll (&item, 1, watchdog_ms), 1);
            return push.send (numbered (sent), ZMQ_DONTWAIT);
        }))
          << round;
        reader.join ();
        taken = sent++;
    }
    take (pull, taken, sent);
}

// Of the size of many budgets, and one after the other.
TEST_F (budget, lets_a_message_pass_that_is_larger_than_itself)
{
    socket push = open_unmarked (ZMQ_PUSH);
    socket pull = open_unmarked (ZMQ_PULL);
    ASSERT_TRUE (join (pull, push));
    const std::string text = pattern (3'000'000);
    worker sender ([&] {
        for (int i = 0; i < 10; ++i)
            EXPECT_TRUE (push.send (text));
    });
    for (int i = 0; i < 10; ++i)
        ASSERT_TRUE (pull.receive () == text) << i;
}

TEST_F (budget, bounds_what_waits_for_a_connection)
{
    const std::string where = place ();
    socket push = open_unmarked (ZMQ_PUSH);
    push.connect (where);
    const int accepted = fill (push);
    EXPECT_GE (accepted, 40);  // of a half
    EXPECT_LE (accepted, 70);
    socket pull = open_unmarked (ZMQ_PULL);
    pull.bind (where);
    take (pull, 0, accepted);
    ASSERT_TRUE (push.send (numbered (accepted)));
    take (pull, accepted, accepted + 1);
}

// Somebody else's backlog takes from nobody the one message at a time.
TEST_F (budget, leaves_every_link_one_message)
{
    socket push = open_unmarked (ZMQ_PUSH);
    socket pull = open_unmarked (ZMQ_PULL);
    socket ping = open_unmarked (ZMQ_PAIR);
    socket pong = open_unmarked (ZMQ_PAIR);
    ASSERT_TRUE (join (pull, push) && join (ping, pong));
    const int accepted = fill (push);
    for (int i = 0; i < 50; ++i) {
        ASSERT_TRUE (ping.send (numbered (i)));
        take (pong, i, i + 1);
        ASSERT_TRUE (pong.send (numbered (i)));
        take (ping, i, i + 1);
    }
    take (pull, 0, accepted);
}

TEST_F (budget, is_given_back_by_those_who_close)
{
    socket ping = open_unmarked (ZMQ_PAIR);
    socket pong = open_unmarked (ZMQ_PAIR);
    ASSERT_TRUE (join (ping, pong));
    for (int round = 0; round < 5; ++round) {
        socket push = open_unmarked (ZMQ_PUSH);
        socket pull = open_unmarked (ZMQ_PULL);
        ASSERT_TRUE (join (pull, push));
        (void)fill (push);
    }
    worker sender ([&] {
        for (int i = 0; i < 300; ++i)
            EXPECT_TRUE (ping.send (numbered (i)));
    });
    take (pong, 0, 300);
}

TEST_F (budget, is_shared_by_many_and_nothing_is_lost)
{
    socket pull = open_unmarked (ZMQ_PULL);
    const std::string where = pull.bind (place ());
    constexpr int senders = 4;
    constexpr int each = 300;
    std::vector<worker> all;
    for (int i = 0; i < senders; ++i)
        all.emplace_back ([&] {
            socket push = open_unmarked (ZMQ_PUSH);
            push.set (ZMQ_LINGER, -1);
            push.connect (where);
            for (int number = 0; number < each; ++number)
                EXPECT_TRUE (push.send (numbered (number)));
        });
    std::array<int, each> seen{};
    for (int i = 0; i < senders * each; ++i) {
        const auto got = pull.receive ();
        ASSERT_TRUE (got) << i;
        ++seen.at (static_cast<std::size_t> (std::stoi (*got)));
    }
    for (const int count : seen)
        EXPECT_EQ (count, senders);
}

}  // namespace
}  // namespace zlink::test
