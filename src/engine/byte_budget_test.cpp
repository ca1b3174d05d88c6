#include "engine/byte_budget.hpp"

#include <gtest/gtest.h>

namespace zlink::engine {
namespace {

TEST (byte_budget, is_reached_at_its_limit_and_freed_once_below_it)
{
    byte_budget of;
    EXPECT_FALSE (of.limited ());
    of.set_limit (100);
    EXPECT_TRUE (of.limited ());
    of.take (99);
    EXPECT_FALSE (of.reached ());
    of.take (1);
    EXPECT_TRUE (of.reached ());
    of.take (50);
    of.give (50);
    EXPECT_TRUE (of.reached ());
    EXPECT_FALSE (of.take_freed ());
    of.give (1);
    EXPECT_FALSE (of.reached ());
    of.give (1);
    EXPECT_TRUE (of.take_freed ());
    EXPECT_FALSE (of.take_freed ());
    EXPECT_EQ (of.used (), 98);
    EXPECT_TRUE (of.half_reached ());
    of.give (49);
    EXPECT_FALSE (of.half_reached ());
    EXPECT_TRUE (of.take_freed ());
}

TEST (byte_budget, charges_give_back_what_they_have_left)
{
    byte_budget of;
    of.set_limit (100);
    {
        charge one (&of);
        one += 30;
        one -= 10;
        EXPECT_EQ (one, 20U);
        charge other (&of);
        other += 5;
        EXPECT_EQ (of.used (), 25);
        other.clear ();
        EXPECT_EQ (of.used (), 20);
    }
    EXPECT_EQ (of.used (), 0);
    charge nowhere (nullptr);
    nowhere += 7;
    EXPECT_EQ (nowhere, 7U);
}

}  // namespace
}  // namespace zlink::engine
