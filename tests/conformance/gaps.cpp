// REPORT_GAPS: a subscriber hears how many messages its publisher dropped for
// it, where they are missing.
#include <algorithm>

#include "conformance/slow_pair.hpp"
#include "support/counts.hpp"
#include "support/events.hpp"

namespace zlink::test {
namespace {

struct gaps : slow_pair
{
    three meet_asking (int rule) { return meet (rule, true); }
    // What was told by now.
    static std::uint64_t told_by (events &queue)
    {
        std::uint64_t sum = 0;
        for (zlink_event_t got = queue.next (0); got.event != 0; got = queue.next (0)) {
            EXPECT_EQ (got.event, std::uint64_t{ZLINK_EVENT_GAP});
            EXPECT_NE (got.connection_id, 0U);
            EXPECT_GT (got.value, 0U);
            sum += got.value;
        }
        return sum;
    }
};

// Fills the slow one twice, and reads it empty: each time it has heard of all that
// is missing before a message when it has that, and of nothing that is missing
// behind the next.
void hear_in_order (socket &pub, socket &fast, socket &slow, std::uint64_t zlink_counters_t::*reason)
{
    events queue (slow, ZLINK_EVENT_GAP);
    int sent = 0;
    std::uint64_t told = 0;
    std::uint64_t told_before = 0;
    std::uint64_t missing = 0;
    int last = -1;
    for (int round = 0; round < 2; ++round) {
        const std::uint64_t enough = own_row (pub).*reason + 40;
        while (own_row (pub).*reason < enough)
            slow_pair::publish (pub, fast, slow_pair::numbered (sent++));
        // What comes when there is room again is the end of this round.
        const int full_at = sent;
        while (last < full_at) {
            const message got = slow_pair::next_and_publish (pub, fast, slow, sent);
            ASSERT_EQ (got.size (), 3U);
            const int now = std::stoi (got[1]);
            ASSERT_EQ (got, slow_pair::numbered (now));
            ASSERT_LT (last, now);
            missing += static_cast<std::uint64_t> (now - last - 1);
            told += gaps::told_by (queue);
            ASSERT_GE (told, missing) << "before " << now;
            ASSERT_LE (told_before, missing) << "before " << now;
            told_before = told;
            last = now;
        }
    }
    EXPECT_GT (missing, 0U);
    const zlink_counters_t counted = own_row (slow);
    EXPECT_GE (counted.messages_missed, told);
    EXPECT_LE (counted.messages_missed, own_row (pub).*reason);
}

TEST_F (gaps, of_the_newest_are_told_in_their_place)
{
    auto [pub, fast, slow] = meet_asking (ZLINK_SLOW_DROP_NEWEST);
    hear_in_order (pub, fast, slow, &zlink_counters_t::dropped_full);
    EXPECT_EQ (own_row (fast).messages_missed, 0U);
}

TEST_F (gaps, of_the_oldest_are_told_in_their_place)
{
    auto [pub, fast, slow] = meet_asking (ZLINK_SLOW_DROP_OLDEST);
    hear_in_order (pub, fast, slow, &zlink_counters_t::dropped_oldest);
}

// The subscriber may be the end that binds, and an XSUB.
TEST_F (gaps, are_told_to_an_xsub_that_binds)
{
    socket slow = open (ZMQ_XSUB);
    slow.set (ZLINK_REPORT_GAPS, 1);
    slow.set (ZMQ_RCVHWM, mark);
    slow.set (ZMQ_RCVBUF, 20'000);
    const std::string there = slow.bind (place ());
    socket pub = publisher (ZLINK_SLOW_DROP_OLDEST);
    const std::string where = pub.bind (place ());
    socket fast = subscriber (where);
    pub.connect (there);
    ASSERT_TRUE (slow.has_peers ());
    ASSERT_TRUE (slow.send ("\1"));
    warm_up (pub, fast, slow);
    hear_in_order (pub, fast, slow, &zlink_counters_t::dropped_oldest);
}

// By topic the places move with their topics: the sum is what counts.
TEST_F (gaps, of_topics_add_up)
{
    auto [pub, fast, slow] = meet_asking (ZLINK_SLOW_CONFLATE);
    int sent = 0;
    while (own_row (pub).dropped_conflated < 100)
        publish (pub, fast, numbered (sent++, "t"));
    const std::vector<int> got = read_up_to (slow, sent - 1);
    const zlink_counters_t counted = own_row (pub);
    EXPECT_EQ (own_row (slow).messages_missed, counted.dropped_conflated + counted.dropped_oldest);
    EXPECT_EQ (got.size () + own_row (slow).messages_missed, static_cast<std::size_t> (sent));
}

// Who does not ask hears nothing.
TEST_F (gaps, are_not_told_unasked)
{
    auto [pub, fast, slow] = meet (ZLINK_SLOW_DROP_OLDEST);
    events queue (slow, ZLINK_EVENT_GAP);
    int sent = 0;
    while (own_row (pub).dropped_oldest < 20)
        publish (pub, fast, numbered (sent++));
    (void)read_up_to (slow, sent - 1);
    EXPECT_EQ (told_by (queue), 0U);
    EXPECT_EQ (own_row (slow).messages_missed, 0U);
}

TEST_F (gaps, are_asked_for_by_subscribers_alone)
{
    socket sub = open (ZMQ_SUB);
    EXPECT_EQ (sub.get (ZLINK_REPORT_GAPS), 0);
    const int bad = 2;
    EXPECT_EQ (zmq_setsockopt (sub, ZLINK_REPORT_GAPS, &bad, sizeof bad), -1);
    EXPECT_EQ (errno, EINVAL);
    socket pub = open (ZMQ_PUB);
    const int good = 1;
    EXPECT_EQ (zmq_setsockopt (pub, ZLINK_REPORT_GAPS, &good, sizeof good), -1);
    EXPECT_EQ (errno, EINVAL);
}

}  // namespace
}  // namespace zlink::test
