// ROUTER, rule by rule of RFC 28 and of what libzmq's programs rely on.
#include <atomic>
#include <set>

#include "conformance/transport.hpp"
#include "support/events.hpp"

namespace zlink::test {
namespace {

using parts = std::vector<std::string>;

struct routers : conformance
{
    static void name (socket &which, const std::string &text)
    {
        ASSERT_EQ (zmq_setsockopt (which, ZMQ_ROUTING_ID, text.data (), text.size ()), 0);
    }
    static void name_next_peer (socket &which, const std::string &text)
    {
        ASSERT_EQ (zmq_setsockopt (which, ZMQ_CONNECT_ROUTING_ID, text.data (), text.size ()), 0);
    }
    // A DEALER of that name, known to the router when this returns.
    socket dealer_at (const std::string &where, const std::string &text, socket &router, unsigned peers = 1)
    {
        socket made = open (ZMQ_DEALER);
        name (made, text);
        made.connect (where);
        EXPECT_TRUE (made.has_peers ());
        EXPECT_TRUE (router.has_peers (peers));
        return made;
    }
    static zlink_counters_t counts (socket &which)
    {
        std::array<zlink_counters_t, 1> row{};
        std::size_t count = row.size ();
        EXPECT_EQ (zlink_counters (which, row.data (), sizeof row[0], &count), 0);
        return row[0];
    }
};

// "SHALL prepend each incoming message with the identity of the originating peer."
TEST_F (routers, put_the_senders_name_in_front)
{
    socket router = open (ZMQ_ROUTER);
    const std::string where = router.bind (place ());
    socket one = dealer_at (where, "one", router);
    socket two = dealer_at (where, std::string (255, 't'), router, 2);
    ASSERT_TRUE (one.send ("hello"));
    EXPECT_EQ (router.receive_message (), (parts{"one", "hello"}));
    ASSERT_TRUE (two.send (parts{"", "body", pattern (100'000)}));
    EXPECT_EQ (router.receive_message (), (parts{std::string (255, 't'), "", "body", pattern (100'000)}));
    ASSERT_TRUE (one.send (""));
    EXPECT_EQ (router.receive_message (), (parts{"one", ""}));
}

// "SHALL use the first part to choose the peer, and remove it."
TEST_F (routers, send_to_whom_the_first_part_names)
{
    socket router = open (ZMQ_ROUTER);
    const std::string where = router.bind (place ());
    socket one = dealer_at (where, "one", router);
    socket two = dealer_at (where, "two", router, 2);
    for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE (router.send (parts{"two", std::to_string (i)}));
        ASSERT_TRUE (router.send (parts{"one", "", std::to_string (i), pattern (300)}));
    }
    for (int i = 0; i < 100; ++i) {
        ASSERT_EQ (two.receive_message (), parts{std::to_string (i)});
        ASSERT_EQ (one.receive_message (), (parts{"", std::to_string (i), pattern (300)}));
    }
    EXPECT_FALSE (one.receive (ZMQ_DONTWAIT));
}

TEST_F (routers, send_bodies_of_every_size)
{
    socket router = open (ZMQ_ROUTER);
    const std::string where = router.bind (place ());
    socket one = dealer_at (where, "one", router);
    for (const std::size_t size : {0, 1, 40, 41, 64, 255, 256, 8192, 16'384, 70'000, 300'000}) {
        ASSERT_TRUE (router.send (parts{"one", pattern (size)}));
        ASSERT_EQ (one.receive (), pattern (size));
        ASSERT_TRUE (one.send (pattern (size)));
        ASSERT_EQ (router.receive_message (), (parts{"one", pattern (size)}));
    }
}

// Peers without a name get one that begins with a zero, and keep it.
TEST_F (routers, name_who_has_no_name)
{
    socket router = open (ZMQ_ROUTER);
    const std::string where = router.bind (place ());
    std::vector<socket> dealers;
    std::set<std::string> names;
    for (int i = 0; i < 5; ++i) {
        dealers.push_back (open (ZMQ_DEALER));
        dealers.back ().connect (where);
        for (int k = 0; k < 2; ++k) {
            ASSERT_TRUE (dealers.back ().send ("hello"));
            const parts got = router.receive_message ();
            ASSERT_EQ (got.size (), 2u);
            ASSERT_EQ (got[0].size (), 5u);
            EXPECT_EQ (got[0][0], '\0');
            names.insert (got[0]);
            ASSERT_TRUE (router.send (parts{got[0], "back"}));
            EXPECT_EQ (dealers.back ().receive (), "back");
        }
    }
    EXPECT_EQ (names.size (), 5u);
}

// "SHALL receive from its peers using a fair-queuing strategy."
TEST_F (routers, hear_all_in_turn)
{
    socket router = open (ZMQ_ROUTER);
    const std::string where = router.bind (place ());
    std::vector<socket> dealers;
    for (unsigned i = 0; i < 3; ++i)
        dealers.push_back (dealer_at (where, std::to_string (i), router, i + 1));
    for (int k = 0; k < 50; ++k)
        for (socket &each : dealers)
            ASSERT_TRUE (each.send ("x"));
    std::multiset<std::string> names;
    for (int k = 0; k < 150; ++k)
        names.insert (router.receive_message ().at (0));
    for (const char *each : {"0", "1", "2"})
        EXPECT_EQ (names.count (each), 50u);
}

// "SHALL silently drop messages that it cannot route", and count them.
TEST_F (routers, drop_what_they_cannot_route)
{
    socket router = open (ZMQ_ROUTER);
    const std::string where = router.bind (place ());
    socket one = dealer_at (where, "one", router);
    ASSERT_TRUE (router.send (parts{"nobody", "lost"}));
    ASSERT_TRUE (router.send (parts{"", "", "lost"}));
    ASSERT_TRUE (router.send ("one"));  // a name alone
    ASSERT_TRUE (router.send (parts{"one", "found"}));
    EXPECT_EQ (one.receive (), "found");
    EXPECT_EQ (counts (router).dropped_unroutable, 3u);
    EXPECT_EQ (counts (router).messages_sent, 1u);
}

TEST_F (routers, that_are_mandatory_refuse_what_they_cannot_route)
{
    socket router = open (ZMQ_ROUTER);
    router.set (ZMQ_ROUTER_MANDATORY, 1);
    const std::string where = router.bind (place ());
    EXPECT_FALSE (router.send ("nobody", ZMQ_SNDMORE));
    EXPECT_EQ (errno, EHOSTUNREACH);
    EXPECT_EQ (router.get (ZMQ_EVENTS) & ZMQ_POLLOUT, 0);
    socket one = dealer_at (where, "one", router);
    EXPECT_EQ (router.get (ZMQ_EVENTS) & ZMQ_POLLOUT, ZMQ_POLLOUT);
    EXPECT_FALSE (router.send ("nobody", ZMQ_SNDMORE));
    EXPECT_EQ (errno, EHOSTUNREACH);
    ASSERT_TRUE (router.send (parts{"one", "found"}));
    EXPECT_EQ (one.receive (), "found");
    EXPECT_EQ (counts (router).dropped_unroutable, 0u);
}

TEST_F (routers, that_are_not_mandatory_never_block)
{
    socket router = open (ZMQ_ROUTER);
    EXPECT_EQ (router.get (ZMQ_EVENTS), ZMQ_POLLOUT);
    router.set (ZMQ_SNDHWM, 5);
    router.set (ZMQ_SNDBUF, 8192);
    const std::string where = router.bind (place ());
    socket one = open (ZMQ_DEALER);
    name (one, "one");
    one.set (ZMQ_RCVHWM, 5);
    one.set (ZMQ_RCVBUF, 8192);
    one.connect (where);
    ASSERT_TRUE (router.has_peers ());
    constexpr int count = 2000;
    for (int i = 0; i < count; ++i)
        ASSERT_TRUE (router.send (parts{"one", std::to_string (i) + pattern (8000)}));
    EXPECT_GT (counts (router).dropped_full, 0u);
    const zlink_counters_t after = counts (router);
    EXPECT_EQ (after.messages_sent + after.dropped_full, static_cast<std::uint64_t> (count));
    // What was accepted comes, in order.
    int last = -1;
    for (std::uint64_t i = 0; i < after.messages_sent; ++i) {
        const auto got = one.receive ();
        ASSERT_TRUE (got);
        ASSERT_GT (std::stoi (*got), last);
        last = std::stoi (*got);
    }
    EXPECT_FALSE (one.receive (ZMQ_DONTWAIT));
}

TEST_F (routers, that_are_mandatory_wait_for_room)
{
    socket router = open (ZMQ_ROUTER);
    router.set (ZMQ_ROUTER_MANDATORY, 1);
    router.set (ZMQ_SNDHWM, 5);
    router.set (ZMQ_SNDBUF, 8192);
    const std::string where = router.bind (place ());
    socket one = open (ZMQ_DEALER);
    name (one, "one");
    one.set (ZMQ_RCVHWM, 5);
    one.set (ZMQ_RCVBUF, 8192);
    one.connect (where);
    ASSERT_TRUE (router.has_peers ());
    socket idle = dealer_at (where, "idle", router, 2);
    int sent = 0;
    while (router.send ("one", ZMQ_SNDMORE | ZMQ_DONTWAIT) && sent < 100'000) {
        ASSERT_TRUE (router.send (std::to_string (sent) + pattern (8000)));
        ++sent;
    }
    ASSERT_EQ (errno, EAGAIN);
    // Others are not held up.
    ASSERT_TRUE (router.send (parts{"idle", "hello"}));
    EXPECT_EQ (idle.receive (), "hello");
    constexpr int more = 500;
    worker sender ([&] {
        for (int i = sent; i < sent + more; ++i)
            EXPECT_TRUE (router.send (parts{"one", std::to_string (i) + pattern (8000)}));
    });
    for (int i = 0; i < sent + more; ++i) {
        const auto got = one.receive ();
        ASSERT_TRUE (got) << i;
        ASSERT_EQ (std::stoi (*got), i);
    }
    EXPECT_EQ (counts (router).dropped_full, 0u);
}

// Whoever waits for room at a peer learns that it is disconnected.
TEST_F (routers, that_are_mandatory_do_not_wait_for_who_is_gone)
{
    socket dealer = open (ZMQ_DEALER);
    name (dealer, "one");
    dealer.set (ZMQ_RCVHWM, 2);
    dealer.set (ZMQ_RCVBUF, 8192);
    const std::string where = dealer.bind (place ());
    socket router = open (ZMQ_ROUTER);
    router.set (ZMQ_ROUTER_MANDATORY, 1);
    router.set (ZMQ_SNDHWM, 2);
    router.set (ZMQ_SNDBUF, 8192);
    router.set (ZMQ_LINGER, 0);
    router.connect (where);
    ASSERT_TRUE (router.has_peers ());
    const std::string body = pattern (8000);
    for (int i = 0; i < 100'000 && router.send ("one", ZMQ_SNDMORE | ZMQ_DONTWAIT); ++i)
        ASSERT_TRUE (router.send (body));
    ASSERT_EQ (errno, EAGAIN);
    std::atomic<bool> begun{false};
    worker sender ([&] {
        begun = true;
        while (router.send (parts{"one", body})) {}  // there may be a little room yet
        EXPECT_EQ (errno, EHOSTUNREACH);
    });
    ASSERT_TRUE (eventually ([&] { return begun.load (); }));
    router.disconnect (where);
}

// Two that wait for different peers: each is woken for its own.
TEST_F (routers, wake_each_sender_for_its_own_peer)
{
    socket router = open (ZMQ_ROUTER);
    router.set (ZMQ_ROUTER_MANDATORY, 1);
    router.set (ZMQ_SNDHWM, 2);
    router.set (ZMQ_SNDBUF, 8192);
    const std::string where = router.bind (place ());
    std::vector<socket> dealers;
    for (unsigned i = 0; i < 2; ++i) {
        dealers.push_back (open (ZMQ_DEALER));
        name (dealers.back (), std::to_string (i));
        dealers.back ().set (ZMQ_RCVHWM, 2);
        dealers.back ().set (ZMQ_RCVBUF, 8192);
        dealers.back ().connect (where);
        ASSERT_TRUE (router.has_peers (i + 1));
    }
    constexpr int count = 300;
    std::vector<worker> senders;
    for (int who = 0; who < 2; ++who)
        senders.emplace_back ([&, who] {
            for (int i = 0; i < count; ++i) {
                const std::string body = std::to_string (i) + pattern (8000);
                parts_of<2> message;
                message.set (0, std::to_string (who));
                message.set (1, body);
                EXPECT_EQ (zlink_sendv (router, message.data (), 2, 0), 2) << zmq_strerror (errno);
            }
        });
    for (const std::size_t who : {1, 0})
        for (int i = 0; i < count; ++i) {
            const auto got = dealers[who].receive ();
            ASSERT_TRUE (got) << who << " " << i;
            ASSERT_EQ (std::stoi (*got), i);
        }
}

TEST_F (routers, keep_a_name_with_its_living_holder)
{
    socket router = open (ZMQ_ROUTER);
    const std::string where = router.bind (place ());
    socket first = dealer_at (where, "same", router);
    socket second = open (ZMQ_DEALER);
    name (second, "same");
    second.set (ZMQ_RECONNECT_IVL, -1);
    second.connect (where);
    (void)second.send ("intruder", ZMQ_DONTWAIT);
    for (int i = 0; i < 20; ++i) {
        ASSERT_TRUE (first.send ("mine"));
        EXPECT_EQ (router.receive_message (), (parts{"same", "mine"}));
        ASSERT_TRUE (router.send (parts{"same", "yours"}));
        EXPECT_EQ (first.receive (), "yours");
    }
    EXPECT_EQ (zlink_wait_peers (router, 2, 0), -1);
}

TEST_F (routers, tell_a_newcomer_that_its_name_is_in_use)
{
    if (under_test ().one_queue)
        GTEST_SKIP () << "no handshake fails over inproc";
    (void)zlink_set_log (zlink_log_discard, nullptr);
    socket router = open (ZMQ_ROUTER);
    constexpr int failed = ZLINK_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZLINK_EVENT_HANDSHAKE_FAILED_PROTOCOL;
    events told_here (router, failed);
    const std::string where = router.bind (place ());
    socket first = dealer_at (where, "same", router);
    const worker lives ([&] { EXPECT_EQ (first.receive (), "done"); });  // which answers PINGs
    socket second = open (ZMQ_DEALER);
    events told_there (second, failed);
    name (second, "same");
    second.set (ZMQ_RECONNECT_IVL, 1);
    second.connect (where);
    for (int i = 0; i < 3; ++i) {
        EXPECT_STREQ (told_here.next ().reason_text, "identity-taken");
        EXPECT_STREQ (told_there.next ().reason_text, "refused-by-peer");
    }
    ASSERT_TRUE (router.send (parts{"same", "done"}));
}

TEST_F (routers, give_a_name_on_when_its_holder_has_left)
{
    socket router = open (ZMQ_ROUTER);
    const std::string where = router.bind (place ());
    for (int i = 0; i < 10; ++i) {
        socket one = open (ZMQ_DEALER);
        name (one, "same");
        one.set (ZMQ_RECONNECT_IVL, 1);
        one.connect (where);
        ASSERT_TRUE (one.has_peers ());
        ASSERT_TRUE (one.send (std::to_string (i)));
        ASSERT_EQ (router.receive_message (), (parts{"same", std::to_string (i)}));
        ASSERT_TRUE (router.send (parts{"same", "back"}));
        ASSERT_EQ (one.receive (), "back");
    }
}

TEST_F (routers, with_handover_a_newcomer_takes_the_name)
{
    socket router = open (ZMQ_ROUTER);
    router.set (ZMQ_ROUTER_HANDOVER, 1);
    const std::string where = router.bind (place ());
    socket first = open (ZMQ_DEALER);
    name (first, "same");
    first.set (ZMQ_RECONNECT_IVL, -1);
    first.connect (where);
    ASSERT_TRUE (router.has_peers ());
    ASSERT_TRUE (first.send ("before"));
    socket second = open (ZMQ_DEALER);
    name (second, "same");
    second.connect (where);
    ASSERT_TRUE (second.send ("newcomer"));
    // What the old one had sent is not lost.
    std::multiset<std::string> got;
    for (int i = 0; i < 2; ++i) {
        const parts next = router.receive_message ();
        ASSERT_EQ (next.size (), 2u);
        EXPECT_EQ (next[0], "same");
        got.insert (next[1]);
    }
    EXPECT_EQ (got, (std::multiset<std::string>{"before", "newcomer"}));
    ASSERT_TRUE (router.send (parts{"same", "for the new one"}));
    EXPECT_EQ (second.receive (), "for the new one");
    EXPECT_TRUE (eventually ([&] {
        EXPECT_FALSE (first.receive (ZMQ_DONTWAIT));
        (void)router.receive (ZMQ_DONTWAIT);
        return zlink_wait_peers (router, 2, 0) != 0;
    }));
}

// CONNECT_ROUTING_ID: known before there is a connection.
TEST_F (routers, know_whom_they_dial_by_a_name_of_their_own)
{
    const std::string where = place ();
    socket router = open (ZMQ_ROUTER);
    name_next_peer (router, "server");
    router.connect (where);
    ASSERT_TRUE (router.send (parts{"server", "", "early"}));
    socket server = open (ZMQ_ROUTER);
    name (server, "its own name");
    server.bind (where);
    const parts got = server.receive_message ();
    ASSERT_EQ (got.size (), 3u);
    EXPECT_EQ (got[2], "early");
    ASSERT_TRUE (server.send (parts{got[0], "", "answer"}));
    EXPECT_EQ (router.receive_message (), (parts{"server", "", "answer"}));
    ASSERT_TRUE (router.send (parts{"its own name", "", "lost"}));
    EXPECT_EQ (counts (router).dropped_unroutable, 1u);
}

TEST_F (routers, dial_under_one_name_once)
{
    socket router = open (ZMQ_ROUTER);
    name_next_peer (router, "server");
    router.connect (place ());
    name_next_peer (router, "server");
    EXPECT_EQ (zmq_connect (router, place ().c_str ()), -1);
    EXPECT_EQ (errno, EADDRINUSE);
    name_next_peer (router, "another");
    router.connect (place ());
    // Spent: the one after goes by the peer's own.
    router.connect (place ());
}

TEST_F (routers, of_two_sides_know_each_other_by_name)
{
    socket one = open (ZMQ_ROUTER);
    name (one, "one");
    socket two = open (ZMQ_ROUTER);
    name (two, "two");
    ASSERT_TRUE (join (one, two));
    ASSERT_TRUE (one.send (parts{"two", "hello"}));
    EXPECT_EQ (two.receive_message (), (parts{"one", "hello"}));
    ASSERT_TRUE (two.send (parts{"one", "back"}));
    EXPECT_EQ (one.receive_message (), (parts{"two", "back"}));
}

TEST_F (routers, are_probed_by_those_who_connect)
{
    socket router = open (ZMQ_ROUTER);
    const std::string where = router.bind (place ());
    socket dealer = open (ZMQ_DEALER);
    name (dealer, "prober");
    dealer.set (ZMQ_PROBE_ROUTER, 1);
    dealer.connect (where);
    EXPECT_EQ (router.receive_message (), (parts{"prober", ""}));
    ASSERT_TRUE (router.send (parts{"prober", "welcome"}));
    EXPECT_EQ (dealer.receive (), "welcome");
    socket second = open (ZMQ_ROUTER);
    second.set (ZMQ_PROBE_ROUTER, 1);
    name (second, "second");
    second.connect (where);
    EXPECT_EQ (router.receive_message (), (parts{"second", ""}));
}

TEST_F (routers, tell_who_comes_and_who_goes)
{
    socket router = open (ZMQ_ROUTER);
    router.set (ZMQ_ROUTER_NOTIFY, ZMQ_NOTIFY_CONNECT | ZMQ_NOTIFY_DISCONNECT);
    EXPECT_EQ (router.get (ZMQ_ROUTER_NOTIFY), 3);
    const std::string where = router.bind (place ());
    {
        socket dealer = open (ZMQ_DEALER);
        name (dealer, "guest");
        dealer.set (ZMQ_LINGER, watchdog_ms);
        dealer.connect (where);
        EXPECT_EQ (router.receive_message (), (parts{"guest", ""}));
        ASSERT_TRUE (dealer.send ("hello"));
        ASSERT_TRUE (dealer.send ("bye"));
    }
    EXPECT_EQ (router.receive_message (), (parts{"guest", "hello"}));
    EXPECT_EQ (router.receive_message (), (parts{"guest", "bye"}));
    EXPECT_EQ (router.receive_message (), (parts{"guest", ""}));
    EXPECT_FALSE (router.receive (ZMQ_DONTWAIT));
}

// A message begun for somebody who leaves before its end.
TEST_F (routers, drop_or_refuse_a_message_whose_peer_leaves_in_the_middle)
{
    for (const int mandatory : {0, 1}) {
        socket router = open (ZMQ_ROUTER);
        router.set (ZMQ_ROUTER_MANDATORY, mandatory);
        const std::string where = router.bind (place ());
        {
            socket one = dealer_at (where, "one", router);
            ASSERT_TRUE (router.send ("one", ZMQ_SNDMORE));
            ASSERT_TRUE (router.send ("part", ZMQ_SNDMORE));
        }
        ASSERT_TRUE (eventually ([&] {
            (void)router.get (ZMQ_EVENTS);
            return zlink_wait_peers (router, 1, 0) != 0;
        }));
        EXPECT_EQ (router.send ("last"), mandatory == 0);
        if (mandatory == 0)
            EXPECT_EQ (counts (router).dropped_peer_lost, 1u);
        else
            EXPECT_EQ (errno, EHOSTUNREACH);
        // The next message is a new one.
        socket two = dealer_at (where, "two", router);
        ASSERT_TRUE (router.send (parts{"two", "hello"}));
        EXPECT_EQ (two.receive (), "hello");
    }
}

// The name was handed out: what belongs to it follows, whoever leaves.
TEST_F (routers, hand_out_the_rest_behind_a_name)
{
    for (const parts &body : {parts{"single"}, parts{"", "two"}}) {
        socket router = open (ZMQ_ROUTER);
        const std::string where = router.bind (place ());
        {
            socket one = dealer_at (where, "one", router);
            one.set (ZMQ_LINGER, watchdog_ms);
            ASSERT_TRUE (one.send (body));
            EXPECT_EQ (router.receive (), "one");
        }
        ASSERT_TRUE (eventually ([&] {
            (void)router.get (ZMQ_EVENTS);
            return true;
        }));
        EXPECT_EQ (router.get (ZMQ_RCVMORE), 1);
        EXPECT_EQ (router.receive_message (), body);
    }
}

TEST_F (routers, move_whole_messages_in_vectors)
{
    socket router = open (ZMQ_ROUTER);
    const std::string where = router.bind (place ());
    socket one = dealer_at (where, "one", router);
    parts_of<3> out;
    out.set (0, "one");
    out.set (1, "");
    out.set (2, pattern (64));
    ASSERT_EQ (zlink_sendv (router, out.data (), 3, 0), 3);
    EXPECT_EQ (one.receive_message (), (parts{"", pattern (64)}));
    ASSERT_TRUE (one.send (parts{"a", "b"}));
    parts_of<2> few;
    std::size_t needed = 2;
    EXPECT_EQ (zlink_recvv (router, few.data (), &needed, 0), -1);
    EXPECT_EQ (errno, EMSGSIZE);
    EXPECT_EQ (needed, 3u);
    parts_of<3> in;
    needed = 3;
    ASSERT_EQ (zlink_recvv (router, in.data (), &needed, 0), 3);
    EXPECT_EQ (in.text (0), "one");
    EXPECT_EQ (in.text (1), "a");
    EXPECT_EQ (in.text (2), "b");
}

TEST_F (routers, tell_whose_message_it_is_in_its_metadata)
{
    if (under_test ().one_queue)
        GTEST_SKIP () << "messages over inproc have no metadata";
    socket router = open (ZMQ_ROUTER);
    const std::string where = router.bind (place ());
    socket one = dealer_at (where, "one", router);
    ASSERT_TRUE (one.send ("hello"));
    for (int i = 0; i < 2; ++i) {
        part next;
        ASSERT_GE (zmq_msg_recv (next.raw (), router, 0), 0);
        EXPECT_STREQ (zmq_msg_gets (next.raw (), "Routing-Id"), "one");
        EXPECT_STREQ (zmq_msg_gets (next.raw (), "Identity"), "one");
        EXPECT_STREQ (zmq_msg_gets (next.raw (), "Socket-Type"), "DEALER");
    }
}

TEST_F (routers, of_zlink_are_sent_names_of_sixteen_bytes)
{
    if (under_test ().one_queue)
        GTEST_SKIP () << "contexts do not share inproc names";
    socket router = open (ZMQ_ROUTER);
    const std::string where = router.bind (place ());
    socket dealer = open_zlink (ZLINK_DEALER);
    dealer.connect (where);
    ASSERT_TRUE (dealer.send ("hello"));
    const parts got = router.receive_message ();
    ASSERT_EQ (got.size (), 2u);
    EXPECT_EQ (got[0].size (), 16u);
    EXPECT_NE (got[0][0], '\0');
}

}  // namespace
}  // namespace zlink::test
