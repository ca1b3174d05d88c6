#include "tools/decode/zmtp_trace.hpp"

#include <gtest/gtest.h>

#include "wire/command.hpp"
#include "wire/greeting.hpp"
#include "wire/metadata.hpp"

namespace zlink::tool {
namespace {

using bytes = std::vector<std::byte>;

bytes of (std::string_view text)
{
    bytes made;
    for (const char each : text)
        made.push_back (static_cast<std::byte> (each));
    return made;
}

bytes greeting_of (std::string_view mechanism)
{
    bytes made (wire::greeting_bytes);
    made[0] = std::byte{0xFF};
    made[9] = std::byte{0x7F};
    made[10] = std::byte{3};
    made[11] = std::byte{1};
    for (std::size_t i = 0; i < mechanism.size (); ++i)
        made[12 + i] = static_cast<std::byte> (mechanism[i]);
    return made;
}

void append_frame (bytes &to, std::string_view body, bool more)
{
    std::byte head[wire::frame_header_bytes_max];
    const std::size_t size =
      wire::encode_frame_header (wire::framing::zmtp_3, head, body.size (), more, false);
    to.insert (to.end (), head, head + size);
    const bytes octets = of (body);
    to.insert (to.end (), octets.begin (), octets.end ());
}

std::vector<std::string> told (const bytes &octets, std::size_t piece_bytes)
{
    std::vector<std::string> lines;
    zmtp_trace trace ([&] (const std::string &line) { lines.push_back (line); });
    const base::bytes_view all (octets);
    for (std::size_t at = 0; at < all.size (); at += piece_bytes)
        trace.feed (all.subspan (at, std::min (piece_bytes, all.size () - at)));
    trace.finish ();
    return lines;
}

TEST (zmtp_trace, tells_a_conversation)
{
    bytes said = greeting_of ("NULL");
    bytes properties;
    wire::append_property (properties, "Socket-Type", of ("PUSH"));
    wire::append_command_frame (said, wire::make_ready (properties));
    append_frame (said, "topic", true);
    append_frame (said, std::string (300, '\1'), false);
    append_frame (said, "", false);
    wire::append_command_frame (said, wire::make_subscribe (of ("a")));
    wire::append_command_frame (said, wire::make_ping (30, of ("x")));
    const std::vector<std::string> wanted{
      "greeting: ZMTP 3.1, NULL",
      "READY Socket-Type=\"PUSH\"",
      "part, 5 bytes: \"topic\"",
      "message, 300 bytes: " +
        [] {
            std::string digits;
            for (std::size_t i = 0; i < zmtp_trace::shown_bytes_max; ++i)
                digits += "01";
            return digits;
        }()
        + " ...",
      "message, 0 bytes: \"\"",
      "SUBSCRIBE \"a\"",
      "PING, 30 tenths of a second to live, context \"x\"",
    };
    for (const std::size_t piece_bytes : {std::size_t{1}, std::size_t{5}, said.size ()})
        EXPECT_EQ (told (said, piece_bytes), wanted) << piece_bytes;
}

TEST (zmtp_trace, keeps_secrets)
{
    bytes said = greeting_of ("PLAIN");
    const std::string_view hello ("\4\x13\5HELLO\4anna\7secret!", 21);
    const bytes octets = of (hello);
    said.insert (said.end (), octets.begin (), octets.end ());
    const std::vector<std::string> lines = told (said, 3);
    ASSERT_EQ (lines.size (), 2u);
    EXPECT_EQ (lines[1], "HELLO, 13 bytes");
}

TEST (zmtp_trace, knows_older_versions)
{
    const bytes said = of (std::string ("\xff\0\0\0\0\0\0\0\1\x7f\1\7\0\2me\1\1a\0\1b", 22));
    const std::vector<std::string> wanted{"greeting: ZMTP 2.0, PULL", "identity, 2 bytes: \"me\"",
                                          "part, 1 bytes: \"a\"", "message, 1 bytes: \"b\""};
    EXPECT_EQ (told (said, 100), wanted);
}

TEST (zmtp_trace, says_what_is_wrong)
{
    EXPECT_EQ (told (of ("GET / HTTP/1.1\r\n"), 100)[0].find ("HTTP"), 0u);
    EXPECT_EQ (told (of ("\x16\x03\x01 and more"), 100)[0].find ("TLS"), 0u);
    EXPECT_EQ (told (of ("SSH-2.0-x\r\n"), 100)[0].find ("no greeting of ZMTP"), 0u);
    EXPECT_EQ (told (of ("\xff"), 100)[0], "the greeting ends after 1 octets");
    bytes cut = greeting_of ("NULL");
    const bytes claims = of (std::string ("\2\0\0\1\0\0\0\0\0abc", 12));
    cut.insert (cut.end (), claims.begin (), claims.end ());
    EXPECT_EQ (told (cut, 100)[1],
               "the last frame is cut off: 1099511627773 of 1099511627776 octets are missing");
    bytes bad = greeting_of ("NULL");
    bad.push_back (std::byte{5});  // a command with more to come
    bad.push_back (std::byte{0});
    EXPECT_EQ (told (bad, 100)[1].find ("a frame whose head is malformed"), 0u);
}

}  // namespace
}  // namespace zlink::tool
