#include "wire/zws.hpp"

#include <gtest/gtest.h>

#include "wire/test_ws.hpp"

namespace zlink::wire {
namespace {

using namespace test;
using base::close_reason;

constexpr unsigned binary_frame = 0x82;
constexpr unsigned binary_front = 0x02;
constexpr unsigned binary_rest = 0x80;

struct body
{
    std::string octets;
    bool more = false;
    bool command = false;
    bool operator== (const body &) const = default;
};

struct zws_course
{
    std::vector<body> bodies{};
    body begun{};
    bool open = false;
    ws_event_kind end = ws_event_kind::nothing;
    bool operator== (const zws_course &) const = default;
};

void read (zws_course &so_far, zws_reader &reader, std::string octets)
{
    bytes_span in = std::as_writable_bytes (std::span (octets));
    for (;;) {
        const zws_event event = reader.next (in);
        if (event.kind == ws_event_kind::pong)
            continue;
        if (event.kind != ws_event_kind::data) {
            so_far.end = event.kind;
            return;
        }
        EXPECT_EQ (event.begins, !so_far.open);
        if (event.begins)
            so_far.begun = {"", event.more, event.command};
        so_far.begun.octets += as_text (event.payload);
        so_far.open = !event.ends;
        if (event.ends)
            so_far.bodies.push_back (so_far.begun);
    }
}

zws_course read_all (std::string_view octets, std::size_t piece = ~std::size_t{0})
{
    zws_reader reader (ws_role::server, 100, nullptr);
    zws_course course;
    for (; !octets.empty (); octets.remove_prefix (std::min (piece, octets.size ())))
        read (course, reader, std::string (octets.substr (0, piece)));
    return course;
}

std::string encoded (std::string_view text, bool more, bool command, const ws_mask_key *key)
{
    std::array<std::byte, zws_header_bytes_max> out;
    const std::size_t size = encode_zws_header (out.data (), text.size (), more, command, key);
    std::string whole (as_text (bytes_view (out).first (size)));
    whole += text;
    if (key != nullptr)
        ws_mask (std::as_writable_bytes (std::span (whole)).subspan (size), *key, zws_body_phase);
    return whole;
}

// --- sub-protocols -------------------------------------------------------------

TEST (zws, names_of_the_sub_protocols)
{
    for (const auto protocol :
         {zws_protocol::bare, zws_protocol::null, zws_protocol::plain, zws_protocol::curve})
        EXPECT_EQ (zws_protocol_of (zws_protocol_name (protocol)), protocol);
    EXPECT_EQ (zws_protocol_name (zws_protocol::bare), "ZWS2.0");
    EXPECT_EQ (zws_protocol_name (zws_protocol::curve), "ZWS2.0/CURVE");
    EXPECT_EQ (zws_protocol_of ("zws2.0"), std::nullopt);
    EXPECT_EQ (zws_protocol_of ("ZWS1.0"), std::nullopt);
    EXPECT_EQ (mechanism_of (zws_protocol::bare), mechanism_kind::null);
    EXPECT_EQ (mechanism_of (zws_protocol::plain), mechanism_kind::plain);
    EXPECT_EQ (mechanism_of (zws_protocol::curve), mechanism_kind::curve);
}

TEST (zws, what_an_end_speaks_follows_from_its_mechanism)
{
    const auto of = [] (const security &wish) {
        const auto names = zws_protocols (wish);
        return std::vector<std::string_view> (names.begin (), names.end ());
    };
    using names = std::vector<std::string_view>;
    EXPECT_EQ (of ({}), (names{"ZWS2.0/NULL", "ZWS2.0"}));
    EXPECT_EQ (of ({.domain = "d"}), names{"ZWS2.0/NULL"}) << "bare has nobody to be asked about";
    EXPECT_EQ (of ({.mechanism = mechanism_kind::plain}), names{"ZWS2.0/PLAIN"});
    EXPECT_EQ (of ({.mechanism = mechanism_kind::curve}), names{"ZWS2.0/CURVE"});
}

// --- frames --------------------------------------------------------------------

TEST (zws, a_frame_is_a_binary_message_behind_its_flags)
{
    EXPECT_EQ (encoded ("hi", false, false, nullptr), hex ("82 03 00") + "hi");
    EXPECT_EQ (encoded ("hi", true, false, nullptr), hex ("82 03 01") + "hi");
    EXPECT_EQ (encoded ("hi", false, true, nullptr), hex ("82 03 02") + "hi");
    EXPECT_EQ (encoded ("", false, false, nullptr), hex ("82 01 00"));
    EXPECT_EQ (encoded (std::string (125, 'x'), false, false, nullptr),
               hex ("82 7E 007E 00") + std::string (125, 'x'));
    EXPECT_EQ (encoded ("hi", true, false, &book_key), from_client (binary_frame, "\1hi"));
}

TEST (zws, frames_are_read_as_they_were_written)
{
    const zws_course course =
      read_all (encoded ("READY", false, true, &book_key) + encoded ("a", true, false, &book_key)
                + encoded ("", false, false, &book_key));
    EXPECT_EQ (course.bodies,
               (std::vector<body>{{"READY", false, true}, {"a", true, false}, {"", false, false}}));
    EXPECT_EQ (course.end, ws_event_kind::nothing);
}

TEST (zws, flags_may_be_a_fragment_of_their_own)
{
    const zws_course course =
      read_all (from_client (binary_front, octet (1)) + from_client (0, "") + from_client (0, "a")
                + from_client (binary_rest, "b") + from_client (binary_front, "")
                + from_client (binary_rest, octet (0)));
    EXPECT_EQ (course.bodies, (std::vector<body>{{"ab", true, false}, {"", false, false}}));
}

TEST (zws, what_is_no_frame_of_zmtp)
{
    const std::string rows[] = {
      from_client (binary_frame, ""),
      from_client (binary_front, "") + from_client (binary_rest, ""),
      from_client (binary_frame, octet (3) + "x"),
      from_client (binary_frame, octet (4) + "x"),
      from_client (binary_frame, octet (255)),
    };
    for (const std::string &octets : rows) {
        zws_reader reader (ws_role::server, 100, nullptr);
        zws_course course;
        read (course, reader, encoded ("good", false, false, &book_key) + octets);
        EXPECT_EQ (course.bodies.size (), 1U);
        EXPECT_EQ (course.end, ws_event_kind::failed);
        EXPECT_EQ (reader.link ().code (), ws_close_code::protocol_error);
        EXPECT_EQ (reader.link ().reason (), close_reason::frame_malformed);
    }
    zws_reader reader (ws_role::server, 100, nullptr);
    zws_course course;
    read (course, reader, from_client (0x81, octet (0) + "text"));
    EXPECT_EQ (reader.link ().code (), ws_close_code::unsupported_data);
}

TEST (zws, the_limit_is_the_body_s)
{
    EXPECT_EQ (read_all (encoded (std::string (100, 'x'), false, false, &book_key)).bodies.size (), 1U);
    EXPECT_EQ (read_all (encoded (std::string (101, 'x'), false, false, &book_key)).end,
               ws_event_kind::failed);
    zws_reader without (ws_role::server, frame_body_bytes_max, nullptr);
    zws_course course;
    read (course, without, hex ("82 FF 7FFFFFFFFFFFFFFF 00000000 00"));
    EXPECT_EQ (course.end, ws_event_kind::nothing);
    EXPECT_TRUE (course.open);
}

TEST (zws, however_the_octets_are_cut_the_bodies_are_the_same)
{
    const std::string script = encoded ("READY", false, true, &book_key) + from_client (0x89, "ping")
                               + encoded (std::string (90, 'a'), true, false, &book_key)
                               + from_client (binary_front, octet (0) + "b") + from_client (0x8A, "")
                               + from_client (binary_rest, "c") + from_client (binary_frame, "") + "more";
    const zws_course expected = read_all (script);
    EXPECT_EQ (expected.bodies.size (), 3U);
    EXPECT_EQ (expected.end, ws_event_kind::failed);
    for (std::size_t piece = 1; piece < script.size (); ++piece)
        ASSERT_EQ (read_all (script, piece), expected) << piece;
}

}  // namespace
}  // namespace zlink::wire
