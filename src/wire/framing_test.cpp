// Frame headers, octet for octet, and every size around a boundary there and
// back again.
#include "wire/framing.hpp"

#include <array>
#include <vector>

#include <gtest/gtest.h>

#include "wire/test_bytes.hpp"

namespace zlink::wire {
namespace {

using namespace test;

constexpr std::array all_framings = {framing::zmtp_1_0, framing::zmtp_2_0, framing::zmtp_3};

std::string encoded (framing kind, std::uint64_t size, bool more, bool command)
{
    std::array<std::byte, frame_header_bytes_max> out{};
    const std::size_t bytes = encode_frame_header (kind, out.data (), size, more, command);
    return std::string (as_text (bytes_view (out).first (bytes)));
}

head_status decode (framing kind, std::string_view octets, frame_head &out)
{
    return decode_frame_header (kind, as_bytes (octets), out);
}

// Sizes on both sides of every place where something changes.
std::vector<std::uint64_t> interesting_sizes ()
{
    std::vector<std::uint64_t> sizes = {0, 1, 2, 63, 64, 65};
    for (const std::uint64_t edge :
         {std::uint64_t{255}, std::uint64_t{8192}, std::uint64_t{1} << 31, std::uint64_t{1} << 32})
        for (std::uint64_t size = edge - 2; size <= edge + 2; ++size)
            sizes.push_back (size);
    sizes.push_back (frame_body_bytes_max - 1);
    sizes.push_back (frame_body_bytes_max);
    return sizes;
}

TEST (framing, version_3_examples)
{
    EXPECT_EQ (encoded (framing::zmtp_3, 0, false, false), hex ("00 00"));
    EXPECT_EQ (encoded (framing::zmtp_3, 5, false, false), hex ("00 05"));
    EXPECT_EQ (encoded (framing::zmtp_3, 5, true, false), hex ("01 05"));
    EXPECT_EQ (encoded (framing::zmtp_3, 255, false, false), hex ("00 FF"));
    EXPECT_EQ (encoded (framing::zmtp_3, 256, false, false), hex ("02 0000000000000100"));
    EXPECT_EQ (encoded (framing::zmtp_3, 256, true, false), hex ("03 0000000000000100"));
    EXPECT_EQ (encoded (framing::zmtp_3, 41, false, true), hex ("04 29"));
    EXPECT_EQ (encoded (framing::zmtp_3, 300, false, true), hex ("06 000000000000012C"));
}

TEST (framing, version_2_has_no_commands)
{
    EXPECT_EQ (encoded (framing::zmtp_2_0, 3, true, false), hex ("01 03"));
    EXPECT_EQ (encoded (framing::zmtp_2_0, 3, false, true), hex ("00 03"));
    frame_head head;
    ASSERT_EQ (decode (framing::zmtp_2_0, hex ("05 03"), head), head_status::complete);
    EXPECT_FALSE (head.command);
    EXPECT_TRUE (head.more);
    EXPECT_EQ (head.body_size, 3u);
}

TEST (framing, version_1_counts_the_flags)
{
    EXPECT_EQ (encoded (framing::zmtp_1_0, 0, false, false), hex ("01 00"));
    EXPECT_EQ (encoded (framing::zmtp_1_0, 0, true, false), hex ("01 01"));
    EXPECT_EQ (encoded (framing::zmtp_1_0, 253, false, false), hex ("FE 00"));
    EXPECT_EQ (encoded (framing::zmtp_1_0, 254, false, false), hex ("FF 00000000000000FF 00"));
    EXPECT_EQ (encoded (framing::zmtp_1_0, 255, true, false), hex ("FF 0000000000000100 01"));
}

TEST (framing, there_and_back)
{
    for (const framing kind : all_framings) {
        for (const std::uint64_t size : interesting_sizes ()) {
            for (const bool more : {false, true}) {
                for (const bool command : {false, true}) {
                    if (command && (more || kind != framing::zmtp_3))
                        continue;
                    const std::string octets = encoded (kind, size, more, command);
                    frame_head head;
                    ASSERT_EQ (decode (kind, octets, head), head_status::complete) << size;
                    EXPECT_EQ (head.body_size, size);
                    EXPECT_EQ (head.header_bytes, octets.size ());
                    EXPECT_EQ (head.more, more);
                    EXPECT_EQ (head.command, command);
                }
            }
        }
    }
}

TEST (framing, packets_have_four_octets_of_length)
{
    EXPECT_EQ (encoded (framing::packets, 0, false, false), hex ("00000000"));
    EXPECT_EQ (encoded (framing::packets, 258, true, true), hex ("00000102"));
    EXPECT_EQ (encoded (framing::packets, packet_bytes_max, false, false), hex ("FFFFFFFF"));
    frame_head head;
    ASSERT_EQ (decode (framing::packets, hex ("FFFFFFFF 00"), head), head_status::complete);
    EXPECT_EQ (head.body_size, packet_bytes_max);
    EXPECT_EQ (head.header_bytes, 4u);
    EXPECT_FALSE (head.more || head.command);
    for (std::size_t cut = 0; cut < 4; ++cut)
        EXPECT_EQ (decode (framing::packets, hex ("01020304").substr (0, cut), head), head_status::need_more);
}

TEST (framing, raw_bytes_have_no_header)
{
    EXPECT_EQ (encoded (framing::raw, 1'000'000, true, true), "");
    frame_head head;
    EXPECT_EQ (decode (framing::raw, "", head), head_status::need_more);
    for (const std::size_t size : {std::size_t{1}, raw_slice_bytes_max, raw_slice_bytes_max + 1}) {
        ASSERT_EQ (decode (framing::raw, std::string (size, '\5'), head), head_status::complete);
        EXPECT_EQ (head.body_size, std::min (size, raw_slice_bytes_max));
        EXPECT_EQ (head.header_bytes, 0u);
        EXPECT_FALSE (head.more || head.command);
    }
}

TEST (framing, cut_at_every_octet_waits_and_touches_nothing)
{
    for (const framing kind : all_framings) {
        for (const std::uint64_t size : interesting_sizes ()) {
            const std::string octets = encoded (kind, size, true, false);
            for (std::size_t cut = 0; cut < octets.size (); ++cut) {
                frame_head head{77, 77, false, true};
                ASSERT_EQ (decode (kind, octets.substr (0, cut), head), head_status::need_more)
                  << size << ' ' << cut;
                EXPECT_EQ (head.body_size, 77u);
                EXPECT_TRUE (head.command);
            }
        }
    }
}

TEST (framing, what_follows_does_not_matter)
{
    frame_head head;
    ASSERT_EQ (decode (framing::zmtp_3, hex ("00 01 FF FF FF FF FF FF FF FF FF"), head),
               head_status::complete);
    EXPECT_EQ (head.body_size, 1u);
    EXPECT_EQ (head.header_bytes, 2u);
}

// All that there is of two frames in four octets and less, and what is longer.
TEST (framing, a_short_pair_is_what_two_headers_say)
{
    for (const framing kind : {framing::zmtp_2_0, framing::zmtp_3, framing::zmtp_1_0, framing::packets})
        for (unsigned flags = 0; flags < 16; ++flags)
            for (unsigned next_flags = 0; next_flags < 16; ++next_flags)
                for (const unsigned first_bytes : {0u, 1u, 5u, 255u})
                    for (const std::size_t cut : {0u, 1u, 2u, 3u, 1000u}) {
                        std::vector<std::byte> octets = {std::byte (flags), std::byte (first_bytes)};
                        octets.insert (octets.end (), first_bytes, std::byte{'a'});
                        octets.insert (octets.end (), {std::byte (next_flags), std::byte{1}, std::byte{'b'}});
                        octets.erase (octets.end ()
                                        - static_cast<std::ptrdiff_t> (std::min (cut, octets.size ())),
                                      octets.end ());
                        const base::bytes_view all (octets);
                        frame_head one, other;
                        const bool plain = kind <= framing::zmtp_3 && flags == 1 && next_flags == 0
                                           && decode_frame_header (kind, all, one) == head_status::complete
                                           && one.header_bytes + one.body_size <= all.size ()
                                           && decode_frame_header (kind, all.subspan (2 + first_bytes), other)
                                                == head_status::complete
                                           && 4 + first_bytes + other.body_size <= all.size ();
                        short_pair found;
                        EXPECT_EQ (decode_short_pair (kind, all, found), plain);
                        EXPECT_EQ (found.first_bytes, plain ? one.body_size : 0);
                        EXPECT_EQ (found.second_bytes, plain ? other.body_size : 0);
                    }
}

TEST (framing, long_form_of_a_small_size_is_legal)
{
    frame_head head;
    ASSERT_EQ (decode (framing::zmtp_3, hex ("02 0000000000000000"), head), head_status::complete);
    EXPECT_EQ (head.body_size, 0u);
    EXPECT_EQ (head.header_bytes, 9u);
    ASSERT_EQ (decode (framing::zmtp_3, hex ("07 00"), head), head_status::malformed);
    ASSERT_EQ (decode (framing::zmtp_1_0, hex ("FF 0000000000000004 00"), head), head_status::complete);
    EXPECT_EQ (head.body_size, 3u);
}

TEST (framing, reserved_flags_are_ignored)
{
    for (unsigned reserved = 0x08; reserved <= 0xF8; reserved += 8) {
        for (const unsigned flags : {0u, 1u, 4u}) {
            frame_head head;
            ASSERT_EQ (decode (framing::zmtp_3, octet (reserved | flags) + octet (9), head),
                       head_status::complete);
            EXPECT_EQ (head.body_size, 9u);
            EXPECT_EQ (head.more, flags == 1);
            EXPECT_EQ (head.command, flags == 4);
        }
    }
}

TEST (framing, malformed)
{
    frame_head head;
    EXPECT_EQ (decode (framing::zmtp_3, hex ("05 00"), head), head_status::malformed);
    EXPECT_EQ (decode (framing::zmtp_3, hex ("FF 00"), head), head_status::malformed);
    EXPECT_EQ (decode (framing::zmtp_3, hex ("02 8000000000000000"), head), head_status::malformed);
    EXPECT_EQ (decode (framing::zmtp_3, hex ("02 FFFFFFFFFFFFFFFF"), head), head_status::malformed);
    EXPECT_EQ (decode (framing::zmtp_2_0, hex ("03 8000000000000000"), head), head_status::malformed);
    EXPECT_EQ (decode (framing::zmtp_1_0, hex ("00"), head), head_status::malformed);
    EXPECT_EQ (decode (framing::zmtp_1_0, hex ("FF 0000000000000000"), head), head_status::malformed);
    EXPECT_EQ (decode (framing::zmtp_1_0, hex ("FF 8000000000000001"), head), head_status::malformed);
    EXPECT_EQ (decode (framing::zmtp_1_0, hex ("FF 8000000000000000 01"), head), head_status::complete);
}

}  // namespace
}  // namespace zlink::wire
