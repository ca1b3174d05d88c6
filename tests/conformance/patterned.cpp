// Subscriptions by pattern at publishers of this library, which filter by them.
#include "conformance/transport.hpp"
#include "support/counts.hpp"
#include "support/events.hpp"

namespace zlink::test {
namespace {

// As zlink.h says.
constexpr int patterns_per_peer = 1000;

using message = std::vector<std::string>;

struct patterned : conformance
{
    static void set_text (socket &of, int option, std::string_view text)
    {
        EXPECT_EQ (zmq_setsockopt (of, option, text.data (), text.size ()), 0) << zmq_strerror (errno);
    }
    static void subscribe (socket &sub, std::string_view pattern)
    {
        set_text (sub, ZLINK_SUBSCRIBE_PATTERN, pattern);
    }
    static void unsubscribe (socket &sub, std::string_view pattern)
    {
        set_text (sub, ZLINK_UNSUBSCRIBE_PATTERN, pattern);
    }
    [[nodiscard]] static bool heard (const socket &by)
    {
        return zlink_wait_subscribed (by, 1, watchdog_ms) == 0;
    }
    // What a publisher has sent, and what a subscriber got without a wish for it.
    [[nodiscard]] static std::uint64_t sent_by (socket &pub) { return own_row (pub).messages_sent; }
    [[nodiscard]] static std::uint64_t filtered_by (socket &sub) { return own_row (sub).dropped_filtered; }
    static std::string asks (const std::string &topic) { return '\1' + topic; }
    static std::string cancels (const std::string &topic) { return std::string (1, '\0') + topic; }
};

TEST_F (patterned, messages_are_filtered_by_their_publisher)
{
    socket pub = open (ZMQ_PUB);
    socket sub = open (ZMQ_SUB);
    ASSERT_TRUE (join (pub, sub));
    subscribe (sub, "room.*.light");
    subscribe (sub, "#.alarm");
    ASSERT_TRUE (heard (sub));
    for (const char *each : {"room.1.light", "room.1.heat", "x", "hall.alarm", "room.1.2.light", "alarm"})
        ASSERT_TRUE (pub.send (each));
    for (const char *each : {"room.1.light", "hall.alarm", "alarm"})
        EXPECT_EQ (sub.receive (), each);
    ASSERT_TRUE (pub.send (message{"room.2.light", "large", pattern (50'000)}));
    EXPECT_EQ (sub.receive_message (), (message{"room.2.light", "large", pattern (50'000)}));
    EXPECT_EQ (sent_by (pub), 4U);
    EXPECT_EQ (filtered_by (sub), 0U);
}

TEST_F (patterned, messages_come_once_however_many_match)
{
    socket pub = open (ZMQ_PUB);
    socket sub = open (ZMQ_SUB);
    ASSERT_TRUE (join (pub, sub));
    for (const char *each : {"a.*", "a.?", "#", "*.b", "a.b"})
        subscribe (sub, each);
    set_text (sub, ZMQ_SUBSCRIBE, "a");
    ASSERT_TRUE (heard (sub));
    ASSERT_TRUE (pub.send ("a.b"));
    ASSERT_TRUE (pub.send ("end"));
    EXPECT_EQ (sub.receive (), "a.b");
    EXPECT_EQ (sub.receive (), "end");
    EXPECT_EQ (sent_by (pub), 2U);
}

// Each way in which topics and patterns with the same beginning come and go.
TEST_F (patterned, wishes_are_taken_back_one_by_one)
{
    socket pub = open (ZMQ_PUB);
    socket sub = open (ZMQ_SUB);
    ASSERT_TRUE (join (pub, sub));
    std::uint64_t sent = 0;
    const auto expect = [&] (bool exact, bool more) {
        ASSERT_TRUE (heard (sub));
        ASSERT_TRUE (pub.send ("a.b") && pub.send ("a.b.c"));
        sent += static_cast<unsigned> (exact) + static_cast<unsigned> (more);
        EXPECT_EQ (sent_by (pub), sent);
        if (exact) {
            EXPECT_EQ (sub.receive (), "a.b");
        }
        if (more) {
            EXPECT_EQ (sub.receive (), "a.b.c");
        }
    };
    subscribe (sub, "a.*");
    subscribe (sub, "a.*");
    expect (true, false);
    set_text (sub, ZMQ_SUBSCRIBE, "a.");
    expect (true, true);
    unsubscribe (sub, "a.*");
    expect (true, true);
    set_text (sub, ZMQ_UNSUBSCRIBE, "a.");
    expect (true, false);
    subscribe (sub, "a.?.?");
    expect (true, true);
    unsubscribe (sub, "a.*");
    expect (false, true);
    set_text (sub, ZMQ_SUBSCRIBE, "a.");
    unsubscribe (sub, "a.?.?");
    expect (true, true);
    set_text (sub, ZMQ_UNSUBSCRIBE, "a.");
    expect (false, false);
    EXPECT_TRUE (eventually ([&] { return pub.get (ZMQ_TOPICS_COUNT) == 0; }));
    EXPECT_EQ (filtered_by (sub), 0U);
}

// Whoever comes first, and whoever binds.
TEST_F (patterned, wishes_are_said_to_whoever_comes_later)
{
    for (const bool sub_binds : {false, true}) {
        const std::string where = place ();
        socket sub = open (ZMQ_SUB);
        subscribe (sub, "a.*");
        set_text (sub, ZMQ_SUBSCRIBE, "b");
        const std::string bound = sub_binds ? sub.bind (where) : where;
        if (!sub_binds)
            sub.connect (where);
        subscribe (sub, "c.*");
        socket pub = open (ZMQ_PUB);
        if (sub_binds)
            pub.connect (bound);
        else
            pub.bind (where);
        ASSERT_TRUE (eventually ([&] { return pub.get (ZMQ_TOPICS_COUNT) == 3; }));
        for (const char *each : {"a.x", "a.x.y", "b", "c.x.y", "c.x"})
            ASSERT_TRUE (pub.send (each));
        for (const char *each : {"a.x", "b", "c.x"})
            EXPECT_EQ (sub.receive (), each);
        EXPECT_EQ (sent_by (pub), 3U);
    }
}

TEST_F (patterned, wishes_end_with_their_subscriber)
{
    socket pub = open (ZMQ_XPUB);
    const std::string where = pub.bind (place ());
    {
        socket sub = open (ZMQ_SUB);
        sub.connect (where);
        subscribe (sub, "a.*");
        subscribe (sub, "a.?");
        EXPECT_EQ (pub.receive (), asks ("a."));
    }
    EXPECT_EQ (pub.receive (), cancels ("a."));
    EXPECT_EQ (pub.get (ZMQ_TOPICS_COUNT), 0);
    ASSERT_TRUE (pub.send ("a.b"));
    EXPECT_EQ (sent_by (pub), 0U);
}

// --- what an XPUB shows -----------------------------------------------------------

TEST_F (patterned, wishes_are_shown_as_what_they_begin_with)
{
    socket xpub = open (ZMQ_XPUB);
    const std::string where = xpub.bind (place ());
    socket one = open (ZMQ_SUB);
    socket two = open (ZMQ_SUB);
    one.connect (where);
    two.connect (where);
    ASSERT_TRUE (xpub.has_peers (2));
    subscribe (one, "a.*");
    EXPECT_EQ (xpub.receive (), asks ("a."));
    subscribe (one, "a.?");
    set_text (one, ZMQ_SUBSCRIBE, "a.");
    set_text (one, ZMQ_SUBSCRIBE, "x");
    EXPECT_EQ (xpub.receive (), asks ("x"));
    subscribe (two, "a.[b-d]");
    subscribe (two, "#");
    EXPECT_EQ (xpub.receive (), asks (""));
    unsubscribe (one, "a.*");
    unsubscribe (one, "a.?");
    set_text (one, ZMQ_UNSUBSCRIBE, "a.");
    set_text (one, ZMQ_UNSUBSCRIBE, "x");
    EXPECT_EQ (xpub.receive (), cancels ("x"));
    unsubscribe (two, "a.[b-d]");
    EXPECT_EQ (xpub.receive (), cancels ("a."));
    unsubscribe (two, "#");
    EXPECT_EQ (xpub.receive (), cancels (""));
}

TEST_F (patterned, wishes_are_shown_each_time_when_asked_so)
{
    socket xpub = open (ZMQ_XPUB);
    xpub.set (ZMQ_XPUB_VERBOSER, 1);
    socket sub = open (ZMQ_SUB);
    ASSERT_TRUE (join (xpub, sub));
    subscribe (sub, "a.*");
    EXPECT_EQ (xpub.receive (), asks ("a."));
    subscribe (sub, "a.?");
    EXPECT_EQ (xpub.receive (), asks ("a."));
    unsubscribe (sub, "a.*");
    EXPECT_EQ (xpub.receive (), cancels ("a."));
    unsubscribe (sub, "a.?");
    EXPECT_EQ (xpub.receive (), cancels ("a."));
}

// By hand a pattern is the topic that is shown for it, as long as one begins so.
TEST_F (patterned, wishes_are_topics_to_who_enters_them_by_hand)
{
    socket xpub = open (ZMQ_XPUB);
    xpub.set (ZMQ_XPUB_MANUAL, 1);
    socket sub = open (ZMQ_SUB);
    ASSERT_TRUE (join (xpub, sub));
    subscribe (sub, "a.*");
    EXPECT_EQ (xpub.receive (), asks ("a."));
    set_text (xpub, ZMQ_SUBSCRIBE, "a.");
    subscribe (sub, "a.?");
    unsubscribe (sub, "a.?");
    subscribe (sub, "b");
    EXPECT_EQ (xpub.receive (), asks ("b"));
    ASSERT_TRUE (xpub.send ("a.b.c"));
    ASSERT_TRUE (xpub.send ("b"));
    ASSERT_TRUE (xpub.send ("a.b"));
    EXPECT_EQ (sub.receive (), "a.b");
    EXPECT_EQ (filtered_by (sub), 1U);
    unsubscribe (sub, "a.*");
    EXPECT_EQ (xpub.receive (), cancels ("a."));
    set_text (xpub, ZMQ_UNSUBSCRIBE, "a.");
    ASSERT_TRUE (xpub.send ("a.b"));
    EXPECT_EQ (sent_by (xpub), 2U);
    sub.close ();
    EXPECT_EQ (xpub.receive (), cancels ("b"));
}

// Patterns that came before, and go after, it was switched on.
TEST_F (patterned, wishes_bear_that_topics_by_hand_are_switched)
{
    socket xpub = open (ZMQ_XPUB);
    socket sub = open (ZMQ_SUB);
    ASSERT_TRUE (join (xpub, sub));
    subscribe (sub, "a.*");
    subscribe (sub, "b.*");
    EXPECT_EQ (xpub.receive (), asks ("a."));
    EXPECT_EQ (xpub.receive (), asks ("b."));
    xpub.set (ZMQ_XPUB_MANUAL, 1);
    unsubscribe (sub, "a.*");
    EXPECT_EQ (xpub.receive (), cancels ("a."));
    ASSERT_TRUE (xpub.send ("a.b"));
    ASSERT_TRUE (xpub.send ("b.b"));
    EXPECT_EQ (sub.receive (), "b.b");
    subscribe (sub, "c.*");
    EXPECT_EQ (xpub.receive (), asks ("c."));
    xpub.set (ZMQ_XPUB_MANUAL, 0);
    unsubscribe (sub, "c.*");
    sub.close ();
    EXPECT_TRUE (eventually ([&] {
        while (xpub.receive (ZMQ_DONTWAIT)) {}
        return xpub.get (ZMQ_TOPICS_COUNT) == 0;
    }));
    ASSERT_TRUE (xpub.send ("b.b"));
    EXPECT_EQ (sent_by (xpub), 1U);
}

// Through a forwarder goes what a pattern begins with; the forwarder's own
// subscribers get what matches.
TEST_F (patterned, messages_pass_through_a_forwarder)
{
    socket pub = open (ZMQ_PUB);
    socket xsub = open (ZMQ_XSUB);
    socket xpub = open (ZMQ_XPUB);
    socket sub = open (ZMQ_SUB);
    ASSERT_TRUE (join (pub, xsub));
    ASSERT_TRUE (join (xpub, sub));
    subscribe (sub, "a.*");
    const std::optional<std::string> asked = xpub.receive ();
    ASSERT_EQ (asked, asks ("a."));
    ASSERT_TRUE (xsub.send (*asked));
    ASSERT_TRUE (heard (xsub));
    for (const char *each : {"b", "a.b.c", "a.b"})
        ASSERT_TRUE (pub.send (each));
    for (const char *each : {"a.b.c", "a.b"}) {
        const std::optional<std::string> passed = xsub.receive ();
        ASSERT_EQ (passed, each);
        ASSERT_TRUE (xpub.send (*passed));
    }
    EXPECT_EQ (sub.receive (), "a.b");
    EXPECT_EQ (sent_by (xpub), 1U);
}

// --- limits -----------------------------------------------------------------------

TEST_F (patterned, wishes_count_among_the_topics_of_a_subscriber)
{
    (void)zlink_set_log (zlink_log_discard, nullptr);
    for (const bool by_bytes : {false, true}) {
        socket pub = open (ZMQ_PUB);
        pub.set (ZLINK_TOPICS_MAX, by_bytes ? 0 : 2);
        pub.set_wide (ZLINK_TOPIC_BYTES_MAX, by_bytes ? 6 : 0);
        events told (pub, ZLINK_EVENT_DISCONNECTED);
        const std::string where = pub.bind (place ());
        socket good = open (ZMQ_SUB);
        good.connect (where);
        subscribe (good, "good*");
        socket greedy = open (ZMQ_SUB);
        greedy.connect (where);
        subscribe (greedy, "a.*");
        set_text (greedy, ZMQ_SUBSCRIBE, "b");
        subscribe (greedy, "a.*");
        ASSERT_TRUE (eventually ([&] { return pub.get (ZMQ_TOPICS_COUNT) == 3; }));
        unsubscribe (greedy, "a.*");
        unsubscribe (greedy, "a.*");
        subscribe (greedy, "c.*");
        ASSERT_TRUE (heard (greedy));
        EXPECT_EQ (pub.statistics ().connections_lost, 0U);
        subscribe (greedy, "d.*");
        EXPECT_STREQ (told.next ().reason_text, "too-many-topics");
        greedy.close ();
        ASSERT_TRUE (eventually ([&] { return pub.get (ZMQ_TOPICS_COUNT) == 1; }));
        ASSERT_TRUE (pub.send ("good news"));
        EXPECT_EQ (good.receive (), "good news");
    }
}

// Above what a publisher takes of one there is the beginning, which costs it
// nothing more; what has room once stays as it is.
TEST_F (patterned, wishes_above_the_number_are_asked_for_by_their_beginning)
{
    constexpr int most = patterns_per_peer;
    socket pub = open (ZMQ_PUB);
    socket sub = open (ZMQ_SUB);
    ASSERT_TRUE (join (pub, sub));
    for (int i = 0; i <= most; ++i)
        subscribe (sub, std::to_string (i) + ".*");
    ASSERT_TRUE (heard (sub));
    const std::string above = std::to_string (most);
    for (const std::string &each : {std::string ("1.x.y"), above + ".x.y", std::string ("1.x"), above + ".x"})
        ASSERT_TRUE (pub.send (each));
    EXPECT_EQ (sub.receive (), "1.x");
    EXPECT_EQ (sub.receive (), above + ".x");
    EXPECT_EQ (sent_by (pub), 3U);
    EXPECT_EQ (filtered_by (sub), 1U);
    unsubscribe (sub, "1.*");
    subscribe (sub, "y.*");
    unsubscribe (sub, above + ".*");
    ASSERT_TRUE (heard (sub));
    for (const std::string &each :
         {std::string ("1.x"), above + ".x", std::string ("y.x.y"), std::string ("y.x")})
        ASSERT_TRUE (pub.send (each));
    EXPECT_EQ (sub.receive (), "y.x");
    EXPECT_EQ (sent_by (pub), 4U);
    EXPECT_EQ (pub.statistics ().connections_lost, 0U);
}

// --- last values --------------------------------------------------------------------

TEST_F (patterned, wishes_bring_the_last_values_that_match)
{
    socket pub = open (ZMQ_PUB);
    pub.set (ZLINK_LAST_VALUES, 10);
    for (const char *topic : {"a.z", "a.x.y", "b", "a.y"})
        ASSERT_TRUE (pub.send (message{topic, "value"}));
    socket sub = open (ZMQ_SUB);
    ASSERT_TRUE (join (pub, sub));
    subscribe (sub, "a.*");
    EXPECT_EQ (sub.receive_message (), (message{"a.z", "value"}));
    EXPECT_EQ (sub.receive_message (), (message{"a.y", "value"}));
    subscribe (sub, "*.y");
    subscribe (sub, "#.y");
    EXPECT_EQ (sub.receive_message (), (message{"a.x.y", "value"}));
    set_text (sub, ZMQ_SUBSCRIBE, "");
    EXPECT_EQ (sub.receive_message (), (message{"b", "value"}));
    subscribe (sub, "#");
    ASSERT_TRUE (heard (sub));
    ASSERT_TRUE (pub.send ("end"));
    EXPECT_EQ (sub.receive (), "end");
}

}  // namespace
}  // namespace zlink::test
