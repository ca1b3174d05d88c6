#include "engine/queue_age.hpp"

#include <gtest/gtest.h>

namespace zlink::engine {
namespace {

TEST (queue_age, of_nothing_is_none)
{
    queue_age age;
    EXPECT_FALSE (age.runs ());
    EXPECT_EQ (age.ticks (1000), 0U);
}

TEST (queue_age, grows_until_all_is_settled)
{
    queue_age age;
    age.start (100, 1);
    EXPECT_TRUE (age.runs ());
    EXPECT_EQ (age.ticks (150), 50U);
    EXPECT_EQ (age.ticks (100), 0U);
    age.stop ();
    EXPECT_EQ (age.ticks (200), 0U);
}

TEST (queue_age, falls_when_what_was_there_at_the_mark_is_settled)
{
    queue_age age;
    age.start (100, 10);
    EXPECT_FALSE (age.turned (9));
    ASSERT_TRUE (age.turned (10));
    age.turn (300, 50);  // the others came after the start
    EXPECT_EQ (age.ticks (300), 200U);
    ASSERT_TRUE (age.turned (50));
    age.turn (400, 60);  // and now: after 300
    EXPECT_EQ (age.ticks (400), 100U);
}

TEST (queue_age, a_stopped_one_has_no_turns)
{
    queue_age age;
    age.start (100, 0);
    age.stop ();
    EXPECT_FALSE (age.turned (5));
}

}  // namespace
}  // namespace zlink::engine
