// The traps that take a peer of our own making: see traps.cpp.
#include "conformance/transport.hpp"
#include "support/raw_peer.hpp"

namespace zlink::test {
namespace {

struct stream_traps : conformance
{
};

// 2 again: the event may fire while tx is held. The peer drains the kernel at
// the very moments at which the sender meets it full.
TEST_F (stream_traps, trap_02_room_that_comes_while_it_is_asked_for)
{
    socket push = open (ZMQ_PUSH);
    push.set (ZMQ_SNDBUF, 4096);
    const std::string where = push.bind (place ());
    const raw_peer peer = raw_peer::connect_to (where, 4096);
    ASSERT_TRUE (peer.shake_hands ("PULL"));
    ASSERT_TRUE (push.has_peers ());
    constexpr int rounds = 700;
    worker reader ([&] {
        for (int i = 0; i < rounds; ++i)
            for (int k = 0; k < 8; ++k)
                ASSERT_EQ (peer.read_frame ().size (), static_cast<std::size_t> (3000 + i % 500)) << i;
    });
    for (int i = 0; i < rounds; ++i)
        for (int k = 0; k < 8; ++k)
            ASSERT_TRUE (push.send (pattern (static_cast<std::size_t> (3000 + i % 500))));
}

// 3 again: a peer that sends octet by octet makes an edge of each.
TEST_F (stream_traps, trap_03_edges_octet_by_octet)
{
    socket pull = open (ZMQ_PULL);
    const std::string where = pull.bind (place ());
    const raw_peer peer = raw_peer::connect_to (where);
    ASSERT_TRUE (peer.shake_hands ("PUSH"));
    worker sender ([&] {
        for (int i = 0; i < 1500; ++i)
            EXPECT_TRUE (peer.trickle (zmtp_frame (0, std::to_string (i))));
    });
    for (int i = 0; i < 1500; ++i)
        ASSERT_EQ (pull.receive (), std::to_string (i));
}

// 8: the rest of a large body, waited for however it comes.
TEST_F (stream_traps, trap_08_the_rest_of_a_large_body_may_come_at_any_time)
{
    socket pull = open (ZMQ_PULL);
    const std::string where = pull.bind (place ());
    const raw_peer peer = raw_peer::connect_to (where);
    ASSERT_TRUE (peer.shake_hands ("PUSH"));
    constexpr std::size_t size = 600'000;
    const std::string frame = zmtp_frame (0, pattern (size));
    for (const std::size_t cut : {1u, 8u, 9u, 10u, 5000u, 32'768u, 131'072u, 262'144u, 599'999u, 600'008u}) {
        ASSERT_TRUE (peer.send (frame.substr (0, cut)));
        EXPECT_FALSE (pull.receive (ZMQ_DONTWAIT)) << cut;
        worker receiver ([&] { EXPECT_TRUE (pull.receive () == pattern (size)) << cut; });
        ASSERT_TRUE (peer.send (frame.substr (cut)));
        receiver.join ();
        ASSERT_TRUE (peer.send (zmtp_frame (0, "small")));
        EXPECT_EQ (pull.receive (), "small");
    }
    // In crumbs, with another message right behind in the same octets.
    const std::string two = frame + zmtp_frame (0, "behind");
    worker receiver ([&] {
        EXPECT_TRUE (pull.receive () == pattern (size));
        EXPECT_EQ (pull.receive (), "behind");
    });
    for (std::size_t at = 0; at < two.size (); at += 777)
        ASSERT_TRUE (peer.send (two.substr (at, 777)));
}

// 9: credit that comes back only when the queue has run empty starves a
// backlog. The peer takes a part of it; sending must go on while there is
// still a queue.
TEST_F (stream_traps, trap_09_credit_comes_back_while_there_is_a_backlog)
{
    constexpr int mark = 1000;
    constexpr std::size_t size = 1000;
    socket push = open (ZMQ_PUSH);
    push.set (ZMQ_SNDHWM, mark);
    push.set (ZMQ_SNDBUF, 20'000);
    const std::string where = push.bind (place ());
    const raw_peer peer = raw_peer::connect_to (where, 20'000);
    ASSERT_TRUE (peer.shake_hands ("PULL"));
    ASSERT_TRUE (push.has_peers ());
    int accepted = push.send_until_full (pattern (size), 200);
    // Of the queue 600 to 700 messages go: more than the low-water mark.
    const std::string taken = peer.read_exactly (600 * (size + 9));
    ASSERT_EQ (taken.size (), 600 * (size + 9));
    push.set (ZMQ_SNDTIMEO, watchdog_ms);
    ASSERT_TRUE (push.send (pattern (size)));
    ++accepted;
    EXPECT_GE (push.send_until_full (pattern (size), 50, 100), 99);
    push.close ();
    (void)peer.read_to_end ();
    EXPECT_GE (accepted, mark);
}

// 11: a sender without credit that finds tx free and bytes unwritten writes
// them itself. The kernel has room for everything here: nobody has a reason
// to sleep for every message.
TEST_F (stream_traps, trap_11_a_sender_without_credit_writes_instead_of_sleeping)
{
    constexpr int count = 2000;
    socket push = open (ZMQ_PUSH);
    push.set (ZMQ_SNDHWM, 1);
    const std::string where = push.bind (place ());
    const raw_peer peer = raw_peer::connect_to (where);
    ASSERT_TRUE (peer.shake_hands ("PULL"));
    ASSERT_TRUE (push.has_peers ());
    worker reader ([&] {
        const std::size_t octets = count * zmtp_frame (0, pattern (20)).size ();
        EXPECT_EQ (peer.read_exactly (octets).size (), octets);
    });
    for (int i = 0; i < count; ++i)
        ASSERT_TRUE (push.send (pattern (20))) << i;
    EXPECT_LT (push.statistics ().wakes, static_cast<std::uint64_t> (count) / 4);
}

}  // namespace
}  // namespace zlink::test
