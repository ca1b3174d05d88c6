#include "api/log.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace zlink::api {
namespace {

struct heard
{
    std::vector<std::string> lines;
    static void take (int severity, const char *text, const char *about, void *hint)
    {
        static_cast<heard *> (hint)->lines.push_back (std::to_string (severity) + " " + text + " " + about);
    }
};

// What standard error gets while it is said.
std::string error_output (const base::log_line &line)
{
    testing::internal::CaptureStderr ();
    process_log ()->take (line);
    return testing::internal::GetCapturedStderr ();
}

TEST (log, goes_to_standard_error_unless_told_otherwise)
{
    EXPECT_EQ (error_output ({base::severity::warning, "text", "place"}), "zlink warning: text [place]\n");
    EXPECT_EQ (error_output ({base::severity::error, "text", ""}), "zlink error: text\n");
    const std::string long_text (2000, 'x');
    EXPECT_EQ (error_output ({base::severity::error, long_text.c_str (), ""}).size (), 512U);
}

TEST (log, goes_to_the_callback_of_the_last_call)
{
    static heard one;
    static heard other;
    ASSERT_EQ (set_log (heard::take, &one), 0);
    EXPECT_EQ (error_output ({base::severity::error, "a", "b"}), "");
    ASSERT_EQ (set_log (heard::take, &other), 0);
    process_log ()->take ({base::severity::warning, "c", ""});
    ASSERT_EQ (set_log (heard::take, &one), 0);
    process_log ()->take ({base::severity::warning, "d", ""});
    ASSERT_EQ (set_log (nullptr, nullptr), 0);
    EXPECT_NE (error_output ({base::severity::warning, "e", ""}), "");
    EXPECT_EQ (one.lines, (std::vector<std::string>{"2 a b", "1 d "}));
    EXPECT_EQ (other.lines, std::vector<std::string>{"1 c "});
}

}  // namespace
}  // namespace zlink::api
