// Hostile and merely odd input, case by case, each with its outcome: accepted,
// waited for, or closed with a reason. What a rule rests on is the RFC; where
// programs rely on libzmq being more lenient, libzmq.
#include <gtest/gtest.h>

#include "wire/command.hpp"
#include "wire/test_bytes.hpp"

namespace zlink::wire {
namespace {

using namespace test;
using base::close_reason;

enum class outcome : std::uint8_t
{
    accept,
    wait,  // the caller's deadline decides
    close,
};

struct hostile_case
{
    std::string name;
    std::string octets;
    outcome expected = outcome::accept;
    close_reason reason = close_reason::none;
};

hostile_case accept (std::string name, std::string octets) { return {std::move (name), std::move (octets)}; }
hostile_case wait (std::string name, std::string octets)
{
    return {std::move (name), std::move (octets), outcome::wait};
}
hostile_case close (std::string name, close_reason reason, std::string octets)
{
    return {std::move (name), std::move (octets), outcome::close, reason};
}

void run (const std::vector<hostile_case> &cases)
{
    for (const hostile_case &one : cases) {
        for (const std::size_t piece : {one.octets.size (), std::size_t{1}}) {
            SCOPED_TRACE (one.name + ", in pieces of " + std::to_string (piece));
            session ours ({.type = socket_type::router});
            const course done = drive (ours, one.octets, piece);
            switch (one.expected) {
            case outcome::accept:
                EXPECT_EQ (done.status, session_status::ready) << ours.reason_text ();
                break;
            case outcome::wait:
                EXPECT_EQ (done.status, session_status::need_more) << ours.reason_text ();
                break;
            case outcome::close:
                EXPECT_EQ (done.status, session_status::failed);
                EXPECT_STREQ (base::reason_name (ours.reason ()), base::reason_name (one.reason));
                EXPECT_NE (ours.reason_text (), "");
                EXPECT_TRUE (ours.peer_metadata ().empty ());
                EXPECT_TRUE (ours.peer_identity ().empty ());
                break;
            }
        }
    }
}

const std::string greeted = greeting_of (3, 1);
const std::string dealer_ready = ready_of ("DEALER");

// A greeting with one octet changed.
std::string greeting_but (std::size_t at, unsigned value)
{
    std::string octets = greeted;
    octets[at] = static_cast<char> (value);
    return octets;
}

std::string ready_and (const std::string &more_properties)
{
    return ready_with (property_octets ("Socket-Type", "DEALER") + more_properties);
}

TEST (hostile, greetings_cut_short)
{
    std::vector<hostile_case> cases;
    for (std::size_t size = 0; size <= greeted.size (); ++size)
        cases.push_back (wait ("greeting of " + std::to_string (size), greeted.substr (0, size)));
    run (cases);
}

TEST (hostile, greetings)
{
    std::vector<hostile_case> cases;
    for (const unsigned major : {2u, 3u, 4u, 255u})
        for (const unsigned minor : {0u, 1u, 255u})
            cases.push_back (accept ("version " + std::to_string (major) + '.' + std::to_string (minor),
                                     greeting_of (major, minor) + dealer_ready));
    for (const unsigned as_server : {0u, 1u, 2u, 255u})
        cases.push_back (
          accept ("as-server " + std::to_string (as_server), greeting_but (32, as_server) + dealer_ready));
    for (std::size_t at = 1; at < 9; ++at)
        cases.push_back (accept ("padding " + std::to_string (at), greeting_but (at, 0xA5) + dealer_ready));
    for (std::size_t at = 33; at < 64; ++at)
        cases.push_back (accept ("filler " + std::to_string (at), greeting_but (at, 0xA5) + dealer_ready));
    cases.push_back (accept ("signature ends in 01", greeting_but (9, 0x01) + dealer_ready));
    cases.push_back (accept ("revision 0", signature + hex ("00 05 01 00")));
    cases.push_back (accept ("revision 1", signature + hex ("01 05 00 00")));
    cases.push_back (
      close ("revision 1, incompatible", close_reason::socket_type_incompatible, signature + hex ("01 08")));
    cases.push_back (
      close ("revision 0, no such type", close_reason::socket_type_incompatible, signature + hex ("00 FF")));
    run (cases);
}

TEST (hostile, mechanisms)
{
    run ({
      close ("CURVE", close_reason::mechanism_mismatch, greeting_of (3, 1, "CURVE")),
      close ("unknown", close_reason::mechanism_mismatch, greeting_of (3, 1, "X-TRA.1+2_3")),
      close ("twenty characters", close_reason::mechanism_mismatch,
             greeting_of (3, 1, "ABCDEFGHIJKLMNOPQRST")),
      close ("lower case", close_reason::greeting_malformed, greeting_of (3, 1, "null")),
      close ("empty", close_reason::greeting_malformed, greeting_of (3, 1, "")),
      close ("something behind the end", close_reason::greeting_malformed,
             greeting_of (3, 1, std::string ("NULL\0\0X", 7))),
      close ("twenty of FF", close_reason::greeting_malformed, greeting_of (3, 1, std::string (20, '\xFF'))),
    });
}

TEST (hostile, who_speaks_something_else)
{
    run ({
      close ("HTTP", close_reason::greeting_malformed, "GET / HTTP/1.1\r\nHost: example.org\r\n\r\n"),
      close ("HTTP POST", close_reason::greeting_malformed, "POST / HTTP/1.1\r\n\r\n"),
      close ("TLS ClientHello", close_reason::greeting_malformed, hex ("16 03 01 02 00 01 00 01 FC 03 03")),
      close ("SSH banner", close_reason::greeting_malformed, "SSH-2.0-OpenSSH_9.2\r\n"),
      close ("SMTP", close_reason::greeting_malformed, "EHLO example.org\r\n"),
      close ("nmap's help probe", close_reason::greeting_malformed, "HELP\r\n"),
      close ("Redis", close_reason::greeting_malformed, "*1\r\n$4\r\nPING\r\n"),
      // An identity of 127 octets may begin like that.
      wait ("RPC call", hex ("80 00 00 28 72 FE 1D 13")),
      close ("zeros", close_reason::frame_malformed, zeros (64)),
      wait ("line feed", "\r"),
      close ("blank lines", close_reason::greeting_malformed, "\r\n\r\n"),
    });
}

TEST (hostile, identities_of_older_peers)
{
    run ({
      accept ("1.0, empty", hex ("01 00")),
      accept ("1.0, 252", hex ("FD 00") + std::string (252, 'i')),
      accept ("1.0 long, 255", hex ("FF 0000000000000100 00") + std::string (255, 'i')),
      accept ("1.0 long, small", hex ("FF 0000000000000001 00")),
      close ("1.0 long, 256", close_reason::identity_malformed, hex ("FF 0000000000000101 00")),
      close ("1.0 long, length 0", close_reason::frame_malformed, hex ("FF 0000000000000000 00")),
      close ("1.0 long, endless", close_reason::frame_malformed, hex ("FF FFFFFFFFFFFFFFFF 00")),
      close ("1.0, length 0", close_reason::frame_malformed, hex ("00")),
      close ("1.0, more", close_reason::greeting_malformed, hex ("04 01")),
      wait ("1.0, cut short", hex ("04 00") + "xy"),
      accept ("2.0, 255", signature + hex ("01 05 00 FF") + std::string (255, 'i')),
      accept ("2.0, long form", signature + hex ("01 05 02 0000000000000003") + "abc"),
      close ("2.0, 256", close_reason::identity_malformed, signature + hex ("01 05 02 0000000000000100")),
      close ("2.0, more", close_reason::identity_malformed, signature + hex ("01 05 01 03") + "abc"),
      close ("2.0, 2^63", close_reason::frame_malformed, signature + hex ("01 05 02 8000000000000000")),
      wait ("2.0, cut short", signature + hex ("01 05 00 03") + "ab"),
    });
}

TEST (hostile, frames_before_ready)
{
    std::vector<hostile_case> cases = {
      accept ("greeting and READY together", greeted + dealer_ready),
      close ("message before READY", close_reason::data_before_ready, greeted + hex ("00 05") + "hello"),
      close ("empty message", close_reason::data_before_ready, greeted + hex ("00 00")),
      close ("first part of a message", close_reason::data_before_ready, greeted + hex ("01 05")),
      close ("huge message", close_reason::data_before_ready, greeted + hex ("02 7FFFFFFFFFFFFFFF")),
      close ("old subscription", close_reason::data_before_ready, greeted + hex ("00 01 01")),
      close ("COMMAND with MORE", close_reason::frame_malformed, greeted + hex ("05 06")),
      close ("2^63", close_reason::frame_malformed, greeted + hex ("06 8000000000000000")),
      close ("2^64 - 1", close_reason::frame_malformed, greeted + hex ("06 FFFFFFFFFFFFFFFF")),
      close ("2^63 - 1", close_reason::limit_reached, greeted + hex ("06 7FFFFFFFFFFFFFFF")),
      close ("2^31", close_reason::limit_reached, greeted + hex ("06 0000000080000000")),
      close ("one above the limit", close_reason::limit_reached,
             greeted + octet (6) + be (handshake_command_bytes_max + 1, 8)),
      wait ("at the limit", greeted + octet (6) + be (handshake_command_bytes_max, 8)),
      accept ("READY in the long form",
              greeted + octet (6) + be (dealer_ready.size () - 2, 8) + dealer_ready.substr (2)),
    };
    for (unsigned reserved = 0x08; reserved <= 0xF8; reserved += 8)
        cases.push_back (accept ("reserved flags " + std::to_string (reserved),
                                 greeted + octet (reserved | 4) + dealer_ready.substr (1)));
    for (std::size_t size = 0; size < dealer_ready.size (); ++size)
        cases.push_back (
          wait ("READY cut at " + std::to_string (size), greeted + dealer_ready.substr (0, size)));
    run (cases);
}

TEST (hostile, commands_before_ready)
{
    run ({
      close ("empty body", close_reason::command_malformed, greeted + frame (4, "")),
      close ("name of 0", close_reason::command_malformed, greeted + frame (4, zeros (1))),
      close ("name past the end", close_reason::command_malformed, greeted + frame (4, "\6READY")),
      close ("name of 255 past the end", close_reason::command_malformed,
             greeted + frame (4, octet (255) + "READY")),
      close ("name of 255", close_reason::command_unexpected,
             greeted + frame (4, octet (255) + std::string (255, 'R'))),
      close ("ready", close_reason::command_unexpected, greeted + frame (4, "\5ready")),
      close ("PING", close_reason::command_unexpected, greeted + frame (4, "\4PING" + zeros (2))),
      close ("PONG", close_reason::command_unexpected, greeted + frame (4, "\4PONG")),
      close ("SUBSCRIBE", close_reason::command_unexpected, greeted + frame (4, "\x09SUBSCRIBE")),
      close ("HELLO", close_reason::command_unexpected, greeted + frame (4, "\5HELLO" + zeros (194))),
      close ("INITIATE", close_reason::command_unexpected, greeted + frame (4, "\10INITIATE")),
      close ("ERROR", close_reason::refused_by_peer,
             greeted
               + frame (4, "\5ERROR\3"
                           "bad")),
      close ("ERROR that is a status", close_reason::authentication_failed,
             greeted
               + frame (4, "\5ERROR\3"
                           "400")),
      close ("ERROR past the end", close_reason::command_malformed,
             greeted
               + frame (4, "\5ERROR\4"
                           "400")),
      close ("ERROR without a length", close_reason::command_malformed, greeted + frame (4, "\5ERROR")),
      close ("ERROR of 255", close_reason::refused_by_peer,
             greeted + frame (4, "\5ERROR\xFF" + std::string (255, 'e'))),
    });
}

TEST (hostile, metadata)
{
    std::string many;
    for (int i = 0; i < 10000; ++i)
        many += hex ("01") + "x" + zeros (4);
    std::string many_names;
    for (std::size_t i = 0; i < metadata_properties_max; ++i)
        many_names += property_octets ("X-" + std::to_string (i), "");
    const auto malformed = [] (std::string name, const std::string &ready) {
        return close (std::move (name), close_reason::metadata_malformed, greeted + ready);
    };
    run ({
      malformed ("nothing", ready_with ("")),
      malformed ("no Socket-Type", ready_with (property_octets ("Identity", ""))),
      malformed ("Socket-Type twice", ready_and (property_octets ("Socket-Type", "DEALER"))),
      malformed ("Socket-Type twice, in another case", ready_and (property_octets ("socket-type", "REQ"))),
      malformed ("name of 0", ready_and (hex ("00 00000000"))),
      malformed ("name past the end", ready_and (hex ("05") + "abc")),
      malformed ("name of 255 past the end", ready_and (hex ("FF") + "abc")),
      malformed ("value past the end", ready_and ("\1a" + hex ("00000002") + "x")),
      malformed ("value of 2^31", ready_and ("\1a" + hex ("80000000") + "x")),
      malformed ("value of 2^32 - 1", ready_and ("\1a" + hex ("FFFFFFFF") + "x")),
      malformed ("an octet left over", ready_and ("x")),
      malformed ("10000 properties", ready_and (many)),
      malformed ("one property too many", ready_and (many_names)),
      malformed ("non-ASCII name", ready_and (property_octets ("X-\xC3\xA9", "e"))),
      close ("11000 properties", close_reason::limit_reached,
             greeted + ready_and (many + many.substr (0, 6000))),
      accept ("lower case name", greeted + ready_with (property_octets ("socket-type", "REQ"))),
      accept ("unknown property", greeted + ready_and (property_octets ("Resource", "/a"))),
      accept ("X- with binary value", greeted + ready_and (property_octets ("X-bin", hex ("00 FF 00")))),
      accept ("X- with a blank", greeted + ready_and (property_octets ("X-my key", "v"))),
      accept ("name of 255", greeted + ready_and (property_octets (std::string (255, 'X'), "v"))),
      close ("unknown type", close_reason::socket_type_incompatible, greeted + ready_of ("WEAVER")),
      close ("empty type", close_reason::socket_type_incompatible, greeted + ready_of ("")),
      close ("wrong type", close_reason::socket_type_incompatible, greeted + ready_of ("PUSH")),
      close ("lower case type", close_reason::socket_type_incompatible, greeted + ready_of ("dealer")),
      close ("type with a NUL", close_reason::socket_type_incompatible,
             greeted + ready_of (std::string ("DEALER\0", 7))),
    });
}

TEST (hostile, identities)
{
    const auto identity = [] (const std::string &value) {
        return greeted + ready_and (property_octets ("Identity", value));
    };
    run ({
      accept ("0", identity ("")),
      accept ("255", identity (std::string (255, 'i'))),
      // libzmq lets it, and programs pack integers into identities.
      accept ("leading zero", identity (hex ("00 00 00 01"))),
      close ("256", close_reason::identity_malformed, identity (std::string (256, 'i'))),
      close ("64 K", close_reason::identity_malformed, identity (std::string (65000, 'i'))),
      close ("above the limit of a command", close_reason::limit_reached,
             identity (std::string (65536, 'i'))),
    });
}

TEST (hostile, commands_after_ready)
{
    struct command_case
    {
        const char *name;
        std::string body;
        command_kind expected;
    };
    const std::vector<command_case> cases = {
      {"PING of 5", "\4PING", command_kind::malformed},
      {"PING of 6", "\4PING" + zeros (1), command_kind::malformed},
      {"PING of 7", "\4PING" + zeros (2), command_kind::ping},
      {"PING of 7 + 16", "\4PING" + zeros (18), command_kind::ping},
      {"PING of 7 + 17", "\4PING" + zeros (19), command_kind::malformed},
      {"PONG unsolicited", "\4PONG", command_kind::pong},
      {"SUBSCRIBE empty", "\x09SUBSCRIBE", command_kind::subscribe},
      {"SUBSCRIBE of megabytes", "\x09SUBSCRIBE" + std::string (4 << 20, 't'), command_kind::subscribe},
      {"CANCEL of nothing subscribed", "\6CANCELnever", command_kind::cancel},
      {"JOIN empty", "\4JOIN", command_kind::join},
      {"JOIN of 255", "\4JOIN" + std::string (255, 'g'), command_kind::join},
      {"JOIN of 256", "\4JOIN" + std::string (256, 'g'), command_kind::malformed},
      {"JOIN with NUL", "\4JOINa" + zeros (1), command_kind::malformed},
      {"LEAVE of 256", "\5LEAVE" + std::string (256, 'g'), command_kind::malformed},
      {"second READY", dealer_ready.substr (2), command_kind::ready},
      {"ERROR past the end", "\5ERROR\x10no", command_kind::malformed},
      {"unknown", "\7WELCOME", command_kind::unknown},
      {"name of 0", zeros (5), command_kind::malformed},
      {"name past the end", "\7PING", command_kind::malformed},
      {"empty", "", command_kind::malformed},
    };
    for (const command_case &one : cases)
        EXPECT_EQ (parse_command (as_bytes (one.body)).kind, one.expected) << one.name;
}

TEST (hostile, a_session_that_failed_stays_failed)
{
    session ours ({.type = socket_type::router});
    ASSERT_EQ (drive (ours, greeted + hex ("00 00")).status, session_status::failed);
    const std::string good = greeted + dealer_ready;
    std::size_t consumed = 99;
    EXPECT_EQ (ours.feed (as_bytes (good), consumed), session_status::failed);
    EXPECT_EQ (consumed, 0u);
    EXPECT_EQ (ours.reason (), close_reason::data_before_ready);
}

}  // namespace
}  // namespace zlink::wire
