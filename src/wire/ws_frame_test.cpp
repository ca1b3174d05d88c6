#include "wire/ws_frame.hpp"

#include <array>

#include <gtest/gtest.h>

#include "wire/test_bytes.hpp"

namespace zlink::wire {
namespace {

using namespace test;

std::string encoded (const ws_head &head)
{
    std::array<std::byte, ws_header_bytes_max> out;
    return std::string (as_text (bytes_view (out).first (encode_ws_header (out.data (), head))));
}

ws_head head_of (std::uint64_t size)
{
    ws_head head;
    head.payload_bytes = size;
    return head;
}

head_status status_of (std::string_view octets)
{
    ws_head head;
    return decode_ws_header (as_bytes (octets), head);
}

// --- the RFC's own frames (6455, 5.7) ------------------------------------------

struct book_row
{
    std::string octets;
    ws_opcode opcode;
    bool final;
    bool masked;
    std::uint64_t size;
};

TEST (ws_frame, headers_of_the_rfc)
{
    const book_row rows[] = {
      {hex ("81 05"), ws_opcode::text, true, false, 5},
      {hex ("81 85 37 fa 21 3d"), ws_opcode::text, true, true, 5},
      {hex ("01 03"), ws_opcode::text, false, false, 3},
      {hex ("80 02"), ws_opcode::continuation, true, false, 2},
      {hex ("89 05"), ws_opcode::ping, true, false, 5},
      {hex ("8a 85 37 fa 21 3d"), ws_opcode::pong, true, true, 5},
      {hex ("82 7E 0100"), ws_opcode::binary, true, false, 256},
      {hex ("82 7F 0000000000010000"), ws_opcode::binary, true, false, 65536},
    };
    for (const book_row &row : rows) {
        ws_head head;
        ASSERT_EQ (decode_ws_header (as_bytes (row.octets + "Hello"), head), head_status::complete);
        EXPECT_EQ (head.opcode, row.opcode);
        EXPECT_EQ (head.final, row.final);
        EXPECT_EQ (head.masked, row.masked);
        EXPECT_EQ (head.payload_bytes, row.size);
        EXPECT_EQ (head.header_bytes, row.octets.size ());
        EXPECT_EQ (encoded (head), row.octets);
    }
}

TEST (ws_frame, a_masked_pong_of_the_rfc)
{
    std::array<std::byte, ws_control_frame_bytes_max> out;
    const ws_mask_key key = {std::byte{0x37}, std::byte{0xfa}, std::byte{0x21}, std::byte{0x3d}};
    const std::size_t size = encode_ws_control (out.data (), ws_opcode::pong, as_bytes ("Hello"), &key);
    EXPECT_EQ (as_text (bytes_view (out).first (size)), hex ("8a 85 37 fa 21 3d 7f 9f 4d 51 58"));
}

// --- headers -------------------------------------------------------------------

TEST (ws_frame, sizes_are_written_in_their_shortest_form_and_read_again)
{
    const std::pair<std::uint64_t, std::size_t> rows[] = {
      {0, 2},
      {1, 2},
      {125, 2},
      {126, 4},
      {255, 4},
      {65535, 4},
      {65536, 10},
      {std::uint64_t{1} << 32, 10},
      {(std::uint64_t{1} << 63) - 1, 10},
    };
    for (const auto &[size, header_bytes] : rows) {
        const std::string octets = encoded (head_of (size));
        EXPECT_EQ (octets.size (), header_bytes) << size;
        ws_head head;
        ASSERT_EQ (decode_ws_header (as_bytes (octets), head), head_status::complete) << size;
        EXPECT_EQ (head.payload_bytes, size);
        for (std::size_t shorter = 0; shorter < octets.size (); ++shorter)
            EXPECT_EQ (status_of (octets.substr (0, shorter)), head_status::need_more) << size;
    }
}

TEST (ws_frame, what_no_header_may_be)
{
    const std::string rows[] = {
      hex ("C2"),  // reserved bits
      hex ("A2"),
      hex ("92"),
      hex ("83"),  // reserved opcodes
      hex ("87"),
      hex ("8B"),
      hex ("8F"),
      hex ("09"),  // a control frame in fragments
      hex ("08"),
      hex ("89 7E"),  // or too long
      hex ("88 FF"),
      hex ("82 7E 007D"),  // longer forms than needed
      hex ("82 FE 0000"),
      hex ("82 7F 000000000000FFFF"),
      hex ("82 7F 0000000000000000"),
      hex ("82 7F 80"),  // 2^63 and more
      hex ("82 FF FF"),
    };
    for (const std::string &octets : rows) {
        EXPECT_EQ (status_of (octets), head_status::malformed) << octets;
        EXPECT_EQ (status_of (octets + zeros (14)), head_status::malformed) << octets;
        EXPECT_EQ (status_of (octets.substr (0, octets.size () - 1)), head_status::need_more) << octets;
    }
}

// --- control frames ------------------------------------------------------------

std::string close_payload (ws_close_code code, std::string_view reason)
{
    std::array<std::byte, ws_control_bytes_max> out;
    return std::string (as_text (bytes_view (out).first (encode_ws_close (out.data (), code, reason))));
}

TEST (ws_frame, a_control_frame_is_cut_at_its_limit)
{
    std::array<std::byte, ws_control_frame_bytes_max> out;
    const std::size_t size =
      encode_ws_control (out.data (), ws_opcode::ping, as_bytes (std::string (126, 'x')), nullptr);
    EXPECT_EQ (as_text (bytes_view (out).first (size)), hex ("89 7D") + std::string (125, 'x'));
}

TEST (ws_frame, a_close_has_a_code_and_a_reason)
{
    EXPECT_EQ (close_payload (ws_close_code::normal, ""), hex ("03E8"));
    EXPECT_EQ (close_payload (ws_close_code::too_big, "big"), hex ("03F1") + "big");
    EXPECT_EQ (close_payload (ws_close_code::no_code, "nothing"), "");
    EXPECT_EQ (close_payload (ws_close_code::abnormal, ""), "");
}

TEST (ws_frame, a_reason_is_cut_between_characters)
{
    EXPECT_EQ (close_payload (ws_close_code::normal, std::string (200, 'x')).size (), ws_control_bytes_max);
    const std::string euros = [] {
        std::string text = "xx";
        for (int i = 0; i < 60; ++i)
            text += "\u20ac";
        return text;
    }();
    const std::string cut = close_payload (ws_close_code::normal, euros);
    EXPECT_EQ (cut.size (), 2U + 122U);
    ws_close_payload read;
    ws_close_code answer{};
    EXPECT_TRUE (decode_ws_close (as_bytes (cut), read, answer));
    EXPECT_EQ (as_text (read.reason), euros.substr (0, 122));
}

TEST (ws_frame, what_a_close_may_carry)
{
    ws_close_payload read;
    ws_close_code answer{};
    EXPECT_TRUE (decode_ws_close ({}, read, answer));
    EXPECT_EQ (read.code, ws_close_code::no_code);
    const std::string leaving = hex ("03E9") + "by\u00e9";
    EXPECT_TRUE (decode_ws_close (as_bytes (leaving), read, answer));
    EXPECT_EQ (read.code, ws_close_code::going_away);
    EXPECT_EQ (as_text (read.reason), "by\u00e9");

    EXPECT_FALSE (decode_ws_close (as_bytes (hex ("03")), read, answer));
    EXPECT_EQ (answer, ws_close_code::protocol_error);
    EXPECT_FALSE (decode_ws_close (as_bytes (hex ("03E8 C3")), read, answer));
    EXPECT_EQ (answer, ws_close_code::malformed_text);
}

TEST (ws_frame, codes_that_may_be_sent)
{
    for (const unsigned code :
         {1000U, 1001U, 1002U, 1003U, 1007U, 1008U, 1009U, 1010U, 1011U, 1014U, 3000U, 4999U})
        EXPECT_TRUE (may_be_sent (static_cast<ws_close_code> (code))) << code;
    for (const unsigned code : {0U, 999U, 1004U, 1005U, 1006U, 1015U, 1016U, 2999U, 5000U, 65535U}) {
        EXPECT_FALSE (may_be_sent (static_cast<ws_close_code> (code))) << code;
        ws_close_payload read;
        ws_close_code answer{};
        EXPECT_FALSE (decode_ws_close (as_bytes (be (code, 2)), read, answer)) << code;
        EXPECT_EQ (answer, ws_close_code::protocol_error);
    }
}

}  // namespace
}  // namespace zlink::wire
