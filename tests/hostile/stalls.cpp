// Peers that say little or nothing, and take their time with it.
#include <ostream>

#include "hostile/victim.hpp"

namespace zlink::test {
namespace {

constexpr int limit_ms = 150;

struct place_and_type
{
    const char *name;
    bool by_ipc;
    int type;
    friend void PrintTo (const place_and_type &of, std::ostream *to) { *to << of.name; }
    [[nodiscard]] std::string place () const { return by_ipc ? ipc_place () : tcp_place (); }
};

class stalls : public testing::TestWithParam<place_and_type>
{
  protected:
    [[nodiscard]] victim made (int handshake_ms = watchdog_ms) const
    {
        return victim (GetParam ().type, GetParam ().place (), handshake_ms);
    }
    [[nodiscard]] static bool is_pair () { return GetParam ().type == ZMQ_PAIR; }
};

INSTANTIATE_TEST_SUITE_P (at,
                          stalls,
                          testing::Values (place_and_type{"tcp_pull", false, ZMQ_PULL},
                                           place_and_type{"ipc_pull", true, ZMQ_PULL},
                                           place_and_type{"tcp_pair", false, ZMQ_PAIR},
                                           place_and_type{"ipc_pair", true, ZMQ_PAIR}),
                          [] (const auto &of) { return of.param.name; });

// What a peer may say up to the last octet but one of its handshake, for each
// version of the protocol.
std::vector<std::string> unfinished_handshakes (const std::string &peer_type)
{
    const std::string type = zmtp_type_octet (peer_type);
    std::vector<std::string> all;
    for (const std::string &whole : {zmtp_greeting () + zmtp_ready (peer_type),
                                     zmtp_greeting (3, 0) + zmtp_ready (peer_type, zmtp_property ("X", "v")),
                                     zmtp_signature () + octet (1) + type + zmtp_frame (0, "two"),
                                     zmtp_signature () + octet (0) + type + octet (5) + octet (0) + "zero",
                                     octet (4) + octet (0) + "one"})
        for (std::size_t size = 0; size < whole.size (); ++size)
            all.push_back (whole.substr (0, size));
    return all;
}

// So many events have the reason.
void expect_told (events &from, std::size_t count, const std::string &reason)
{
    for (std::size_t found = 0; found < count;) {
        const zlink_event_t told = from.next ();
        ASSERT_NE (told.event, 0u) << found << " of " << count;
        found += told.reason_text == reason;
    }
}

TEST_P (stalls, a_handshake_that_stops_at_any_octet_ends_at_the_deadline)
{
    victim of = made (limit_ms);
    events told (of.own (), ZLINK_EVENT_HANDSHAKE_FAILED_NO_DETAIL);
    std::vector<raw_peer> silent;
    const std::vector<std::string> beginnings = unfinished_handshakes (of.peer_type ());
    const long waited_ms = elapsed_ms ([&] {
        for (const std::string &said : beginnings) {
            silent.push_back (raw_peer::connect_to (of.where ()));
            ASSERT_TRUE (silent.back ().valid ());
            silent.back ().send (said);
        }
        for (const raw_peer &each : silent)
            EXPECT_TRUE (each.sees_end ());
    });
    EXPECT_GE (waited_ms, limit_ms - 1);
    ASSERT_NO_FATAL_FAILURE (expect_told (told, silent.size (), "handshake-timeout"));
    EXPECT_GE (of.own ().statistics ().handshakes_failed, silent.size ());
    of.good_goes_on ();
}

// An octet now and then does not buy time.
TEST_P (stalls, a_slow_drip_ends_at_the_deadline_too)
{
    victim of = made (limit_ms);
    const std::string whole = zmtp_greeting () + zmtp_ready (of.peer_type ());
    raw_peer drip = raw_peer::connect_to (of.where ());
    const metronome pace (20'000);
    std::size_t sent = 0;
    for (; sent < whole.size (); ++sent) {
        pace.beat ();
        if (!drip.send (whole.substr (sent, 1)))
            break;
    }
    EXPECT_LT (sent, whole.size ());
    EXPECT_STREQ (of.own ().status (of.where ()).reason_text, "handshake-timeout");
    of.good_goes_on ();
}

// Whoever stops behind the handshake, in a frame or between two, is life for as
// long as the heartbeat says; its PINGs are not answered.
TEST_P (stalls, traffic_that_stops_at_any_octet_ends_by_the_heartbeat)
{
    if (is_pair ())
        return;  // has no room for so many
    victim of = made ();
    of.own ().set (ZMQ_HEARTBEAT_IVL, limit_ms);
    of.own ().set (ZMQ_HEARTBEAT_TIMEOUT, 2 * limit_ms);
    events told (of.own (), ZLINK_EVENT_DISCONNECTED);
    const std::string whole =
      zmtp_frame (1, "part") + zmtp_command ("PING", zeros (9)) + zmtp_frame (0, pattern (300));
    std::vector<raw_peer> silent;
    for (std::size_t size = 0; size < 40; ++size) {
        silent.push_back (raw_peer::connect_to (of.where ()));
        ASSERT_TRUE (silent.back ().send (zmtp_greeting () + zmtp_ready ("PUSH") + whole.substr (0, size)));
    }
    worker reader ([&] {
        for (const raw_peer &each : silent)
            EXPECT_TRUE (each.sees_end ());
    });
    ASSERT_NO_FATAL_FAILURE (expect_told (told, silent.size (), "heartbeat-timeout"));
    reader.join ();
    of.good_goes_on ();
}

// A peer in the middle of its handshake takes no share of the traffic.
TEST_P (stalls, silent_peers_get_no_messages)
{
    if (is_pair ())
        return;
    context own;
    socket push (own, ZMQ_PUSH);
    push.set (ZMQ_HANDSHAKE_IVL, watchdog_ms);
    const std::string there = push.bind (GetParam ().place ());
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
        return;
    victim of = made ();
    const std::string whole = zmtp_frame (0, pattern (200'000));
    const std::vector<std::size_t> sizes = {1, 2, 5, 100, 70'000};
    std::vector<raw_peer> stopped;
    for (const std::size_t size : sizes) {
        stopped.push_back (raw_peer::connect_to (of.where ()));
        ASSERT_TRUE (stopped.back ().send (zmtp_greeting () + zmtp_ready ("PUSH") + whole.substr (0, size)));
    }
    ASSERT_TRUE (of.own ().has_peers (6));
    for (int i = 0; i < 50; ++i)
        ASSERT_NO_FATAL_FAILURE (of.good_goes_on ());
    for (std::size_t i = 0; i < stopped.size (); ++i) {
        ASSERT_TRUE (stopped[i].send (whole.substr (sizes[i])));
        EXPECT_TRUE (of.own ().receive () == pattern (200'000)) << sizes[i];
    }
}

// Some hundred callers that leave at once.
TEST_P (stalls, a_crowd_that_hangs_up_harms_nobody)
{
    victim of = made ();
    for (int i = 0; i < 300; ++i) {
        raw_peer brief = raw_peer::connect_to (of.where ());
        if (i % 3 == 0)
            brief.send (zmtp_greeting ());
        if (i % 2 == 0)
            brief.reset ();
    }
    of.good_goes_on ();
}

// All that they will ever say, and its end, comes while the handshake is being
// finished; a receiver waits all the while.
TEST_P (stalls, a_crowd_that_speaks_once_and_leaves_is_heard_and_forgotten)
{
    victim of = made ();
    const std::string opening = zmtp_greeting () + zmtp_ready (of.peer_type ());
    for (int i = 0; i < 300; ++i) {
        const ends_counted before (of.own ());
        raw_peer brief = raw_peer::connect_to (of.where ());
        worker speaker ([&] {
            brief.send (opening);
            brief.trickle (zmtp_frame (0, "all"));
            brief.end_output ();
        });
        ASSERT_EQ (of.own ().receive (), "all");
        of.loses_one (before);
        ASSERT_FALSE (HasFailure ()) << i;
    }
    of.good_goes_on ();
}

// The other way round: whoever connects does not wait for ever, either. Each
// listener stops at another octet.
TEST (stalls_of_listeners, at_any_octet_end_at_the_deadline)
{
    (void)zlink_set_log (zlink_log_discard, nullptr);
    context own;
    socket pull (own, ZMQ_PULL);
    pull.set (ZMQ_HANDSHAKE_IVL, limit_ms);
    pull.set (ZMQ_RECONNECT_IVL, -1);
    const std::vector<std::string> beginnings = unfinished_handshakes ("PUSH");
    std::vector<raw_peer> listeners;
    std::vector<std::string> places;
    for (std::size_t i = 0; i < beginnings.size (); ++i) {
        places.push_back (i % 2 == 0 ? tcp_place () : ipc_place ());
        listeners.push_back (raw_peer::listen_at (places.back ()));
        pull.connect (places.back ());
    }
    std::vector<raw_peer> silent;
    for (std::size_t i = 0; i < beginnings.size (); ++i) {
        silent.push_back (listeners[i].accept ());
        ASSERT_TRUE (silent.back ().valid ());
        silent.back ().send (beginnings[i]);
    }
    for (const raw_peer &each : silent)
        EXPECT_TRUE (each.sees_end ());
    for (const std::string &place : places) {
        ASSERT_TRUE (eventually ([&] { return pull.status (place).last_reason != 0; }));
        EXPECT_STREQ (pull.status (place).reason_text, "handshake-timeout") << place;
    }
}

}  // namespace
}  // namespace zlink::test
