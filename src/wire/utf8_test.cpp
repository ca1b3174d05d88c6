#include "wire/utf8.hpp"

#include <gtest/gtest.h>

#include "wire/test_bytes.hpp"

namespace zlink::wire {
namespace {

using namespace test;

// Judged by decoding: what a character's octets stand for, 0x110000 for nothing.
unsigned decoded (std::string_view text, std::size_t &at)
{
    constexpr unsigned none = 0x110000;
    const auto octet = [&] (std::size_t i) { return static_cast<unsigned char> (text[i]); };
    const unsigned first = octet (at);
    const unsigned size = first < 0x80       ? 1
                          : first >> 5 == 6  ? 2
                          : first >> 4 == 14 ? 3
                          : first >> 3 == 30 ? 4
                                             : 0;
    if (size == 0 || at + size > text.size ())
        return none;
    unsigned value = size == 1 ? first : first & (0x7FU >> size);
    for (unsigned i = 1; i < size; ++i) {
        if (octet (at + i) >> 6 != 2)
            return none;
        value = value << 6 | (octet (at + i) & 0x3FU);
    }
    at += size;
    constexpr unsigned smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
    return value < smallest[size] || surrogate ? none : value;
}

bool good (std::string_view text)
{
    for (std::size_t at = 0; at < text.size ();)
        if (decoded (text, at) >= 0x110000)
            return false;
    return true;
}

TEST (utf8, all_of_up_to_three_octets_and_the_edges_of_four)
{
    for (unsigned value = 0; value < 1U << 16; ++value) {
        const std::string two = octet (value >> 8) + octet (value & 0xFF);
        ASSERT_EQ (is_utf8 (as_bytes (two)), good (two)) << value;
        for (const unsigned third : {0x00U, 0x7FU, 0x80U, 0xBFU, 0xC0U}) {
            const std::string three = two + octet (third);
            ASSERT_EQ (is_utf8 (as_bytes (three)), good (three)) << value << ' ' << third;
            for (const unsigned fourth : {0x7FU, 0x80U, 0xBFU, 0xC0U}) {
                const std::string four = three + octet (fourth);
                ASSERT_EQ (is_utf8 (as_bytes (four)), good (four)) << value << ' ' << third << ' ' << fourth;
            }
        }
    }
}

TEST (utf8, in_pieces_a_character_that_is_cut_is_not_complete)
{
    const std::string text = "a\u00e9\u20ac\U0001F600z";
    for (std::size_t cut = 0; cut <= text.size (); ++cut) {
        utf8_check check;
        ASSERT_TRUE (check.feed (as_bytes (text.substr (0, cut))));
        EXPECT_EQ (check.complete (), good (text.substr (0, cut))) << cut;
        ASSERT_TRUE (check.feed (as_bytes (text.substr (cut))));
        EXPECT_TRUE (check.complete ());
    }
}

}  // namespace
}  // namespace zlink::wire
