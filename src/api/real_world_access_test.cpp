#include "api/real_world_access.hpp"

#include <gtest/gtest.h>

namespace zlink::api {
namespace {

TEST (real_world_access, the_process_has_one)
{
    EXPECT_EQ (&process_world (), &process_world ());
    EXPECT_GT (process_world ().time.now_ns (), 0);
    EXPECT_FALSE (process_world ().transports.empty ());
}

TEST (real_world_access, every_context_has_its_own)
{
    const auto first = make_world ();
    const auto second = make_world ();
    ASSERT_NE (first, nullptr);
    ASSERT_NE (second, nullptr);
    EXPECT_NE (first, second);
}

}  // namespace
}  // namespace zlink::api
