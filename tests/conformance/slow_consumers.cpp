// SLOW_CONSUMER: what becomes of messages for a subscriber that does not read,
// value by value. Another subscriber reads all the time and must get
// everything, whatever happens to the slow one.
#include <algorithm>
#include <array>
#include <map>
#include <memory>

#include "conformance/slow_pair.hpp"
#include "support/counts.hpp"
#include "support/events.hpp"

namespace zlink::test {
namespace {

using slow_consumers = slow_pair;

TEST_F (slow_consumers, lose_the_newest_unless_told_otherwise)
{
    EXPECT_EQ (open (ZMQ_XPUB).get (ZLINK_SLOW_CONSUMER), ZLINK_SLOW_DROP_NEWEST);
    auto [pub, fast, slow] = meet (ZLINK_SLOW_DROP_NEWEST);
    int sent = 0;
    while (own_row (pub).dropped_full < 50)
        publish (pub, fast, numbered (sent++));
    EXPECT_EQ (own_row (pub).dropped_oldest, 0U);
    // What there is room for again comes behind what was kept.
    const int full_at = sent;
    int last = -1;
    while (last < full_at) {
        const message got = next_and_publish (pub, fast, slow, sent);
        ASSERT_EQ (got.size (), 3U);
        ASSERT_LT (last, std::stoi (got[1]));
        last = std::stoi (got[1]);
        ASSERT_EQ (got, numbered (last));
    }
}

TEST_F (slow_consumers, may_lose_the_oldest)
{
    auto [pub, fast, slow] = meet (ZLINK_SLOW_DROP_OLDEST);
    int sent = 0;
    while (own_row (pub).dropped_oldest < 100)
        publish (pub, fast, numbered (sent++));
    const std::vector<int> got = read_up_to (slow, sent - 1);
    EXPECT_TRUE (std::is_sorted (got.begin (), got.end ()));
    EXPECT_EQ (got.front (), 0) << "what had begun to leave is not given up";
    const zlink_counters_t counted = own_row (pub);
    EXPECT_EQ (got.size () + counted.dropped_oldest, static_cast<std::size_t> (sent));
    EXPECT_EQ (counted.dropped_full, 0U);
    if (under_test ().one_queue) {
        EXPECT_EQ (got.size (), 2U * mark);
    }
    // And the way is free again: nothing more is lost.
    for (int i = 0; i < 20; ++i) {
        publish (pub, fast, numbered (sent));
        ASSERT_EQ (slow.receive_message (), numbered (sent++));
    }
    EXPECT_EQ (own_row (pub).dropped_oldest, counted.dropped_oldest);
}

// Full, read from, full again: the order holds all the time, and the end of it
// is always there.
TEST_F (slow_consumers, that_read_now_and_then_get_the_newest_in_order)
{
    auto [pub, fast, slow] = meet (ZLINK_SLOW_DROP_OLDEST);
    int sent = 0;
    int last = -1;
    std::size_t read = 0;
    for (int round = 0; round < 40; ++round) {
        for (int i = 0; i < 25; ++i)
            publish (pub, fast, numbered (sent++));
        for (int i = 0; i < round; ++i) {
            if (last == sent - 1)
                break;  // the newest of all
            const message got = slow.receive_message ();
            ASSERT_EQ (got.size (), 3U);
            ASSERT_LT (last, std::stoi (got[1]));
            last = std::stoi (got[1]);
            ASSERT_EQ (got, numbered (last));
            ++read;
        }
    }
    if (last < sent - 1)
        read += read_up_to (slow, sent - 1).size ();
    EXPECT_EQ (read + own_row (pub).dropped_oldest, static_cast<std::size_t> (sent));
    EXPECT_GT (own_row (pub).dropped_oldest, 0U);
}

TEST_F (slow_consumers, may_keep_the_newest_of_each_topic)
{
    auto [pub, fast, slow] = meet (ZLINK_SLOW_CONFLATE);
    constexpr int topics = 3;
    int sent = 0;
    const auto topic_of = [] (int i) { return "t" + std::to_string (i % topics); };
    while (own_row (pub).dropped_conflated < 100 || sent % topics != 0) {
        publish (pub, fast, numbered (sent, topic_of (sent)));
        ++sent;
    }
    std::map<std::string, int> newest;
    std::size_t read = 0;
    const auto up_to_date = [&] {
        for (int i = sent - topics; i < sent; ++i)
            if (newest[topic_of (i)] != i)
                return false;
        return true;
    };
    while (!up_to_date ()) {
        const message got = slow.receive_message ();
        ASSERT_EQ (got.size (), 3U);
        const int number = std::stoi (got[1]);
        ASSERT_EQ (got, numbered (number, topic_of (number)));
        ASSERT_TRUE (read < topics || newest[got[0]] < number) << "older than the one before it";
        newest[got[0]] = number;
        ++read;
    }
    EXPECT_FALSE (slow.receive (ZMQ_DONTWAIT));
    const zlink_counters_t counted = own_row (pub);
    EXPECT_EQ (read + counted.dropped_conflated + counted.dropped_oldest, static_cast<std::size_t> (sent));
}

// More topics than there is room for: the oldest goes, as without topics.
TEST_F (slow_consumers, of_more_topics_than_the_mark_lose_the_oldest)
{
    auto [pub, fast, slow] = meet (ZLINK_SLOW_CONFLATE);
    int sent = 0;
    while (own_row (pub).dropped_oldest < 50) {
        publish (pub, fast, numbered (sent, "t" + std::to_string (sent % (3 * mark))));
        ++sent;
    }
    EXPECT_EQ (read_up_to (slow, sent - 1).back (), sent - 1);
}

// As XPUB_NODROP, which is tested with the topics.
TEST_F (slow_consumers, may_hold_up_their_publisher)
{
    auto [pub, fast, slow] = meet (ZLINK_SLOW_BLOCK);
    int sent = 0;
    for (; sent < 1000; ++sent) {
        const message next = numbered (sent);
        if (!pub.send (next[0], ZMQ_SNDMORE | ZMQ_DONTWAIT))
            break;
        ASSERT_TRUE (pub.send (next[1], ZMQ_SNDMORE | ZMQ_DONTWAIT));
        ASSERT_TRUE (pub.send (next[2], ZMQ_DONTWAIT));
        ASSERT_EQ (fast.receive_message (), next);
    }
    EXPECT_EQ (errno, EAGAIN);
    ASSERT_LT (sent, 1000);
    worker reader ([&] {
        for (int i = 0; i <= sent; ++i)
            EXPECT_EQ (slow.receive_message (), numbered (i));
    });
    ASSERT_TRUE (pub.send (numbered (sent)));
    ASSERT_EQ (fast.receive_message (), numbered (sent));
    reader.join ();
    EXPECT_EQ (own_row (pub).dropped_full, 0U);
}

TEST_F (slow_consumers, may_be_disconnected)
{
    auto [pub, fast, slow] = meet (ZLINK_SLOW_DISCONNECT);
    events told (pub, ZLINK_EVENT_DISCONNECTED);
    int sent = 0;
    while (own_row (pub).connections_lost == 0)
        publish (pub, fast, numbered (sent++));
    const zlink_event_t lost = told.next ();
    EXPECT_EQ (lost.event, ZLINK_EVENT_DISCONNECTED);
    EXPECT_STREQ (lost.reason_text, "slow-consumer");
    EXPECT_GE (own_row (pub).dropped_full, 1U);
    // What it had been sent is a beginning, and whole.
    int next = 0;
    slow.set (ZMQ_RCVTIMEO, 0);
    for (message got = slow.receive_message (); !got.empty () && got[1] == std::to_string (next);
         got = slow.receive_message ())
        ASSERT_EQ (got, numbered (next++));
    EXPECT_LT (next, sent);
    for (int i = 0; i < 20; ++i)
        publish (pub, fast, numbered (sent++));
}

// A change of the rule does not let anything overtake.
TEST_F (slow_consumers, keep_their_order_when_the_rule_changes)
{
    auto [pub, fast, slow] = meet (ZLINK_SLOW_DROP_OLDEST);
    int sent = 0;
    const auto send_some = [&] {
        for (int i = 0; i < 30; ++i)
            publish (pub, fast, numbered (sent++));
    };
    while (own_row (pub).dropped_oldest < 20)
        publish (pub, fast, numbered (sent++));
    pub.set (ZLINK_SLOW_CONSUMER, ZLINK_SLOW_DROP_NEWEST);
    while (own_row (pub).dropped_full < 20)
        publish (pub, fast, numbered (sent++));
    pub.set (ZLINK_SLOW_CONSUMER, ZLINK_SLOW_CONFLATE);
    send_some ();
    pub.set (ZLINK_SLOW_CONSUMER, ZLINK_SLOW_DROP_OLDEST);
    send_some ();
    const std::vector<int> got = read_up_to (slow, sent - 1);
    EXPECT_TRUE (std::is_sorted (got.begin (), got.end ()));
}

// What is queued goes out behind a close, as ever.
TEST_F (slow_consumers, get_what_is_queued_when_the_publisher_closes)
{
    std::optional<socket> pub = publisher (ZLINK_SLOW_DROP_OLDEST);
    pub->set (ZMQ_LINGER, -1);
    const std::string where = pub->bind (place ());
    socket fast = subscriber (where);
    socket slow = subscriber (where);
    warm_up (*pub, fast, slow);
    int sent = 0;
    while (own_row (*pub).dropped_oldest < 20)
        publish (*pub, fast, numbered (sent++));
    pub.reset ();
    EXPECT_TRUE (read_up_to (slow, sent - 1).size () >= mark);
}

// Of several threads that publish, nobody waits and nothing is mixed up.
TEST_F (slow_consumers, of_several_senders_lose_whole_messages_only)
{
    auto [pub, fast, slow] = meet (ZLINK_SLOW_DROP_OLDEST);
    constexpr int each = 400;
    const auto send_all = [&pub] (int first) {
        for (int i = first; i < first + each; ++i) {
            const message next = numbered (i);
            parts_of<3> parts;
            for (std::size_t k = 0; k < 3; ++k)
                parts.set (k, next[k]);
            EXPECT_EQ (zlink_sendv (pub, parts.data (), 3, 0), 3) << zmq_strerror (errno);
        }
    };
    std::vector<std::unique_ptr<worker>> senders;
    for (int i = 0; i < 3; ++i)
        senders.push_back (std::make_unique<worker> ([&, i] { send_all (i * each); }));
    for (auto &each_sender : senders)
        each_sender->join ();
    ASSERT_TRUE (pub.send (numbered (3 * each)));
    for (socket *reader : {&fast, &slow}) {
        std::array<int, 3> last{-1, -1, -1};
        for (;;) {
            const message got = reader->receive_message ();
            ASSERT_EQ (got.size (), 3U);
            const int number = std::stoi (got[1]);
            ASSERT_EQ (got, numbered (number));
            if (number == 3 * each)
                break;
            int &before = last[static_cast<std::size_t> (number / each)];
            ASSERT_LT (before, number);
            before = number;
        }
    }
}

TEST_F (slow_consumers, are_set_by_publishers_and_within_range)
{
    socket pub = open (ZMQ_XPUB);
    for (const int bad : {-1, 5, 1 << 20}) {
        EXPECT_EQ (zmq_setsockopt (pub, ZLINK_SLOW_CONSUMER, &bad, sizeof bad), -1);
        EXPECT_EQ (errno, EINVAL);
    }
    const char octet = 1;
    EXPECT_EQ (zmq_setsockopt (pub, ZLINK_SLOW_CONSUMER, &octet, 1), -1);
    EXPECT_EQ (errno, EINVAL);
    EXPECT_EQ (pub.get (ZLINK_SLOW_CONSUMER), ZLINK_SLOW_DROP_NEWEST);
    socket sub = open (ZMQ_SUB);
    const int good = ZLINK_SLOW_DROP_OLDEST;
    EXPECT_EQ (zmq_setsockopt (sub, ZLINK_SLOW_CONSUMER, &good, sizeof good), -1);
    EXPECT_EQ (errno, EINVAL);
}

}  // namespace
}  // namespace zlink::test
