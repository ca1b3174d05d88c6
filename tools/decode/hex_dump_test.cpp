#include "tools/decode/hex_dump.hpp"

#include <gtest/gtest.h>

namespace zlink::tool {
namespace {

std::vector<std::byte> octets_of (std::string_view text)
{
    std::vector<std::byte> made;
    for (const char each : text)
        made.push_back (static_cast<std::byte> (each));
    return made;
}

void expect_read (std::string_view dump, std::string_view wanted)
{
    std::vector<std::byte> read;
    std::size_t bad_line = 0;
    EXPECT_TRUE (read_hex_dump (dump, read, bad_line)) << dump << " line " << bad_line;
    EXPECT_EQ (read, octets_of (wanted)) << dump;
}

TEST (hex_dump, is_bare_or_has_offsets_and_text)
{
    expect_read ("", "");
    expect_read ("6162\n63 64\r\n", "abcd");
    expect_read ("61626364\n65666768\n", "abcdefgh");
    expect_read ("00000000: 6162 6364 0a                             abcd.\n00000005: 65  e\n", "abcd\ne");
    expect_read ("00000000  61 62 63 64 65 66 67 68  69 6a                    |abcdefghij|\n0000000a\n",
                 "abcdefghij");
}

TEST (hex_dump, names_the_line_that_is_none)
{
    std::vector<std::byte> read;
    for (const char *dump : {"61\n6\n", "61\n6x\n", "61\nhello\n"}) {
        std::size_t bad_line = 0;
        EXPECT_FALSE (read_hex_dump (dump, read, bad_line)) << dump;
        EXPECT_EQ (bad_line, 2u) << dump;
    }
}

}  // namespace
}  // namespace zlink::tool
