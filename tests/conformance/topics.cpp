// PUB, SUB, XPUB and XSUB, rule by rule of RFC 29.
#include <set>

#include "conformance/transport.hpp"
#include "support/events.hpp"

namespace zlink::test {
namespace {

struct topics : conformance
{
    static void subscribe (socket &to, std::string_view topic)
    {
        EXPECT_EQ (zmq_setsockopt (to, ZMQ_SUBSCRIBE, topic.data (), topic.size ()), 0)
          << zmq_strerror (errno);
    }
    static void unsubscribe (socket &to, std::string_view topic)
    {
        EXPECT_EQ (zmq_setsockopt (to, ZMQ_UNSUBSCRIBE, topic.data (), topic.size ()), 0)
          << zmq_strerror (errno);
    }
    // The publisher knows of so many topics.
    [[nodiscard]] static bool knows (const socket &publisher, int count)
    {
        return eventually ([&] { return publisher.get (ZMQ_TOPICS_COUNT) == count; });
    }
    [[nodiscard]] static std::string note (char octet, std::string_view topic)
    {
        return octet + std::string (topic);
    }
    socket subscriber (const std::string &where, std::string_view topic)
    {
        socket made = open (ZMQ_SUB);
        subscribe (made, topic);
        made.connect (where);
        return made;
    }
};

// "SHALL create ... [and] SHALL NOT modify", "SHALL send ... to all": whoever
// asked for the beginning of a message gets it, nobody else.
TEST_F (topics, reach_whoever_asked_for_them)
{
    socket pub = open (ZMQ_PUB);
    const std::string where = pub.bind (place ());
    socket all = subscriber (where, "");
    socket weather = subscriber (where, "weather");
    socket both = subscriber (where, "weather.today");
    subscribe (both, "wind");
    ASSERT_TRUE (knows (pub, 4));
    for (const char *each : {"weather", "weather.today", "wind", "other", "", "end"})
        ASSERT_TRUE (pub.send (each));
    for (const char *each : {"weather", "weather.today", "wind", "other", "", "end"})
        EXPECT_EQ (all.receive (), each);
    for (const char *each : {"weather", "weather.today"})
        EXPECT_EQ (weather.receive (), each);
    for (const char *each : {"weather.today", "wind"})
        EXPECT_EQ (both.receive (), each);
    for (socket *each : {&weather, &both}) {
        EXPECT_FALSE (each->receive (ZMQ_DONTWAIT));
        EXPECT_EQ (errno, EAGAIN);
    }
}

TEST_F (topics, are_looked_for_in_the_first_part_and_messages_come_whole)
{
    socket pub = open (ZMQ_PUB);
    const std::string where = pub.bind (place ());
    socket one = subscriber (where, "a");
    socket two = subscriber (where, "a.");
    socket elsewhere = subscriber (where, "b");
    ASSERT_TRUE (knows (pub, 3));
    const std::vector<std::string> whole = {"a.b", "", pattern (100'000), "b"};
    for (int i = 0; i < 20; ++i) {
        ASSERT_TRUE (pub.send (whole));
        for (socket *each : {&one, &two})
            ASSERT_EQ (each->receive_message (), whole);
    }
    ASSERT_TRUE (pub.send (std::vector<std::string>{"b", "a"}));
    EXPECT_EQ (elsewhere.receive_message (), (std::vector<std::string>{"b", "a"}));
    EXPECT_FALSE (one.receive (ZMQ_DONTWAIT));
}

// "SHALL silently discard" what nobody wants; "SHALL NOT block".
TEST_F (topics, without_a_subscriber_messages_go_nowhere)
{
    socket pub = open (ZMQ_PUB);
    const std::string where = pub.bind (place ());
    for (int i = 0; i < 5000; ++i)
        ASSERT_TRUE (pub.send ("nobody", ZMQ_DONTWAIT));
    EXPECT_EQ (pub.get (ZMQ_EVENTS), ZMQ_POLLOUT);
    socket late = subscriber (where, "");
    ASSERT_TRUE (knows (pub, 1));
    ASSERT_TRUE (pub.send ("now"));
    EXPECT_EQ (late.receive (), "now");
}

TEST_F (topics, come_and_go_while_connected)
{
    socket pub = open (ZMQ_PUB);
    socket sub = open (ZMQ_SUB);
    ASSERT_TRUE (join (pub, sub));
    ASSERT_TRUE (pub.send ("before"));
    subscribe (sub, "a");
    subscribe (sub, "b");
    ASSERT_TRUE (knows (pub, 2));
    ASSERT_TRUE (pub.send ("a1"));
    EXPECT_EQ (sub.receive (), "a1");
    unsubscribe (sub, "a");
    ASSERT_TRUE (knows (pub, 1));
    ASSERT_TRUE (pub.send ("a2"));
    ASSERT_TRUE (pub.send ("b2"));
    EXPECT_EQ (sub.receive (), "b2");
    EXPECT_EQ (sub.get (ZMQ_TOPICS_COUNT), 1);
}

// Two subscriptions to one topic take two cancellations.
TEST_F (topics, add_up)
{
    socket pub = open (ZMQ_PUB);
    socket sub = open (ZMQ_SUB);
    ASSERT_TRUE (join (pub, sub));
    subscribe (sub, "a");
    subscribe (sub, "a");
    unsubscribe (sub, "a");
    subscribe (sub, "b");
    ASSERT_TRUE (knows (pub, 2));
    ASSERT_TRUE (pub.send ("a"));
    EXPECT_EQ (sub.receive (), "a");
    unsubscribe (sub, "a");
    ASSERT_TRUE (knows (pub, 1));
    unsubscribe (sub, "a");  // there is none left: nothing changes
    ASSERT_TRUE (pub.send ("a"));
    ASSERT_TRUE (pub.send ("b"));
    EXPECT_EQ (sub.receive (), "b");
}

// Whoever closes takes its topics along; others keep theirs.
TEST_F (topics, end_with_their_subscriber)
{
    socket pub = open (ZMQ_PUB);
    const std::string where = pub.bind (place ());
    socket stays = subscriber (where, "a");
    {
        socket goes = subscriber (where, "a");
        subscribe (goes, "b");
        ASSERT_TRUE (knows (pub, 2));
    }
    ASSERT_TRUE (knows (pub, 1));
    ASSERT_TRUE (pub.send ("b"));
    ASSERT_TRUE (pub.send ("a"));
    EXPECT_EQ (stays.receive (), "a");
}

TEST_F (topics, of_several_publishers_are_heard_in_turn)
{
    socket sub = open (ZMQ_SUB);
    subscribe (sub, "");
    const std::string where = sub.bind (place ());
    std::vector<socket> pubs;
    for (int i = 0; i < 3; ++i) {
        pubs.push_back (open (ZMQ_PUB));
        pubs.back ().connect (where);
    }
    for (const socket &each : pubs)
        ASSERT_TRUE (knows (each, 1));
    for (int k = 0; k < 50; ++k)
        for (std::size_t i = 0; i < 3; ++i)
            ASSERT_TRUE (pubs[i].send (std::to_string (i)));
    std::multiset<std::string> got;
    for (int k = 0; k < 150; ++k)
        got.insert (sub.receive ().value_or ("nothing"));
    for (const char *each : {"0", "1", "2"})
        EXPECT_EQ (got.count (each), 50U) << each;
}

// "SHALL silently drop" for a subscriber that is full; the others get all.
TEST_F (topics, of_one_who_is_full_are_dropped_and_counted)
{
    socket pub = open (ZMQ_PUB);
    pub.set (ZMQ_SNDHWM, 10);
    const std::string where = pub.bind (place ());
    socket slow = open (ZMQ_SUB);
    slow.set (ZMQ_RCVHWM, 10);
    subscribe (slow, "");
    slow.connect (where);
    socket fast = subscriber (where, "");
    ASSERT_TRUE (knows (pub, 1) && pub.has_peers (2));
    ASSERT_TRUE (eventually ([&] {  // both have asked
        return pub.send ("?") && slow.receive (ZMQ_DONTWAIT) && fast.receive (ZMQ_DONTWAIT);
    }));
    while (fast.receive (ZMQ_DONTWAIT)) {}
    const std::string body = pattern (20'000);
    for (int i = 0; i < 2000; ++i) {
        ASSERT_TRUE (pub.send (std::vector<std::string>{"x" + std::to_string (i), body}));
        auto got = fast.receive_message ();
        while (!got.empty () && got[0] == "?")
            got = fast.receive_message ();
        ASSERT_EQ (got.size (), 2U);
        ASSERT_EQ (got[0], "x" + std::to_string (i));
    }
    EXPECT_GT (pub.statistics ().dropped, 0U);
    // What is left is whole and in order.
    int last = -1;
    for (;;) {
        slow.set (ZMQ_RCVTIMEO, 0);
        const auto got = slow.receive_message ();
        if (got.empty ())
            break;
        if (got[0] == "?")
            continue;
        ASSERT_EQ (got.size (), 2U);
        const int now = std::stoi (got[0].substr (1));
        ASSERT_GT (now, last);
        last = now;
    }
}

// XPUB_NODROP: nothing is lost while everybody reads.
TEST_F (topics, with_nodrop_wait_for_the_slowest)
{
    socket pub = open (ZMQ_PUB);
    pub.set (ZMQ_XPUB_NODROP, 1);
    pub.set (ZMQ_SNDHWM, 10);
    const std::string where = pub.bind (place ());
    std::vector<socket> subs;
    for (int i = 0; i < 2; ++i) {
        subs.push_back (open (ZMQ_SUB));
        subs.back ().set (ZMQ_RCVHWM, 10);
        subscribe (subs.back (), std::string (1, static_cast<char> ('a' + i)));
        subscribe (subs.back (), "x");
        subs.back ().connect (where);
    }
    ASSERT_TRUE (knows (pub, 3));
    ASSERT_TRUE (pub.has_peers (2));
    constexpr int count = 3000;
    worker sender ([&] {
        for (int i = 0; i < count; ++i)
            EXPECT_TRUE (pub.send ("x" + std::to_string (i) + pattern (2000)));
    });
    for (int i = 0; i < count; ++i)
        for (socket &each : subs) {
            const auto got = each.receive ();
            ASSERT_TRUE (got);
            ASSERT_TRUE (got->starts_with ("x" + std::to_string (i))) << i << got->substr (0, 8);
        }
    sender.join ();
    // And who does not wait is told.
    int sent = 0;
    while (sent < 1'000'000 && pub.send ("x" + pattern (2000), ZMQ_DONTWAIT))
        ++sent;
    EXPECT_EQ (errno, EAGAIN);
    EXPECT_LT (sent, 1'000'000);
}

// Who was woken for room and is done leaves the rest of it to the others.
TEST_F (topics, with_nodrop_let_all_their_senders_go_on)
{
    socket pub = open (ZMQ_PUB);
    pub.set (ZMQ_XPUB_NODROP, 1);
    pub.set (ZMQ_SNDHWM, 2);
    pub.set (ZMQ_SNDBUF, 20'000);
    pub.set (ZMQ_SNDTIMEO, -1);
    const std::string where = pub.bind (place ());
    socket sub = open (ZMQ_SUB);
    sub.set (ZMQ_RCVHWM, 2);
    sub.set (ZMQ_RCVBUF, 20'000);
    subscribe (sub, "x");
    sub.connect (where);
    ASSERT_TRUE (knows (pub, 1));
    for (int round = 0; round < 50; ++round) {
        int sent = 0;
        while (pub.send ("x" + pattern (2000), ZMQ_DONTWAIT))
            ++sent;
        worker one ([&] { EXPECT_TRUE (pub.send ("x1")); });
        worker two ([&] { EXPECT_TRUE (pub.send ("x2")); });
        for (int i = 0; i < sent + 2; ++i)
            if (!sub.receive ()) {
                zmq_disconnect (sub, where.c_str ());  // for who sleeps
                FAIL () << i << " of " << sent << " and 2, in round " << round;
            }
        one.join ();
        two.join ();
    }
}

// XPUB reads what subscribers ask for: the first of a topic and its end.
TEST_F (topics, are_told_to_the_application_of_an_xpub)
{
    socket xpub = open (ZMQ_XPUB);
    const std::string where = xpub.bind (place ());
    socket one = subscriber (where, "a");
    EXPECT_EQ (xpub.receive (), note (1, "a"));
    socket two = subscriber (where, "a");
    subscribe (two, "b");
    EXPECT_EQ (xpub.receive (), note (1, "b"));
    unsubscribe (one, "a");
    unsubscribe (two, "b");
    EXPECT_EQ (xpub.receive (), note (0, "b"));
    ASSERT_TRUE (xpub.send ("a!"));
    EXPECT_EQ (two.receive (), "a!");
    two.close ();
    EXPECT_EQ (xpub.receive (), note (0, "a"));
    EXPECT_FALSE (xpub.receive (ZMQ_DONTWAIT));
}

TEST_F (topics, are_not_told_to_the_application_of_a_pub)
{
    socket pub = open (ZMQ_PUB);
    const std::string where = pub.bind (place ());
    const socket one = subscriber (where, "a");
    ASSERT_TRUE (eventually ([&] { return pub.get (ZMQ_TOPICS_COUNT) == 1; }));
    EXPECT_EQ (pub.get (ZMQ_EVENTS) & ZMQ_POLLIN, 0);
    EXPECT_FALSE (pub.receive (ZMQ_DONTWAIT));
    EXPECT_EQ (errno, ENOTSUP);
}

TEST_F (topics, are_taken_back_by_an_xsub_that_closes)
{
    socket xpub = open (ZMQ_XPUB);
    socket xsub = open (ZMQ_XSUB);
    ASSERT_TRUE (join (xpub, xsub));
    xsub.set (ZMQ_LINGER, watchdog_ms);
    ASSERT_TRUE (xsub.send (note (1, "a")));
    EXPECT_EQ (xpub.receive (), note (1, "a"));
    xsub.close ();
    EXPECT_EQ (xpub.receive (), note (0, "a"));
    EXPECT_EQ (xpub.get (ZMQ_TOPICS_COUNT), 0);
}

TEST_F (topics, are_told_each_time_when_asked_so)
{
    socket xpub = open (ZMQ_XPUB);
    xpub.set (ZMQ_XPUB_VERBOSER, 1);
    const std::string where = xpub.bind (place ());
    socket one = subscriber (where, "a");
    socket two = subscriber (where, "a");
    EXPECT_EQ (xpub.receive (), note (1, "a"));
    EXPECT_EQ (xpub.receive (), note (1, "a"));
    unsubscribe (one, "a");
    EXPECT_EQ (xpub.receive (), note (0, "a"));
    unsubscribe (two, "a");
    EXPECT_EQ (xpub.receive (), note (0, "a"));
}

TEST_F (topics, of_an_xsub_are_messages_that_it_sends)
{
    socket xpub = open (ZMQ_XPUB);
    socket xsub = open (ZMQ_XSUB);
    ASSERT_TRUE (join (xpub, xsub));
    ASSERT_TRUE (xsub.send (note (1, "a")));
    EXPECT_EQ (xpub.receive (), note (1, "a"));
    ASSERT_TRUE (xpub.send ("a1"));
    EXPECT_EQ (xsub.receive (), "a1");
    // What is no topic goes up as it is.
    ASSERT_TRUE (xsub.send ("upwards"));
    EXPECT_EQ (xpub.receive (), "upwards");
    ASSERT_TRUE (xsub.send (std::vector<std::string>{"two", "parts"}));
    EXPECT_EQ (xpub.receive_message (), (std::vector<std::string>{"two", "parts"}));
    ASSERT_TRUE (xsub.send (note (0, "a")));
    EXPECT_EQ (xpub.receive (), note (0, "a"));
    ASSERT_TRUE (xpub.send ("a2"));
    ASSERT_TRUE (xsub.send (note (1, "b")));
    EXPECT_EQ (xpub.receive (), note (1, "b"));
    ASSERT_TRUE (xpub.send ("b"));
    EXPECT_EQ (xsub.receive (), "b");
}

// Publishers count a topic of a peer once, as XSUB, like libzmq's, tells them of
// each subscription and of the last cancellation only.
TEST_F (topics, of_an_xsub_that_asks_twice_end_with_its_last_cancellation)
{
    socket xpub = open (ZMQ_XPUB);
    socket xsub = open (ZMQ_XSUB);
    ASSERT_TRUE (join (xpub, xsub));
    for (const int octet : {1, 1, 0})
        ASSERT_TRUE (xsub.send (note (static_cast<char> (octet), "a")));
    EXPECT_EQ (xpub.receive (), note (1, "a"));
    ASSERT_TRUE (xpub.send ("a1"));
    EXPECT_EQ (xsub.receive (), "a1");
    ASSERT_TRUE (xsub.send (note (0, "a")));
    EXPECT_EQ (xpub.receive (), note (0, "a"));
    EXPECT_EQ (xpub.get (ZMQ_TOPICS_COUNT), 0);
}

// Topics may stand in front of a message; the rest of it comes as a message.
TEST_F (topics, may_come_in_front_of_a_message)
{
    socket xpub = open (ZMQ_XPUB);
    socket xsub = open (ZMQ_XSUB);
    ASSERT_TRUE (join (xpub, xsub));
    ASSERT_TRUE (xsub.send (std::vector<std::string>{note (1, "a"), note (1, "b"), "rest", note (1, "c")}));
    EXPECT_EQ (xsub.get (ZMQ_TOPICS_COUNT), 2);
    for (const char *each : {"a", "b"})
        EXPECT_EQ (xpub.receive (), note (1, each));
    EXPECT_EQ (xpub.receive_message (), (std::vector<std::string>{"rest", note (1, "c")}));
    ASSERT_TRUE (xsub.send (std::vector<std::string>{note (0, "a"), note (0, "b")}));
    for (const char *each : {"a", "b"})
        EXPECT_EQ (xpub.receive (), note (0, each));
}

TEST_F (topics, in_later_parts_may_be_no_topics)
{
    socket xpub = open (ZMQ_XPUB);
    socket xsub = open (ZMQ_XSUB);
    ASSERT_TRUE (join (xpub, xsub));
    xsub.set (ZMQ_ONLY_FIRST_SUBSCRIBE, 1);
    ASSERT_TRUE (xsub.send (std::vector<std::string>{note (1, "a"), note (1, "b")}));
    EXPECT_EQ (xsub.get (ZMQ_TOPICS_COUNT), 1);
    EXPECT_EQ (xpub.receive (), note (1, "a"));
    xsub.set (ZMQ_ONLY_FIRST_SUBSCRIBE, 0);
    ASSERT_TRUE (xsub.send (std::vector<std::string>{note (1, "c"), note (1, "d")}));
    EXPECT_EQ (xsub.get (ZMQ_TOPICS_COUNT), 3);
    socket pub = open (ZMQ_PUB);
    socket asks = open (ZMQ_XSUB);
    ASSERT_TRUE (join (pub, asks));
    pub.set (ZMQ_ONLY_FIRST_SUBSCRIBE, 1);
    ASSERT_TRUE (asks.send (std::vector<std::string>{note (1, "a"), note (1, "b")}));
    ASSERT_TRUE (asks.send (note (1, "c")));
    ASSERT_TRUE (eventually ([&] { return pub.get (ZMQ_TOPICS_COUNT) == 3; }));
    // A SUB sends no messages.
    socket sub = open (ZMQ_SUB);
    const int on = 1;
    EXPECT_EQ (zmq_setsockopt (sub, ZMQ_ONLY_FIRST_SUBSCRIBE, &on, sizeof on), -1);
    EXPECT_EQ (errno, EINVAL);
}

// What a peer says besides its topics costs none of them, whatever stands beside
// them in its queue.
TEST_F (topics, reach_a_pub_between_messages_that_it_does_not_receive)
{
    socket pub = open (ZMQ_PUB);
    socket xsub = open (ZMQ_XSUB);
    ASSERT_TRUE (join (pub, xsub));
    for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE (xsub.send (std::vector<std::string>{"no", note (1, "topic")}));
        ASSERT_TRUE (xsub.send (note (1, std::to_string (i))));
    }
    ASSERT_TRUE (knows (pub, 100));
    EXPECT_EQ (pub.statistics ().dropped, 100U);
}

// --- limits -------------------------------------------------------------------

struct topic_limits : topics
{
    // A subscriber with two topics stays, and one that asks for a third goes, of
    // which the publisher is told.
    void end_whom_a_third_is_too_much (socket &pub, std::string_view third)
    {
        (void)zlink_set_log (zlink_log_discard, nullptr);
        events told (pub, ZLINK_EVENT_DISCONNECTED);
        const std::string where = pub.bind (place ());
        socket good = subscriber (where, "good");
        subscribe (good, "good2");
        ASSERT_TRUE (knows (pub, 2));
        socket greedy = subscriber (where, "a");
        subscribe (greedy, "b");
        subscribe (greedy, "a");
        ASSERT_TRUE (knows (pub, 4));
        subscribe (greedy, third);
        EXPECT_STREQ (told.next ().reason_text, "too-many-topics");
        EXPECT_GE (pub.statistics ().connections_lost, 1U);
        greedy.close ();
        ASSERT_TRUE (knows (pub, 2));
        ASSERT_TRUE (pub.send ("good news"));
        EXPECT_EQ (good.receive (), "good news");
    }
};

TEST_F (topic_limits, above_their_number_end_their_subscriber)
{
    socket pub = open (ZMQ_PUB);
    EXPECT_EQ (pub.get (ZLINK_TOPICS_MAX), 4'000'000);
    pub.set (ZLINK_TOPICS_MAX, 2);
    end_whom_a_third_is_too_much (pub, "c");
}

TEST_F (topic_limits, above_their_bytes_end_their_subscriber)
{
    socket pub = open (ZMQ_PUB);
    std::int64_t bytes = 0;
    std::size_t size = sizeof bytes;
    ASSERT_EQ (zmq_getsockopt (pub, ZLINK_TOPIC_BYTES_MAX, &bytes, &size), 0);
    EXPECT_EQ (bytes, 256 << 20);
    pub.set_wide (ZLINK_TOPIC_BYTES_MAX, 20);
    end_whom_a_third_is_too_much (pub, std::string (19, 'c'));
}

// Nobody is ended where there is no limit, and those who cancel have room again.
TEST_F (topic_limits, are_of_what_one_has_and_not_of_what_it_had)
{
    socket pub = open (ZMQ_PUB);
    pub.set (ZLINK_TOPICS_MAX, 2);
    pub.set_wide (ZLINK_TOPIC_BYTES_MAX, 0);
    socket sub = open (ZMQ_SUB);
    ASSERT_TRUE (join (pub, sub));
    for (int i = 0; i < 50; ++i) {
        const std::string topic = std::to_string (i) + pattern (1000);
        subscribe (sub, topic);
        ASSERT_TRUE (knows (pub, 1));
        unsubscribe (sub, topic);
        ASSERT_TRUE (knows (pub, 0));
    }
    EXPECT_EQ (pub.statistics ().connections_lost, 0U);
}

TEST_F (topics, may_be_what_is_not_wanted)
{
    socket pub = open (ZMQ_PUB);
    pub.set (ZMQ_INVERT_MATCHING, 1);
    socket sub = open (ZMQ_SUB);
    sub.set (ZMQ_INVERT_MATCHING, 1);
    ASSERT_TRUE (join (pub, sub));
    subscribe (sub, "a");
    ASSERT_TRUE (knows (pub, 1));
    ASSERT_TRUE (pub.send ("a"));
    ASSERT_TRUE (pub.send ("b"));
    EXPECT_EQ (sub.receive (), "b");
}

TEST_F (topics, begin_with_a_welcome)
{
    for (const int type : {ZMQ_XPUB, ZMQ_PUB}) {
        socket publisher = open (type);
        ASSERT_EQ (zmq_setsockopt (publisher, ZMQ_XPUB_WELCOME_MSG, "hello", 5), 0);
        const std::string where = publisher.bind (place ());
        socket sub = subscriber (where, "hello");
        EXPECT_EQ (sub.receive (), "hello");
    }
}

TEST_F (topics, of_both_kinds_of_call_and_in_batches)
{
    socket pub = open (ZMQ_PUB);
    const std::string where = pub.bind (place ());
    socket one = subscriber (where, "m");
    socket two = subscriber (where, "m");
    ASSERT_TRUE (knows (pub, 1) && pub.has_peers (2));
    ASSERT_TRUE (eventually (
      [&] { return pub.send ("m?") && one.receive (ZMQ_DONTWAIT) && two.receive (ZMQ_DONTWAIT); }));
    for (socket *each : {&one, &two})
        while (each->receive (ZMQ_DONTWAIT)) {}
    ASSERT_TRUE (pub.send ("m|"));
    for (socket *each : {&one, &two})
        ASSERT_TRUE (eventually ([&] { return each->receive () == "m|"; }));
    parts_of<3> batch;
    for (std::size_t i = 0; i < 3; ++i)
        batch.set (i, "m" + std::to_string (i));
    ASSERT_EQ (zlink_sendn (pub, batch.data (), 3, 0), 3);
    const std::string body = "m" + pattern (300'000);
    ASSERT_TRUE (pub.send (body));
    for (socket *each : {&one, &two}) {
        for (int i = 0; i < 3; ++i)
            EXPECT_EQ (each->receive (), "m" + std::to_string (i));
        EXPECT_EQ (each->receive (), body);
    }
}

// Types have only the calls that make sense for them.
TEST_F (topics, leave_no_way_to_send_on_sub_or_to_receive_on_pub)
{
    socket pub = open (ZMQ_PUB);
    socket sub = open (ZMQ_SUB);
    EXPECT_FALSE (sub.send ("no"));
    EXPECT_EQ (errno, ENOTSUP);
    EXPECT_FALSE (pub.receive ());
    EXPECT_EQ (errno, ENOTSUP);
    EXPECT_EQ (zmq_setsockopt (pub, ZMQ_SUBSCRIBE, "", 0), -1);
    EXPECT_EQ (errno, EINVAL);
    EXPECT_EQ (zmq_setsockopt (sub, ZMQ_SUBSCRIBE, nullptr, 1), -1);
    EXPECT_EQ (errno, EINVAL);
}

// A stream to many, in order and whole.
TEST_F (topics, stream_to_several)
{
    socket pub = open (ZMQ_PUB);
    pub.set (ZMQ_XPUB_NODROP, 1);
    const std::string where = pub.bind (place ());
    std::vector<socket> subs;
    for (int i = 0; i < 4; ++i)
        subs.push_back (subscriber (where, "t" + std::string (i % 2 == 0 ? "" : ".even")));
    ASSERT_TRUE (knows (pub, 2) && pub.has_peers (4));
    ASSERT_TRUE (eventually ([&] {
        bool all = pub.send ("t.even?");
        for (socket &each : subs)
            all = each.receive (ZMQ_DONTWAIT).has_value () && all;
        return all;
    }));
    constexpr int count = 20'000;
    std::vector<worker> readers;
    for (std::size_t i = 0; i < subs.size (); ++i)
        readers.emplace_back ([&, i] {
            for (int k = 0; k < count; k += i % 2 == 0 ? 1 : 2) {
                auto got = subs[i].receive ();
                while (got && *got == "t.even?")
                    got = subs[i].receive ();
                ASSERT_EQ (got, (k % 2 == 0 ? "t.even" : "t.odd") + std::to_string (k));
            }
        });
    for (int k = 0; k < count; ++k)
        ASSERT_TRUE (pub.send ((k % 2 == 0 ? "t.even" : "t.odd") + std::to_string (k)));
}

}  // namespace
}  // namespace zlink::test
