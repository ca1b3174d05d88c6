// REQ and REP, rule by rule of RFC 28.
#include "conformance/transport.hpp"

namespace zlink::test {
namespace {

using parts = std::vector<std::string>;

struct requests : conformance
{
    static zlink_counters_t counts (socket &which)
    {
        std::array<zlink_counters_t, 1> row{};
        std::size_t count = row.size ();
        EXPECT_EQ (zlink_counters (which, row.data (), sizeof row[0], &count), 0);
        return row[0];
    }
    static void name (socket &which, const std::string &text)
    {
        ASSERT_EQ (zmq_setsockopt (which, ZMQ_ROUTING_ID, text.data (), text.size ()), 0);
    }
    // What to has been sent by from is on to's side, though it was not asked for.
    static bool waits_unread (socket &from, socket &to)
    {
        if (under_test ().one_queue)
            return true;
        const zlink_counters_t sent = counts (from);
        const zlink_counters_t come = counts (to);
        (void)to.get (ZMQ_EVENTS);
        return come.wire_bytes_received == sent.wire_bytes_sent;
    }
};
struct replies : requests
{
};

// "SHALL alternate: send, receive, send, receive." Anything else is EFSM.
TEST_F (requests, alternate_with_replies)
{
    socket rep = open (ZMQ_REP);
    socket req = open (ZMQ_REQ);
    ASSERT_TRUE (join (rep, req));
    EXPECT_FALSE (req.receive ());
    EXPECT_EQ (errno, EFSM);
    EXPECT_FALSE (rep.send ("what?"));
    EXPECT_EQ (errno, EFSM);
    for (int i = 0; i < 50; ++i) {
        ASSERT_TRUE (req.send (std::to_string (i)));
        EXPECT_FALSE (req.send ("again"));
        EXPECT_EQ (errno, EFSM);
        ASSERT_EQ (rep.receive (), std::to_string (i));
        EXPECT_FALSE (rep.receive ());
        EXPECT_EQ (errno, EFSM);
        ASSERT_TRUE (rep.send ("re " + std::to_string (i)));
        EXPECT_FALSE (rep.send ("again"));
        EXPECT_EQ (errno, EFSM);
        ASSERT_EQ (req.receive (), "re " + std::to_string (i));
        EXPECT_FALSE (req.receive ());
        EXPECT_EQ (errno, EFSM);
    }
}

// A REQ that is asked for replies that it does not wait for reads nothing.
TEST_F (requests, hear_of_a_peers_end_out_of_turn)
{
    socket req = open (ZMQ_REQ);
    {
        socket rep = open (ZMQ_REP);
        ASSERT_TRUE (join (req, rep));
    }
    ASSERT_TRUE (eventually ([&] { return !req.receive () && zlink_wait_peers (req, 1, 0) != 0; }));
}

TEST_F (requests, of_many_parts_come_and_go_whole)
{
    socket rep = open (ZMQ_REP);
    socket req = open (ZMQ_REQ);
    ASSERT_TRUE (join (rep, req));
    for (const std::size_t size : {0, 10, 300, 20'000, 300'000}) {
        const parts whole = {"head", "", pattern (size)};
        ASSERT_TRUE (req.send (whole));
        ASSERT_EQ (rep.receive (), "head");
        EXPECT_FALSE (rep.send ("too early"));
        EXPECT_EQ (errno, EFSM);
        ASSERT_EQ (rep.receive_message (), (parts{"", pattern (size)}));
        ASSERT_TRUE (rep.send (whole));
        ASSERT_EQ (req.receive (), "head");
        EXPECT_FALSE (req.send ("too early"));
        EXPECT_EQ (errno, EFSM);
        ASSERT_EQ (req.receive_message (), (parts{"", pattern (size)}));
    }
}

// "SHALL prefix an empty delimiter", which the application does not see.
TEST_F (requests, stand_behind_a_delimiter)
{
    socket router = open (ZMQ_ROUTER);
    socket req = open (ZMQ_REQ);
    name (req, "asker");
    ASSERT_TRUE (join (router, req));
    ASSERT_TRUE (req.send (parts{"a", "b"}));
    EXPECT_EQ (router.receive_message (), (parts{"asker", "", "a", "b"}));
    ASSERT_TRUE (router.send (parts{"asker", "", "c"}));
    EXPECT_EQ (req.receive_message (), parts{"c"});
}

// "SHALL discard silently what is not a reply."
TEST_F (requests, take_no_malformed_reply)
{
    socket router = open (ZMQ_ROUTER);
    socket req = open (ZMQ_REQ);
    name (req, "asker");
    ASSERT_TRUE (join (router, req));
    ASSERT_TRUE (req.send ("question"));
    EXPECT_EQ (router.receive_message (), (parts{"asker", "", "question"}));
    ASSERT_TRUE (router.send (parts{"asker", "no delimiter"}));
    ASSERT_TRUE (router.send (parts{"asker", "no delimiter", "first"}));
    ASSERT_TRUE (router.send (parts{"asker", ""}));
    ASSERT_TRUE (router.send (parts{"asker", "", "answer"}));
    EXPECT_EQ (req.receive_message (), parts{"answer"});
    EXPECT_EQ (counts (req).dropped_malformed, 3u);
}

TEST_F (requests, go_round_robin)
{
    socket req = open (ZMQ_REQ);
    const std::string where = req.bind (place ());
    std::vector<socket> reps;
    for (unsigned i = 0; i < 3; ++i) {
        reps.push_back (open (ZMQ_REP));
        reps.back ().connect (where);
        ASSERT_TRUE (req.has_peers (i + 1));
    }
    std::vector<int> asked (reps.size ());
    for (int i = 0; i < 9; ++i) {
        ASSERT_TRUE (req.send (std::to_string (i)));
        int who = -1;
        ASSERT_TRUE (eventually ([&] {
            for (std::size_t k = 0; k < reps.size (); ++k)
                if (reps[k].receive (ZMQ_DONTWAIT))
                    who = static_cast<int> (k);
            return who >= 0;
        }));
        ++asked[static_cast<std::size_t> (who)];
        ASSERT_TRUE (reps[static_cast<std::size_t> (who)].send ("answer"));
        ASSERT_EQ (req.receive (), "answer");
    }
    EXPECT_EQ (asked, (std::vector<int>{3, 3, 3}));
}

// "SHALL accept an incoming message only from the last peer it asked."
TEST_F (requests, listen_only_to_whom_they_asked)
{
    socket req = open (ZMQ_REQ);
    name (req, "asker");
    const std::string where = req.bind (place ());
    socket one = open (ZMQ_ROUTER);
    socket two = open (ZMQ_ROUTER);
    one.connect (where);
    ASSERT_TRUE (req.has_peers (1));
    ASSERT_TRUE (one.has_peers ());
    two.connect (where);
    ASSERT_TRUE (req.has_peers (2));
    ASSERT_TRUE (two.has_peers ());
    ASSERT_TRUE (req.send ("question"));
    socket *asked = nullptr;
    socket *silent = nullptr;
    parts got;
    ASSERT_TRUE (eventually ([&] {
        got = one.receive_message (ZMQ_DONTWAIT);
        asked = &one;
        silent = &two;
        if (got.empty ()) {
            got = two.receive_message (ZMQ_DONTWAIT);
            std::swap (asked, silent);
        }
        return !got.empty ();
    }));
    ASSERT_TRUE (silent->send (parts{"asker", "", "from another"}));
    ASSERT_TRUE (eventually ([&] {
        (void)req.get (ZMQ_EVENTS);
        return counts (req).dropped_unasked == 1;
    }));
    ASSERT_TRUE (asked->send (parts{"asker", "", "from whom it asked"}));
    EXPECT_EQ (req.receive_message (), parts{"from whom it asked"});
}

// A second reply to the last request is none to the next.
TEST_F (requests, do_not_take_what_came_before)
{
    socket router = open (ZMQ_ROUTER);
    socket req = open (ZMQ_REQ);
    name (req, "asker");
    ASSERT_TRUE (join (router, req));
    ASSERT_TRUE (req.send ("first"));
    ASSERT_EQ (router.receive_message (), (parts{"asker", "", "first"}));
    // One message behind the other: with the reply the other one has come, too.
    for (const std::string text : {"answer", "again"}) {
        parts_of<3> reply;
        reply.set (0, "asker");
        reply.set (2, text + pattern (10));
        ASSERT_EQ (zlink_sendv (router, reply.data (), 3, 0), 3);
    }
    ASSERT_EQ (req.receive (), "answer" + pattern (10));
    ASSERT_TRUE (eventually ([&] { return waits_unread (router, req); }));
    ASSERT_TRUE (req.send ("second"));
    ASSERT_EQ (router.receive_message (), (parts{"asker", "", "second"}));
    EXPECT_EQ (counts (req).dropped_unasked, 1u);
    ASSERT_TRUE (router.send (parts{"asker", "", "to the second"}));
    EXPECT_EQ (req.receive (), "to the second");
}

TEST_F (requests, wait_for_a_peer)
{
    socket req = open (ZMQ_REQ);
    const std::string where = req.bind (place ());
    EXPECT_FALSE (req.send ("nobody", ZMQ_DONTWAIT));
    EXPECT_EQ (errno, EAGAIN);
    EXPECT_EQ (req.get (ZMQ_EVENTS), 0);
    socket rep = open (ZMQ_REP);
    rep.connect (where);
    ASSERT_TRUE (req.send ("somebody"));
    EXPECT_EQ (rep.receive (), "somebody");
}

TEST_F (requests, show_their_turn_in_their_events)
{
    socket rep = open (ZMQ_REP);
    socket req = open (ZMQ_REQ);
    ASSERT_TRUE (join (rep, req));
    const auto shows = [] (socket &which, int wanted) {
        return eventually ([&] { return which.get (ZMQ_EVENTS) == wanted; });
    };
    for (int i = 0; i < 3; ++i) {
        EXPECT_TRUE (shows (req, ZMQ_POLLOUT));
        EXPECT_TRUE (shows (rep, 0));
        ASSERT_TRUE (req.send ("question"));
        EXPECT_TRUE (shows (req, 0));
        EXPECT_TRUE (shows (rep, ZMQ_POLLIN));
        ASSERT_TRUE (rep.receive ());
        EXPECT_TRUE (shows (rep, ZMQ_POLLOUT));
        ASSERT_TRUE (rep.send ("answer"));
        EXPECT_TRUE (shows (rep, 0));
        EXPECT_TRUE (shows (req, ZMQ_POLLIN));
        ASSERT_TRUE (req.receive ());
    }
}

TEST_F (requests, that_are_relaxed_may_be_repeated)
{
    socket router = open (ZMQ_ROUTER);
    socket req = open (ZMQ_REQ);
    name (req, "asker");
    req.set (ZMQ_REQ_RELAXED, 1);
    req.set (ZMQ_REQ_CORRELATE, 1);
    ASSERT_TRUE (join (router, req));
    ASSERT_TRUE (req.send ("first"));
    const parts first = router.receive_message ();
    ASSERT_EQ (first.size (), 4u);
    ASSERT_TRUE (req.send ("second"));
    const parts second = router.receive_message ();
    ASSERT_EQ (second.size (), 4u);
    EXPECT_EQ (second[1].size (), 4u);
    EXPECT_NE (first[1], second[1]);
    EXPECT_EQ (second[2], "");
    EXPECT_EQ (second[3], "second");
    // Only what has the last one's number is its reply.
    ASSERT_TRUE (router.send (parts{"asker", first[1], "", "to the first"}));
    ASSERT_TRUE (router.send (parts{"asker", "", "to nothing"}));
    ASSERT_TRUE (router.send (parts{"asker", second[1], "", "to the second"}));
    EXPECT_EQ (req.receive_message (), parts{"to the second"});
    EXPECT_FALSE (req.receive ());
    EXPECT_EQ (errno, EFSM);
}

TEST_F (requests, reach_a_rep_with_their_numbers)
{
    socket rep = open (ZMQ_REP);
    socket req = open (ZMQ_REQ);
    req.set (ZMQ_REQ_CORRELATE, 1);
    ASSERT_TRUE (join (rep, req));
    for (int i = 0; i < 20; ++i) {
        ASSERT_TRUE (req.send (std::to_string (i)));
        ASSERT_EQ (rep.receive (), std::to_string (i));
        ASSERT_TRUE (rep.send ("answer"));
        ASSERT_EQ (req.receive (), "answer");
    }
}

TEST_F (requests, go_in_vectors)
{
    socket rep = open (ZMQ_REP);
    socket req = open (ZMQ_REQ);
    ASSERT_TRUE (join (rep, req));
    for (int i = 0; i < 5; ++i) {
        parts_of<2> out;
        out.set (0, "a");
        out.set (1, pattern (100));
        ASSERT_EQ (zlink_sendv (req, out.data (), 2, 0), 2);
        parts_of<2> early;
        early.set (0, "x");
        early.set (1, "y");
        EXPECT_EQ (zlink_sendv (req, early.data (), 2, 0), -1);
        EXPECT_EQ (errno, EFSM);
        EXPECT_EQ (early.text (1), "y");
        parts_of<2> in;
        std::size_t count = 2;
        ASSERT_EQ (zlink_recvv (rep, in.data (), &count, 0), 2);
        EXPECT_EQ (in.text (1), pattern (100));
        ASSERT_EQ (zlink_sendv (rep, in.data (), 2, 0), 2);
        count = 2;
        ASSERT_EQ (zlink_recvv (req, out.data (), &count, 0), 2);
        EXPECT_EQ (out.text (0), "a");
        EXPECT_EQ (out.text (1), pattern (100));
    }
}

// --- REP ---------------------------------------------------------------------

// "SHALL keep the envelope, and give it back with the reply."
TEST_F (replies, go_back_in_the_requests_envelope)
{
    socket rep = open (ZMQ_REP);
    socket dealer = open (ZMQ_DEALER);
    ASSERT_TRUE (join (rep, dealer));
    for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE (dealer.send (parts{"first", pattern (300), "", "body", ""}));
        EXPECT_EQ (rep.receive_message (), (parts{"body", ""}));
        ASSERT_TRUE (rep.send (parts{"reply", "of two"}));
        EXPECT_EQ (dealer.receive_message (), (parts{"first", pattern (300), "", "reply", "of two"}));
    }
}

TEST_F (replies, are_not_owed_to_what_has_no_envelope)
{
    socket rep = open (ZMQ_REP);
    socket dealer = open (ZMQ_DEALER);
    ASSERT_TRUE (join (rep, dealer));
    ASSERT_TRUE (dealer.send ("no delimiter"));
    ASSERT_TRUE (dealer.send (parts{"no", "delimiter"}));
    ASSERT_TRUE (dealer.send (""));
    ASSERT_TRUE (dealer.send (parts{"nothing behind it", ""}));
    ASSERT_TRUE (dealer.send (parts{"", "good"}));
    EXPECT_EQ (rep.receive_message (), parts{"good"});
    EXPECT_EQ (counts (rep).dropped_malformed, 4u);
    ASSERT_TRUE (rep.send ("answer"));
    EXPECT_EQ (dealer.receive_message (), (parts{"", "answer"}));
}

// What nobody will read makes room, too.
TEST_F (replies, a_flood_without_envelopes_does_not_stop_the_link)
{
    socket rep = open (ZMQ_REP);
    rep.set (ZMQ_RCVHWM, 5);
    socket dealer = open (ZMQ_DEALER);
    dealer.set (ZMQ_SNDHWM, 5);
    ASSERT_TRUE (join (rep, dealer));
    worker sender ([&] {
        for (int i = 0; i < 1000; ++i)
            EXPECT_TRUE (dealer.send ("no delimiter"));
        EXPECT_TRUE (dealer.send (parts{"", "good"}));
    });
    EXPECT_EQ (rep.receive_message (), parts{"good"});
}

TEST_F (replies, to_who_has_left_are_dropped_and_counted)
{
    socket rep = open (ZMQ_REP);
    const std::string where = rep.bind (place ());
    {
        socket req = open (ZMQ_REQ);
        req.connect (where);
        ASSERT_TRUE (req.send ("question"));
        ASSERT_EQ (rep.receive (), "question");
    }
    ASSERT_TRUE (eventually ([&] {
        (void)rep.get (ZMQ_EVENTS);
        return zlink_wait_peers (rep, 1, 0) != 0;
    }));
    ASSERT_TRUE (rep.send ("answer"));
    EXPECT_EQ (counts (rep).dropped_peer_lost, 1u);
    socket req = open (ZMQ_REQ);
    req.connect (where);
    ASSERT_TRUE (req.send ("question"));
    ASSERT_EQ (rep.receive (), "question");
    ASSERT_TRUE (rep.send ("answer"));
    EXPECT_EQ (req.receive (), "answer");
}

TEST_F (replies, serve_many_in_turn)
{
    socket rep = open (ZMQ_REP);
    const std::string where = rep.bind (place ());
    std::vector<socket> reqs;
    for (int i = 0; i < 4; ++i) {
        reqs.push_back (open (ZMQ_REQ));
        reqs.back ().connect (where);
    }
    worker server ([&] {
        for (int i = 0; i < 400; ++i) {
            const auto question = rep.receive ();
            ASSERT_TRUE (question);
            EXPECT_TRUE (rep.send ("re " + *question));
        }
    });
    for (int round = 0; round < 100; ++round) {
        for (std::size_t i = 0; i < reqs.size (); ++i)
            ASSERT_TRUE (reqs[i].send (std::to_string (i)));
        for (std::size_t i = 0; i < reqs.size (); ++i)
            ASSERT_EQ (reqs[i].receive (), "re " + std::to_string (i));
    }
}

// The devices of libzmq's guide: REQ - ROUTER - DEALER - REP.
TEST_F (replies, find_their_way_through_a_chain)
{
    socket front = open (ZMQ_ROUTER);
    socket back = open (ZMQ_DEALER);
    socket req = open (ZMQ_REQ);
    socket rep = open (ZMQ_REP);
    ASSERT_TRUE (join (front, req));
    ASSERT_TRUE (join (back, rep));
    for (int i = 0; i < 20; ++i) {
        ASSERT_TRUE (req.send (std::to_string (i)));
        ASSERT_TRUE (back.send (front.receive_message ()));
        ASSERT_EQ (rep.receive (), std::to_string (i));
        ASSERT_TRUE (rep.send ("answer"));
        ASSERT_TRUE (front.send (back.receive_message ()));
        ASSERT_EQ (req.receive (), "answer");
    }
}

}  // namespace
}  // namespace zlink::test
