#include "api/errors.hpp"

#include <cerrno>
#include <cstring>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "base/io_count.hpp"
#include "zlink/zlink.h"

namespace zlink::api {
namespace {

using base::errc;

TEST (errors, every_code_has_a_number)
{
    for (int code = 1; code <= static_cast<int> (errc::os_failure); ++code)
        EXPECT_GT (error_number (static_cast<errc> (code)), 0) << code;
    EXPECT_EQ (error_number (errc::ok), 0);
    EXPECT_EQ (error_number (static_cast<errc> (9999)), EIO);
}

TEST (errors, own_numbers_are_those_of_the_headers)
{
    EXPECT_EQ (error_number (errc::wrong_state), 156384763);
    EXPECT_EQ (error_number (errc::incompatible_protocol), 156384764);
    EXPECT_EQ (error_number (errc::terminated), 156384765);
    EXPECT_EQ (error_number (errc::no_io_thread), 156384766);
}

TEST (errors, the_systems_number_speaks_only_for_unknown_failures)
{
    EXPECT_EQ (error_number (base::error{errc::os_failure, EXDEV}), EXDEV);
    EXPECT_EQ (error_number (base::error{errc::os_failure, 0}), EIO);
    EXPECT_EQ (error_number (base::error{errc::address_in_use, 12345}), EADDRINUSE);
}

TEST (errors, every_number_has_a_text)
{
    std::set<std::string> own;
    for (const int number : {EFSM, ENOCOMPATPROTO, ETERM, EMTHREAD, EHOSTUNREACH})
        EXPECT_TRUE (own.insert (error_text (number)).second);
    EXPECT_STREQ (error_text (ETERM), "Context was terminated");
    EXPECT_STREQ (error_text (EINVAL), std::strerror (EINVAL));
    EXPECT_NE (error_text (-1), nullptr);
}

TEST (errors, answers_set_errno_on_failure_only)
{
    errno = 0;
    EXPECT_EQ (answer (base::result<void>{}), 0);
    EXPECT_EQ (answer (base::result<int> (7)), 7);
    EXPECT_EQ (answer_count (base::io_count::of (5)), 5);
    EXPECT_EQ (errno, 0);
    EXPECT_EQ (answer (base::result<void> (errc::invalid_argument)), -1);
    EXPECT_EQ (errno, EINVAL);
    EXPECT_EQ (answer_count (base::io_count (errc::would_block)), -1);
    EXPECT_EQ (errno, EAGAIN);
    EXPECT_EQ (failed_descriptor (), -1);
    EXPECT_EQ (errno, EBADF);
    EXPECT_EQ (answer (base::result<void *> (errc::bad_address)), nullptr);
    EXPECT_EQ (errno, EFAULT);
}

TEST (errors, counts_above_int_are_clamped)
{
    EXPECT_EQ (answer_count (base::io_count::of (std::size_t{1} << 40)), INT_MAX);
}

TEST (errors, running_out_of_memory_is_an_error_like_others)
{
    EXPECT_EQ (without_throwing ([] () -> int { throw std::bad_alloc (); }), -1);
    EXPECT_EQ (errno, ENOMEM);
    EXPECT_EQ (without_throwing ([] { return 3; }), 3);
}

}  // namespace
}  // namespace zlink::api
