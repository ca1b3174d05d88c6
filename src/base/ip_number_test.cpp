#include "base/ip_number.hpp"

#include <string>

#include <gtest/gtest.h>

namespace zlink::base {
namespace {

std::string shown (std::string_view text)
{
    const auto number = parse_ip_number (text);
    if (!number)
        return "none";
    std::string out;
    for (const std::byte each : number->octets) {
        constexpr std::string_view digits = "0123456789abcdef";
        out += digits[std::to_integer<unsigned> (each) >> 4];
        out += digits[std::to_integer<unsigned> (each) & 15];
    }
    return out;
}

bool holds (std::string_view range, std::string_view number)
{
    const auto all = parse_ip_range (range);
    const auto one = parse_ip_number (number);
    return all && one && all->holds (*one);
}

TEST (ip_number, of_version_four_stands_in_its_mapped_form)
{
    EXPECT_EQ (shown ("127.0.0.1"), "00000000000000000000ffff7f000001");
    EXPECT_EQ (shown ("255.255.255.255"), "00000000000000000000ffffffffffff");
    EXPECT_EQ (shown ("0.0.0.0"), "00000000000000000000ffff00000000");
    EXPECT_EQ (parse_ip_number ("1.2.3.4"), parse_ip_number ("::ffff:1.2.3.4"));
    EXPECT_TRUE (parse_ip_number ("::ffff:0102:0304")->is_v4 ());
    EXPECT_FALSE (parse_ip_number ("::1")->is_v4 ());
}

TEST (ip_number, of_version_six)
{
    EXPECT_EQ (shown ("::"), std::string (32, '0'));
    EXPECT_EQ (shown ("::1"), std::string (31, '0') + '1');
    EXPECT_EQ (shown ("1::"), "0001" + std::string (28, '0'));
    EXPECT_EQ (shown ("2001:DB8::a:7"), "20010db80000000000000000000a0007");
    EXPECT_EQ (shown ("1:2:3:4:5:6:7:8"), "00010002000300040005000600070008");
    EXPECT_EQ (shown ("1:2:3:4:5:6:7::"), "00010002000300040005000600070000");
    EXPECT_EQ (shown ("1:2:3:4:5:6:9.8.7.6"), "00010002000300040005000609080706");
    EXPECT_EQ (shown ("64:ff9b::9.8.7.6"), "0064ff9b000000000000000009080706");
}

TEST (ip_number, nothing_else_is_one)
{
    for (const char *text : {"",
                             ".",
                             ":",
                             "1",
                             "1.2.3",
                             "1.2.3.4.5",
                             "1.2.3.",
                             "1..3.4",
                             "1.2.3.256",
                             "01.2.3.4",
                             "1.2.3.4 ",
                             " 1.2.3.4",
                             "0x1.2.3.4",
                             "1.2.3.a",
                             ":::",
                             "1:::2",
                             "1::2::3",
                             "1:2:3:4:5:6:7",
                             ":1:2:3:4:5:6:7:8",
                             "1:2:3:4:5:6:7:8:",
                             "1:2:3:4:5:6:7:8:9",
                             "1:2:3:4:5:6:7:8::",
                             "12345::",
                             "g::",
                             "::1.2.3",
                             "1.2.3.4::",
                             "::1.2.3.4:5",
                             "1:2:3:4:5:6:7:1.2.3.4",
                             "::1%lo",
                             "[::1]",
                             "localhost",
                             "1:2:3:4:5:6:7::8"})
        EXPECT_EQ (shown (text), "none") << text;
}

TEST (ip_range, a_number_alone_is_itself)
{
    EXPECT_TRUE (holds ("127.0.0.1", "127.0.0.1"));
    EXPECT_FALSE (holds ("127.0.0.1", "127.0.0.2"));
    EXPECT_TRUE (holds ("::1", "::1"));
    EXPECT_FALSE (holds ("::1", "::2"));
    EXPECT_TRUE (holds ("127.0.0.1/32", "127.0.0.1"));
    EXPECT_TRUE (holds ("::1/128", "::1"));
}

// At every length a number whose last bit that counts differs is out, and one
// whose next bit differs is in.
TEST (ip_range, counts_exactly_its_bits)
{
    for (unsigned bits = 0; bits <= 128; ++bits) {
        const auto range = parse_ip_range ("::/" + std::to_string (bits));
        ASSERT_TRUE (range);
        for (unsigned at = 0; at < 128; ++at) {
            ip_number one;
            one.octets[at / 8] = static_cast<std::byte> (0x80U >> at % 8);
            EXPECT_EQ (range->holds (one), at >= bits) << bits << ' ' << at;
        }
    }
    EXPECT_TRUE (holds ("10.0.0.0/8", "10.255.1.2"));
    EXPECT_FALSE (holds ("10.0.0.0/8", "11.0.0.0"));
    EXPECT_TRUE (holds ("10.1.2.3/8", "10.255.1.2"));  // the rest of the number does not count
    EXPECT_TRUE (holds ("0.0.0.0/0", "203.0.113.9"));
    EXPECT_FALSE (holds ("0.0.0.0/0", "2001:db8::1"));
    EXPECT_TRUE (holds ("::/0", "203.0.113.9"));
    EXPECT_TRUE (holds ("10.0.0.0/8", "::ffff:10.9.8.7"));
}

TEST (ip_range, nothing_else_is_one)
{
    for (const char *text : {"", "/", "/8", "1.2.3.4/", "1.2.3.4/33", "::/129", "::/1000", "1.2.3.4/8/8",
                             "1.2.3.4/+8", "1.2.3.4/ 8", "1.2.3.4/0x8", "lo/8", "::1%lo/64"})
        EXPECT_FALSE (parse_ip_range (text)) << text;
}

}  // namespace
}  // namespace zlink::base
