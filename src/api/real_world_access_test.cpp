#include "api/real_world_access.hpp"

#include <gtest/gtest.h>

namespace zlink::api {
namespace {

TEST (real_world_access, the_process_has_one)
{
    ASSERT_NE (process_world (), nullptr);
    EXPECT_EQ (process_world (), process_world ());
    EXPECT_GT (process_world ()->time.now_ns (), 0);
    EXPECT_FALSE (process_world ()->transports.empty ());
}

TEST (real_world_access, every_context_has_its_own)
{
    const auto first = make_world ();
    const auto second = make_world ();
    ASSERT_NE (first, nullptr);
    ASSERT_NE (second, nullptr);
    EXPECT_NE (first, second);
}

TEST (real_world_access, another_world_takes_its_place_until_it_is_taken_back)
{
    base::world *const real = process_world ();
    const std::shared_ptr<base::world> other = make_world ();
    ASSERT_NE (other, nullptr);
    replace_world (other.get ());
    EXPECT_EQ (process_world (), other.get ());
    EXPECT_EQ (make_world ().get (), other.get ());
    replace_world (nullptr);
    EXPECT_EQ (process_world (), real);
    EXPECT_NE (make_world ().get (), other.get ());
}

}  // namespace
}  // namespace zlink::api
