// Over byte streams: limits on what a peer may send.
#include "conformance/transport.hpp"
#include "support/raw_peer.hpp"

namespace zlink::test {
namespace {

struct stream_limits : conformance
{
};

TEST_F (stream_limits, maxmsgsize_closes_above_and_only_above)
{
    for (const std::int64_t limit : {0, 1, 100, 8192, 100'000}) {
        socket pull = open (ZMQ_PULL);
        pull.set_wide (ZMQ_MAXMSGSIZE, limit);
        const std::string where = pull.bind (place ());
        socket good = open (ZMQ_PUSH);
        good.connect (where);
        socket bad = open (ZMQ_PUSH);
        bad.connect (where);
        ASSERT_TRUE (pull.has_peers (2));
        const auto size = static_cast<std::size_t> (limit);
        for (const std::size_t fits : {std::size_t{0}, size / 2, size}) {
            ASSERT_TRUE (bad.send (pattern (fits)));
            ASSERT_TRUE (pull.receive () == pattern (fits));
        }
        ASSERT_TRUE (bad.send (pattern (size + 1)));
        ASSERT_TRUE (eventually ([&] {
            (void)pull.get (ZMQ_EVENTS);
            return pull.statistics ().connections_lost > 0;
        }))
          << limit;
        ASSERT_TRUE (good.send (pattern (size)));
        EXPECT_TRUE (pull.receive () == pattern (size)) << limit;
    }
}

TEST_F (stream_limits, maxmsgsize_of_minus_one_is_no_limit)
{
    socket pull = open (ZMQ_PULL);
    pull.set_wide (ZMQ_MAXMSGSIZE, -1);
    socket push = open (ZMQ_PUSH);
    ASSERT_TRUE (join (pull, push));
    ASSERT_TRUE (push.send (pattern (5'000'000)));
    EXPECT_TRUE (pull.receive () == pattern (5'000'000));
}

// The limit is for a frame as it is announced: nobody waits for its bytes.
TEST_F (stream_limits, maxmsgsize_looks_at_the_announcement)
{
    socket pull = open (ZMQ_PULL);
    pull.set_wide (ZMQ_MAXMSGSIZE, 1000);
    const std::string where = pull.bind (place ());
    raw_peer peer = raw_peer::connect_to (where);
    ASSERT_TRUE (peer.shake_hands ("PUSH"));
    ASSERT_TRUE (peer.send (octet (2) + big_endian (1001, 8)));
    worker reader ([&] { EXPECT_EQ (pull.receive (), "good"); });
    EXPECT_TRUE (peer.sees_end ());
    socket push = open (ZMQ_PUSH);
    push.connect (where);
    ASSERT_TRUE (push.send ("good"));
    reader.join ();
}

// Nobody allocates what a peer only announces.
TEST_F (stream_limits, an_announced_size_costs_nothing_before_it_comes)
{
    socket pull = open (ZMQ_PULL);
    const std::string where = pull.bind (place ());
    std::vector<raw_peer> peers;
    for (const std::uint64_t size : {std::uint64_t{1} << 31, std::uint64_t{1} << 32, std::uint64_t{1} << 40,
                                     (std::uint64_t{1} << 63) - 1}) {
        peers.push_back (raw_peer::connect_to (where));
        ASSERT_TRUE (peers.back ().shake_hands ("PUSH"));
        ASSERT_TRUE (peers.back ().send (octet (2) + big_endian (size, 8) + "some"));
    }
    socket push = open (ZMQ_PUSH);
    push.connect (where);
    for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE (push.send ("good"));
        ASSERT_EQ (pull.receive (), "good");
    }
}

}  // namespace
}  // namespace zlink::test
