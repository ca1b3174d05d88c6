// Frames of messages behind READY.
#include "hostile/corpus.hpp"
#include "support/raw_peer.hpp"
#include "support/sockets.hpp"

namespace zlink::test {
namespace {

using message = std::vector<std::string>;

constexpr std::size_t parts_max = 1'000'000;

std::string in_long_form (unsigned flags, const std::string &body)
{
    return octet (flags | 2) + big_endian (body.size (), 8) + body;
}

void sizes (hostile_rows &rows)
{
    for (const std::size_t size : {0u, 1u, 254u, 255u})
        rows.push_back (
          accepts ("short_of_" + std::to_string (size), zmtp_frame (0, pattern (size)), {{pattern (size)}}));
    for (const std::size_t size : {0u, 1u, 255u, 256u, 8191u, 8192u, 8193u, 65'535u, 65'536u, 300'000u})
        rows.push_back (
          accepts ("long_of_" + std::to_string (size), in_long_form (0, pattern (size)), {{pattern (size)}}));
    // What is announced and never comes.
    rows.push_back (leaves ("of_2_31_less_1", octet (2) + big_endian ((1ull << 31) - 1, 8) + "begun"));
    rows.push_back (leaves ("of_2_31", octet (2) + big_endian (1ull << 31, 8) + "begun"));
    rows.push_back (leaves ("of_2_32", octet (2) + big_endian (1ull << 32, 8) + "begun"));
    rows.push_back (closes ("of_2_63_less_1", "out-of-memory", octet (2) + big_endian (~0ull >> 1, 8)));
    rows.push_back (closes ("of_2_63", "frame-malformed", octet (2) + big_endian (1ull << 63, 8)));
    rows.push_back (closes ("of_2_64_less_1", "frame-malformed", octet (2) + big_endian (~0ull, 8)));
}

void flags (hostile_rows &rows)
{
    std::string octets;
    std::vector<message> all;
    for (unsigned reserved = 0x08; reserved <= 0xF8; reserved += 8) {
        octets += octet (reserved) + octet (2) + "hi" + octet (reserved | 2) + big_endian (2, 8) + "ho";
        all.insert (all.end (), {{"hi"}, {"ho"}});
    }
    rows.push_back (accepts ("reserved_flags", octets, all));
    rows.push_back (accepts ("reserved_flags_of_parts",
                             octet (0x81) + octet (1) + "a" + octet (0x40) + octet (1) + "b", {{"a", "b"}}));
    for (const unsigned flag : {5u, 0xFDu})
        rows.push_back (
          closes ("command_with_more_" + std::to_string (flag), "frame-malformed", octet (flag) + octet (6)));
    for (const unsigned flag : {7u, 0xFFu})
        rows.push_back (closes ("long_command_with_more_" + std::to_string (flag), "frame-malformed",
                                octet (flag) + big_endian (6, 8)));
}

void multiparts (hostile_rows &rows)
{
    message empty_parts (100'001);
    rows.push_back (accepts ("of_100000_empty_parts",
                             repeated (zmtp_frame (1, ""), 100'000) + zmtp_frame (0, ""), {empty_parts}));
    rows.push_back (
      closes ("of_parts_past_the_limit", "too-many-frames", repeated (zmtp_frame (1, ""), parts_max + 1)));
    rows.push_back (leaves ("of_parts_without_end", repeated (zmtp_frame (1, "part"), 1000)));
    rows.push_back (accepts (
      "command_between_parts",
      zmtp_frame (1, "a") + zmtp_command ("PING", zeros (2) + "ctx") + zmtp_frame (0, "b"), {{"a", "b"}}));
    rows.push_back (closes ("bad_command_between_parts", "command-malformed",
                            zmtp_frame (1, "a") + zmtp_frame (4, "") + zmtp_frame (0, "b")));
    rows.push_back (
      closes ("bad_frame_between_parts", "frame-malformed", zmtp_frame (1, "a") + octet (5) + octet (0)));
    hostile_row third = closes ("bad_third", "frame-malformed",
                                zmtp_frame (0, "one") + zmtp_frame (0, "two") + octet (5) + octet (0));
    third.delivered = {{"one"}, {"two"}};
    rows.push_back (third);
}

void limited (hostile_rows &rows)
{
    constexpr std::size_t limit = 100;
    const auto add = [&] (hostile_row row) {
        row.message_bytes_max = limit;
        rows.push_back (std::move (row));
    };
    for (const std::size_t size : {limit - 1, limit}) {
        add (accepts ("limited_of_" + std::to_string (size), zmtp_frame (0, pattern (size)),
                      {{pattern (size)}}));
        add (accepts ("limited_parts_of_" + std::to_string (size),
                      zmtp_frame (1, pattern (size)) + zmtp_frame (0, pattern (size)),
                      {{pattern (size), pattern (size)}}));
    }
    hostile_row none =
      closes ("limited_to_nothing", "message-too-large", zmtp_frame (0, "") + zmtp_frame (0, "x"));
    none.delivered = {{""}};
    none.message_bytes_max = 0;
    rows.push_back (std::move (none));
    add (closes ("limited_past", "message-too-large", zmtp_frame (0, pattern (limit + 1))));
    add (
      closes ("limited_past_in_the_long_form", "message-too-large", in_long_form (0, pattern (limit + 1))));
    add (closes ("limited_part_past", "message-too-large",
                 zmtp_frame (1, "a") + zmtp_frame (0, pattern (limit + 1))));
    add (closes ("limited_endless", "message-too-large", octet (2) + big_endian (~0ull >> 1, 8)));
    add (closes ("limited_command_past", "message-too-large", zmtp_command ("SUBSCRIBE", pattern (limit))));
}

// Of parts in the long form and with a command between them every beginning;
// nothing of it is a message yet.
void cuts_of_parts (hostile_rows &rows)
{
    const std::string whole = in_long_form (1, "part") + zmtp_command ("PING", zeros (2) + "ctx")
                              + in_long_form (1, "next") + zmtp_frame (0, "last");
    for (std::size_t size = 1; size < whole.size (); ++size)
        rows.push_back (leaves ("parts_cut_at_" + padded (size), whole.substr (0, size)));
}

// Of a message, and one of two parts, every beginning up to the octets of a
// large body, of which some do.
void cuts (hostile_rows &rows)
{
    const std::string first = zmtp_frame (0, "first");
    const std::string whole = first + zmtp_frame (1, "part") + zmtp_frame (0, pattern (300));
    for (std::size_t size = 0; size <= whole.size (); size += size < 30 ? 1 : 28) {
        hostile_row row = leaves ("cut_at_" + padded (size), whole.substr (0, size));
        if (size >= first.size ())
            row.delivered.push_back ({"first"});
        rows.push_back (std::move (row));
    }
    hostile_row row = leaves ("cut_behind_the_last", whole);
    row.delivered = {{"first"}, {"part", pattern (300)}};
    rows.push_back (std::move (row));
}

}  // namespace

hostile_rows frame_rows ()
{
    hostile_rows rows;
    sizes (rows);
    flags (rows);
    multiparts (rows);
    limited (rows);
    cuts (rows);
    cuts_of_parts (rows);
    return rows;
}

}  // namespace zlink::test
