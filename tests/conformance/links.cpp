// Bind, connect and their undoing, in every order.
#include <algorithm>

#include "conformance/transport.hpp"

namespace zlink::test {
namespace {

struct links : conformance
{
};

TEST_F (links, connect_before_bind)
{
    const std::string where = place ();
    socket push = open (ZMQ_PUSH);
    push.connect (where);
    for (int i = 0; i < 50; ++i)
        ASSERT_TRUE (push.send (std::to_string (i)));
    socket pull = open (ZMQ_PULL);
    pull.bind (where);
    for (int i = 0; i < 50; ++i)
        ASSERT_EQ (pull.receive (), std::to_string (i));
}

TEST_F (links, connect_before_bind_with_parts_and_large_bodies)
{
    const std::string where = place ();
    socket push = open (ZMQ_PUSH);
    push.connect (where);
    const std::vector<std::string> whole = {"", pattern (10), pattern (200'000), pattern (9000)};
    for (int i = 0; i < 10; ++i)
        ASSERT_TRUE (push.send (whole));
    socket pull = open (ZMQ_PULL);
    pull.bind (where);
    for (int i = 0; i < 10; ++i)
        ASSERT_TRUE (pull.receive_message () == whole);
}

TEST_F (links, last_endpoint_tells_the_last_one)
{
    const std::string first = place ();
    const std::string second = place ();
    socket one = open (ZMQ_PULL);
    EXPECT_EQ (one.last_endpoint (), "");
    EXPECT_EQ (one.bind (first), first);
    EXPECT_EQ (one.bind (second), second);
    socket two = open (ZMQ_PUSH);
    two.connect (first);
    EXPECT_EQ (two.last_endpoint (), first);
}

TEST_F (links, one_socket_at_many_endpoints)
{
    socket pull = open (ZMQ_PULL);
    std::vector<socket> pushes;
    for (int i = 0; i < 5; ++i) {
        pushes.push_back (open (ZMQ_PUSH));
        pushes.back ().connect (pull.bind (place ()));
    }
    for (int i = 0; i < 5; ++i)
        ASSERT_TRUE (pushes[static_cast<std::size_t> (i)].send (std::to_string (i)));
    std::vector<std::string> got;
    for (int i = 0; i < 5; ++i)
        got.push_back (pull.receive ().value_or ("nothing"));
    std::sort (got.begin (), got.end ());
    EXPECT_EQ (got, (std::vector<std::string>{"0", "1", "2", "3", "4"}));
}

TEST_F (links, what_is_taken_is_eaddrinuse)
{
    const std::string where = place ();
    socket one = open (ZMQ_PULL);
    one.bind (where);
    socket two = open (ZMQ_PULL);
    EXPECT_EQ (zmq_bind (two, where.c_str ()), -1);
    EXPECT_EQ (errno, EADDRINUSE);
    EXPECT_EQ (zmq_bind (one, where.c_str ()), -1);
    EXPECT_EQ (errno, EADDRINUSE);
    socket push = open (ZMQ_PUSH);
    push.connect (where);
    ASSERT_TRUE (push.send ("to the first"));
    EXPECT_EQ (one.receive (), "to the first");
}

// unbind returns when the listener is closed, so the place is free at once.
TEST_F (links, unbind_and_bind_again_at_once)
{
    const std::string where = place ();
    socket one = open (ZMQ_PULL);
    socket two = open (ZMQ_PULL);
    for (int i = 0; i < 20; ++i) {
        socket &owner = i % 2 == 0 ? one : two;
        owner.bind (where);
        socket push = open (ZMQ_PUSH);
        push.connect (where);
        ASSERT_TRUE (push.send (std::to_string (i)));
        ASSERT_EQ (owner.receive (), std::to_string (i));
        owner.unbind (where);
    }
}

TEST_F (links, closing_frees_the_place_too)
{
    const std::string where = place ();
    for (int i = 0; i < 20; ++i) {
        socket pull = open (ZMQ_PULL);
        pull.bind (where);
        socket push = open (ZMQ_PUSH);
        push.connect (where);
        ASSERT_TRUE (push.send (std::to_string (i)));
        ASSERT_EQ (pull.receive (), std::to_string (i));
    }
}

TEST_F (links, unbind_lets_nobody_new_in)
{
    const std::string where = place ();
    socket pull = open (ZMQ_PULL);
    pull.bind (where);
    pull.unbind (where);
    socket push = open (ZMQ_PUSH);
    push.connect (where);
    EXPECT_EQ (zlink_wait_peers (push, 1, 100), -1);
    EXPECT_EQ (errno, ETIMEDOUT);
}

TEST_F (links, undoing_what_was_not_done_is_enoent)
{
    const std::string where = place ();
    socket one = open (ZMQ_PULL);
    EXPECT_EQ (zmq_unbind (one, where.c_str ()), -1);
    EXPECT_EQ (errno, ENOENT);
    EXPECT_EQ (zmq_disconnect (one, where.c_str ()), -1);
    EXPECT_EQ (errno, ENOENT);
    one.bind (where);
    EXPECT_EQ (zmq_disconnect (one, where.c_str ()), -1);
    EXPECT_EQ (errno, ENOENT);
    one.unbind (where);
    EXPECT_EQ (zmq_unbind (one, where.c_str ()), -1);
    EXPECT_EQ (errno, ENOENT);
    one.connect (where);
    EXPECT_EQ (zmq_unbind (one, where.c_str ()), -1);
    EXPECT_EQ (errno, ENOENT);
    one.disconnect (where);
    EXPECT_EQ (zmq_disconnect (one, where.c_str ()), -1);
    EXPECT_EQ (errno, ENOENT);
}

TEST_F (links, disconnect_stops_traffic_and_connect_starts_it_again)
{
    socket pull = open (ZMQ_PULL);
    const std::string where = pull.bind (place ());
    socket push = open (ZMQ_PUSH);
    for (int i = 0; i < 20; ++i) {
        push.connect (where);
        ASSERT_TRUE (push.send (std::to_string (i)));
        ASSERT_EQ (pull.receive (), std::to_string (i));
        push.disconnect (where);
        EXPECT_FALSE (push.send ("nobody", ZMQ_DONTWAIT));
        EXPECT_EQ (errno, EAGAIN);
    }
}

TEST_F (links, disconnect_leaves_other_endpoints_alone)
{
    socket first = open (ZMQ_PULL);
    socket second = open (ZMQ_PULL);
    socket push = open (ZMQ_PUSH);
    const std::string where = first.bind (place ());
    push.connect (where);
    push.connect (second.bind (place ()));
    ASSERT_TRUE (push.has_peers (2));
    push.disconnect (where);
    ASSERT_TRUE (eventually ([&] { return zlink_wait_peers (push, 2, 0) != 0; }));
    for (int i = 0; i < 10; ++i) {
        ASSERT_TRUE (push.send (std::to_string (i)));
        ASSERT_EQ (second.receive (), std::to_string (i));
    }
    EXPECT_FALSE (first.receive (ZMQ_DONTWAIT));
}

TEST_F (links, what_was_sent_before_disconnect_arrives_with_time_to_linger)
{
    socket pull = open (ZMQ_PULL);
    const std::string where = pull.bind (place ());
    socket push = open (ZMQ_PUSH);
    push.set (ZMQ_LINGER, watchdog_ms);
    push.connect (where);
    ASSERT_TRUE (push.has_peers ());
    const std::string text = pattern (5000);
    for (int i = 0; i < 500; ++i)
        ASSERT_TRUE (push.send (text));
    push.disconnect (where);
    for (int i = 0; i < 500; ++i)
        ASSERT_TRUE (pull.receive () == text) << i;
}

TEST_F (links, that_are_gone_are_no_peers)
{
    socket pull = open (ZMQ_PULL);
    const std::string where = pull.bind (place ());
    for (int i = 0; i < 20; ++i) {
        socket push = open (ZMQ_PUSH);
        push.connect (where);
        ASSERT_TRUE (pull.has_peers ());
        push.close ();
        ASSERT_TRUE (eventually ([&] { return zlink_wait_peers (pull, 1, 0) != 0; })) << i;
    }
}

TEST_F (links, to_a_binder_that_went_leave_the_sender_waiting)
{
    socket push = open (ZMQ_PUSH);
    const std::string where = push.bind (place ());
    {
        socket pull = open (ZMQ_PULL);
        pull.connect (where);
        ASSERT_TRUE (push.has_peers ());
        ASSERT_TRUE (push.send ("x"));
        EXPECT_EQ (pull.receive (), "x");
    }
    ASSERT_TRUE (eventually ([&] { return zlink_wait_peers (push, 1, 0) != 0; }));
    EXPECT_FALSE (push.send ("y", ZMQ_DONTWAIT));
    EXPECT_EQ (errno, EAGAIN);
}

// Nobody is left for the rest of a message: it is undone, and the next part
// is the first of another.
TEST_F (links, that_go_between_two_parts_undo_the_message)
{
    const std::pair<int, int> types[] = {{ZMQ_PUSH, ZMQ_PULL}, {ZMQ_DEALER, ZMQ_DEALER}, {ZMQ_REQ, ZMQ_REP}};
    for (const auto &[sends, receives] : types) {
        socket sender = open (sends);
        const std::string where = sender.bind (place ());
        {
            socket gone = open (receives);
            gone.connect (where);
            ASSERT_TRUE (sender.has_peers ());
            ASSERT_TRUE (sender.send ("first", ZMQ_SNDMORE));
        }
        ASSERT_TRUE (eventually ([&] { return zlink_wait_peers (sender, 1, 0) != 0; }));
        EXPECT_FALSE (sender.send ("last", ZMQ_DONTWAIT));
        EXPECT_EQ (errno, EAGAIN);
        socket receiver = open (receives);
        receiver.connect (where);
        const std::vector<std::string> whole = {"first", "last"};
        ASSERT_TRUE (sender.send (whole));
        EXPECT_EQ (receiver.receive_message (), whole);
    }
}

TEST_F (links, many_at_once)
{
    socket pull = open (ZMQ_PULL);
    const std::string where = pull.bind (place ());
    constexpr unsigned count = 100;
    std::vector<socket> pushes;
    for (unsigned i = 0; i < count; ++i) {
        pushes.push_back (open (ZMQ_PUSH));
        pushes.back ().connect (where);
    }
    ASSERT_TRUE (pull.has_peers (count));
    for (socket &each : pushes)
        ASSERT_TRUE (each.send ("one"));
    for (unsigned i = 0; i < count; ++i)
        ASSERT_EQ (pull.receive (), "one") << i;
    EXPECT_EQ (pull.statistics ().messages_received, count);
}

}  // namespace
}  // namespace zlink::test
