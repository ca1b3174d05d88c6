#include "wire/row.hpp"

#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace zlink::wire {
namespace {

using base::as_bytes;
using base::as_text;

std::vector<std::byte> row_of (const std::vector<std::string> &items)
{
    std::vector<std::byte> made;
    for (const std::string &each : items) {
        const std::size_t at = made.size ();
        made.resize (at + row_mark_bytes + each.size ());
        EXPECT_EQ (write_row_item (made.data () + at, as_bytes (each)), made.size () - at);
    }
    return made;
}

TEST (Row, IsReadAsItWasWritten)
{
    const std::vector<std::string> items{"first", "", std::string (row_item_bytes_max, 'x'), "z"};
    const std::vector<std::byte> made = row_of (items);
    bytes_view left = made;
    bytes_view item;
    for (const std::string &each : items) {
        ASSERT_TRUE (take_row_item (left, item));
        EXPECT_EQ (as_text (item), each);
    }
    EXPECT_TRUE (left.empty ());
    EXPECT_FALSE (take_row_item (left, item));
}

TEST (Row, WhatIsCutOffIsNotRead)
{
    const std::vector<std::byte> made = row_of ({"ab", "cde"});
    for (std::size_t size = 0; size < made.size (); ++size) {
        bytes_view left = bytes_view (made).first (size);
        bytes_view item;
        std::size_t read = 0;
        while (take_row_item (left, item))
            ++read;
        EXPECT_EQ (read, size < 4 ? 0U : 1U) << size;
        EXPECT_EQ (left.size (), size < 4 ? size : size - 4) << size;
    }
}

TEST (Row, ItsFrameIsReadAsAnyOther)
{
    for (const std::size_t size : {std::size_t{0}, std::size_t{5}, std::size_t{300}, row_frame_bytes_max}) {
        std::array<std::byte, long_frame_header_bytes> head;
        write_long_frame_header (head.data (), size);
        for (const framing kind : {framing::zmtp_2_0, framing::zmtp_3}) {
            frame_head read;
            ASSERT_EQ (decode_frame_header (kind, head, read), head_status::complete);
            EXPECT_EQ (read.body_size, size);
            EXPECT_EQ (read.header_bytes, long_frame_header_bytes);
            EXPECT_FALSE (read.more || read.command);
        }
    }
}

TEST (Row, OnlyWhatIsInOneHasItsSizeInFront)
{
    const base::joined_part alone{.front = as_bytes ("ab"), .rest = as_bytes ("cde")};
    base::joined_part in_row = alone;
    in_row.row = 1;
    EXPECT_EQ (joined_bytes (alone), 5U);
    EXPECT_EQ (joined_bytes (in_row), 7U);
    std::array<std::byte, 7> to{};
    write_joined (to.data (), alone);
    EXPECT_EQ (as_text (bytes_view (to).first (5)), "abcde");
    write_joined (to.data (), in_row);
    EXPECT_EQ (as_text (to), std::string_view ("ab\0\3cde", 7));
}

TEST (Row, TheNumberIsWrittenIntoTheFrontWhereItIsToStand)
{
    const base::joined_part part{.front = as_bytes ("a........b"),
                                 .rest = as_bytes ("cd"),
                                 .number = 0x0102030405060708,
                                 .number_at = 1};
    std::array<std::byte, 12> to{};
    write_joined (to.data (), part);
    EXPECT_EQ (as_text (to), "a\1\2\3\4\5\6\7\10bcd");
}

}  // namespace
}  // namespace zlink::wire
