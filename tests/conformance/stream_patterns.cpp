// Subscriptions by pattern on the wire: who is told a pattern, and who only what
// it begins with.
#include "conformance/transport.hpp"
#include "support/raw_peer.hpp"

namespace zlink::test {
namespace {

// As zlink.h says.
constexpr int patterns_per_peer = 1000;

struct stream_patterns : conformance
{
    // What a SUB asks a publisher of theirs for that says so in READY.
    std::string asked_of (const std::string &properties, unsigned minor = 1)
    {
        socket sub = open (ZMQ_SUB);
        EXPECT_EQ (zmq_setsockopt (sub, ZLINK_SUBSCRIBE_PATTERN, "a.*", 3), 0);
        const raw_peer peer = raw_peer::connect_to (sub.bind (place ()));
        EXPECT_TRUE (peer.send (zmtp_greeting (3, minor)) && peer.read_exactly (64).size () == 64
                     && peer.send (zmtp_ready ("PUB", properties)));
        EXPECT_FALSE (peer.read_frame ().empty ());  // READY
        return peer.read_frame ();
    }
    raw_peer subscriber_of (socket &pub)
    {
        raw_peer peer = raw_peer::connect_to (pub.bind (place ()));
        EXPECT_TRUE (peer.shake_hands ("SUB"));
        return peer;
    }
    static std::string asks (std::string_view pattern)
    {
        return zmtp_frame (command_flag, "\21X-ZLINK-SUBSCRIBE" + std::string (pattern));
    }
    static std::string cancels (std::string_view pattern)
    {
        return zmtp_frame (command_flag, "\16X-ZLINK-CANCEL" + std::string (pattern));
    }
    static std::string known (std::string_view most) { return zmtp_property ("X-Zlink-Patterns", most); }
};

TEST_F (stream_patterns, are_told_to_publishers_that_know_them)
{
    const std::string most = std::to_string (patterns_per_peer);
    EXPECT_EQ (asked_of (known (most)), "\21X-ZLINK-SUBSCRIBEa.*");
    EXPECT_EQ (asked_of (known (most + "0")), "\21X-ZLINK-SUBSCRIBEa.*");
}

TEST_F (stream_patterns, are_what_they_begin_with_to_all_others)
{
    const std::string beginning = "\11SUBSCRIBEa.";
    EXPECT_EQ (asked_of (""), beginning);
    for (const char *each : {"", "1", "999", "-1000", "1000x", "x", "99999999999999999999999"})
        EXPECT_EQ (asked_of (known (each)), beginning) << each;
    EXPECT_EQ (asked_of (zmtp_property ("X-Zlink-Gaps", "1000")), beginning);
    EXPECT_EQ (asked_of (known ("1000"), 0), "\1a.");  // ZMTP 3.0
}

TEST_F (stream_patterns, are_known_by_publishers_that_say_so)
{
    for (const int type : {ZMQ_PUB, ZMQ_XPUB, ZMQ_SUB}) {
        socket ours = open (type);
        const raw_peer peer = raw_peer::connect_to (ours.bind (place ()));
        ASSERT_TRUE (peer.send (zmtp_greeting ()) && peer.read_exactly (64).size () == 64
                     && peer.send (zmtp_ready (type == ZMQ_SUB ? "PUB" : "SUB")));
        const bool said = peer.read_frame ().find (known ("1000")) != std::string::npos;
        EXPECT_EQ (said, type != ZMQ_SUB);
    }
}

TEST_F (stream_patterns, are_matched_for_who_tells_them)
{
    socket xpub = open (ZMQ_XPUB);
    const raw_peer peer = subscriber_of (xpub);
    ASSERT_TRUE (peer.send (asks ("a.*") + asks ("a.*") + asks ("#.z") + cancels ("none") + asks ("")));
    EXPECT_EQ (xpub.receive (), "\1a.");
    EXPECT_EQ (xpub.receive (), "\1");
    for (const char *each : {"a.b.c", "a.b", "z", "b", "end.z"})
        ASSERT_TRUE (xpub.send (each));
    for (const char *each : {"a.b", "z", "end.z"})
        EXPECT_EQ (peer.read_frame (), each);
    // A topic of the same text is another wish.
    ASSERT_TRUE (peer.send (zmtp_frame (command_flag, "\6CANCELa.") + cancels ("a.*") + cancels ("a.*")));
    EXPECT_EQ (xpub.receive (), std::string ("\0a.", 3));
    for (const char *each : {"a.b", "last.z"})
        ASSERT_TRUE (xpub.send (each));
    EXPECT_EQ (peer.read_frame (), "last.z");
}

TEST_F (stream_patterns, that_are_none_end_their_subscriber)
{
    (void)zlink_set_log (zlink_log_discard, nullptr);
    for (const std::string &none : {std::string ("[a"), std::string ("a\\"), std::string (257, 'a')})
        for (const std::string &each : {asks (none), cancels (none)}) {
            socket pub = open (ZMQ_PUB);
            const raw_peer peer = subscriber_of (pub);
            const std::string where = pub.last_endpoint ();
            ASSERT_TRUE (peer.send (asks ("good") + each));
            EXPECT_TRUE (peer.sees_end ());
            EXPECT_STREQ (pub.status (where).reason_text, "command-malformed");
            EXPECT_EQ (pub.get (ZMQ_TOPICS_COUNT), 0);
        }
}

// Many more than one peer has any use for, and such as are dear to match.
TEST_F (stream_patterns, above_the_number_end_their_subscriber)
{
    (void)zlink_set_log (zlink_log_discard, nullptr);
    socket pub = open (ZMQ_PUB);
    const raw_peer peer = subscriber_of (pub);
    const std::string where = pub.last_endpoint ();
    std::string all;
    for (int i = 0; i < patterns_per_peer; ++i)
        all += asks ("*a*a*a*a*a*a*a*a*" + std::to_string (i));
    ASSERT_TRUE (peer.send (all));
    ASSERT_EQ (zlink_wait_subscribers (pub, 1, watchdog_ms), 0);
    for (int i = 0; i < 10; ++i)
        ASSERT_TRUE (pub.send (std::string (200, 'a')));
    ASSERT_TRUE (peer.send (asks ("one more")));
    EXPECT_TRUE (peer.sees_end ());
    EXPECT_STREQ (pub.status (where).reason_text, "too-many-topics");
    EXPECT_TRUE (eventually ([&] { return pub.get (ZMQ_TOPICS_COUNT) == 0; }));
}

}  // namespace
}  // namespace zlink::test
