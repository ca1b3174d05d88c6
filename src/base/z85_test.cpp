#include "base/z85.hpp"

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace zlink::base {
namespace {

TEST (z85, encodes_the_example_of_its_specification)
{
    const std::array<std::uint8_t, 8> data = {0x86, 0x4F, 0xD2, 0x6F, 0xB5, 0x59, 0xF7, 0x5B};
    std::array<char, 11> text{};
    ASSERT_TRUE (z85_encode (text.data (), data.data (), data.size ()));
    EXPECT_STREQ (text.data (), "HelloWorld");
    std::array<std::uint8_t, 8> back{};
    ASSERT_TRUE (z85_decode (back.data (), text.data ()));
    EXPECT_EQ (back, data);
}

TEST (z85, empty_is_empty)
{
    char text = 'x';
    ASSERT_TRUE (z85_encode (&text, nullptr, 0));
    EXPECT_EQ (text, '\0');
    EXPECT_TRUE (z85_decode (nullptr, ""));
}

TEST (z85, every_value_of_a_byte_comes_back)
{
    std::vector<std::uint8_t> data (256);
    for (std::size_t i = 0; i < data.size (); ++i)
        data[i] = static_cast<std::uint8_t> (i * 7);
    std::string text (data.size () / 4 * 5 + 1, '?');
    ASSERT_TRUE (z85_encode (text.data (), data.data (), data.size ()));
    std::vector<std::uint8_t> back (data.size ());
    ASSERT_TRUE (z85_decode (back.data (), text.c_str ()));
    EXPECT_EQ (back, data);
}

TEST (z85, refuses_what_does_not_fit)
{
    std::array<char, 32> text{};
    std::array<std::uint8_t, 32> data{};
    for (const std::size_t size : {1U, 2U, 3U, 5U, 7U})
        EXPECT_FALSE (z85_encode (text.data (), data.data (), size)) << size;
    for (const char *wrong : {"a", "abcd", "abcdef", "Hell\"", "Hell ", "Hell\x80", "%nSc1", "#####"})
        EXPECT_FALSE (z85_decode (data.data (), wrong)) << wrong;
    EXPECT_TRUE (z85_decode (data.data (), "%nSc0"));  // 2^32 - 1
    EXPECT_EQ (data[0], 0xFF);
    EXPECT_EQ (data[3], 0xFF);
}

}  // namespace
}  // namespace zlink::base
