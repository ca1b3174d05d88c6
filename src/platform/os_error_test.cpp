#include "platform/os_error.hpp"

#include <cerrno>
#include <gtest/gtest.h>

namespace zlink::platform {
namespace {

using base::errc;

TEST (os_error, known_numbers_have_their_code_and_keep_the_number)
{
    EXPECT_EQ (os_error (EAGAIN).code, errc::would_block);
    EXPECT_EQ (os_error (ECONNREFUSED).code, errc::connection_refused);
    EXPECT_EQ (os_error (EPIPE).code, errc::connection_reset);
    EXPECT_EQ (os_error (EADDRINUSE).code, errc::address_in_use);
    EXPECT_EQ (os_error (EMFILE).code, errc::too_many_files);
    EXPECT_EQ (os_error (ENFILE).code, errc::too_many_files);
    EXPECT_EQ (os_error (ENOBUFS).code, errc::no_memory);
    EXPECT_EQ (os_error (EMFILE).os_code, EMFILE);
}

TEST (os_error, unknown_numbers_are_failures_too)
{
    EXPECT_EQ (os_error (ENOTTY).code, errc::os_failure);
    EXPECT_EQ (os_error (987654).code, errc::os_failure);
    EXPECT_EQ (os_error (987654).os_code, 987654);
    EXPECT_EQ (os_error (-1).code, errc::os_failure);
}

TEST (os_error, a_failure_without_a_number_is_still_one)
{
    errno = 0;
    EXPECT_EQ (last_os_error ().code, errc::os_failure);
    errno = ENOENT;
    EXPECT_EQ (last_os_error ().code, errc::no_such_file);
}

}  // namespace
}  // namespace zlink::platform
