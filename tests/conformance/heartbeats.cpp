// Over byte streams: PING and PONG, and what becomes of the silent.
#include "conformance/transport.hpp"
#include "support/raw_peer.hpp"

namespace zlink::test {
namespace {

struct heartbeats : conformance
{
    // A peer of a PULL that beats like this, behind its handshake.
    [[nodiscard]] raw_peer meet (socket &pull, int interval_ms, int timeout_ms, int ttl_ms)
    {
        pull.set (ZMQ_HEARTBEAT_IVL, interval_ms);
        pull.set (ZMQ_HEARTBEAT_TIMEOUT, timeout_ms);
        pull.set (ZMQ_HEARTBEAT_TTL, ttl_ms);
        raw_peer peer = raw_peer::connect_to (pull.bind (place ()));
        EXPECT_TRUE (peer.shake_hands ("PUSH"));
        return peer;
    }
    static std::string pong (const std::string &ping) { return zmtp_frame (4, "\4PONG" + ping.substr (7)); }
};

constexpr int hours_ms = 3'600'000;

TEST_F (heartbeats, go_out_while_nothing_else_does_and_measure_the_way)
{
    socket pull = open (ZMQ_PULL);
    const raw_peer peer = meet (pull, 5, hours_ms, 1200);
    for (int i = 0; i < 3; ++i) {
        const std::string ping = peer.read_frame ();
        ASSERT_EQ (ping.substr (0, 7), std::string ("\4PING\0\14", 7));
        ASSERT_LE (ping.size (), 7U + 16U);
        ASSERT_TRUE (peer.send (pong (ping)));
    }
    EXPECT_TRUE (eventually ([&] {
        (void)pull.get (ZMQ_EVENTS);
        return pull.statistics ().round_trip_ns > 0;
    }));
    EXPECT_EQ (pull.statistics ().connections_lost, 0U);
}

TEST_F (heartbeats, unanswered_end_the_connection)
{
    socket pull = open (ZMQ_PULL);
    const raw_peer peer = meet (pull, 5, 20, 0);
    EXPECT_EQ (peer.read_frame ().substr (0, 7), std::string ("\4PING\0\0", 7));
    EXPECT_TRUE (peer.sees_end ());
    EXPECT_TRUE (eventually ([&] { return pull.statistics ().connections_lost == 1; }));
}

TEST_F (heartbeats, a_peer_that_says_anything_lives)
{
    socket pull = open (ZMQ_PULL);
    const raw_peer peer = meet (pull, 5, 2000, 0);
    const metronome beat (1'000);
    for (int i = 0; i < 2500; ++i) {
        beat.beat ();
        ASSERT_TRUE (peer.trickle (zmtp_frame (0, "alive")));
        ASSERT_EQ (pull.receive (), "alive");
    }
    EXPECT_EQ (pull.statistics ().connections_lost, 0U);
}

// One frame comes an octet at a time for longer than silence is borne: to one
// socket while somebody waits for it, to another while nobody does.
TEST_F (heartbeats, a_peer_in_the_middle_of_a_frame_lives)
{
    const std::string text = pattern (2500);
    const std::string frame = zmtp_frame (0, text);
    socket attended = open (ZMQ_PULL);
    socket alone = open (ZMQ_PULL);
    const raw_peer one = meet (attended, 50, 2000, 0);
    const raw_peer two = meet (alone, 50, 2000, 0);
    worker reader ([&] { EXPECT_EQ (attended.receive (), text); });
    const metronome beat (1'000);
    for (const char each : frame) {
        beat.beat ();
        ASSERT_TRUE (one.trickle ({&each, 1}));
        ASSERT_TRUE (two.trickle ({&each, 1}));
    }
    reader.join ();
    EXPECT_EQ (alone.receive (), text);
    for (const socket *each : {&attended, &alone})
        EXPECT_EQ (each->statistics ().connections_lost, 0U);
}

TEST_F (heartbeats, silence_is_borne_as_long_as_the_peer_asked)
{
    socket pull = open (ZMQ_PULL);
    const raw_peer peer = meet (pull, 0, 0, 0);
    ASSERT_TRUE (peer.send (zmtp_frame (4, std::string ("\4PING\0\1me", 9))));
    EXPECT_EQ (peer.read_frame (), "\4PONGme");
    EXPECT_TRUE (peer.sees_end ());
}

// What the peer asks behind messages that nobody takes is answered, each once.
TEST_F (heartbeats, are_answered_behind_messages_that_nobody_takes)
{
    socket pull = open (ZMQ_PULL);
    const raw_peer peer = meet (pull, 0, 0, 0);
    const auto ask = [&] (const std::string &context) {
        return peer.send (zmtp_frame (0, "message")
                          + zmtp_frame (4, std::string ("\4PING\0\0", 7) + context));
    };
    for (const char *const context : {"one", "two", "three"}) {
        ASSERT_TRUE (ask (context));
        ASSERT_EQ (peer.read_frame (), std::string ("\4PONG") + context);
    }
    for (int i = 0; i < 3; ++i)
        ASSERT_EQ (pull.receive (), "message");
    ASSERT_TRUE (ask ("four"));
    EXPECT_EQ (peer.read_frame (), "\4PONGfour");
}

// Nor does a peer wait until who takes one now and then has come to its question.
TEST_F (heartbeats, are_answered_to_a_peer_of_a_slow_reader)
{
    constexpr int count = 15'000;  // what one look at the system brings
    socket pull = open (ZMQ_PULL);
    const raw_peer peer = meet (pull, 0, 0, 0);
    std::string messages;
    for (int i = 0; i < count; ++i)
        messages += zmtp_frame (0, "m");
    ASSERT_TRUE (peer.send (messages));
    ASSERT_EQ (pull.receive (), "m");
    std::atomic<bool> answered{false};
    int taken = 1;
    worker reader ([&] {
        for (const metronome beat (1'000); !answered && taken < count; ++taken) {
            beat.beat ();
            EXPECT_EQ (pull.receive (), "m");
        }
    });
    ASSERT_TRUE (peer.send (zmtp_frame (4, std::string ("\4PING\0\0me", 9))));
    EXPECT_EQ (peer.read_frame (), "\4PONGme");
    answered = true;
    reader.join ();
    EXPECT_LT (taken, count);
}

// In one segment with the peer's READY, so that no event tells of it.
TEST_F (heartbeats, a_ping_that_comes_with_the_handshake_is_answered)
{
    for (int i = 0; i < 20; ++i) {
        socket pull = open (ZMQ_PULL);
        const raw_peer peer = raw_peer::connect_to (pull.bind (place ()));
        ASSERT_TRUE (peer.send (zmtp_greeting ()));
        ASSERT_EQ (peer.read_exactly (64).size (), 64U);
        ASSERT_TRUE (peer.send (zmtp_ready ("PUSH") + zmtp_frame (4, std::string ("\4PING\0\0me", 9))));
        ASSERT_EQ (peer.read_frame ().substr (0, 6), "\5READY");
        ASSERT_EQ (peer.read_frame (), "\4PONGme");
    }
}

// What nobody takes is no fault of the peer's.
TEST_F (heartbeats, a_reader_that_does_not_read_blames_nobody)
{
    const std::string message = zmtp_frame (0, std::string (200, 'm'));
    std::string flood;
    for (int i = 0; i < 1000; ++i)
        flood += message;
    socket pull = open (ZMQ_PULL);
    pull.set (ZMQ_RCVHWM, 1);
    const raw_peer peer = meet (pull, 20, 500, 0);
    ASSERT_TRUE (peer.send (flood));
    for (int i = 0; i < 50; ++i)
        ASSERT_EQ (peer.read_frame ().substr (0, 5), "\4PING");
    EXPECT_EQ (pull.statistics ().connections_lost, 0U);
    EXPECT_EQ (pull.receive (), std::string (200, 'm'));
}

TEST_F (heartbeats, of_both_sides_keep_an_idle_link)
{
    socket pull = open (ZMQ_PULL);
    socket push = open (ZMQ_PUSH);
    for (socket *each : {&pull, &push}) {
        each->set (ZMQ_HEARTBEAT_IVL, 10);
        each->set (ZMQ_HEARTBEAT_TIMEOUT, watchdog_ms);
    }
    ASSERT_TRUE (join (pull, push));
    EXPECT_TRUE (eventually (
      [&] { return pull.statistics ().round_trip_ns > 0 && push.statistics ().round_trip_ns > 0; }));
    EXPECT_EQ (pull.statistics ().connections_lost + push.statistics ().connections_lost, 0U);
}

}  // namespace
}  // namespace zlink::test
