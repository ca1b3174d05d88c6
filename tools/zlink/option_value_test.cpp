#include "tools/zlink/option_value.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <zlink/zlink.h>

namespace zlink::tool {
namespace {

option_value read_back (std::string_view text)
{
    option_value found;
    std::string why;
    EXPECT_TRUE (read_option (text, found, why)) << why;
    return found;
}

std::string refusal (std::string_view text)
{
    option_value found;
    std::string why;
    EXPECT_FALSE (read_option (text, found, why));
    return why;
}

template <class T> T number_in (const option_value &of)
{
    T number{};
    EXPECT_EQ (of.bytes.size (), sizeof (T));
    std::memcpy (&number, of.bytes.data (), std::min (sizeof (T), of.bytes.size ()));
    return number;
}

TEST (option_value, has_the_type_of_its_option)
{
    EXPECT_EQ (read_back ("SNDHWM=10").number, ZLINK_SNDHWM);
    EXPECT_EQ (number_in<int> (read_back ("zlink_sndhwm=10")), 10);
    EXPECT_EQ (number_in<int> (read_back ("linger=-1")), -1);
    EXPECT_EQ (number_in<std::int64_t> (read_back ("MAXMSGSIZE=5000000000")), 5'000'000'000);
    EXPECT_EQ (number_in<std::uint64_t> (read_back ("AFFINITY=3")), 3U);
    EXPECT_EQ (read_back ("PLAIN_USERNAME=a=b").bytes, "a=b");
    EXPECT_EQ (read_back ("ROUTING_ID=me").bytes, "me");
    EXPECT_EQ (read_back ("ROUTING_ID=hex:00ff").bytes, std::string ("\0\xff", 2));
}

TEST (option_value, is_refused_by_name_and_rule)
{
    EXPECT_NE (refusal ("SNDHWN=1").find ("no socket option is called 'SNDHWN'"), std::string::npos);
    EXPECT_NE (refusal ("EVENTS=1").find ("EVENTS can only be read"), std::string::npos);
    EXPECT_NE (refusal ("SNDHWM").find ("SNDHWM=VALUE"), std::string::npos);
    for (const char *bad : {"SNDHWM=", "SNDHWM=ten", "SNDHWM=10 ", "SNDHWM=99999999999", "ROUTING_ID=hex:0"})
        EXPECT_NE (refusal (bad).find ("is no value of"), std::string::npos) << bad;
}

}  // namespace
}  // namespace zlink::tool
