// ROUTER_NOTIFY's 4: what was for a peer that is lost comes back if no byte of it
// had left; and peers of a ROUTER that are let go of by their names.
#include "conformance/transport.hpp"

namespace zlink::test {
namespace {

using parts = std::vector<std::string>;

constexpr int comes = ZLINK_NOTIFY_CONNECT;
constexpr int goes = ZLINK_NOTIFY_DISCONNECT;
constexpr int recalled = ZLINK_NOTIFY_RECALLED;
constexpr int tells_comer = 1;  // of ZLINK_MSG_EVENT
constexpr int tells_goer = 2;
constexpr int tells_recalled = 3;

struct recalling : conformance
{
    static void name (socket &which, const std::string &text)
    {
        ASSERT_EQ (zmq_setsockopt (which, ZMQ_ROUTING_ID, text.data (), text.size ()), 0);
    }
    static void name_next_peer (socket &which, const std::string &text)
    {
        ASSERT_EQ (zmq_setsockopt (which, ZMQ_CONNECT_ROUTING_ID, text.data (), text.size ()), 0);
    }
    socket router_that_notifies (int bits)
    {
        socket made = open (ZMQ_ROUTER);
        made.set (ZMQ_ROUTER_MANDATORY, 1);
        made.set (ZMQ_ROUTER_NOTIFY, bits);
        made.set (ZMQ_SNDBUF, 8192);
        return made;
    }
    static int disconnect (socket &router, std::string_view text)
    {
        return zlink_disconnect_routing_id (router, text.data (), text.size ());
    }
    // What it is, and its parts behind the name.
    struct told
    {
        int event = -1;
        std::string of;
        parts body;
    };
    static told receive (socket &router)
    {
        told next;
        part label;
        if (zmq_msg_recv (label.raw (), router, 0) < 0)
            return next;
        next.of = label.text ();
        for (bool more = label.more (); more;) {
            part each;
            EXPECT_GE (zmq_msg_recv (each.raw (), router, 0), 0);
            next.event = zmq_msg_get (each.raw (), ZLINK_MSG_EVENT);
            next.body.push_back (each.text ());
            more = each.more ();
        }
        return next;
    }
    static std::string numbered (int number, std::size_t size)
    {
        return std::to_string (number) + ' ' + pattern (size, static_cast<unsigned> (number));
    }
    // Numbered messages of two parts, until there is no room for more.
    static int send_all (socket &router, const std::string &to, int count, std::size_t size)
    {
        int sent = 0;
        while (sent < count && router.send (to, ZMQ_SNDMORE | ZMQ_DONTWAIT)) {
            EXPECT_TRUE (router.send (numbered (sent, size), ZMQ_SNDMORE));
            EXPECT_TRUE (router.send ("end"));
            ++sent;
        }
        return sent;
    }
};

// The peer reads some, and goes. What comes back is the end of what was sent, in
// order and whole, and nothing of it has been read over there.
TEST_F (recalling, what_had_not_left_comes_back_whole_and_in_order_before_the_goer_is_told)
{
    for (const std::size_t size : {std::size_t{10}, std::size_t{2000}, std::size_t{20'000}}) {
        socket router = router_that_notifies (goes | recalled);
        const std::string where = router.bind (place ());
        socket dealer = open (ZMQ_DEALER);
        dealer.set (ZMQ_RCVHWM, 1);
        dealer.set (ZMQ_RCVBUF, 8192);
        name (dealer, "guest");
        dealer.connect (where);
        ASSERT_TRUE (router.has_peers ());
        const int sent = send_all (router, "guest", 500, size);
        ASSERT_GT (sent, 0);
        for (int i = 0; i < 3; ++i)
            EXPECT_EQ (dealer.receive_message (), (parts{numbered (i, size), "end"}));
        dealer.close ();
        told next = receive (router);
        int number = -1;
        while (next.event == tells_recalled) {
            EXPECT_EQ (next.of, "guest");
            ASSERT_EQ (next.body.size (), 2u);
            if (number < 0)
                number = std::stoi (next.body[0]);
            EXPECT_EQ (next.body, (parts{numbered (number++, size), "end"}));
            next = receive (router);
        }
        EXPECT_EQ (next.event, tells_goer);
        EXPECT_EQ (next.of, "guest");
        if (size > 10) {
            EXPECT_EQ (number, sent) << "the last one comes back, too";
        }
    }
}

TEST_F (recalling, what_waits_for_who_never_comes_comes_back)
{
    socket router = router_that_notifies (recalled);
    const std::string where = place ();
    name_next_peer (router, "nobody");
    router.connect (where);
    const std::string large = pattern (100'000);
    ASSERT_TRUE (router.send (parts{"nobody", "a", large}));
    (void)zmq_disconnect (router, where.c_str ());
    const told back = receive (router);
    EXPECT_EQ (back.event, tells_recalled);
    EXPECT_EQ (back.of, "nobody");
    EXPECT_EQ (back.body, (parts{"a", large}));
    EXPECT_FALSE (router.receive (ZMQ_DONTWAIT));
}

// It can be sent as it is, to another.
TEST_F (recalling, what_came_back_is_a_message_like_others)
{
    socket router = router_that_notifies (recalled);
    name_next_peer (router, "nobody");
    const std::string where = place ();
    router.connect (where);
    ASSERT_TRUE (router.send (parts{"nobody", "once"}));
    (void)zmq_disconnect (router, where.c_str ());
    parts_of<2> back;
    std::size_t count = 2;
    ASSERT_EQ (zlink_recvv (router, back.data (), &count, 0), 2);
    ASSERT_EQ (count, 2u);
    EXPECT_EQ (zlink_msg_get (&back.all[1], ZLINK_MSG_EVENT), tells_recalled);
    socket dealer = open (ZMQ_DEALER);
    name (dealer, "somebody");
    dealer.connect (router.bind (place ()));
    ASSERT_TRUE (router.has_peers ());
    back.set (0, "somebody");
    ASSERT_EQ (zlink_sendv (router, back.data (), 2, 0), 2);
    part got;
    ASSERT_GE (zmq_msg_recv (got.raw (), dealer, 0), 0);
    EXPECT_EQ (got.text (), "once");
    EXPECT_EQ (zmq_msg_get (got.raw (), ZLINK_MSG_EVENT), 0);
    EXPECT_FALSE (got.more ());
}

TEST_F (recalling, without_it_nothing_comes_back)
{
    socket router = router_that_notifies (goes);
    name_next_peer (router, "nobody");
    const std::string where = place ();
    router.connect (where);
    ASSERT_TRUE (router.send (parts{"nobody", "lost"}));
    (void)zmq_disconnect (router, where.c_str ());
    socket dealer = open (ZMQ_DEALER);
    name (dealer, "guest");
    dealer.connect (router.bind (place ()));
    ASSERT_TRUE (router.has_peers ());
    dealer.close ();
    const told next = receive (router);
    EXPECT_EQ (next.event, tells_goer);
    EXPECT_FALSE (router.receive (ZMQ_DONTWAIT));
}

// A peer that is let go of gets what was sent to it.
TEST_F (recalling, a_peer_is_let_go_of_by_its_name)
{
    socket router = router_that_notifies (comes | goes | recalled);
    socket dealer = open (ZMQ_DEALER);
    socket second = open (ZMQ_DEALER);
    name (dealer, "guest");
    name (second, "other");
    const std::string where = router.bind (place ());
    dealer.set (ZMQ_RECONNECT_IVL, -1);
    dealer.connect (where);
    told next = receive (router);
    EXPECT_EQ (next.of, "guest");
    EXPECT_EQ (next.event, tells_comer);
    second.connect (where);
    EXPECT_EQ (receive (router).of, "other");
    ASSERT_TRUE (router.send (parts{"guest", "bye"}));
    EXPECT_EQ (disconnect (router, "nobody"), -1);
    EXPECT_EQ (errno, EHOSTUNREACH);
    ASSERT_EQ (disconnect (router, "guest"), 0);
    EXPECT_EQ (dealer.receive (), "bye");
    const told gone = receive (router);
    EXPECT_EQ (gone.of, "guest");
    EXPECT_EQ (gone.event, tells_goer);
    EXPECT_EQ (disconnect (router, "guest"), -1);
    EXPECT_EQ (errno, EHOSTUNREACH);
    EXPECT_FALSE (router.send ("guest", ZMQ_SNDMORE));
    EXPECT_EQ (errno, EHOSTUNREACH);
    ASSERT_TRUE (router.send (parts{"other", "still here"}));
    EXPECT_EQ (second.receive (), "still here");
}

TEST_F (recalling, who_was_dialled_by_a_name_is_dialled_no_more)
{
    socket router = router_that_notifies (0);
    socket dealer = open (ZMQ_DEALER);
    const std::string where = dealer.bind (place ());
    name_next_peer (router, "provider");
    router.connect (where);
    ASSERT_TRUE (router.has_peers ());
    ASSERT_TRUE (router.send (parts{"provider", "bye"}));
    ASSERT_EQ (disconnect (router, "provider"), 0);
    EXPECT_EQ (dealer.receive (), "bye");
    EXPECT_NE (zmq_disconnect (router, where.c_str ()), 0);
    EXPECT_EQ (errno, ENOENT);
    // The name is free again.
    name_next_peer (router, "provider");
    router.connect (where);
    ASSERT_TRUE (router.has_peers ());
    ASSERT_TRUE (eventually ([&] { return router.send (parts{"provider", "again"}); }));
    EXPECT_EQ (dealer.receive (), "again");
}

}  // namespace
}  // namespace zlink::test
