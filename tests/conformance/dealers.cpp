// DEALER, rule by rule of RFC 28.
#include <set>

#include "conformance/transport.hpp"

namespace zlink::test {
namespace {

struct dealers : conformance
{
};

// "SHALL route outgoing messages to available peers using a round-robin strategy."
TEST_F (dealers, deal_in_turn)
{
    socket dealer = open (ZMQ_DEALER);
    const std::string where = dealer.bind (place ());
    std::vector<socket> others;
    for (int i = 0; i < 3; ++i) {
        others.push_back (open (ZMQ_DEALER));
        others.back ().connect (where);
        ASSERT_TRUE (dealer.has_peers (static_cast<unsigned> (i) + 1));
    }
    for (int i = 0; i < 30; ++i)
        ASSERT_TRUE (dealer.send (std::to_string (i)));
    for (socket &each : others) {
        const auto first = each.receive ();
        ASSERT_TRUE (first);
        for (int i = 1; i < 10; ++i)
            ASSERT_EQ (each.receive (), std::to_string (std::stoi (*first) + 3 * i));
    }
}

// Who takes what it is given is in turn, however often it has been: the one that
// was there first meets its mark before the other.
TEST_F (dealers, deal_in_turn_beyond_their_mark)
{
    socket dealer = open (ZMQ_DEALER);
    dealer.set (ZMQ_SNDHWM, 5);
    const std::string where = dealer.bind (place ());
    socket first = open (ZMQ_DEALER);
    first.connect (where);
    ASSERT_TRUE (dealer.has_peers (1));
    for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE (dealer.send ("alone"));
        ASSERT_TRUE (first.receive ());
    }
    socket second = open (ZMQ_DEALER);
    second.connect (where);
    ASSERT_TRUE (dealer.has_peers (2));
    for (int round = 0; round < 50; ++round) {
        for (const char *text : {"one", "other"})
            ASSERT_TRUE (dealer.send (text));
        ASSERT_TRUE (first.receive ()) << round;
        ASSERT_TRUE (second.receive ()) << round;
    }
}

// "SHALL receive incoming messages from its peers using a fair-queuing strategy."
TEST_F (dealers, hear_all_in_turn)
{
    socket dealer = open (ZMQ_DEALER);
    const std::string where = dealer.bind (place ());
    std::vector<socket> others;
    for (int i = 0; i < 3; ++i) {
        others.push_back (open (ZMQ_DEALER));
        others.back ().connect (where);
    }
    ASSERT_TRUE (dealer.has_peers (3));
    for (int k = 0; k < 50; ++k)
        for (int i = 0; i < 3; ++i)
            ASSERT_TRUE (others[static_cast<std::size_t> (i)].send (std::to_string (i)));
    std::multiset<std::string> got;
    for (int k = 0; k < 150; ++k)
        got.insert (dealer.receive ().value_or ("nothing"));
    for (const char *each : {"0", "1", "2"})
        EXPECT_EQ (got.count (each), 50u) << each;
}

// "SHALL block on sending, or return a suitable error, when it has no available peers."
TEST_F (dealers, without_a_peer_cannot_send)
{
    socket dealer = open (ZMQ_DEALER);
    dealer.bind (place ());
    EXPECT_FALSE (dealer.send ("nobody", ZMQ_DONTWAIT));
    EXPECT_EQ (errno, EAGAIN);
    EXPECT_EQ (dealer.get (ZMQ_EVENTS), 0);
    dealer.set (ZMQ_SNDTIMEO, 10);
    EXPECT_FALSE (dealer.send ("nobody"));
    EXPECT_EQ (errno, EAGAIN);
}

// "SHALL NOT discard messages that it cannot queue": blocked, then all of it.
TEST_F (dealers, at_the_mark_wait_and_lose_nothing)
{
    socket one = open (ZMQ_DEALER);
    one.set (ZMQ_SNDHWM, 10);
    socket two = open (ZMQ_DEALER);
    two.set (ZMQ_RCVHWM, 10);
    ASSERT_TRUE (join (one, two));
    constexpr int count = 5000;
    worker sender ([&] {
        for (int i = 0; i < count; ++i)
            EXPECT_TRUE (one.send (std::vector<std::string>{std::to_string (i), pattern (2000)}));
    });
    for (int i = 0; i < count; ++i) {
        const auto got = two.receive_message ();
        ASSERT_EQ (got.size (), 2u);
        ASSERT_EQ (got[0], std::to_string (i));
    }
}

TEST_F (dealers, talk_both_ways_in_whole_messages)
{
    socket one = open (ZMQ_DEALER);
    socket two = open (ZMQ_DEALER);
    ASSERT_TRUE (join (one, two));
    const std::vector<std::string> whole = {"", "b", pattern (100'000)};
    for (int i = 0; i < 20; ++i) {
        ASSERT_TRUE (one.send (whole));
        ASSERT_EQ (two.receive_message (), whole);
        ASSERT_TRUE (two.send (std::vector<std::string>{"back", ""}));
        ASSERT_EQ (one.receive_message (), (std::vector<std::string>{"back", ""}));
    }
}

TEST_F (dealers, of_both_headers_talk)
{
    socket one = open (ZMQ_DEALER);
    // Contexts do not share inproc names.
    socket two = under_test ().one_queue ? open (ZMQ_DEALER) : open_zlink (ZLINK_DEALER);
    ASSERT_TRUE (join (one, two));
    ASSERT_TRUE (one.send ("to zlink"));
    EXPECT_EQ (two.receive (), "to zlink");
    ASSERT_TRUE (two.send ("to zmq"));
    EXPECT_EQ (one.receive (), "to zmq");
}

// Another connection to the same peer would bring nothing.
TEST_F (dealers, connect_to_an_endpoint_once)
{
    if (under_test ().one_queue)
        GTEST_SKIP () << "as with libzmq, inproc links are made as often as asked for";
    socket bound = open (ZMQ_DEALER);
    const std::string where = bound.bind (place ());
    socket dealer = open (ZMQ_DEALER);
    for (int i = 0; i < 3; ++i)
        dealer.connect (where);
    ASSERT_TRUE (dealer.has_peers ());
    ASSERT_TRUE (dealer.send ("once"));
    EXPECT_EQ (bound.receive (), "once");
    dealer.disconnect (where);
    EXPECT_EQ (zmq_disconnect (dealer, where.c_str ()), -1);
    EXPECT_EQ (errno, ENOENT);
}

}  // namespace
}  // namespace zlink::test
