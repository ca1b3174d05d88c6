#include "platform/timeout.hpp"

#include <gtest/gtest.h>

namespace zlink::platform {
namespace {

TEST (timeout, splits_into_seconds_and_the_rest)
{
    const timespec some = to_timespec (3 * base::ns_per_s + 7);
    EXPECT_EQ (some.tv_sec, 3);
    EXPECT_EQ (some.tv_nsec, 7);
    EXPECT_EQ (to_timespec (-5).tv_sec, 0);
    EXPECT_EQ (to_timespec (-5).tv_nsec, 0);
    EXPECT_GT (to_timespec (base::never_ns).tv_sec, 0);
}

TEST (timeout, milliseconds_are_rounded_up_and_bounded)
{
    EXPECT_EQ (to_milliseconds_up (-1), 0);
    EXPECT_EQ (to_milliseconds_up (0), 0);
    EXPECT_EQ (to_milliseconds_up (1), 1);
    EXPECT_EQ (to_milliseconds_up (base::ns_per_ms), 1);
    EXPECT_EQ (to_milliseconds_up (base::ns_per_ms + 1), 2);
    EXPECT_EQ (to_milliseconds_up (base::never_ns), 3'600'000);
}

}  // namespace
}  // namespace zlink::platform
