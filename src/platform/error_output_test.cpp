#include "platform/error_output.hpp"

#include <array>
#include <cerrno>
#include <climits>
#include <fcntl.h>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

#include "platform/test_tools.hpp"

namespace zlink::platform {
namespace {

// A child whose standard error is the writing end of a pipe.
template <class Body> int with_error_pipe (Body body)
{
    return test_tools::in_child ([&body] {
        std::array<int, 2> ends{};
        if (::pipe (ends.data ()) != 0 || ::dup2 (ends[1], STDERR_FILENO) != STDERR_FILENO)
            return 99;
        ::close (ends[1]);
        return body (ends[0]);
    });
}

TEST (error_output, is_a_line_as_it_was_given)
{
    EXPECT_EQ (with_error_pipe ([] (int reader) {
                   errno = E2BIG;
                   write_error_line ("one\n");
                   std::array<char, 16> got{};
                   const bool right = ::read (reader, got.data (), got.size ()) == 4;
                   return right && std::string (got.data ()) == "one\n" && errno == E2BIG ? 0 : 1;
               }),
               0);
}

TEST (error_output, waits_for_no_reader)
{
    EXPECT_EQ (with_error_pipe ([] (int) {
                   const std::string line (PIPE_BUF, 'x');
                   for (int i = 0; i < 1000; ++i)  // more than any pipe holds
                       write_error_line (line);
                   return 0;
               }),
               0);
}

TEST (error_output, survives_a_reader_that_has_gone)
{
    EXPECT_EQ (with_error_pipe ([] (int reader) {
                   ::close (reader);
                   write_error_line ("one\n");
                   return 0;
               }),
               0);
}

TEST (error_output, may_be_closed)
{
    EXPECT_EQ (test_tools::in_child ([] {
                   ::close (STDERR_FILENO);
                   write_error_line ("one\n");
                   return 0;
               }),
               0);
}

}  // namespace
}  // namespace zlink::platform
