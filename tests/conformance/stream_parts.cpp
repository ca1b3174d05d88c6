// Peers on a wire that send messages of several parts to types that take one.
#include "conformance/transport.hpp"
#include "support/counts.hpp"
#include "support/raw_peer.hpp"

namespace zlink::test {
namespace {

struct side
{
    const char *name;
    int type;
    const char *peer;
};

void PrintTo (const side &which, std::ostream *to) { *to << which.name; }

struct stream_parts : conformance, testing::WithParamInterface<side>
{
    static constexpr unsigned more = 1;
};
INSTANTIATE_TEST_SUITE_P (,
                          stream_parts,
                          testing::Values (side{"CLIENT", ZMQ_CLIENT, "SERVER"},
                                           side{"SERVER", ZMQ_SERVER, "CLIENT"},
                                           side{"GATHER", ZMQ_GATHER, "SCATTER"},
                                           side{"CHANNEL", ZMQ_CHANNEL, "CHANNEL"},
                                           side{"PEER", ZMQ_PEER, "PEER"}),
                          [] (const auto &of) { return std::string (of.param.name); });

// They are dropped whole; what stands between and behind them is not, and the
// peer stays.
TEST_P (stream_parts, are_dropped)
{
    socket one = open (GetParam ().type);
    const raw_peer peer = raw_peer::connect_to (one.bind (place ()));
    ASSERT_TRUE (peer.shake_hands (GetParam ().peer));
    const std::string two = zmtp_frame (more, "first") + zmtp_frame (0, "last");
    ASSERT_TRUE (peer.send (two + zmtp_frame (0, "one") + two + two + zmtp_frame (0, "two")));
    EXPECT_EQ (one.receive (), "one");
    EXPECT_EQ (one.receive (), "two");
    const std::string large =
      zmtp_frame (more, pattern (100'000)) + zmtp_frame (more, "") + zmtp_frame (0, pattern (100'000));
    ASSERT_TRUE (peer.send (large + zmtp_frame (0, "three")));
    EXPECT_EQ (one.receive (), "three");
    EXPECT_EQ (own_row (one).dropped_multipart, 4u);
    EXPECT_EQ (one.statistics ().connections_lost, 0u);
}

// --- RADIO and DISH on the wire --------------------------------------------------

struct stream_groups : conformance
{
    static constexpr unsigned more = 1;
    static constexpr unsigned command = 4;

