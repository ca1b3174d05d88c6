// A socket under attack: a PULL or a PAIR that is bound, a good peer that
// talks to it all the while, and a table of what bad peers say and what
// comes of it. What happens to the octets inside is tested beside the parsers
// in src/wire; here it is the socket that has to bear it.
#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "support/places.hpp"
#include "support/raw_peer.hpp"
#include "support/sockets.hpp"

namespace zlink::test {

enum class outcome
{
    delivers,  // a message sent behind it arrives
    closes,    // with the reason
};

struct hostile_case
{
    std::string name;
    std::string octets;
    outcome expected = outcome::delivers;
    std::string reason{};
};

[[nodiscard]] inline hostile_case fine (std::string name, std::string octets)
{
    return {std::move (name), std::move (octets)};
}

[[nodiscard]] inline hostile_case closes (std::string name, std::string reason, std::string octets)
{
    return {std::move (name), std::move (octets), outcome::closes, std::move (reason)};
}

struct victim_kind
{
    const char *name;
    int type;               // of the victim
    int good_type;          // of its good peer
    const char *peer_name;  // as in READY
    // By its name in test names, not by its octets.
    friend void PrintTo (const victim_kind &of, std::ostream *to) { *to << of.name; }
};

// PULL has the good peer at the same time, PAIR between the bad ones.
class hostile : public testing::TestWithParam<victim_kind>
{
  protected:
    void SetUp () override
    {
        victim.set (ZMQ_HANDSHAKE_IVL, watchdog_ms);
        where = victim.bind (tcp_place ());
        if (!is_pair ()) {
            good.emplace (own, GetParam ().good_type);
            good->connect (where);
            ASSERT_TRUE (victim.has_peers ());
        }
    }

    [[nodiscard]] static bool is_pair () { return GetParam ().type == ZMQ_PAIR; }
    [[nodiscard]] static std::string peer_name () { return GetParam ().peer_name; }
    [[nodiscard]] static std::string ready () { return zmtp_ready (peer_name ()); }
    // What brings a peer up to the point where traffic may begin.
    [[nodiscard]] static std::string greeted_and_ready () { return zmtp_greeting () + ready (); }

    // The good peer talks and is heard.
    void good_goes_on (const std::string &after)
    {
        std::optional<socket> visitor;
        if (is_pair ()) {
            visitor.emplace (own, GetParam ().good_type);
            visitor->set (ZMQ_RECONNECT_IVL, 5);
            visitor->connect (where);
        }
        socket &by = is_pair () ? *visitor : *good;
        ASSERT_TRUE (by.send ("good")) << after;
        ASSERT_EQ (victim.receive (), "good") << after;
        if (is_pair ()) {
            visitor.reset ();
            ASSERT_TRUE (eventually ([&] { return zlink_wait_peers (victim, 1, 0) != 0; })) << after;
        }
    }

    [[nodiscard]] std::uint64_t lost_so_far ()
    {
        const zlink_statistics_t now = victim.statistics ();
        return now.connections_lost + now.handshakes_failed;
    }

    // in_pieces: one octet a segment.
    void run (const hostile_case &one, bool in_pieces)
    {
        SCOPED_TRACE (one.name + (in_pieces ? ", in pieces" : ""));
        const std::uint64_t before = lost_so_far ();
        raw_peer peer = raw_peer::connect_to (where);
        ASSERT_TRUE (peer.valid ());
        in_pieces ? peer.trickle (one.octets) : peer.send (one.octets);
        if (one.expected == outcome::delivers) {
            ASSERT_TRUE (peer.send (zmtp_frame (0, "behind it")));
            ASSERT_EQ (victim.receive (), "behind it");
            peer.close ();
        }
        // While somebody waits for messages the socket reads by itself.
        victim.set (ZMQ_RCVTIMEO, 1);
        ASSERT_TRUE (eventually ([&] {
            EXPECT_FALSE (victim.receive ());
            return lost_so_far () > before;
        }));
        victim.set (ZMQ_RCVTIMEO, watchdog_ms);
        if (one.expected == outcome::closes) {
            EXPECT_TRUE (peer.sees_end ());
            EXPECT_EQ (std::string (victim.status (where).reason_text), one.reason);
        }
        ASSERT_NO_FATAL_FAILURE (good_goes_on (one.name));
    }

    void run (const std::vector<hostile_case> &cases)
    {
        for (const hostile_case &one : cases) {
            ASSERT_NO_FATAL_FAILURE (run (one, false));
            if (one.octets.size () < 300) {
                ASSERT_NO_FATAL_FAILURE (run (one, true));
            }
        }
    }

    context own;
    socket victim{own, GetParam ().type};
    std::optional<socket> good;
    std::string where;
};

[[nodiscard]] inline auto every_victim ()
{
    return testing::Values (victim_kind{"pull", ZMQ_PULL, ZMQ_PUSH, "PUSH"},
                            victim_kind{"pair", ZMQ_PAIR, ZMQ_PAIR, "PAIR"});
}

[[nodiscard]] inline std::string victim_name (const testing::TestParamInfo<victim_kind> &of)
{
    return of.param.name;
}

}  // namespace zlink::test
