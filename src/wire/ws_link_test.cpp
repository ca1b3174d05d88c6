#include "wire/ws_link.hpp"

#include <random>

#include <gtest/gtest.h>

#include "wire/test_ws.hpp"

namespace zlink::wire {
namespace {

using namespace test;
using base::close_reason;

constexpr unsigned final_text = 0x81;
constexpr unsigned final_binary = 0x82;
constexpr unsigned final_rest = 0x80;
constexpr unsigned first_text = 0x01;
constexpr unsigned first_binary = 0x02;
constexpr unsigned middle = 0x00;
constexpr unsigned close_frame = 0x88;
constexpr unsigned ping_frame = 0x89;
constexpr unsigned pong_frame = 0x8A;

struct server : ws_link
{
    explicit server (ws_limits limits = {})
      : ws_link ({.role = ws_role::server, .text_allowed = true, .limits = limits})
    {
    }
};

struct client
{
    base::secret_key seed{};
    ws_mask_keys keys{seed};
    ws_link link{{.role = ws_role::client, .text_allowed = true, .keys = &keys}};
};

using texts = std::vector<std::string>;

// --- the RFC's own examples (6455, 5.7) ----------------------------------------

TEST (ws_link, hello_of_the_rfc_unmasked_to_a_client)
{
    client ours;
    EXPECT_EQ (heard (ours.link, hex ("81 05 48 65 6c 6c 6f")).messages, texts{"T:Hello"});
}

TEST (ws_link, hello_of_the_rfc_masked_to_a_server)
{
    server ours;
    EXPECT_EQ (heard (ours, hex ("81 85 37 fa 21 3d 7f 9f 4d 51 58")).messages, texts{"T:Hello"});
}

TEST (ws_link, fragments_of_the_rfc)
{
    client ours;
    EXPECT_EQ (heard (ours.link, hex ("01 03 48 65 6c") + hex ("80 02 6c 6f")).messages, texts{"T:Hello"});
}

TEST (ws_link, ping_of_the_rfc_and_its_answer)
{
    client from;
    const ws_course course = heard (from.link, hex ("89 05 48 65 6c 6c 6f"));
    server to;
    const ws_course back = heard (to, course.said);
    EXPECT_EQ (back.pongs, texts{"Hello"});
    EXPECT_NE (course.said, hex ("8a 05 48 65 6c 6c 6f")) << "a client masks";
}

TEST (ws_link, each_control_frame_of_a_client_has_a_key_of_its_own)
{
    client from;
    ws_mask_keys same (from.seed);
    for (int i = 0; i < 3; ++i) {
        const ws_course course = heard (from.link, hex ("89 00"));
        const ws_mask_key key = same.next ();
        EXPECT_EQ (course.said, hex ("8a 80") + std::string (as_text (key)));
    }
}

TEST (ws_link, binary_of_256_and_of_65536_octets_of_the_rfc)
{
    client ours;
    const std::string small (256, 'a');
    const std::string large (65536, 'b');
    const ws_course course =
      heard (ours.link, hex ("82 7E 0100") + small + hex ("82 7F 0000000000010000") + large);
    EXPECT_EQ (course.messages, (texts{"B:" + small, "B:" + large}));
}

// --- messages ------------------------------------------------------------------

TEST (ws_link, what_is_known_of_a_message_before_it_is_there)
{
    server ours;
    std::string octets = from_client (first_binary, "abcdef").substr (0, 6 + 2);
    bytes_span in = std::as_writable_bytes (std::span (octets));
    ws_event event = ours.next (in);
    EXPECT_TRUE (event.begins && !event.ends && !event.last_frame);
    EXPECT_EQ (as_text (event.payload), "ab");
    EXPECT_EQ (static_cast<void *> (event.payload.data ()), octets.data () + 6) << "referenced where it lies";
    EXPECT_EQ (event.to_come, 4U);
    octets = from_client (first_binary, "abcdef").substr (8) + from_client (final_rest, "ghi").substr (0, 7);
    in = std::as_writable_bytes (std::span (octets));
    event = ours.next (in);
    EXPECT_TRUE (!event.begins && !event.ends && !event.last_frame);
    EXPECT_EQ (event.to_come, 0U);
    event = ours.next (in);
    EXPECT_TRUE (!event.begins && !event.ends && event.last_frame);
    EXPECT_EQ (event.to_come, 2U);
}

TEST (ws_link, empty_messages_and_empty_fragments)
{
    server ours;
    const ws_course course =
      heard (ours, from_client (final_binary, "") + from_client (first_binary, "") + from_client (middle, "")
                     + from_client (final_rest, "") + from_client (first_binary, "")
                     + from_client (middle, "x") + from_client (final_rest, ""));
    EXPECT_EQ (course.messages, (texts{"B:", "B:", "B:x"}));
}

TEST (ws_link, control_frames_between_fragments)
{
    server ours;
    const ws_course course = heard (ours, from_client (first_binary, "ab") + from_client (ping_frame, "1")
                                            + from_client (middle, "cd") + from_client (pong_frame, "2")
                                            + from_client (final_rest, "e"));
    EXPECT_EQ (course.messages, texts{"B:abcde"});
    EXPECT_EQ (course.pongs, texts{"2"});
    EXPECT_EQ (course.said, from_server (pong_frame, "1"));
}

TEST (ws_link, text_is_utf8_also_where_a_character_is_cut)
{
    server ours;
    const std::string text = "a\u20acb";
    const ws_course course =
      heard (ours, from_client (first_text, text.substr (0, 2)) + from_client (final_rest, text.substr (2)));
    EXPECT_EQ (course.messages, texts{"T:" + text});
}

// --- what is said back ---------------------------------------------------------

TEST (ws_link, of_a_flood_of_pings_the_last_is_answered)
{
    server ours;
    ws_course course;
    for (int i = 0; i < 1000; ++i)
        hear (course, ours, from_client (ping_frame, std::to_string (i)), false);
    EXPECT_TRUE (ours.has_output ());
    EXPECT_EQ (taken (ours), from_server (pong_frame, "999"));
    EXPECT_FALSE (ours.has_output ());
}

TEST (ws_link, the_longest_pong_and_close_fit_in_the_output)
{
    client ours;
    ws_course course;
    hear (course, ours.link, from_server (ping_frame, std::string (125, 'p')), false);
    ours.link.close (ws_close_code::normal, std::string (200, 'r'));
    const std::string said = taken (ours.link);
    EXPECT_EQ (said.size (), ws_output_bytes_max);
    server other;
    const ws_course back = heard (other, said);
    EXPECT_EQ (back.pongs, texts{std::string (125, 'p')});
    EXPECT_EQ (back.end, ws_event_kind::closed);
    EXPECT_EQ (other.text (), std::string (123, 'r'));
}

TEST (ws_link, a_close_is_answered_once_with_its_code)
{
    server ours;
    const ws_course course = heard (ours, from_client (close_frame, hex ("03E9") + "bye") + "more");
    EXPECT_EQ (course.end, ws_event_kind::closed);
    EXPECT_EQ (course.consumed, 6U + 5U) << "what follows a close is left";
    EXPECT_EQ (course.said, from_server (close_frame, hex ("03E9")));
    EXPECT_EQ (ours.code (), ws_close_code::going_away);
    EXPECT_EQ (ours.text (), "bye");
    EXPECT_EQ (ours.reason (), close_reason::peer_closed);
    EXPECT_TRUE (ours.said_close ());
}

TEST (ws_link, a_close_without_a_code_is_answered_without_one)
{
    server ours;
    EXPECT_EQ (heard (ours, from_client (close_frame, "")).said, from_server (close_frame, ""));
    EXPECT_EQ (ours.code (), ws_close_code::no_code);
}

TEST (ws_link, who_closes_first_hears_on_until_the_answer_and_answers_no_more)
{
    server ours;
    ours.close (ws_close_code::normal, "done");
    EXPECT_EQ (taken (ours), from_server (close_frame, hex ("03E8") + "done"));
    const ws_course course = heard (ours, from_client (final_binary, "late") + from_client (ping_frame, "?")
                                            + from_client (close_frame, hex ("03E8")));
    EXPECT_EQ (course.messages, texts{"B:late"});
    EXPECT_EQ (course.end, ws_event_kind::closed);
    EXPECT_EQ (course.said, "");
}

TEST (ws_link, who_refuses_hears_no_more)
{
    server ours;
    ours.refuse (ws_close_code::policy, close_reason::limit_reached, "enough");
    std::string late = from_client (final_binary, "late");
    bytes_span in = std::as_writable_bytes (std::span (late));
    EXPECT_EQ (ours.next (in).kind, ws_event_kind::failed);
    EXPECT_EQ (in.size (), late.size ());
    EXPECT_EQ (taken (ours), from_server (close_frame, hex ("03F0") + "enough"));
    EXPECT_EQ (ours.reason (), close_reason::limit_reached);
}

// --- violations ----------------------------------------------------------------

struct violation
{
    const char *name;
    std::string octets;
    ws_close_code code;
    close_reason reason = close_reason::frame_malformed;
};

std::vector<violation> violations ()
{
    const auto protocol = ws_close_code::protocol_error;
    const auto text = ws_close_code::malformed_text;
    const std::string begun = from_client (first_binary, "x");
    return {
      {"not masked", from_server (final_binary, "x"), protocol},
      {"a reserved bit", from_client (0xC2, "x"), protocol},
      {"a reserved opcode", from_client (0x83, "x"), protocol},
      {"a reserved control opcode", from_client (0x8B, "x"), protocol},
      {"a control frame in fragments", from_client (0x09, "x"), protocol},
      {"a long control frame", from_client (ping_frame, std::string (126, 'x')), protocol},
      {"a size in too long a form", hex ("82 FE 0001 00000000 00"), protocol},
      {"a size of 2^63", hex ("82 FF 8000000000000000 00000000"), protocol},
      {"a message inside another", begun + from_client (final_binary, "x"), protocol},
      {"a text inside another", begun + from_client (final_text, "x"), protocol},
      {"a continuation of nothing", from_client (final_rest, "x"), protocol},
      {"a continuation behind the end", begun + from_client (final_rest, "") + from_client (middle, ""),
       protocol},
      {"a text that is not UTF-8", from_client (final_text, hex ("C0AF")), text},
      {"a text that is cut", from_client (final_text, hex ("E282")), text},
      {"a text of fragments that is cut",
       from_client (first_text, hex ("E282")) + from_client (final_rest, ""), text},
      {"a close of one octet", from_client (close_frame, "x"), protocol},
      {"a close with a code of nobody's", from_client (close_frame, hex ("03ED")), protocol},
      {"a close with a reason that is no text", from_client (close_frame, hex ("03E8 FF")), text},
      {"too large", from_client (final_binary, std::string (1001, 'x')), ws_close_code::too_big,
       close_reason::message_too_large},
      {"too large together",
       from_client (first_binary, std::string (900, 'x')) + from_client (middle, std::string (101, 'x')),
       ws_close_code::too_big, close_reason::message_too_large},
      {"too large to be believed", hex ("82 FF 7FFFFFFFFFFFFFFF 00000000"), ws_close_code::too_big,
       close_reason::message_too_large},
      {"too large to be counted", begun + hex ("80 FF 7FFFFFFFFFFFFFFF 00000000"), ws_close_code::too_big,
       close_reason::message_too_large},
      {"too many fragments",
       begun + from_client (middle, "") + from_client (middle, "") + from_client (middle, "")
         + from_client (middle, ""),
       ws_close_code::policy, close_reason::too_many_frames},
    };
}

const ws_limits narrow = {.message_bytes_max = 1000, .fragments_max = 4};

TEST (ws_link, each_violation_has_its_code_and_the_good_in_front_of_it_counts)
{
    for (const violation &row : violations ()) {
        server ours (narrow);
        const ws_course course = heard (ours, from_client (final_binary, "good") + row.octets);
        EXPECT_EQ (course.messages.at (0), "B:good") << row.name;
        EXPECT_EQ (course.messages.size () > 1, row.octets.ends_with (from_client (middle, ""))
                                                  && row.code == ws_close_code::protocol_error)
          << row.name;
        EXPECT_EQ (course.end, ws_event_kind::failed) << row.name;
        EXPECT_EQ (ours.code (), row.code) << row.name;
        EXPECT_EQ (ours.reason (), row.reason) << row.name;
        EXPECT_EQ (course.said, from_server (close_frame, be (static_cast<unsigned> (row.code), 2)
                                                            + std::string (ours.text ())))
          << row.name;
    }
}

TEST (ws_link, what_is_just_within_the_limits)
{
    server ours (narrow);
    const ws_course course =
      heard (ours, from_client (final_binary, std::string (1000, 'x'))
                     + from_client (first_binary, std::string (999, 'y')) + from_client (middle, "")
                     + from_client (middle, "") + from_client (final_rest, "z"));
    EXPECT_EQ (course.messages.size (), 2U);
    EXPECT_EQ (course.end, ws_event_kind::nothing);
}

TEST (ws_link, text_where_only_binary_is_taken)
{
    ws_link ours ({.role = ws_role::server});
    EXPECT_EQ (heard (ours, from_client (final_text, "x")).end, ws_event_kind::failed);
    EXPECT_EQ (ours.code (), ws_close_code::unsupported_data);
}

TEST (ws_link, a_server_that_masks)
{
    client ours;
    EXPECT_EQ (heard (ours.link, from_client (final_binary, "x")).end, ws_event_kind::failed);
    EXPECT_EQ (ours.link.code (), ws_close_code::protocol_error);
}

// --- however it is cut ---------------------------------------------------------

std::vector<std::string> scripts ()
{
    std::vector<std::string> all = {
      from_client (final_binary, "one") + from_client (first_binary, "t") + from_client (ping_frame, "ping")
        + from_client (middle, "") + from_client (final_rest, std::string (300, 'w'))
        + from_client (pong_frame, "") + from_client (final_text, "caf\u00e9")
        + from_client (close_frame, hex ("03E8") + "bye") + "rest",
    };
    for (const violation &row : violations ())
        all.push_back (from_client (final_binary, "good") + row.octets + from_client (final_binary, "never"));
    return all;
}

TEST (ws_link, however_the_octets_are_cut_the_events_are_the_same)
{
    std::mt19937 dice (7);
    for (const std::string &script : scripts ()) {
        server whole (narrow);
        const ws_course expected = heard (whole, script);
        ASSERT_TRUE (expected.in_order);
        for (std::size_t cut = 0; cut <= script.size (); ++cut) {
            server ours (narrow);
            ws_course course;
            hear (course, ours, script.substr (0, cut));
            hear (course, ours, script.substr (cut));
            ASSERT_EQ (course, expected) << cut;
        }
        for (int round = 0; round < 20; ++round) {
            server ours (narrow);
            ws_course course;
            for (std::size_t at = 0; at < script.size ();) {
                const std::size_t size = dice () % 9;
                hear (course, ours, script.substr (at, size));
                at += size;
            }
            ASSERT_EQ (course, expected);
            ASSERT_EQ (ours.code (), whole.code ());
        }
        server by_octets (narrow);
        ASSERT_EQ (heard (by_octets, script, 1), expected);
    }
}

}  // namespace
}  // namespace zlink::wire
