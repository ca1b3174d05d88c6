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

}  // namespace
}  // namespace zlink::test
