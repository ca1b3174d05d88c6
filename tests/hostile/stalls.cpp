// Peers that say little or nothing, and take their time with it.
#include "hostile/hostile_peer.hpp"

namespace zlink::test {
namespace {

class stalls : public hostile
{
  protected:
    static constexpr int limit_ms = 150;
    void SetUp () override
    {
        victim.set (ZMQ_HANDSHAKE_IVL, limit_ms);
        where = victim.bind (tcp_place ());
        if (!is_pair ()) {
            good.emplace (own, GetParam ().good_type);
            good->connect (where);
            ASSERT_TRUE (victim.has_peers ());
        }
    }
};

INSTANTIATE_TEST_SUITE_P (at, stalls, every_victim (), victim_name);

// Silence at every stage of the handshake ends at the deadline.
TEST_P (stalls, a_handshake_that_stops_anywhere_ends_at_the_deadline)
{
    const std::string whole = greeted_and_ready ();
    std::vector<raw_peer> silent;
    const long waited_ms = elapsed_ms ([&] {
        for (std::size_t size = 0; size < whole.size (); size += size < 12 ? 1 : 9) {
            silent.push_back (raw_peer::connect_to (where));
            ASSERT_TRUE (silent.back ().valid ());
            silent.back ().send (whole.substr (0, size));
        }
        for (const raw_peer &each : silent)
            EXPECT_TRUE (each.sees_end ());
    });
    EXPECT_GE (waited_ms, limit_ms - 1);
    EXPECT_STREQ (victim.status (where).reason_text, "handshake-timeout");
    EXPECT_GE (victim.statistics ().handshakes_failed, silent.size ());
    good_goes_on ("silence");
}

// An octet now and then does not buy time.
TEST_P (stalls, a_slow_drip_ends_at_the_deadline_too)
{
    const std::string whole = greeted_and_ready ();
    raw_peer drip = raw_peer::connect_to (where);
    const metronome pace (20'000);
    std::size_t sent = 0;
    for (; sent < whole.size (); ++sent) {
        pace.beat ();
        if (!drip.send (whole.substr (sent, 1)))
            break;
    }
    EXPECT_LT (sent, whole.size ());
    EXPECT_STREQ (victim.status (where).reason_text, "handshake-timeout");
    good_goes_on ("a drip");
}

// A peer in the middle of its handshake takes no share of the traffic.
TEST_P (stalls, silent_peers_get_no_messages)
{
    socket push (own, ZMQ_PUSH);
    push.set (ZMQ_HANDSHAKE_IVL, watchdog_ms);
    const std::string there = push.bind (tcp_place ());
    socket pull (own, ZMQ_PULL);
    pull.connect (there);
    ASSERT_TRUE (push.has_peers ());
    std::vector<raw_peer> silent;
    for (int i = 0; i < 10; ++i)
        silent.push_back (raw_peer::connect_to (there));
    for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE (push.send (std::to_string (i)));
        ASSERT_EQ (pull.receive (), std::to_string (i));
    }
}

// Stopping in the middle of a frame is no crime; others go on meanwhile.
TEST_P (stalls, a_frame_that_stops_in_the_middle_holds_up_nobody)
{
    if (is_pair ())
        return;  // has no room for others
    std::vector<raw_peer> stopped;
    for (const std::size_t size : {1u, 2u, 5u, 100u, 70'000u}) {
        stopped.push_back (raw_peer::connect_to (where));
        ASSERT_TRUE (
          stopped.back ().send (greeted_and_ready () + zmtp_frame (0, pattern (200'000)).substr (0, size)));
    }
    ASSERT_TRUE (victim.has_peers (6));
    for (int i = 0; i < 50; ++i)
        good_goes_on ("frames that stopped");
    for (std::size_t i = 0; i < stopped.size (); ++i) {
        const std::size_t size = std::vector<std::size_t>{1, 2, 5, 100, 70'000}[i];
        ASSERT_TRUE (stopped[i].send (zmtp_frame (0, pattern (200'000)).substr (size)));
        EXPECT_TRUE (victim.receive () == pattern (200'000)) << size;
    }
}

// Some hundred callers that leave at once.
TEST_P (stalls, a_crowd_that_hangs_up_harms_nobody)
{
    for (int i = 0; i < 300; ++i) {
        raw_peer brief = raw_peer::connect_to (where);
        if (i % 3 == 0)
            brief.send (zmtp_greeting ());
        if (i % 2 == 0)
            brief.reset ();
    }
    good_goes_on ("the crowd");
}

}  // namespace
}  // namespace zlink::test
