#include "tools/zlink/line_format.hpp"

#include <gtest/gtest.h>

namespace zlink::tool {
namespace {

parts read_back (const line_format &by, std::string_view line)
{
    parts found;
    std::string why;
    EXPECT_TRUE (read_line (by, line, found, why)) << why;
    return found;
}

std::string refusal (const line_format &by, std::string_view line)
{
    parts found;
    std::string why;
    EXPECT_FALSE (read_line (by, line, found, why));
    return why;
}

TEST (line_format, text_is_cut_at_the_separator)
{
    EXPECT_EQ (read_back ({}, "one\ttwo"), (parts{"one", "two"}));
    EXPECT_EQ (read_back ({}, ""), (parts{""}));
    EXPECT_EQ (read_back ({}, "\t"), (parts{"", ""}));
    EXPECT_EQ (read_back ({view::text, ", "}, "a,b, c"), (parts{"a,b", "c"}));
    EXPECT_EQ (read_back ({view::text, ""}, "one\ttwo"), (parts{"one\ttwo"}));
    EXPECT_EQ (show ({}, {"one", "two"}), "one\ttwo");
}

TEST (line_format, hex_is_of_pairs)
{
    EXPECT_EQ (read_back ({view::hex, "\t"}, "00fF 10\t61"), (parts{std::string ("\0\xff\x10", 3), "a"}));
    EXPECT_EQ (show ({view::hex, "\t"}, {std::string ("\0\xff", 2), "a"}), "00ff\t61");
    for (const char *bad : {"0", "0g", "00\t1", "+1"})
        EXPECT_NE (refusal ({view::hex, "\t"}, bad).find ("pairs"), std::string::npos) << bad;
}

TEST (line_format, json_holds_any_octets)
{
    const line_format as_json{view::json, "\t"};
    const parts odd{"text \"quoted\"\n", std::string ("\0\xff", 2), "", "\xc3\xa4"};
    EXPECT_EQ (show (as_json, odd), R"(["text \"quoted\"\n",{"hex":"00ff"},"","ä"])");
    EXPECT_EQ (read_back (as_json, show (as_json, odd)), odd);
    for (const char *bad : {"", "text", "[]", "[1]", R"([{"hex":"0"}])", R"([{"hex":"00","more":1}])",
                            R"({"a":"b"})", "[\"\xff\"]"})
        EXPECT_NE (refusal (as_json, bad).find ("array of strings"), std::string::npos) << bad;
}

}  // namespace
}  // namespace zlink::tool
