#include "platform/descriptor.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace zlink::platform {
namespace {

bool is_open (int number) { return ::fcntl (number, F_GETFD) >= 0; }

TEST (descriptor, closes_what_it_owns)
{
    int number = -1;
    {
        const descriptor one (::dup (0));
        number = one.get ();
        ASSERT_TRUE (one.valid ());
        EXPECT_TRUE (is_open (number));
    }
    EXPECT_FALSE (is_open (number));
}

TEST (descriptor, moves_leave_one_owner)
{
    descriptor first (::dup (0));
    const int number = first.get ();
    descriptor second (std::move (first));
    EXPECT_FALSE (first.valid ());
    EXPECT_EQ (second.get (), number);

    descriptor third (::dup (0));
    const int replaced = third.get ();
    third = std::move (second);
    EXPECT_FALSE (is_open (replaced));
    EXPECT_TRUE (is_open (number));
}

TEST (descriptor, release_gives_the_number_away)
{
    descriptor one (::dup (0));
    const int number = one.release ();
    EXPECT_FALSE (one.valid ());
    EXPECT_TRUE (is_open (number));
    ::close (number);
}

}  // namespace
}  // namespace zlink::platform
