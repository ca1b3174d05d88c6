// LAST_VALUES: what a publisher keeps for subscribers that come later.
#include <atomic>
#include <map>

#include "conformance/transport.hpp"
#include "support/counts.hpp"
#include "support/warnings.hpp"

namespace zlink::test {
namespace {

using message = std::vector<std::string>;

struct last_values : conformance
{
    socket publisher (int type = ZMQ_PUB, int topics = 1000)
    {
        socket made = open (type);
        made.set (ZLINK_LAST_VALUES, topics);
        return made;
    }
    static void set_text (socket &of, int option, std::string_view text)
    {
        EXPECT_EQ (zmq_setsockopt (of, option, text.data (), text.size ()), 0) << zmq_strerror (errno);
    }
    static void subscribe (socket &sub, std::string_view topic) { set_text (sub, ZMQ_SUBSCRIBE, topic); }
    // What came of asking has come: the publisher has read it, and sends this
    // behind.
    static void expect_no_more (socket &pub, socket &sub, const std::string &topic)
    {
        ASSERT_EQ (zlink_wait_subscribed (sub, 1, watchdog_ms), 0);
        ASSERT_TRUE (pub.send (topic));
        EXPECT_EQ (sub.receive_message (), message{topic});
    }
};

TEST_F (last_values, reach_who_subscribes_later)
{
    socket pub = publisher ();
    for (const message &each : {message{"b", "1"}, message{"a", "old"}, message{"ab", "2", "", "parts"},
                                message{"a", "3"}, message{"other", "4"}})
        ASSERT_TRUE (pub.send (each));
    socket sub = open (ZMQ_SUB);
    ASSERT_TRUE (join (pub, sub));
    subscribe (sub, "a");
    EXPECT_EQ (sub.receive_message (), (message{"ab", "2", "", "parts"}));
    EXPECT_EQ (sub.receive_message (), (message{"a", "3"}));
    subscribe (sub, "");
    EXPECT_EQ (sub.receive_message (), (message{"b", "1"}));
    EXPECT_EQ (sub.receive_message (), (message{"other", "4"}));
    expect_no_more (pub, sub, "a");
    ASSERT_TRUE (pub.send (message{"a", "5"}));
    EXPECT_EQ (sub.receive_message (), (message{"a", "5"}));
}

TEST_F (last_values, reach_that_subscriber_only)
{
    socket pub = publisher ();
    socket one = open (ZMQ_SUB);
    socket two = open (ZMQ_SUB);
    const std::string where = pub.bind (place ());
    one.connect (where);
    two.connect (where);
    subscribe (one, "a");
    ASSERT_EQ (zlink_wait_subscribers (pub, 1, watchdog_ms), 0);
    ASSERT_TRUE (pub.send (message{"a", "1"}));
    EXPECT_EQ (one.receive_message (), (message{"a", "1"}));
    subscribe (two, "a");
    EXPECT_EQ (two.receive_message (), (message{"a", "1"}));
    expect_no_more (pub, one, "a");
    EXPECT_EQ (two.receive (), "a");
}

// What a subscriber gets already it is not sent again.
TEST_F (last_values, come_once_however_many_topics_match)
{
    socket pub = publisher ();
    socket sub = open (ZMQ_SUB);
    ASSERT_TRUE (join (pub, sub));
    ASSERT_TRUE (pub.send (message{"a.b", "1"}));
    subscribe (sub, "a");
    EXPECT_EQ (sub.receive_message (), (message{"a.b", "1"}));
    for (const char *each : {"a", "a.", "", "a.b"})
        subscribe (sub, each);
    expect_no_more (pub, sub, "a");
    // A topic that it had given up is as new.
    for (const char *each : {"a", "a", "a.", "", "a.b"})
        set_text (sub, ZMQ_UNSUBSCRIBE, each);
    subscribe (sub, "a.");
    EXPECT_EQ (sub.receive_message (), (message{"a.b", "1"}));
}

TEST_F (last_values, of_one_part_are_not_kept)
{
    socket pub = publisher ();
    ASSERT_TRUE (pub.send (message{"a", "1"}));
    ASSERT_TRUE (pub.send ("a"));
    ASSERT_TRUE (pub.send ("a and more"));
    socket sub = open (ZMQ_SUB);
    ASSERT_TRUE (join (pub, sub));
    subscribe (sub, "a");
    EXPECT_EQ (sub.receive_message (), (message{"a", "1"}));
    expect_no_more (pub, sub, "a");
}

TEST_F (last_values, are_kept_only_when_so_wished)
{
    socket pub = publisher (ZMQ_XPUB, 0);
    EXPECT_EQ (open (ZMQ_PUB).get (ZLINK_LAST_VALUES), 0);
    ASSERT_TRUE (pub.send (message{"a", "1"}));
    pub.set (ZLINK_LAST_VALUES, 10);
    ASSERT_TRUE (pub.send (message{"b", "2"}));
    pub.set (ZLINK_LAST_VALUES, 0);  // forgets
    pub.set (ZLINK_LAST_VALUES, 10);
    ASSERT_TRUE (pub.send (message{"c", "3"}));
    socket sub = open (ZMQ_SUB);
    ASSERT_TRUE (join (pub, sub));
    subscribe (sub, "");
    EXPECT_EQ (pub.receive (), std::string ("\1", 1));
    EXPECT_EQ (sub.receive_message (), (message{"c", "3"}));
    expect_no_more (pub, sub, "a");

    const int bad = -1;
    EXPECT_EQ (zmq_setsockopt (pub, ZLINK_LAST_VALUES, &bad, sizeof bad), -1);
    EXPECT_EQ (errno, EINVAL);
    const std::int64_t none = 0;
    EXPECT_EQ (zmq_setsockopt (pub, ZLINK_LAST_VALUE_BYTES, &none, sizeof none), -1);
    EXPECT_EQ (errno, EINVAL);
    const int good = 1;
    EXPECT_EQ (zmq_setsockopt (sub, ZLINK_LAST_VALUES, &good, sizeof good), -1);
    EXPECT_EQ (errno, EINVAL);
}

TEST_F (last_values, above_a_limit_are_not_kept)
{
    heard_warnings heard;
    socket pub = publisher (ZMQ_PUB, 2);
    pub.set_wide (ZLINK_LAST_VALUE_BYTES, 2000);
    ASSERT_TRUE (pub.send (message{"a", "1"}));
    ASSERT_TRUE (pub.send (message{"b", "2"}));
    EXPECT_EQ (own_row (pub).values_not_kept, 0U);
    ASSERT_TRUE (pub.send (message{"c", "3"}));
    EXPECT_EQ (own_row (pub).values_not_kept, 1U);
    // Nor is what came before it: that is not the last any more.
    ASSERT_TRUE (pub.send (message{"b", std::string (2000, 'x')}));
    EXPECT_EQ (own_row (pub).values_not_kept, 2U);
    socket sub = open (ZMQ_SUB);
    ASSERT_TRUE (join (pub, sub));
    subscribe (sub, "");
    EXPECT_EQ (sub.receive_message (), (message{"a", "1"}));
    expect_no_more (pub, sub, "a");
    EXPECT_FALSE (heard_warnings::find ("last values not kept").text.empty ());
}

// By hand it is the application's word that counts.
TEST_F (last_values, are_sent_when_xpub_manual_enters_the_topic)
{
    socket xpub = publisher (ZMQ_XPUB);
    xpub.set (ZMQ_XPUB_MANUAL, 1);
    ASSERT_TRUE (xpub.send (message{"a", "1"}));
    ASSERT_TRUE (xpub.send (message{"b", "2"}));
    socket sub = open (ZMQ_SUB);
    ASSERT_TRUE (join (xpub, sub));
    subscribe (sub, "a");
    EXPECT_EQ (xpub.receive (), "\1a");
    subscribe (sub, "b");
    EXPECT_EQ (xpub.receive (), "\1b");
    set_text (xpub, ZMQ_SUBSCRIBE, "b");
    EXPECT_EQ (sub.receive_message (), (message{"b", "2"}));
    set_text (xpub, ZMQ_SUBSCRIBE, "b");
    expect_no_more (xpub, sub, "b");
}

// Verbose changes what the application reads and nothing else.
TEST_F (last_values, come_once_to_who_asks_a_verbose_publisher_twice)
{
    socket xpub = publisher (ZMQ_XPUB);
    xpub.set (ZMQ_XPUB_VERBOSE, 1);
    ASSERT_TRUE (xpub.send (message{"a", "1"}));
    socket xsub = open (ZMQ_XSUB);
    ASSERT_TRUE (join (xpub, xsub));
    for (int i = 0; i < 2; ++i) {
        ASSERT_TRUE (xsub.send ("\1a"));
        EXPECT_EQ (xpub.receive (), "\1a");
    }
    EXPECT_EQ (xsub.receive_message (), (message{"a", "1"}));
    expect_no_more (xpub, xsub, "a");
}

// What one is sent alone is no news for others.
TEST_F (last_values, are_not_what_went_to_one_alone)
{
    socket xpub = publisher (ZMQ_XPUB);
    xpub.set (ZMQ_XPUB_MANUAL_LAST_VALUE, 1);
    ASSERT_TRUE (xpub.send (message{"a", "1"}));
    socket one = open (ZMQ_SUB);
    socket two = open (ZMQ_SUB);
    const std::string where = xpub.bind (place ());
    one.connect (where);
    subscribe (one, "a");
    EXPECT_EQ (xpub.receive (), "\1a");
    set_text (xpub, ZMQ_SUBSCRIBE, "a");
    ASSERT_TRUE (xpub.send (message{"a", "for one"}));
    EXPECT_EQ (one.receive_message (), (message{"a", "1"}));
    EXPECT_EQ (one.receive_message (), (message{"a", "for one"}));
    two.connect (where);
    subscribe (two, "a");
    EXPECT_EQ (xpub.receive (), "\1a");
    set_text (xpub, ZMQ_SUBSCRIBE, "a");
    EXPECT_EQ (two.receive_message (), (message{"a", "1"}));
}

// --- room -----------------------------------------------------------------------

constexpr int kept = 100;
constexpr int hwm = 10;

struct full_of_values : last_values
{
    // A subscriber with little room has asked for more.
    void ask_for_too_many (socket &pub, socket &sub)
    {
        pub.set (ZMQ_SNDHWM, hwm);
        sub.set (ZMQ_RCVHWM, hwm);
        for (int i = 0; i < kept; ++i)
            ASSERT_TRUE (pub.send (message{std::to_string (i), "value"}));
        ASSERT_TRUE (join (pub, sub));
        subscribe (sub, "");
        ASSERT_EQ (zlink_wait_subscribers (pub, 1, watchdog_ms), 0);
    }
};

TEST_F (full_of_values, drop_what_has_no_room)
{
    for (const int rule : {ZLINK_SLOW_DROP_NEWEST, ZLINK_SLOW_BLOCK, ZLINK_SLOW_DISCONNECT}) {
        socket pub = publisher ();
        pub.set (ZLINK_SLOW_CONSUMER, rule);
        socket sub = open (ZMQ_SUB);
        ask_for_too_many (pub, sub);
        const int room = under_test ().one_queue ? 2 * hwm : hwm;
        EXPECT_EQ (own_row (pub).dropped_full, static_cast<unsigned> (kept - room));
        for (int i = 0; i < room; ++i)
            EXPECT_EQ (sub.receive_message (), (message{std::to_string (i), "value"}));
        EXPECT_TRUE (pub.has_peers (1));
    }
}

TEST_F (full_of_values, drop_the_oldest_when_so_wished)
{
    for (const int rule : {ZLINK_SLOW_DROP_OLDEST, ZLINK_SLOW_CONFLATE}) {
        socket pub = publisher ();
        pub.set (ZLINK_SLOW_CONSUMER, rule);
        socket sub = open (ZMQ_SUB);
        ask_for_too_many (pub, sub);
        int last = -1;
        int count = 0;
        while (last != kept - 1) {
            const message got = sub.receive_message ();
            ASSERT_EQ (got.size (), 2U);
            EXPECT_GT (std::stoi (got.front ()), last);
            last = std::stoi (got.front ());
            ++count;
        }
        EXPECT_EQ (own_row (pub).dropped_oldest, static_cast<unsigned> (kept - count));
        EXPECT_GE (count, hwm);
    }
}

// Whoever asks again and again and reads nothing fills no memory, though there
// is no mark.
TEST_F (full_of_values, are_not_queued_without_end)
{
    socket pub = publisher ();
    pub.set (ZMQ_SNDHWM, 0);
    pub.set (ZMQ_SNDBUF, 20'000);
    constexpr std::int64_t limit = 200'000;
    pub.set_wide (ZLINK_LAST_VALUE_BYTES, limit);
    const std::string body = pattern (900);
    for (int i = 0; i < kept; ++i)
        ASSERT_TRUE (pub.send (message{std::to_string (i), body}));
    socket xsub = open (ZMQ_XSUB);
    xsub.set (ZMQ_RCVHWM, 0);
    xsub.set (ZMQ_RCVBUF, 20'000);
    ASSERT_TRUE (join (pub, xsub));
    ASSERT_TRUE (eventually ([&] {
        EXPECT_TRUE (xsub.send ("\1") && xsub.send (std::string (1, '\0')));
        EXPECT_LE (own_row (pub).queued_bytes, static_cast<std::uint64_t> (2 * limit));
        return own_row (pub).dropped_full > 10 * kept;
    }));
}

// --- others' hands ----------------------------------------------------------------

// Subscribers come while messages flow: each has every topic's from one on, and
// no other twice.
TEST_F (last_values, are_followed_by_what_is_newer_without_a_gap)
{
    constexpr int topics = 3;
    socket pub = publisher ();
    pub.set (ZMQ_SNDHWM, 0);
    for (int i = 0; i < topics; ++i)
        ASSERT_TRUE (pub.send (message{"t" + std::to_string (i), "0"}));
    const std::string where = pub.bind (place ());
    std::atomic<bool> done{false};
    worker sender ([&] {
        for (int number = topics; !done; ++number) {
            EXPECT_TRUE (
              pub.send (message{"t" + std::to_string (number % topics), std::to_string (number / topics)}));
            here ().give_way ();
        }
    });
    for (int round = 0; round < 20; ++round) {
        socket sub = open (ZMQ_SUB);
        sub.set (ZMQ_RCVHWM, 0);
        sub.connect (where);
        subscribe (sub, round % 2 == 0 ? "t" : "");
        std::map<std::string, int> next;
        for (int i = 0; i < 10 * topics; ++i) {
            const message got = sub.receive_message ();
            ASSERT_EQ (got.size (), 2U);
            const int number = std::stoi (got[1]);
            const auto [at, first] = next.try_emplace (got[0], number);
            EXPECT_EQ (at->second, number) << got[0] << " in round " << round;
            at->second = number + 1;
        }
        EXPECT_EQ (next.size (), static_cast<std::size_t> (topics));
    }
    done = true;
    sender.join ();
}

// Memory that a caller lent is given back though the message is kept.
TEST_F (last_values, do_not_hold_on_to_others_memory)
{
    release_count released;
    std::string text (1000, 'x');
    socket pub = publisher ();
    {
        part lent (text.data (), text.size (), release_count::release, &released);
        ASSERT_TRUE (pub.send ("a", ZMQ_SNDMORE));
        ASSERT_EQ (zmq_msg_send (lent.raw (), pub, 0), 1000);
    }
    EXPECT_TRUE (released.reaches (1));
    const std::string sent = text;
    text.assign (text.size (), 'y');
    socket sub = open (ZMQ_SUB);
    ASSERT_TRUE (join (pub, sub));
    subscribe (sub, "a");
    EXPECT_EQ (sub.receive_message (), (message{"a", sent}));
}

TEST_F (last_values, are_none_where_they_have_no_sense)
{
    socket pub = publisher ();
    pub.set (ZMQ_INVERT_MATCHING, 1);
    ASSERT_TRUE (pub.send (message{"a", "1"}));
    socket sub = open (ZMQ_SUB);
    sub.set (ZMQ_INVERT_MATCHING, 1);
    ASSERT_TRUE (join (pub, sub));
    subscribe (sub, "b");
    subscribe (sub, "a");
    ASSERT_EQ (zlink_wait_subscribed (sub, 1, watchdog_ms), 0);
    ASSERT_TRUE (pub.send (message{"c", "2"}));
    EXPECT_EQ (sub.receive_message (), (message{"c", "2"}));
}

}  // namespace
}  // namespace zlink::test
