#include "bench/os.hpp"

#include <gtest/gtest.h>

namespace {

using namespace zlink::bench;

constexpr std::int64_t second_ns = 1'000'000'000;

TEST (run_command, collects_output_and_exit_code)
{
    const os::command_result result =
      os::run_command ({"sh", "-c", "echo one; echo two; exit 3"}, 60 * second_ns);
    EXPECT_TRUE (result.started);
    EXPECT_FALSE (result.timed_out);
    EXPECT_EQ (result.output, "one\ntwo\n");
    EXPECT_EQ (result.exit_code, 3);
}

TEST (run_command, stops_what_hangs)
{
    const os::command_result result = os::run_command ({"tail", "-f", "/dev/null"}, second_ns / 10);
    EXPECT_TRUE (result.started);
    EXPECT_TRUE (result.timed_out);
}

TEST (run_command, passes_its_environment)
{
    const os::command_result result =
      os::run_command ({"sh", "-c", "echo $ZLINK_BENCH_WORD"}, 60 * second_ns, {"ZLINK_BENCH_WORD=hello"});
    EXPECT_EQ (result.output, "hello\n");
}

TEST (run_command, a_missing_program_does_not_start)
{
    EXPECT_FALSE (os::run_command ({"/nonexistent/program"}, second_ns).started);
}

TEST (wait_until, does_not_return_early)
{
    const std::int64_t deadline_ns = os::now_ns () + 300'000;
    os::wait_until (deadline_ns);
    EXPECT_GE (os::now_ns (), deadline_ns);
}

TEST (make_directory, is_gone_after_removal)
{
    const std::string path = os::make_directory ();
    ASSERT_TRUE (os::file_exists (path));
    os::remove_directory (path);
    EXPECT_FALSE (os::file_exists (path));
}

}  // namespace
