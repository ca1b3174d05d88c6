// Peers that say very much.
#include <ostream>

#include "hostile/victim.hpp"

namespace zlink::test {
namespace {

class floods : public testing::TestWithParam<bool>
{
  protected:
    [[nodiscard]] raw_peer guest ()
    {
        raw_peer peer = raw_peer::connect_to (of.where ());
        EXPECT_TRUE (peer.shake_hands ("PUSH"));
        return peer;
    }
    victim of{ZMQ_PULL, GetParam () ? ipc_place () : tcp_place ()};
};

INSTANTIATE_TEST_SUITE_P (by, floods, testing::Bool (), [] (const auto &of) {
    return of.param ? "ipc" : "tcp";
});

TEST_P (floods, of_frames_in_single_octets_are_delivered)
{
    const raw_peer peer = guest ();
    worker sender ([&] {
        for (const std::size_t size : {0u, 1u, 40u, 255u, 256u, 8191u, 8193u})
            EXPECT_TRUE (peer.trickle (zmtp_frame (0, pattern (size))));
    });
    for (const std::size_t size : {0u, 1u, 40u, 255u, 256u, 8191u, 8193u})
        ASSERT_EQ (of.own ().receive (), pattern (size)) << size;
}

TEST_P (floods, of_pings_are_answered_each_with_its_context)
{
    const raw_peer peer = guest ();
    for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE (peer.send (zmtp_command ("PING", zeros (2) + "context" + std::to_string (i))));
        ASSERT_EQ (peer.read_frame (), "\4PONGcontext" + std::to_string (i));
    }
}

// Whoever pings and does not read fills its own connection only, and that not
// without end.
TEST_P (floods, of_pings_whose_answers_nobody_reads_harm_nobody)
{
    raw_peer peer = guest ();
    const std::string flood = repeated (zmtp_command ("PING", zeros (2) + "0123456789abcdef"), 50'000);
    worker sender ([&] {
        for (int i = 0; i < 10; ++i)
            peer.send (flood);
        peer.send (zmtp_frame (0, "behind the flood"));
    });
    EXPECT_EQ (of.own ().receive (), "behind the flood");
    sender.join ();
    std::vector<zlink_counters_t> rows (16);
    std::size_t count = rows.size ();
    ASSERT_EQ (zlink_counters (of.own (), rows.data (), sizeof rows[0], &count), 0);
    EXPECT_LT (rows[0].queued_bytes, 1u << 20);
    const ends_counted before (of.own ());
    peer.close ();
    of.loses_one (before);
    of.good_goes_on ();
}

}  // namespace
}  // namespace zlink::test