    static std::string joins (const std::string &group) { return zmtp_frame (command, "\4JOIN" + group); }
    static std::string leaves (const std::string &group) { return zmtp_frame (command, "\5LEAVE" + group); }
};

TEST_F (stream_groups, are_joined_by_commands)
{
    for (const unsigned minor : {0U, 1U}) {
        socket dish = open (ZMQ_DISH);
        ASSERT_EQ (zmq_join (dish, "early"), 0);
        const raw_peer peer = raw_peer::connect_to (dish.bind (place ()));
        ASSERT_TRUE (peer.send (zmtp_greeting (3, minor)) && peer.read_exactly (64).size () == 64
                     && peer.send (zmtp_ready ("RADIO")));
        EXPECT_FALSE (peer.read_frame ().empty ());  // READY
        EXPECT_EQ (peer.read_frame (), "\4JOINearly");
        ASSERT_EQ (zmq_join (dish, "late"), 0);
        EXPECT_EQ (peer.read_frame (), "\4JOINlate");
        ASSERT_EQ (zmq_leave (dish, "early"), 0);
        EXPECT_EQ (peer.read_frame (), "\5LEAVEearly");
        ASSERT_TRUE (peer.send (zmtp_frame (more, "early") + zmtp_frame (0, "x") + zmtp_frame (more, "late")
                                + zmtp_frame (0, "y")));
        EXPECT_EQ (dish.receive_in (), std::pair (std::string ("late"), std::string ("y")));
    }
}

TEST_F (stream_groups, are_sent_as_two_frames)
{
    socket radio = open (ZMQ_RADIO);
    const raw_peer peer = raw_peer::connect_to (radio.bind (place ()));
    ASSERT_TRUE (peer.shake_hands ("DISH"));
    const std::string longest (255, 'l');
    ASSERT_TRUE (peer.send (joins ("a") + joins ("a") + joins (longest) + joins ("") + leaves ("b")));
    ASSERT_TRUE (
      eventually ([&] { return radio.send_in (longest, "there") && radio.statistics ().messages_sent > 0; }));
    EXPECT_EQ (peer.read_frame (), longest);
    EXPECT_EQ (peer.read_frame (), "there");
    ASSERT_TRUE (peer.send (leaves ("a") + joins ("end")));
    ASSERT_TRUE (eventually ([&] {
        const std::uint64_t before = radio.statistics ().messages_sent;
        return radio.send_in ("end", "") && radio.statistics ().messages_sent > before;
    }));
    EXPECT_EQ (peer.read_frame (), "end");
    EXPECT_EQ (peer.read_frame (), "");
    ASSERT_TRUE (radio.send_in ("a", "left") && radio.send_in ("", "none"));
    EXPECT_EQ (peer.read_frame (), "");
    EXPECT_EQ (peer.read_frame (), "none");
}

// A peer that breaks the rules is left; others go on.
TEST_F (stream_groups, that_are_none_end_the_connection)
{
    (void)zlink_set_log (zlink_log_discard, nullptr);
    socket radio = open (ZMQ_RADIO);
    const std::string where = radio.bind (place ());
    const raw_peer good = raw_peer::connect_to (where);
    ASSERT_TRUE (good.shake_hands ("DISH") && good.send (joins ("a")));
    ASSERT_EQ (zlink_wait_subscribers (radio, 1, watchdog_ms), 0);
    for (const std::string &bad : {joins (std::string (256, 'x')), joins (std::string ("a\0b", 3)),
                                   leaves (std::string (256, 'x')), zmtp_frame (command, "")}) {
        const raw_peer peer = raw_peer::connect_to (where);
        ASSERT_TRUE (peer.shake_hands ("DISH") && peer.send (bad));
        EXPECT_TRUE (peer.sees_end ());
    }
    // What is no command of a DISH is not looked at.
    ASSERT_TRUE (good.send (zmtp_frame (command, "\11SUBSCRIBEb") + zmtp_frame (0, "\1\1b") + joins ("c")));
    ASSERT_TRUE (
      eventually ([&] { return radio.send_in ("c", "end") && radio.statistics ().messages_sent > 0; }));
    ASSERT_TRUE (radio.send_in ("b", "not for it") && radio.send_in ("a", "good"));
    EXPECT_EQ (good.read_frame (), "c");
    EXPECT_EQ (good.read_frame (), "end");
    EXPECT_EQ (good.read_frame (), "a");
    EXPECT_EQ (good.read_frame (), "good");
}

TEST_F (stream_groups, that_are_no_pair_of_frames_are_dropped)
{
    socket dish = open (ZMQ_DISH);
    ASSERT_EQ (zmq_join (dish, "a"), 0);
    const raw_peer peer = raw_peer::connect_to (dish.bind (place ()));
    ASSERT_TRUE (peer.shake_hands ("RADIO"));
    const std::string group = zmtp_frame (more, "a");
    ASSERT_TRUE (peer.send (zmtp_frame (0, "alone") + group + zmtp_frame (more, "two")
                            + zmtp_frame (0, "three") + zmtp_frame (more, std::string (256, 'a'))
                            + zmtp_frame (0, "long") + group + zmtp_frame (0, "good")));
    EXPECT_EQ (dish.receive_in (), std::pair (std::string ("a"), std::string ("good")));
    EXPECT_EQ (own_row (dish).dropped_malformed + own_row (dish).dropped_multipart, 3u);
    // Split anywhere, and of any size.
    for (const std::size_t size : {0, 1, 300, 100'000}) {
        const std::string whole = group + zmtp_frame (0, pattern (size));
        for (const std::size_t cut : {std::size_t{1}, std::size_t{3}, std::size_t{4}, whole.size () - 1}) {
            ASSERT_TRUE (peer.send (std::string_view (whole).substr (0, cut)));
            EXPECT_FALSE (dish.receive (ZMQ_DONTWAIT));
            ASSERT_TRUE (peer.send (std::string_view (whole).substr (cut)));
            ASSERT_EQ (dish.receive_in (), std::pair (std::string ("a"), pattern (size)));
        }
    }
    EXPECT_EQ (dish.statistics ().connections_lost, 0u);
}

// Joins are said again to every session.
TEST_F (stream_groups, are_joined_again)
{
    socket dish = open (ZMQ_DISH);
    dish.set (ZMQ_RECONNECT_IVL, 1);
    ASSERT_EQ (zmq_join (dish, "a"), 0);
    socket first = open (ZMQ_RADIO);
    const std::string where = first.bind (place ());
    dish.connect (where);
    ASSERT_EQ (zlink_wait_subscribers (first, 1, watchdog_ms), 0);
    first.close ();
    socket second = open (ZMQ_RADIO);
    ASSERT_TRUE (eventually ([&] { return zmq_bind (second, where.c_str ()) == 0; }));
    ASSERT_EQ (zlink_wait_subscribers (second, 1, watchdog_ms), 0);
    ASSERT_TRUE (second.send_in ("a", "again"));
    EXPECT_EQ (dish.receive (), "again");
}

}  // namespace
}  // namespace zlink::test
