// Peers of a ROUTER that call themselves what they should not.
#include <algorithm>

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

class names : public testing::TestWithParam<bool>
{
  protected:
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
    std::string where = router.bind (GetParam () ? ipc_place () : tcp_place ());
};

INSTANTIATE_TEST_SUITE_P (by, names, testing::Bool (), [] (const auto &of) {
    return of.param ? "ipc" : "tcp";
});

TEST_P (names, of_every_legal_length_are_taken)
{
    for (const std::size_t size : {1u, 2u, 5u, 16u, 254u, 255u}) {
        const std::string identity (size, 'n');
        talks (guest (identity), identity);
    }
}

TEST_P (names, that_are_too_long_are_refused)
{
    raw_peer good = guest ("good");
    for (const auto &[size, reason] :
         {std::pair{256, "identity-malformed"}, {60'000, "identity-malformed"}, {65'536, "limit-reached"}}) {
        raw_peer peer = raw_peer::connect_to (where);
        ASSERT_TRUE (peer.send (zmtp_greeting () + ready_as (std::string (size, 'n'))));
        EXPECT_TRUE (peer.sees_end ());
        EXPECT_TRUE (was_refused (reason)) << size;
        talks (good, "good");
    }
}

// None is a name that the router makes up, a different one for each.
TEST_P (names, that_are_empty_are_made_up)
{
    std::vector<raw_peer> peers;
    std::vector<std::string> made;
    for (int i = 0; i < 10; ++i) {
        peers.push_back (guest (""));
        ASSERT_TRUE (peers.back ().send (zmtp_frame (0, "hello")));
        made.push_back (router.receive_message ().at (0));
        EXPECT_EQ (made.back ().size (), 5u);
        EXPECT_EQ (std::count (made.begin (), made.end (), made.back ()), 1);
    }
    for (int i = 0; i < 10; ++i)
        talks (peers[i], made[i]);
}

// Like libzmq, a name that begins with a zero is a name: no one else gets it.
TEST_P (names, that_look_like_ours_are_not_given_to_others)
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

TEST_P (names, that_begin_with_zeros_are_names)
{
    for (const std::size_t size : {1u, 2u, 4u, 6u, 255u})
        talks (guest (std::string (size, '\0')), std::string (size, '\0'));
}

TEST_P (names, of_a_living_peer_are_refused_before_ready)
{
    raw_peer holder = guest ("same");
    talks (holder, "same");
    const std::string identity = zmtp_property ("Identity", "same");
    const std::string why = "the routing id is in use";
    // ERROR is for those only who say that they know what to do with it.
    for (const auto &[properties, told] :
         {std::pair{identity, std::string ()},
          {identity + zmtp_property ("X-Zlink", "1"),
           zmtp_frame (4, "\5ERROR" + octet (static_cast<unsigned> (why.size ())) + why)}}) {
        raw_peer second = raw_peer::connect_to (where);
        ASSERT_TRUE (second.send (zmtp_greeting ()));
        ASSERT_EQ (second.read_exactly (64).size (), 64u);
        ASSERT_TRUE (second.send (zmtp_ready ("DEALER", properties)));
        // The holder is asked, and answers.
        const std::string ping = holder.read_frame ();
        ASSERT_EQ (ping.substr (0, 5), "\4PING");
        ASSERT_TRUE (holder.send (zmtp_frame (4, "\4PONG" + ping.substr (7))));
        EXPECT_EQ (second.read_to_end (), told);
        EXPECT_TRUE (was_refused ("identity-taken"));
        talks (holder, "same");
    }
}

TEST_P (names, of_a_silent_peer_are_given_on)
{
    raw_peer holder = guest ("same");
    talks (holder, "same");
    raw_peer second = guest ("same");  // waits for as long as it takes
    talks (second, "same");
    EXPECT_TRUE (holder.sees_end ());
}

TEST_P (names, of_old_peers_come_in_their_greeting)
{
    // ZMTP 2.0: revision 1, a socket type, an identity frame.
    raw_peer peer = raw_peer::connect_to (where);
    ASSERT_TRUE (peer.send (zmtp_signature () + octet (1) + octet (5) + zmtp_frame (0, "old")));
    EXPECT_EQ (peer.read_exactly (10).size (), 10u);
    // Our revision, our type, our identity frame, which is empty.
    EXPECT_EQ (peer.read_exactly (4), octet (3) + octet (6) + octet (0) + octet (0));
    talks (peer, "old");
}

}  // namespace
}  // namespace zlink::test
