// READY and what comes in its place.
#include "hostile/corpus.hpp"
#include "support/raw_peer.hpp"

namespace zlink::test {
namespace {

constexpr std::size_t command_bytes_max = 65'536;
constexpr std::size_t properties_max = 128;

std::string many_properties (std::size_t count)
{
    std::string all;
    for (std::size_t i = 0; i < count; ++i)
        all += zmtp_property ("X-" + std::to_string (i), "");
    return all;
}

// READY with a body of exactly so many octets.
std::string ready_of (std::string_view type, std::size_t body_bytes)
{
    const std::size_t others =
      1 + 5 + zmtp_property ("Socket-Type", type).size () + zmtp_property ("X", "").size ();
    return zmtp_ready (type, zmtp_property ("X", std::string (body_bytes - others, 'v')));
}

void odd_properties (hostile_rows &rows, std::string_view type)
{
    const auto with = [&] (const std::string &name, const std::string &more) {
        rows.push_back (accepts ("property_" + name, zmtp_ready (type, more)));
    };
    with ("unknown", zmtp_property ("X-own", zeros (3)));
    with ("without_a_value", zmtp_property ("X-own", ""));
    with ("name_of_signs", zmtp_property ("X-!#~", "v"));
    with ("name_of_255", zmtp_property (std::string (255, 'n'), "v"));
    with ("resource", zmtp_property ("Resource", "tcp://example.org:1/r"));
    with ("identity_0", zmtp_property ("Identity", ""));
    with ("identity_1", zmtp_property ("Identity", "i"));
    with ("identity_255", zmtp_property ("Identity", std::string (255, 'i')));
    with ("identity_with_leading_zero", zmtp_property ("Identity", zeros (5)));
    with ("count_at_the_limit", many_properties (properties_max - 1));
    rows.push_back (
      accepts ("names_in_another_case", zmtp_frame (4, "\5READY" + zmtp_property ("sOCKET-tYPE", type))));
    rows.push_back (
      accepts ("ready_in_the_long_form",
               octet (6) + big_endian (zmtp_ready (type).size () - 2, 8) + zmtp_ready (type).substr (2)));
    rows.push_back (accepts ("ready_with_reserved_flags", octet (0xF8 | 4) + zmtp_ready (type).substr (1)));
    rows.push_back (accepts ("ready_at_the_limit", ready_of (type, command_bytes_max)));
}

void bad_properties (hostile_rows &rows, std::string_view type)
{
    const auto with = [&] (const std::string &name, const std::string &more) {
        rows.push_back (closes ("property_" + name, "metadata-malformed", zmtp_ready (type, more)));
    };
    with ("type_twice", zmtp_property ("Socket-Type", type));
    with ("type_twice_in_another_case", zmtp_property ("SOCKET-TYPE", type));
    with ("identity_twice", zmtp_property ("Identity", "a") + zmtp_property ("Identity", "a"));
    with ("own_twice", zmtp_property ("X-own", "a") + zmtp_property ("x-OWN", "a"));
    with ("name_of_0", zeros (5));
    with ("name_not_ascii", zmtp_property ("X-\xC3\xA9", "v"));
    with ("name_with_a_nul", zmtp_property (std::string ("X\0", 2), "v"));
    with ("name_past_the_end", octet (255) + "abc");
    with ("without_a_size", octet (1) + "a");
    with ("value_past_the_end", octet (1) + "a" + big_endian (2, 4) + "x");
    with ("value_of_2_31", octet (1) + "a" + big_endian (1u << 31, 4) + "x");
    with ("value_of_2_32", octet (1) + "a" + big_endian (~0u, 4) + "x");
    with ("octet_left_over", "x");
    with ("count_past_the_limit", many_properties (properties_max));
    with ("count_of_5000", many_properties (5'000));
    rows.push_back (closes ("no_properties", "metadata-malformed", zmtp_command ("READY", "")));
    rows.push_back (
      closes ("no_type", "metadata-malformed", zmtp_command ("READY", zmtp_property ("Identity", "i"))));
    for (const std::size_t size : {256u, 60'000u})
        rows.push_back (closes ("identity_" + std::to_string (size), "identity-malformed",
                                zmtp_ready (type, zmtp_property ("Identity", std::string (size, 'i')))));
    for (const auto &[name, said] : {std::pair{"unknown", std::string ("WEAVER")},
                                     {"wrong", std::string (type == "PUB" ? "PULL" : "PUB")},
                                     {"empty", std::string ()},
                                     {"lower_case", std::string ("push")},
                                     {"with_a_nul", std::string (type) + '\0'},
                                     {"long", std::string (10'000, 'P')}})
        rows.push_back (closes (std::string ("type_") + name, "socket-type-incompatible", zmtp_ready (said)));
}

void other_commands (hostile_rows &rows, std::string_view type)
{
    const auto unexpected = [&] (const std::string &name, const std::string &command) {
        rows.push_back (closes (name + "_before_ready", "command-unexpected", command));
    };
    unexpected ("ping", zmtp_command ("PING", zeros (2)));
    unexpected ("pong", zmtp_command ("PONG", ""));
    unexpected ("subscribe", zmtp_command ("SUBSCRIBE", "topic"));
    unexpected ("cancel", zmtp_command ("CANCEL", "topic"));
    unexpected ("join", zmtp_command ("JOIN", "group"));
    unexpected ("leave", zmtp_command ("LEAVE", "group"));
    unexpected ("hello", zmtp_command ("HELLO", zeros (194)));
    unexpected ("welcome", zmtp_command ("WELCOME", ""));
    unexpected ("initiate", zmtp_command ("INITIATE", ""));
    unexpected ("unknown", zmtp_command ("UNKNOWN", "data"));
    unexpected ("name_of_255", zmtp_command (std::string (255, 'N'), ""));
    unexpected ("lower_case_ready", zmtp_command ("ready", zmtp_property ("Socket-Type", type)));
    const auto malformed = [&] (const std::string &name, const std::string &frame) {
        rows.push_back (closes (name + "_before_ready", "command-malformed", frame));
    };
    malformed ("empty_command", zmtp_frame (4, ""));
    malformed ("command_without_a_name", zmtp_frame (4, zeros (3)));
    malformed ("name_past_the_end", zmtp_frame (4, "\6READY"));
    malformed ("name_of_255_past_the_end", zmtp_frame (4, octet (255) + "READY"));
    malformed ("error_without_a_size", zmtp_command ("ERROR", ""));
    malformed ("error_past_the_end", zmtp_command ("ERROR", "\4"
                                                            "400"));
    malformed ("error_with_more_than_it_says", zmtp_command ("ERROR", "\2"
                                                                      "400"));
    malformed ("short_ping", zmtp_command ("PING", zeros (1)));
    rows.push_back (closes ("error", "refused-by-peer",
                            zmtp_command ("ERROR", "\3"
                                                   "bad")));
    rows.push_back (closes ("error_that_is_a_status", "authentication-failed",
                            zmtp_command ("ERROR", "\3"
                                                   "400")));
    rows.push_back (closes ("error_without_a_reason", "refused-by-peer", zmtp_command ("ERROR", zeros (1))));
    rows.push_back (closes ("error_of_255", "refused-by-peer",
                            zmtp_command ("ERROR", octet (255) + std::string (255, '\x07'))));
}

void other_frames (hostile_rows &rows, std::string_view type)
{
    rows.push_back (closes ("message_before_ready", "data-before-ready", zmtp_frame (0, "hello")));
    rows.push_back (closes ("empty_message_before_ready", "data-before-ready", zmtp_frame (0, "")));
    rows.push_back (closes ("part_before_ready", "data-before-ready", zmtp_frame (1, "hello")));
    rows.push_back (
      closes ("huge_message_before_ready", "data-before-ready", octet (2) + big_endian (~0ull >> 1, 8)));
    rows.push_back (closes ("command_with_more_before_ready", "frame-malformed", octet (5) + octet (6)));
    rows.push_back (closes ("command_of_2_63", "frame-malformed", octet (6) + big_endian (1ull << 63, 8)));
    rows.push_back (closes ("command_of_2_64", "frame-malformed", octet (6) + big_endian (~0ull, 8)));
    rows.push_back (closes ("command_endless", "limit-reached", octet (6) + big_endian (~0ull >> 1, 8)));
    rows.push_back (closes ("ready_past_the_limit", "limit-reached", ready_of (type, command_bytes_max + 1)));
    rows.push_back (
      closes ("property_count_of_10000", "limit-reached", zmtp_ready (type, many_properties (10'000))));
    rows.push_back (closes ("identity_65536", "limit-reached",
                            zmtp_ready (type, zmtp_property ("Identity", std::string (65'536, 'i')))));
}

}  // namespace

hostile_rows handshake_rows (std::string_view peer_type)
{
    hostile_rows rows;
    odd_properties (rows, peer_type);
    bad_properties (rows, peer_type);
    other_commands (rows, peer_type);
    other_frames (rows, peer_type);
    const std::string ready = zmtp_ready (peer_type);
    for (std::size_t size = 1; size < ready.size (); ++size)
        rows.push_back (leaves ("ready_cut_at_" + padded (size), ready.substr (0, size)));
    return rows;
}

}  // namespace zlink::test
