#include "socket/event_queue.hpp"

#include <gtest/gtest.h>

namespace zlink::socket {
namespace {

using engine::event_kind;
using engine::event_record;

event_record numbered (std::uint64_t number, event_kind kind = event_kind::accepted)
{
    event_record made;
    made.kind = kind;
    made.number = number;
    made.endpoint = "tcp://somewhere";
    return made;
}

TEST (event_queue, keeps_the_order)
{
    event_queue queue (3);
    event_record next;
    EXPECT_FALSE (queue.pop (next));
    for (std::uint64_t i = 1; i <= 3; ++i)
        EXPECT_TRUE (queue.push (numbered (i)));
    for (std::uint64_t i = 1; i <= 3; ++i) {
        ASSERT_TRUE (queue.pop (next));
        EXPECT_EQ (next.number, i);
        EXPECT_EQ (next.lost_before, 0u);
        EXPECT_EQ (next.endpoint, "tcp://somewhere");
    }
    EXPECT_FALSE (queue.pop (next));
}

TEST (event_queue, above_its_limit_new_ones_are_lost_and_counted)
{
    event_queue queue (2);
    EXPECT_TRUE (queue.push (numbered (1)));
    EXPECT_TRUE (queue.push (numbered (2)));
    EXPECT_FALSE (queue.push (numbered (3)));
    EXPECT_FALSE (queue.push (numbered (4)));
    event_record next;
    ASSERT_TRUE (queue.pop (next));
    EXPECT_EQ (next.number, 1u);
    EXPECT_TRUE (queue.push (numbered (5)));
    ASSERT_TRUE (queue.pop (next));
    EXPECT_EQ (next.number, 2u);
    EXPECT_EQ (next.lost_before, 0u);
    ASSERT_TRUE (queue.pop (next));
    EXPECT_EQ (next.number, 5u);
    EXPECT_EQ (next.lost_before, 2u);
    EXPECT_TRUE (queue.push (numbered (6)));
    ASSERT_TRUE (queue.pop (next));
    EXPECT_EQ (next.lost_before, 0u);
}

TEST (event_queue, what_waits_comes_before_the_last_one)
{
    event_queue queue (2);
    EXPECT_TRUE (queue.push (numbered (1)));
    EXPECT_TRUE (queue.push (numbered (2, event_kind::stopped)));
    event_record next;
    for (std::uint64_t i = 1; i <= 2; ++i) {
        ASSERT_TRUE (queue.pop (next));
        EXPECT_EQ (next.number, i);
    }
    EXPECT_FALSE (queue.pop (next));
}

TEST (event_queue, the_last_one_always_fits_and_nothing_comes_behind_it)
{
    event_queue queue (1);
    EXPECT_TRUE (queue.push (numbered (1)));
    EXPECT_FALSE (queue.push (numbered (2)));
    EXPECT_FALSE (queue.ended ());
    EXPECT_TRUE (queue.push (numbered (3, event_kind::stopped)));
    EXPECT_TRUE (queue.ended ());
    EXPECT_TRUE (queue.push (numbered (4)));
    event_record next;
    ASSERT_TRUE (queue.pop (next));
    ASSERT_TRUE (queue.pop (next));
    EXPECT_EQ (next.kind, event_kind::stopped);
    EXPECT_EQ (next.lost_before, 1u);
    EXPECT_FALSE (queue.pop (next));
}

}  // namespace
}  // namespace zlink::socket
