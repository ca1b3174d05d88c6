// The byte budget where there are handshakes.
#include "conformance/budget.hpp"
#include "support/events.hpp"

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

}  // namespace
}  // namespace zlink::test
