// Greetings and handshakes that are odd, and such that are none.
#include "hostile/hostile_peer.hpp"

namespace zlink::test {
namespace {

class greetings : public hostile
{
};

INSTANTIATE_TEST_SUITE_P (at, greetings, every_victim (), victim_name);

std::string greeting_but (std::size_t at, unsigned value)
{
    std::string octets = zmtp_greeting ();
    octets[at] = static_cast<char> (value);
    return octets;
}

std::string zeros (std::size_t size) { return std::string (size, '\0'); }

TEST_P (greetings, odd_ones_are_accepted)
{
    std::vector<hostile_case> cases;
    for (const unsigned major : {3u, 4u, 255u})
        for (const unsigned minor : {0u, 1u, 255u})
            cases.push_back (fine ("version " + std::to_string (major) + '.' + std::to_string (minor),
                                   zmtp_greeting (major, minor) + ready ()));
    for (const unsigned as_server : {1u, 2u, 255u})
        cases.push_back (
          fine ("as-server " + std::to_string (as_server), greeting_but (32, as_server) + ready ()));
    for (const std::size_t at : {1u, 4u, 8u})
        cases.push_back (fine ("padding " + std::to_string (at), greeting_but (at, 0xA5) + ready ()));
    for (const std::size_t at : {33u, 63u})
        cases.push_back (fine ("filler " + std::to_string (at), greeting_but (at, 0xA5) + ready ()));
    cases.push_back (
      fine ("READY in the long form",
            zmtp_greeting () + octet (6) + big_endian (ready ().size () - 2, 8) + ready ().substr (2)));
    cases.push_back (fine ("reserved flags", zmtp_greeting () + octet (0xF8 | 4) + ready ().substr (1)));
    cases.push_back (fine ("unknown property",
                           zmtp_greeting () + zmtp_ready (peer_name (), zmtp_property ("X-own", zeros (3)))));
    run (cases);
}

TEST_P (greetings, of_other_protocols_are_refused)
{
    run ({
      closes ("HTTP", "greeting-malformed", "GET / HTTP/1.1\r\nHost: example.org\r\n\r\n"),
      closes ("TLS", "greeting-malformed", octet (0x16) + octet (3) + octet (1) + octet (2) + zeros (7)),
      closes ("SSH", "greeting-malformed", "SSH-2.0-OpenSSH_9.2\r\n"),
      closes ("Redis", "greeting-malformed", "*1\r\n$4\r\nPING\r\n"),
      closes ("zeros", "frame-malformed", zeros (64)),
    });
}

TEST_P (greetings, with_other_mechanisms_are_refused)
{
    run ({
      closes ("CURVE", "mechanism-mismatch", zmtp_greeting (3, 1, "CURVE")),
      closes ("unknown", "mechanism-mismatch", zmtp_greeting (3, 1, "X-TRA.1+2_3")),
      closes ("lower case", "greeting-malformed", zmtp_greeting (3, 1, "null")),
      closes ("empty", "greeting-malformed", zmtp_greeting (3, 1, "")),
      closes ("twenty of FF", "greeting-malformed", zmtp_greeting (3, 1, std::string (20, '\xFF'))),
    });
}

TEST_P (greetings, frames_before_ready_are_refused)
{
    const std::string greeted = zmtp_greeting ();
    run ({
      closes ("message", "data-before-ready", greeted + zmtp_frame (0, "hello")),
      closes ("empty message", "data-before-ready", greeted + zmtp_frame (0, "")),
      closes ("huge message", "data-before-ready", greeted + octet (2) + big_endian (~0ull >> 1, 8)),
      closes ("command with more", "frame-malformed", greeted + octet (5) + octet (6)),
      closes ("2^63", "frame-malformed", greeted + octet (6) + big_endian (1ull << 63, 8)),
      closes ("2^64 - 1", "frame-malformed", greeted + octet (6) + big_endian (~0ull, 8)),
      closes ("2^63 - 1", "limit-reached", greeted + octet (6) + big_endian (~0ull >> 1, 8)),
      closes ("PING", "command-unexpected", greeted + zmtp_frame (4, "\4PING" + zeros (2))),
      closes ("HELLO", "command-unexpected", greeted + zmtp_frame (4, "\5HELLO" + zeros (194))),
      closes ("no name", "command-malformed", greeted + zmtp_frame (4, "")),
      closes ("name past the end", "command-malformed", greeted + zmtp_frame (4, "\6READY")),
      closes ("ERROR", "refused-by-peer", greeted + zmtp_frame (4, std::string ("\5ERROR\3") + "400")),
      closes ("ERROR past the end", "command-malformed",
              greeted + zmtp_frame (4, std::string ("\5ERROR\4") + "400")),
    });
}

TEST_P (greetings, ready_with_bad_properties_is_refused)
{
    const auto with = [] (const std::string &more) {
        return zmtp_greeting () + zmtp_ready (peer_name (), more);
    };
    std::string many;
    for (int i = 0; i < 10'000; ++i)
        many += zmtp_property ("x", "");
    run ({
      closes ("no type", "metadata-malformed", zmtp_greeting () + zmtp_frame (4, "\5READY")),
      closes ("type twice", "metadata-malformed", with (zmtp_property ("Socket-Type", peer_name ()))),
      closes ("name of 0", "metadata-malformed", with (zeros (5))),
      closes ("name past the end", "metadata-malformed", with (octet (255) + "abc")),
      closes ("value past the end", "metadata-malformed", with (octet (1) + "a" + big_endian (2, 4) + "x")),
      closes ("value of 2^31", "metadata-malformed", with (octet (1) + "a" + big_endian (1u << 31, 4) + "x")),
      closes ("an octet left over", "metadata-malformed", with ("x")),
      closes ("10000 properties", "metadata-malformed", with (many)),
      closes ("identity of 256", "identity-malformed",
              with (zmtp_property ("Identity", std::string (256, 'i')))),
      closes ("unknown type", "socket-type-incompatible", zmtp_greeting () + zmtp_ready ("WEAVER")),
      closes ("wrong type", "socket-type-incompatible", zmtp_greeting () + zmtp_ready ("PUB")),
      closes ("empty type", "socket-type-incompatible", zmtp_greeting () + zmtp_ready ("")),
    });
}

// Peers of older versions talk and are heard.
TEST_P (greetings, of_older_versions_are_accepted)
{
    const unsigned type = is_pair () ? 0 : 8;
    run ({
      fine ("2.0", zmtp_signature () + octet (1) + octet (type) + zmtp_frame (0, "")),
      fine ("3.0", zmtp_greeting (3, 0) + ready ()),
    });
    // 1.0 has another framing.
    raw_peer old = raw_peer::connect_to (where);
    ASSERT_TRUE (old.send (octet (1) + octet (0) + octet (6) + octet (0) + "hello"));
    EXPECT_EQ (victim.receive (), "hello");
}

TEST_P (greetings, cut_anywhere_are_a_peer_that_left)
{
    const std::string whole = greeted_and_ready ();
    for (std::size_t size = 0; size < whole.size (); size += size < 12 ? 1 : 7) {
        const std::uint64_t before = lost_so_far ();
        raw_peer peer = raw_peer::connect_to (where);
        ASSERT_TRUE (peer.valid ());
        peer.send (whole.substr (0, size));
        peer.end_output ();
        EXPECT_TRUE (peer.sees_end ());
        ASSERT_TRUE (eventually ([&] { return lost_so_far () > before; })) << size;
    }
    good_goes_on ("cuts");
}

// The same at a socket that dials: the reason is its endpoint's.
TEST_P (greetings, a_dialler_learns_the_reason_too)
{
    const std::vector<hostile_case> cases = {
      closes ("HTTP", "greeting-malformed", "HTTP/1.1 400 Bad Request\r\n\r\n"),
      closes ("CURVE", "mechanism-mismatch", zmtp_greeting (3, 1, "CURVE")),
      closes ("message", "data-before-ready", zmtp_greeting () + zmtp_frame (0, "hello")),
      closes ("wrong type", "socket-type-incompatible", zmtp_greeting () + zmtp_ready ("PUB")),
      closes ("refusal", "refused-by-peer",
              zmtp_greeting () + zmtp_frame (4, std::string ("\5ERROR\3") + "400")),
      closes ("leaves", "peer-closed", zmtp_greeting ()),
    };
    for (const hostile_case &one : cases) {
        const std::string there = tcp_place ();
        const raw_peer listener = raw_peer::listen_at (there);
        socket dialler (own, GetParam ().type);
        dialler.set (ZMQ_RECONNECT_IVL, 5);
        dialler.connect (there);
        raw_peer peer = listener.accept ();
        ASSERT_TRUE (peer.valid ());
        peer.send (one.octets);
        peer.end_output ();
        EXPECT_TRUE (peer.sees_end ()) << one.name;
        ASSERT_TRUE (eventually ([&] { return dialler.status (there).last_reason != 0; })) << one.name;
        EXPECT_EQ (std::string (dialler.status (there).reason_text), one.reason) << one.name;
        // It tries again, and a peer that behaves is welcome.
        raw_peer second = listener.accept ();
        ASSERT_TRUE (second.valid ()) << one.name;
        ASSERT_TRUE (second.shake_hands (peer_name ())) << one.name;
        ASSERT_TRUE (second.send (zmtp_frame (0, "welcome")));
        EXPECT_EQ (dialler.receive (), "welcome") << one.name;
    }
}

}  // namespace
}  // namespace zlink::test
