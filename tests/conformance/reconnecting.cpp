// Over byte streams: listeners that go and come back, peers that fall silent.
#include "conformance/transport.hpp"
#include "support/raw_peer.hpp"
#include "support/sanitized.hpp"

namespace zlink::test {
namespace {

using parts = std::vector<std::string>;

struct reconnecting : conformance
{
    [[nodiscard]] socket open_quick (int type)
    {
        socket made = open (type);
        made.set (ZMQ_RECONNECT_IVL, 5);
        return made;
    }
};

TEST_F (reconnecting, a_listener_that_comes_back_gets_what_was_queued)
{
    const std::string where = place ();
    socket push = open_quick (ZMQ_PUSH);
    std::optional<socket> pull (open (ZMQ_PULL));
    pull->bind (where);
    push.connect (where);
    for (int round = 0; round < 10; ++round) {
        ASSERT_TRUE (push.send ("before"));
        ASSERT_EQ (pull->receive (), "before") << round;
        pull.reset ();
        ASSERT_TRUE (eventually ([&] { return zlink_wait_peers (push, 1, 0) != 0; }));
        for (int i = 0; i < 100; ++i)
            ASSERT_TRUE (push.send (std::to_string (i)));
        pull.emplace (open (ZMQ_PULL));
        pull->bind (where);
        for (int i = 0; i < 100; ++i)
            ASSERT_EQ (pull->receive (), std::to_string (i)) << round;
    }
    EXPECT_GE (push.statistics ().reconnects, 10u);
}

// Who has begun to read an answer and will not go on, but asks on, is not held up by what
// it leaves unread.
TEST_F (reconnecting, a_relaxed_req_need_not_read_to_the_end_of_an_answer)
{
    const std::string where = place ();
    socket req = open_quick (ZMQ_REQ);
    req.set (ZMQ_REQ_RELAXED, 1);
    req.connect (where);
    std::optional<socket> rep (open (ZMQ_REP));
    rep->bind (where);
    ASSERT_TRUE (req.send ("first"));
    ASSERT_EQ (rep->receive (), "first");
    ASSERT_TRUE (rep->send (parts{"answer", "its rest"}));
    ASSERT_EQ (req.receive (), "answer");
    rep.reset ();
    rep.emplace (open (ZMQ_REP));
    rep->bind (where);
    ASSERT_TRUE (rep->has_peers ()) << "it has not come back";
    ASSERT_TRUE (req.has_peers ());
    ASSERT_TRUE (req.send ("second"));
    ASSERT_EQ (rep->receive (), "second");
    ASSERT_TRUE (rep->send ("answer to the second"));
    EXPECT_EQ (req.receive (), "answer to the second");
}

// The same of one who takes what comes from anybody.
TEST_F (reconnecting, a_dealer_inside_a_message_sees_its_peer_go_and_come)
{
    const std::string where = place ();
    socket dealer = open_quick (ZMQ_DEALER);
    dealer.connect (where);
    std::optional<socket> far (open (ZMQ_DEALER));
    far->bind (where);
    ASSERT_TRUE (far->has_peers ());
    ASSERT_TRUE (far->send (parts{"a", "b", "c"}));
    ASSERT_EQ (dealer.receive (), "a");
    far.reset ();
    far.emplace (open (ZMQ_DEALER));
    far->bind (where);
    ASSERT_TRUE (far->has_peers ()) << "it has not come back";
    ASSERT_TRUE (dealer.send ("on"));
    EXPECT_EQ (far->receive (), "on");
    EXPECT_EQ (dealer.receive_message (), (parts{"b", "c"}));
}

// Nothing of a message that the old stream had in part reaches the new one.
TEST_F (reconnecting, messages_stay_whole_across_streams)
{
    const std::string where = place ();
    socket push = open_quick (ZMQ_PUSH);
    push.set (ZMQ_SNDHWM, 50);
    push.connect (where);
    std::atomic<bool> stop{false};
    worker sender ([&] {
        push.set (ZMQ_SNDTIMEO, 50);
        for (unsigned i = 0; !stop; ++i) {
            const std::string body = pattern (i * 7919 % 60'000, i);
            if (!push.send (std::to_string (i), ZMQ_SNDMORE))
                continue;
            while (!stop && !push.send (body)) {
                EXPECT_EQ (errno, EAGAIN);
            }
        }
    });
    for (int round = 0; round < 15; ++round) {
        socket pull = open (ZMQ_PULL);
        pull.bind (where);
        long last = -1;
        for (int i = 0; i < 40; ++i) {
            const std::vector<std::string> got = pull.receive_message ();
            ASSERT_EQ (got.size (), 2u) << round << ' ' << i;
            const long number = std::stol (got[0]);
            ASSERT_GT (number, last);
            last = number;
            const auto salt = static_cast<unsigned> (number);
            ASSERT_TRUE (got[1] == pattern (salt * 7919 % 60'000, salt)) << number;
        }
    }
    stop = true;
}

TEST_F (reconnecting, large_messages_stay_whole_across_streams)
{
    const std::string where = place ();
    socket push = open_quick (ZMQ_PUSH);
    push.set (ZMQ_SNDHWM, 5);
    push.connect (where);
    std::atomic<bool> stop{false};
    release_count released;
    std::atomic<int> handed{0};
    const std::string body = pattern (700'000);
    worker sender ([&] {
        push.set (ZMQ_SNDTIMEO, 50);
        for (int i = 0; !stop; ++i) {
            if (i % 2 == 0) {
                (void)push.send (body);
                continue;
            }
            part next (const_cast<char *> (body.data ()), body.size (), release_count::release, &released);
            ++handed;
            (void)zmq_msg_send (next.raw (), push, 0);
        }
    });
    for (int round = 0; round < 15; ++round) {
        socket pull = open (ZMQ_PULL);
        pull.bind (where);
        for (int i = 0; i < 6; ++i)
            ASSERT_TRUE (pull.receive () == body) << round << ' ' << i;
    }
    stop = true;
    sender.join ();
    push.close ();
    ASSERT_EQ (own.term (), 0);
    EXPECT_EQ (released.calls.load (), handed.load ());
}

TEST_F (reconnecting, with_immediate_what_was_queued_is_dropped_and_counted)
{
    const std::string where = place ();
    socket push = open_quick (ZMQ_PUSH);
    push.set (ZMQ_IMMEDIATE, 1);
    push.set (ZMQ_SNDHWM, 10);
    push.set (ZMQ_SNDBUF, 16'384);
    raw_peer listener = raw_peer::listen_at (where);
    push.connect (where);
    {
        raw_peer silent = listener.accept ();
        ASSERT_TRUE (silent.shake_hands ("PULL"));
        ASSERT_TRUE (push.has_peers ());
        ASSERT_GT (push.send_until_full (pattern (30'000), 50), 0);
        listener.close ();
        silent.reset ();
    }
    // At the mark sends were refused before; now it is for want of a peer.
    const auto own_row = [&push] {
        zlink_counters_t row{};
        std::size_t count = 1;
        EXPECT_EQ (zlink_counters (push, &row, sizeof row, &count), 0);
        return row;
    };
    ASSERT_TRUE (eventually ([&] { return own_row ().dropped_immediate > 0; }));
    EXPECT_EQ (own_row ().queued_messages, 0U);
    EXPECT_FALSE (push.send ("nobody", ZMQ_DONTWAIT));
    EXPECT_EQ (errno, EAGAIN);
    socket pull = open (ZMQ_PULL);
    push.connect (pull.bind (place ()));
    ASSERT_TRUE (push.send ("new"));
    EXPECT_EQ (pull.receive (), "new");
}

TEST_F (reconnecting, never_when_the_interval_says_so)
{
    const std::string where = place ();
    socket push = open (ZMQ_PUSH);
    push.set (ZMQ_RECONNECT_IVL, -1);
    {
        socket pull = open (ZMQ_PULL);
        pull.bind (where);
        push.connect (where);
        ASSERT_TRUE (push.has_peers ());
    }
    ASSERT_TRUE (eventually ([&] { return zlink_wait_peers (push, 1, 0) != 0; }));
    socket pull = open (ZMQ_PULL);
    pull.bind (where);
    EXPECT_EQ (zlink_wait_peers (push, 1, 200), -1);
    EXPECT_EQ (push.status (where).attempts, 1u);
}

TEST_F (reconnecting, the_status_tells_why_it_does_not_connect)
{
    const std::string where = place ();
    socket push = open_quick (ZMQ_PUSH);
    push.connect (where);
    ASSERT_TRUE (eventually ([&] { return push.status (where).attempts >= 3; }));
    const zlink_endpoint_status_t status = push.status (where);
    EXPECT_EQ (status.is_listener, 0);
    EXPECT_EQ (status.connected, 0u);
    EXPECT_STREQ (status.reason_text, "connect-refused");
    EXPECT_NE (status.last_os_error, 0);
    socket pull = open (ZMQ_PULL);
    pull.bind (where);
    ASSERT_TRUE (push.has_peers () && pull.has_peers ());
    EXPECT_EQ (push.status (where).connected, 1u);
    EXPECT_STREQ (push.status (where).reason_text, "none");
    EXPECT_EQ (pull.status (where).is_listener, 1);
    EXPECT_EQ (pull.status (where).connected, 1u);
    EXPECT_EQ (zlink_connect_status (push, "tcp://127.0.0.1:1", nullptr), -1);
}

TEST_F (reconnecting, a_silent_peer_is_dropped_after_handshake_ivl)
{
    constexpr int limit_ms = 150;
    socket pull = open (ZMQ_PULL);
    pull.set (ZMQ_HANDSHAKE_IVL, limit_ms);
    const std::string where = pull.bind (place ());
    std::optional<raw_peer> silent;
    const auto whole = elapsed_ms ([&] {
        silent.emplace (raw_peer::connect_to (where));
        EXPECT_TRUE (silent->valid () && silent->sees_end ());
    });
    EXPECT_GE (whole, limit_ms - 1);
    socket push = open (ZMQ_PUSH);
    push.connect (where);
    ASSERT_TRUE (push.send ("good"));
    EXPECT_EQ (pull.receive (), "good");
    EXPECT_GE (pull.statistics ().handshakes_failed, 1u);
}

TEST_F (reconnecting, a_dialler_gives_up_on_a_silent_listener_and_says_so)
{
    const std::string where = place ();
    const raw_peer listener = raw_peer::listen_at (where);
    ASSERT_TRUE (listener.valid ());
    socket push = open_quick (ZMQ_PUSH);
    push.set (ZMQ_HANDSHAKE_IVL, sanitized ? 2'000 : 200);  // enough for the second
    push.connect (where);
    raw_peer first = listener.accept ();
    ASSERT_TRUE (first.valid ());
    EXPECT_TRUE (first.sees_end ());
    ASSERT_TRUE (eventually ([&] { return push.status (where).last_reason != 0; }));
    EXPECT_STREQ (push.status (where).reason_text, "handshake-timeout");
    // And tries again.
    raw_peer second = listener.accept ();
    ASSERT_TRUE (second.valid ());
    ASSERT_TRUE (second.shake_hands ("PULL"));
    EXPECT_TRUE (push.has_peers ());
    ASSERT_TRUE (push.send ("hello"));
    EXPECT_EQ (second.read_frame (), "hello");
}

// Who does not read is connected anew, too. What came stays in its order, and of a
// message that was cut off nothing does.
TEST_F (reconnecting, unread_messages_do_not_keep_the_next_stream_waiting)
{
    const std::string part = zmtp_frame (1, "cut"), half = zmtp_frame (0, "off").substr (0, 3);
    const std::pair<int, const char *> types[] = {
      {ZMQ_PULL, "PUSH"}, {ZMQ_DEALER, "DEALER"}, {ZMQ_PAIR, "PAIR"}, {ZMQ_SUB, "PUB"}};
    for (const auto &[type, peers_type] : types) {
        const std::string where = place ();
        const raw_peer listener = raw_peer::listen_at (where);
        socket of = open_quick (type);
        if (type == ZMQ_SUB) {
            ASSERT_EQ (zmq_setsockopt (of, ZMQ_SUBSCRIBE, "", 0), 0);
        }
        of.connect (where);
        std::vector<std::string> wanted;
        for (const std::string &end : {std::string (), half, part, part + half}) {
            raw_peer peer = listener.accept ();
            ASSERT_TRUE (peer.valid ()) << peers_type;
            ASSERT_TRUE (peer.shake_hands (peers_type));
            if (type == ZMQ_SUB) {
                ASSERT_FALSE (peer.read_frame ().empty ());  // unread it would be an abrupt end
            }
            for (int i = 0; i < 3; ++i) {
                wanted.push_back (std::to_string (wanted.size ()));
                ASSERT_TRUE (peer.send (zmtp_frame (1, wanted.back ()) + zmtp_frame (0, "rest")));
                wanted.emplace_back ("rest");
            }
            ASSERT_TRUE (peer.send (zmtp_frame (4, std::string ("\4PONG", 5)) + end));
        }
        const raw_peer last = listener.accept ();
        ASSERT_TRUE (last.shake_hands (peers_type));
        ASSERT_TRUE (last.send (zmtp_frame (0, "last")));
        wanted.emplace_back ("last");
        for (const std::string &each : wanted)
            EXPECT_EQ (of.receive (), each) << peers_type;
        EXPECT_EQ (of.statistics ().connections_lost, 4U) << peers_type;
    }
}

// Nor does one that the application never reads from keep what it sends.
TEST_F (reconnecting, who_never_reads_goes_on_sending)
{
    const std::string where = place ();
    const raw_peer listener = raw_peer::listen_at (where);
    socket dealer = open_quick (ZMQ_DEALER);
    dealer.connect (where);
    for (int round = 0; round < 5; ++round) {
        const raw_peer peer = listener.accept ();
        ASSERT_TRUE (peer.shake_hands ("ROUTER")) << round;
        ASSERT_TRUE (dealer.send ("news"));
        ASSERT_EQ (peer.read_frame (), "news") << round;
        ASSERT_TRUE (peer.send (zmtp_frame (0, "answer")));
    }
    EXPECT_EQ (dealer.receive (), "answer");
}

TEST_F (reconnecting, a_second_peer_of_a_pair_learns_why)
{
    socket one = open (ZMQ_PAIR);
    const std::string where = one.bind (place ());
    socket two = open (ZMQ_PAIR);
    two.connect (where);
    ASSERT_TRUE (one.has_peers ());
    const raw_peer third = raw_peer::connect_to (where);
    ASSERT_TRUE (third.send (zmtp_greeting () + zmtp_ready ("PAIR")));
    EXPECT_TRUE (third.sees_end ());
    ASSERT_TRUE (one.send ("x"));
    EXPECT_EQ (two.receive (), "x");
}

TEST_F (reconnecting, types_that_do_not_fit_never_meet)
{
    socket pull = open (ZMQ_PULL);
    const std::string where = pull.bind (place ());
    socket wrong = open (ZMQ_PULL);
    wrong.connect (where);
    ASSERT_TRUE (eventually ([&] { return wrong.status (where).last_reason != 0; }));
    EXPECT_EQ (zlink_wait_peers (wrong, 1, 0), -1);
    socket push = open (ZMQ_PUSH);
    push.connect (where);
    ASSERT_TRUE (push.send ("fits"));
    EXPECT_EQ (pull.receive (), "fits");
}

// A PAIR that was turned away tries again and gets in when there is room.
TEST_F (reconnecting, a_pair_that_was_turned_away_gets_in_later)
{
    socket one = open (ZMQ_PAIR);
    const std::string where = one.bind (place ());
    std::optional<socket> two (open (ZMQ_PAIR));
    two->connect (where);
    ASSERT_TRUE (one.has_peers ());
    socket three = open_quick (ZMQ_PAIR);
    three.connect (where);
    ASSERT_TRUE (eventually ([&] { return three.status (where).attempts >= 3; }));
    two.reset ();
    // What is sent earlier may go into a connection that is being turned away.
    ASSERT_TRUE (eventually ([&] { return one.statistics ().connections_made == 2; }));
    ASSERT_TRUE (three.send ("me now"));
    EXPECT_EQ (one.receive (), "me now");
}

TEST_F (reconnecting, a_peer_that_resets_is_one_peer_lost)
{
    socket pull = open (ZMQ_PULL);
    const std::string where = pull.bind (place ());
    socket push = open (ZMQ_PUSH);
    push.connect (where);
    ASSERT_TRUE (pull.has_peers ());
    for (int i = 0; i < 20; ++i) {
        raw_peer rude = raw_peer::connect_to (where);
        ASSERT_TRUE (rude.shake_hands ("PUSH"));
        ASSERT_TRUE (rude.send (zmtp_frame (0, "whole") + "\1"));
        ASSERT_EQ (pull.receive (), "whole");
        rude.reset ();
        ASSERT_TRUE (push.send ("good"));
        ASSERT_EQ (pull.receive (), "good");
    }
}

// Data and end of stream come as one event: the data counts.
TEST_F (reconnecting, what_came_with_the_end_of_the_stream_is_delivered)
{
    socket pull = open (ZMQ_PULL);
    const std::string where = pull.bind (place ());
    for (int i = 0; i < 30; ++i) {
        raw_peer brief = raw_peer::connect_to (where);
        ASSERT_TRUE (brief.shake_hands ("PUSH"));
        std::string all;
        for (int k = 0; k < 100; ++k)
            all += zmtp_frame (0, std::to_string (k));
        ASSERT_TRUE (brief.send (all));
        brief.close ();
        for (int k = 0; k < 100; ++k)
            ASSERT_EQ (pull.receive (), std::to_string (k)) << i;
    }
}

// A write error says nothing about what the peer had sent before.
TEST_F (reconnecting, what_a_peer_sent_before_it_stopped_listening_is_delivered)
{
    socket one = open (ZMQ_PAIR);
    const std::string where = one.bind (place ());
    raw_peer peer = raw_peer::connect_to (where);
    ASSERT_TRUE (peer.shake_hands ("PAIR"));
    std::string all;
    for (int k = 0; k < 1000; ++k)
        all += zmtp_frame (0, std::to_string (k));
    ASSERT_TRUE (peer.send (all));
    peer.end_output ();
    for (int k = 0; k < 1000; ++k) {
        (void)one.send ("answer", ZMQ_DONTWAIT);
        ASSERT_EQ (one.receive (), std::to_string (k));
    }
}

}  // namespace
}  // namespace zlink::test
