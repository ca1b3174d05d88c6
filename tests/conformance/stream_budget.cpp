// The byte budget where there are handshakes.
#include "conformance/budget.hpp"
#include "support/events.hpp"
#include "support/raw_peer.hpp"

namespace zlink::test {
namespace {

struct stream_budget : with_budget
{
};

TEST_F (stream_budget, turns_new_peers_away_until_there_is_room)
{
    socket push = open_unmarked (ZMQ_PUSH);
    socket pull = open_unmarked (ZMQ_PULL);
    events at_pull (pull, ZLINK_EVENT_ACCEPT_FAILED);
    const std::string where = pull.bind (place ());
    push.connect (where);
    ASSERT_TRUE (push.has_peers () && pull.has_peers ());
    const int accepted = fill (push);
    socket late = open_zlink (ZMQ_PUSH);
    late.set (ZMQ_RECONNECT_IVL, 10);
    late.connect (where);
    const zlink_event_t refused = at_pull.next ();
    EXPECT_EQ (std::string (refused.reason_text), "budget-reached");
    EXPECT_EQ (std::string (refused.endpoint), where);
    EXPECT_EQ (std::string (pull.status (where).reason_text), "budget-reached");
    EXPECT_GE (own_row (pull).budget_holds, 1U);
    EXPECT_GE (own_row (pull).handshakes_failed, 1U);
    take (pull, 0, accepted);
    ASSERT_TRUE (late.has_peers ());
    ASSERT_TRUE (late.send ("at last"));
    EXPECT_EQ (pull.receive (), "at last");
}

// A reader that comes late finds what nobody read for it.
TEST_F (stream_budget, what_was_not_read_at_the_budget_is_read_when_asked_for)
{
    socket push = open_unmarked (ZMQ_PUSH);
    socket pull = open_unmarked (ZMQ_PULL);
    socket ping = open_unmarked (ZMQ_PUSH);
    socket pong = open_unmarked (ZMQ_PULL);
    ASSERT_TRUE (join (pull, push) && join (pong, ping));
    const int accepted = fill (push);
    worker waiting ([&] { EXPECT_EQ (pong.receive (), "large after all " + pattern (300'000)); });
    ASSERT_TRUE (ping.send ("large after all " + pattern (300'000)));
    waiting.join ();
    take (pull, 0, accepted);
}

// Memory that nobody has filled is nobody's: peers that announce very much and
// then say nothing leave room for those who say little.
TEST_F (stream_budget, is_not_used_up_by_what_is_only_announced)
{
    socket pull = open_unmarked (ZMQ_PULL);
    const std::string where = pull.bind (place ());
    std::vector<raw_peer> liars;
    for (unsigned i = 0; i < 4; ++i) {
        liars.push_back (raw_peer::connect_to (where));
        ASSERT_TRUE (liars.back ().shake_hands ("PUSH"));
        ASSERT_TRUE (liars.back ().send (octet (2) + big_endian (1u << 30, 8) + pattern (5000)));
    }
    ASSERT_TRUE (pull.has_peers (4));
    // What comes behind the announcement is read to its place.
    for (const std::uint64_t each : {5000u, 10'000u}) {
        ASSERT_TRUE (eventually ([&] {
            EXPECT_FALSE (pull.receive (ZMQ_DONTWAIT));
            return own_row (pull).unread_bytes >= 4 * each;
        }));
        for (const raw_peer &liar : liars)
            ASSERT_TRUE (liar.send (pattern (5000)));
    }
    socket push = open_unmarked (ZMQ_PUSH);
    push.connect (where);
    ASSERT_TRUE (push.has_peers () && pull.has_peers (5));
    for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE (push.send (numbered (i)));
        ASSERT_TRUE (pull.receive () == numbered (i)) << i;
    }
    EXPECT_EQ (own_row (pull).budget_holds, 0u);
}

}  // namespace
}  // namespace zlink::test
