#include "tools/zlink/hex.hpp"

#include <gtest/gtest.h>

namespace zlink::tool {
namespace {

TEST (hex, is_read_in_either_case_and_written_in_one)
{
    std::string octets;
    EXPECT_TRUE (from_hex ("00fF 10", octets));
    EXPECT_EQ (octets, std::string ("\0\xff\x10", 3));
    EXPECT_EQ (to_hex (octets), "00ff10");
    EXPECT_TRUE (from_hex ("", octets));
    EXPECT_EQ (octets, "");
}

TEST (hex, is_of_pairs)
{
    std::string octets;
    for (const char *bad : {"0", "0 0", "0g", "g0", "+1", "0x10"})
        EXPECT_FALSE (from_hex (bad, octets)) << bad;
}

}  // namespace
}  // namespace zlink::tool
