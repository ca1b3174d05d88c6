// However the network cuts the octets, a handshake ends the same way: whole,
// octet by octet, cut once at every place and cut at random.
#include <array>
#include <random>

#include <gtest/gtest.h>

#include "wire/test_bytes.hpp"

namespace zlink::wire {
namespace {

using namespace test;

struct script
{
    const char *name;
    socket_type ours;
    std::string peer;
};

std::vector<script> scripts ()
{
    const std::string message = hex ("00 02") + "hi";
    return {
      {"3.1", socket_type::dealer,
       greeting_of (3, 1)
         + ready_with (property_octets ("Socket-Type", "ROUTER") + property_octets ("Identity", "server"))
         + message},
      {"3.0", socket_type::pull, greeting_of (3, 0) + ready_of ("PUSH") + message},
      {"a long READY", socket_type::pair,
       greeting_of (3, 1)
         + ready_with (property_octets ("Socket-Type", "PAIR")
                       + property_octets ("X-long", std::string (300, 'x')))
         + message},
      {"2.0", socket_type::pair, signature + hex ("01 00 00 03") + "xyz" + message},
      {"revision 0", socket_type::pair, signature + hex ("00 00 04 00") + "xyz" + message},
      {"1.0", socket_type::pair, hex ("04 00") + "xyz" + message},
      {"1.0 long", socket_type::pair, hex ("FF 0000000000000004 00") + "xyz" + message},
      {"incompatible", socket_type::push, greeting_of (3, 1) + ready_of ("PUSH") + message},
      {"refused", socket_type::push, greeting_of (3, 1) + frame (4, "\5ERROR\2no") + message},
      {"data first", socket_type::push, greeting_of (3, 1) + message},
      {"http", socket_type::push, "GET / HTTP/1.1\r\n\r\n"},
    };
}

// All that can be seen of a session from outside.
std::string summary (const session &of, const course &done)
{
    std::string text = std::to_string (static_cast<int> (done.status)) + ' ' + std::to_string (done.consumed)
                       + ' ' + base::reason_name (of.reason ()) + ' ' + std::string (of.reason_text ()) + ' '
                       + std::string (of.peer_identity ()) + ' ' + std::to_string (of.major ()) + '.'
                       + std::to_string (of.minor ()) + ' ' + done.sent;
    for (const auto &[name, value] : of.peer_metadata ().all ())
        text += name + '=' + value;
    return text;
}

std::string driven (const script &by, std::size_t piece)
{
    session ours ({.type = by.ours, .identity = "me", .send_identity = true});
    return summary (ours, drive (ours, by.peer, piece));
}

// Feeds the pieces that end at the cuts.
std::string driven_with_cuts (const script &by, const std::vector<std::size_t> &cuts)
{
    session ours ({.type = by.ours, .identity = "me", .send_identity = true});
    course done = drive (ours, "");
    for (const std::size_t cut : cuts) {
        std::size_t consumed = 0;
        const std::string_view piece = std::string_view (by.peer).substr (done.consumed, cut - done.consumed);
        done.status = ours.feed (as_bytes (piece), consumed);
        done.consumed += consumed;
        done.sent += drain (ours);
        if (done.status != session_status::need_more)
            break;
        EXPECT_EQ (consumed, piece.size ()) << "a session that waits has taken everything";
    }
    return summary (ours, done);
}

TEST (session_property, every_regular_cut)
{
    for (const script &by : scripts ()) {
        const std::string whole = driven (by, by.peer.size ());
        for (std::size_t piece = 1; piece < by.peer.size (); ++piece)
            ASSERT_EQ (driven (by, piece), whole) << by.name << ' ' << piece;
    }
}

TEST (session_property, one_cut_at_every_place)
{
    for (const script &by : scripts ()) {
        const std::string whole = driven (by, by.peer.size ());
        for (std::size_t cut = 0; cut <= by.peer.size (); ++cut)
            ASSERT_EQ (driven_with_cuts (by, {cut, by.peer.size ()}), whole) << by.name << ' ' << cut;
    }
}

TEST (session_property, random_cuts)
{
    std::mt19937 dice (20);
    for (const script &by : scripts ()) {
        const std::string whole = driven (by, by.peer.size ());
        for (int round = 0; round < 200; ++round) {
            std::vector<std::size_t> cuts;
            for (std::size_t at = dice () % 8; at < by.peer.size (); at += 1 + dice () % 40)
                cuts.push_back (at);
            cuts.push_back (by.peer.size ());
            ASSERT_EQ (driven_with_cuts (by, cuts), whole) << by.name << " round " << round;
        }
    }
}

TEST (session_property, cut_short_it_waits_or_has_said_why)
{
    for (const script &by : scripts ()) {
        session whole ({.type = by.ours});
        const course all = drive (whole, by.peer);
        for (std::size_t size = 0; size < by.peer.size (); ++size) {
            session ours ({.type = by.ours});
            const course done = drive (ours, std::string_view (by.peer).substr (0, size));
            const bool decided = size >= all.consumed;
            ASSERT_EQ (done.status, decided ? all.status : session_status::need_more)
              << by.name << ' ' << size;
        }
    }
}

}  // namespace
}  // namespace zlink::wire
