#include "tools/zlink/recording.hpp"

#include <gtest/gtest.h>

namespace zlink::tool {
namespace {

using namespace std::string_literals;

TEST (recording, a_head_is_read_as_it_was_written)
{
    recording_head head;
    std::string why;
    ASSERT_TRUE (read_recorded (line_of (recording_head{"sub", "2026-01-02T03:04:05Z"}), head, why)) << why;
    EXPECT_EQ (head.type, "sub");
    EXPECT_EQ (head.begun, "2026-01-02T03:04:05Z");
    EXPECT_TRUE (read_recorded (R"({"zlink":"recording","version":1,"type":"pull","more":1})", head, why));
}

TEST (recording, a_message_is_read_as_it_was_written)
{
    const recorded_message written{1234567890123, {"topic", "", "\xff\x00\n"s}};
    recorded_message read;
    std::string why;
    const std::string line = line_of (written);
    EXPECT_EQ (line, R"({"ns":1234567890123,"parts":["topic","",{"hex":"ff000a"}]})");
    ASSERT_TRUE (read_recorded (line, read, why)) << why;
    EXPECT_EQ (read.at_ns, written.at_ns);
    EXPECT_EQ (read.message, written.message);
}

TEST (recording, what_is_none_is_refused)
{
    recording_head head;
    for (const char *line :
         {"", "{}", "[]", R"({"zlink":1})", R"({"zlink":"other","version":1,"type":"sub"})",
          R"({"zlink":"recording","version":2,"type":"sub"})", R"({"zlink":"recording","version":1})"}) {
        std::string why;
        EXPECT_FALSE (read_recorded (line, head, why)) << line;
        EXPECT_FALSE (why.empty ()) << line;
    }
    recorded_message message;
    for (const char *line :
         {"", "[]", R"({"ns":1})", R"({"parts":["a"]})", R"({"ns":-1,"parts":["a"]})",
          R"({"ns":1.5,"parts":["a"]})", R"({"ns":1,"parts":[]})", R"({"ns":1,"parts":[1]})"}) {
        std::string why;
        EXPECT_FALSE (read_recorded (line, message, why)) << line;
        EXPECT_FALSE (why.empty ()) << line;
    }
}

}  // namespace
}  // namespace zlink::tool
