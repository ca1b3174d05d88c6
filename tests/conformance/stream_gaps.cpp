// REPORT_GAPS on the wire: the wish in READY, and the command that only who
// wishes it ever sees.
#include "conformance/transport.hpp"
#include "support/counts.hpp"
#include "support/raw_peer.hpp"

namespace zlink::test {
namespace {

struct stream_gaps : conformance
{
    // A SUB of theirs, which reads nothing, at a publisher that drops for it.
    raw_peer full_peer_of (socket &pub, const std::string &properties)
    {
        pub.set (ZMQ_SNDHWM, 4);
        pub.set (ZMQ_SNDBUF, 20'000);
        pub.set (ZLINK_SLOW_CONSUMER, ZLINK_SLOW_DROP_OLDEST);
        raw_peer peer = raw_peer::connect_to (pub.bind (place ()), 20'000);
        EXPECT_TRUE (peer.send (zmtp_greeting ()) && peer.read_exactly (64).size () == 64
                     && peer.send (zmtp_ready ("SUB", properties)));
        EXPECT_FALSE (peer.read_frame ().empty ());
        EXPECT_TRUE (peer.send (zmtp_frame (0, "\1")));
        EXPECT_TRUE (eventually ([&] { return pub.get (ZMQ_TOPICS_COUNT) == 1; }));
        const std::string body = pattern (5000);
        while (own_row (pub).dropped_oldest < 20)
            EXPECT_TRUE (pub.send (body));
        EXPECT_TRUE (pub.send ("last"));
        return peer;
    }
    // Of all frames up to the last message.
    static std::uint64_t missed_by (const raw_peer &peer)
    {
        std::uint64_t sum = 0;
        const std::string_view name = "\13X-ZLINK-GAP";
        for (std::string frame = peer.read_frame (); frame != "last"; frame = peer.read_frame ()) {
            if (frame.empty ()) {
                ADD_FAILURE () << "the stream has ended";
                return 0;
            }
            if (!frame.starts_with (name))
                continue;
            EXPECT_EQ (frame.size (), name.size () + 8);
            std::uint64_t count = 0;
            for (const char each : frame.substr (name.size ()))
                count = count << 8 | static_cast<unsigned char> (each);
            sum += count;
        }
        return sum;
    }
};

TEST_F (stream_gaps, go_to_who_asks_in_ready)
{
    socket pub = open (ZMQ_PUB);
    const raw_peer peer = full_peer_of (pub, zmtp_property ("X-Zlink-Gaps", "1"));
    EXPECT_EQ (missed_by (peer), own_row (pub).dropped_oldest);
}

TEST_F (stream_gaps, go_to_nobody_else)
{
    for (const std::string &properties : {std::string (), zmtp_property ("X-Zlink-Gaps", "0")}) {
        socket pub = open (ZMQ_PUB);
        const raw_peer peer = full_peer_of (pub, properties);
        EXPECT_EQ (missed_by (peer), 0U);
    }
}

TEST_F (stream_gaps, are_borne_by_who_has_not_asked)
{
    for (const int asks : {0, 1}) {
        socket sub = open (ZMQ_SUB);
        sub.set (ZLINK_REPORT_GAPS, asks);
        EXPECT_EQ (zmq_setsockopt (sub, ZMQ_SUBSCRIBE, "", 0), 0);
        const raw_peer peer = raw_peer::connect_to (sub.bind (place ()));
        ASSERT_TRUE (peer.shake_hands ("PUB"));
        ASSERT_TRUE (peer.send (zmtp_frame (command_flag, "\13X-ZLINK-GAP" + big_endian (7, 8))
                                + zmtp_frame (0, "after it")));
        EXPECT_EQ (sub.receive (), "after it");
        EXPECT_EQ (own_row (sub).messages_missed, asks == 1 ? 7U : 0U);
        ASSERT_TRUE (peer.send (zmtp_frame (command_flag, "\13X-ZLINK-GAP" + big_endian (7, 4))));
        EXPECT_TRUE (eventually ([&] {
            (void)sub.receive (ZMQ_DONTWAIT);
            return own_row (sub).connections_lost == 1;
        }))
          << "a number of 4 octets is none";
    }
}

}  // namespace
}  // namespace zlink::test
