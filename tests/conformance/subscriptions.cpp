// When subscriptions hold, and subscriptions by patterns.
#include "conformance/transport.hpp"
#include "support/sanitized.hpp"

namespace zlink::test {
namespace {

struct subscriptions : conformance
{
    static int ask (socket &to, int option, std::string_view what)
    {
        return zmq_setsockopt (to, option, what.data (), what.size ());
    }
    static void subscribe (socket &to, std::string_view topic)
    {
        EXPECT_EQ (ask (to, ZMQ_SUBSCRIBE, topic), 0) << zmq_strerror (errno);
    }
    static void subscribe_pattern (socket &to, std::string_view pattern)
    {
        EXPECT_EQ (ask (to, ZLINK_SUBSCRIBE_PATTERN, pattern), 0) << zmq_strerror (errno);
    }
    static void unsubscribe_pattern (socket &to, std::string_view pattern)
    {
        EXPECT_EQ (ask (to, ZLINK_UNSUBSCRIBE_PATTERN, pattern), 0) << zmq_strerror (errno);
    }
    [[nodiscard]] static bool heard (const socket &by, unsigned count)
    {
        return zlink_wait_subscribed (by, count, watchdog_ms) == 0;
    }
};

// --- readiness ------------------------------------------------------------------

TEST_F (subscriptions, are_waited_for_by_publishers)
{
    socket pub = open (ZMQ_PUB);
    socket one = open (ZMQ_SUB);
    socket two = open (ZMQ_SUB);
    const std::string where = pub.bind (place ());
    one.connect (where);
    two.connect (where);
    ASSERT_TRUE (pub.has_peers (2));
    EXPECT_EQ (zlink_wait_subscribers (pub, 1, 0), -1);
    EXPECT_EQ (errno, ETIMEDOUT);
    worker subscriber ([&] {
        subscribe (one, "a");
        subscribe (one, "b");
        subscribe (two, "a");
    });
    ASSERT_EQ (zlink_wait_subscribers (pub, 2, watchdog_ms), 0) << zmq_strerror (errno);
    subscriber.join ();
    ASSERT_TRUE (pub.send ("a"));
    EXPECT_EQ (one.receive (), "a");
    EXPECT_EQ (two.receive (), "a");
    EXPECT_EQ (zlink_wait_subscribers (pub, 3, 0), -1);
    // Who has no topic any more, or is gone, is none.
    EXPECT_EQ (ask (two, ZMQ_UNSUBSCRIBE, "a"), 0);
    ASSERT_TRUE (eventually ([&] { return zlink_wait_subscribers (pub, 2, 0) != 0; }));
    EXPECT_EQ (zlink_wait_subscribers (pub, 1, 0), 0);
    one.close ();
    ASSERT_TRUE (eventually ([&] { return zlink_wait_subscribers (pub, 1, 0) != 0; }));
}

// What is sent after the wait is not missed, though nobody waited at the
// publisher.
TEST_F (subscriptions, hold_once_publishers_have_heard_of_them)
{
    std::vector<socket> pubs;
    socket sub = open (ZMQ_SUB);
    const std::string where = sub.bind (place ());
    for (int i = 0; i < 3; ++i) {
        pubs.push_back (open (ZMQ_PUB));
        pubs.back ().connect (where);
    }
    ASSERT_TRUE (sub.has_peers (3));
    for (int round = 0; round < 20; ++round) {
        const std::string topic = "t" + std::to_string (round);
        subscribe (sub, topic);
        ASSERT_TRUE (heard (sub, 3)) << zmq_strerror (errno);
        for (socket &pub : pubs)
            ASSERT_TRUE (pub.send (topic + "!"));
        for (int i = 0; i < 3; ++i)
            ASSERT_EQ (sub.receive (), topic + "!");
    }
    EXPECT_EQ (zlink_wait_subscribed (sub, 4, 10), -1);
    EXPECT_EQ (errno, ETIMEDOUT);
}

// The answer may stand behind messages that nobody has read yet.
TEST_F (subscriptions, are_heard_of_behind_unread_messages)
{
    socket pub = open (ZMQ_PUB);
    socket sub = open (ZMQ_SUB);
    ASSERT_TRUE (join (pub, sub));
    subscribe (sub, "a");
    ASSERT_TRUE (heard (sub, 1));
    for (int i = 0; i < 100; ++i)
        ASSERT_TRUE (pub.send ("a" + std::to_string (i)));
    subscribe (sub, "b");
    ASSERT_TRUE (heard (sub, 1));
    ASSERT_TRUE (pub.send ("b"));
    for (int i = 0; i < 100; ++i)
        ASSERT_EQ (sub.receive (), "a" + std::to_string (i));
    EXPECT_EQ (sub.receive (), "b");
}

TEST_F (subscriptions, of_an_xsub_and_to_an_xpub_are_waited_for_too)
{
    socket xpub = open (ZMQ_XPUB);
    socket xsub = open (ZMQ_XSUB);
    ASSERT_TRUE (join (xpub, xsub));
    ASSERT_TRUE (xsub.send ("\1t"));
    EXPECT_EQ (xpub.receive (), "\1t");
    EXPECT_EQ (zlink_wait_subscribers (xpub, 1, watchdog_ms), 0);
    EXPECT_TRUE (heard (xsub, 1));
}

TEST_F (subscriptions, are_waited_for_by_types_that_have_them)
{
    socket pub = open (ZMQ_PUB);
    socket sub = open (ZMQ_SUB);
    socket pair = open (ZMQ_PAIR);
    for (socket *each : {&sub, &pair}) {
        EXPECT_EQ (zlink_wait_subscribers (*each, 0, 0), -1);
        EXPECT_EQ (errno, ENOTSUP);
    }
    for (socket *each : {&pub, &pair}) {
        EXPECT_EQ (zlink_wait_subscribed (*each, 0, 0), -1);
        EXPECT_EQ (errno, ENOTSUP);
    }
}

// --- many -----------------------------------------------------------------------

// Each is heard of by itself, and what none asked for is not sent.
TEST_F (subscriptions, by_the_million_give_their_own)
{
    constexpr int count = sanitized ? 100'000 : 1'000'000;
    const auto topic = [] (int i) { return std::to_string (i) + "/"; };
    socket pub = open (ZMQ_PUB);
    pub.set (ZLINK_TOPICS_MAX, 0);
    pub.set_wide (ZLINK_TOPIC_BYTES_MAX, 0);
    socket sub = open (ZMQ_SUB);
    ASSERT_TRUE (join (pub, sub));
    for (int i = 0; i < count; ++i)
        subscribe (sub, topic (i));
    ASSERT_TRUE (heard (sub, 1)) << zmq_strerror (errno);
    EXPECT_EQ (sub.get (ZMQ_TOPICS_COUNT), count);
    EXPECT_EQ (pub.get (ZMQ_TOPICS_COUNT), count);
    for (int i = 0; i < count; i += 9973) {
        ASSERT_TRUE (pub.send (std::to_string (count + i) + "/none"));
        ASSERT_TRUE (pub.send (topic (i) + "here"));
        ASSERT_EQ (sub.receive (), topic (i) + "here");
    }
    for (int i = 0; i < count; i += 2)
        ASSERT_EQ (ask (sub, ZMQ_UNSUBSCRIBE, topic (i)), 0);
    ASSERT_TRUE (eventually ([&] { return pub.get (ZMQ_TOPICS_COUNT) == count / 2; }));
    for (int i = 0; i < count; i += 9973)
        ASSERT_TRUE (pub.send (topic (i)));
    for (int i = 9973; i < count; i += 2 * 9973)
        ASSERT_EQ (sub.receive (), topic (i));
    EXPECT_FALSE (sub.receive (ZMQ_DONTWAIT));
}

// --- patterns -------------------------------------------------------------------

TEST_F (subscriptions, by_patterns_give_what_matches)
{
    socket pub = open (ZMQ_PUB);
    socket sub = open (ZMQ_SUB);
    ASSERT_TRUE (join (pub, sub));
    subscribe_pattern (sub, "room.*.temperature");
    subscribe_pattern (sub, "alarm.#");
    subscribe (sub, "plain");
    ASSERT_TRUE (heard (sub, 1));
    for (const char *each :
         {"room.1.temperature", "room.1.2.temperature", "room.1.light", "alarm", "alarm.fire.3", "alarming",
          "plain and more", "other", "room.kitchen.temperature"})
        ASSERT_TRUE (pub.send (each));
    for (const char *each :
         {"room.1.temperature", "alarm", "alarm.fire.3", "plain and more", "room.kitchen.temperature"})
        EXPECT_EQ (sub.receive (), each);
    EXPECT_FALSE (sub.receive (ZMQ_DONTWAIT));
    // Only the first part is looked at.
    ASSERT_TRUE (pub.send (std::vector<std::string>{"alarm.x", "other"}));
    EXPECT_EQ (sub.receive_message (), (std::vector<std::string>{"alarm.x", "other"}));
}

// A topic beside a pattern with the same beginning, and either taken back.
TEST_F (subscriptions, by_patterns_add_up_and_are_taken_back)
{
    socket pub = open (ZMQ_PUB);
    socket sub = open (ZMQ_SUB);
    ASSERT_TRUE (join (pub, sub));
    subscribe_pattern (sub, "a.*");
    subscribe_pattern (sub, "a.*");
    subscribe_pattern (sub, "#");
    unsubscribe_pattern (sub, "#");
    unsubscribe_pattern (sub, "a.*");
    subscribe (sub, "a.");
    ASSERT_TRUE (heard (sub, 1));
    ASSERT_TRUE (eventually ([&] { return pub.get (ZMQ_TOPICS_COUNT) == 1; }));
    ASSERT_TRUE (pub.send ("a.b.c"));
    EXPECT_EQ (sub.receive (), "a.b.c");
    EXPECT_EQ (ask (sub, ZMQ_UNSUBSCRIBE, "a."), 0);
    ASSERT_TRUE (pub.send ("a.b.c"));
    ASSERT_TRUE (pub.send ("a.b"));
    EXPECT_EQ (sub.receive (), "a.b");
    unsubscribe_pattern (sub, "a.*");
    ASSERT_TRUE (eventually ([&] { return pub.get (ZMQ_TOPICS_COUNT) == 0; }));
    unsubscribe_pattern (sub, "a.*");  // there is none left: nothing changes
}

// To ask for everything by a pattern is no subscription to everything.
TEST_F (subscriptions, by_patterns_for_all_beginnings_are_looked_at)
{
    socket pub = open (ZMQ_PUB);
    socket sub = open (ZMQ_SUB);
    ASSERT_TRUE (join (pub, sub));
    subscribe_pattern (sub, "*.end");
    ASSERT_TRUE (heard (sub, 1));
    for (const char *each : {"a.end", "b.middle", "c.end"})
        ASSERT_TRUE (pub.send (each));
    EXPECT_EQ (sub.receive (), "a.end");
    EXPECT_EQ (sub.receive (), "c.end");
    subscribe (sub, "");
    ASSERT_TRUE (heard (sub, 1));
    ASSERT_TRUE (pub.send ("d.middle"));
    EXPECT_EQ (sub.receive (), "d.middle");
}

TEST_F (subscriptions, by_patterns_that_are_none_are_refused)
{
    socket sub = open (ZMQ_SUB);
    for (const std::string &each : {std::string ("[a"), std::string ("a\\"), std::string (257, 'a')}) {
        EXPECT_EQ (ask (sub, ZLINK_SUBSCRIBE_PATTERN, each), -1) << each;
        EXPECT_EQ (errno, EINVAL);
    }
    socket xsub = open (ZMQ_XSUB);
    EXPECT_EQ (ask (xsub, ZLINK_SUBSCRIBE_PATTERN, "a"), -1);
    EXPECT_EQ (errno, EINVAL);
    EXPECT_EQ (sub.get (ZMQ_TOPICS_COUNT), 0);
}

}  // namespace
}  // namespace zlink::test
