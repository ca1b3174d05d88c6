// Peers of a ROUTER that call themselves what they should not.
#include "support/places.hpp"
#include "support/raw_peer.hpp"
#include "support/sockets.hpp"

namespace zlink::test {
namespace {

using parts = std::vector<std::string>;

std::string ready_as (const std::string &identity)
{
    return zmtp_ready ("DEALER", zmtp_property ("Identity", identity));
}

struct names : testing::Test
{
    // A peer that is past the handshake.
    [[nodiscard]] raw_peer guest (const std::string &identity)
    {
        raw_peer peer = raw_peer::connect_to (where);
        EXPECT_TRUE (peer.send (zmtp_greeting ()));
        EXPECT_EQ (peer.read_exactly (64).size (), 64u);
        EXPECT_TRUE (peer.send (ready_as (identity)));
        EXPECT_EQ (peer.read_frame ().substr (0, 6), "\5READY");
        return peer;
    }
    void talks (const raw_peer &peer, const std::string &as)
    {
        ASSERT_TRUE (peer.send (zmtp_frame (0, "hello")));
        ASSERT_EQ (router.receive_message (), (parts{as, "hello"}));
        ASSERT_TRUE (router.send (parts{as, "back"}));
        ASSERT_EQ (peer.read_frame (), "back");
    }
    // The router's reason for the last of its connections that ended.
    [[nodiscard]] bool was_refused (const std::string &reason)
    {
        return eventually ([&] { return std::string (router.status (where).reason_text) == reason; });
    }

    context own;
    socket router{own, ZMQ_ROUTER};
    std::string where = router.bind (tcp_place ());
};

TEST_F (names, of_every_legal_length_are_taken)
{
    for (const std::size_t size : {1u, 2u, 5u, 16u, 254u, 255u}) {
        const std::string identity (size, 'n');
        talks (guest (identity), identity);
    }
}

TEST_F (names, that_are_too_long_are_refused)
{
    raw_peer peer = raw_peer::connect_to (where);
    ASSERT_TRUE (peer.send (zmtp_greeting () + ready_as (std::string (256, 'n'))));
    EXPECT_TRUE (peer.sees_end ());
    EXPECT_TRUE (was_refused ("identity-malformed"));
    talks (guest ("good"), "good");
}

// Like libzmq, a name that begins with a zero is a name: no one else gets it.
TEST_F (names, that_look_like_ours_are_not_given_to_others)
{
    raw_peer without = guest ("");
    ASSERT_TRUE (without.send (zmtp_frame (0, "hello")));
    std::string made = router.receive_message ().at (0);
    ASSERT_EQ (made.size (), 5u);
    // The next that would be made up is taken by a peer.
    for (std::size_t i = made.size (); i-- > 1 && ++made[i] == '\0';)
        ;
    raw_peer liar = guest (made);
    talks (liar, made);
    raw_peer another = guest ("");
    ASSERT_TRUE (another.send (zmtp_frame (0, "hello")));
    EXPECT_NE (router.receive_message ().at (0), made);
    talks (liar, made);
}

TEST_F (names, of_a_living_peer_are_refused_before_ready)
{
    raw_peer holder = guest ("same");
    talks (holder, "same");
    raw_peer second = raw_peer::connect_to (where);
    ASSERT_TRUE (second.send (zmtp_greeting ()));
    ASSERT_EQ (second.read_exactly (64).size (), 64u);
    ASSERT_TRUE (second.send (ready_as ("same")));
    // The holder is asked, and answers.
    const std::string ping = holder.read_frame ();
    ASSERT_EQ (ping.substr (0, 5), "\4PING");
    ASSERT_TRUE (holder.send (zmtp_frame (4, "\4PONG" + ping.substr (7))));
    EXPECT_EQ (second.read_to_end (), "");
    EXPECT_TRUE (was_refused ("identity-taken"));
    talks (holder, "same");
}

TEST_F (names, of_a_silent_peer_are_given_on)
{
    raw_peer holder = guest ("same");
    talks (holder, "same");
    raw_peer second = guest ("same");  // waits for as long as it takes
    talks (second, "same");
    EXPECT_TRUE (holder.sees_end ());
}

TEST_F (names, of_old_peers_come_in_their_greeting)
{
    // ZMTP 2.0: revision 1, a socket type, an identity frame.
    raw_peer peer = raw_peer::connect_to (where);
    ASSERT_TRUE (peer.send (zmtp_signature () + octet (1) + octet (5) + zmtp_frame (0, "old")));
    EXPECT_EQ (peer.read_exactly (10).size (), 10u);
    // Our revision, our type, our identity frame, which is empty.
    EXPECT_EQ (peer.read_exactly (4), octet (3) + octet (6) + octet (0) + octet (0));
    talks (peer, "old");
}

TEST_F (names, envelopes_that_are_malformed_cost_a_rep_nothing)
{
    socket rep (own, ZMQ_REP);
    const std::string at = rep.bind (tcp_place ());
    raw_peer peer = raw_peer::connect_to (at);
    ASSERT_TRUE (peer.shake_hands ("REQ"));
    ASSERT_TRUE (peer.send (zmtp_frame (0, "") + zmtp_frame (0, "x") + zmtp_frame (1, "x")
                            + zmtp_frame (0, "y") + zmtp_frame (1, "x") + zmtp_frame (0, "")));
    ASSERT_TRUE (peer.send (zmtp_frame (1, "") + zmtp_frame (0, "good")));
    EXPECT_EQ (rep.receive_message (), parts{"good"});
    ASSERT_TRUE (rep.send ("answer"));
    EXPECT_EQ (peer.read_frame (), "");
    EXPECT_EQ (peer.read_frame (), "answer");
}

}  // namespace
}  // namespace zlink::test
