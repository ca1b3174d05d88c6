#include "engine/deadline_heap.hpp"

#include <algorithm>
#include <array>
#include <random>

#include <gtest/gtest.h>

namespace zlink::engine {
namespace {

using base::never_ns;

// Of nobody.
struct entry : timed
{
    entry () : timed (static_cast<endpoint *> (nullptr)) {}
};

TEST (deadline_heap, of_nothing_is_never)
{
    const deadline_heap heap;
    EXPECT_EQ (heap.first (), nullptr);
    EXPECT_EQ (heap.soonest (), never_ns);
}

TEST (deadline_heap, the_soonest_comes_first)
{
    deadline_heap heap;
    heap.reserve (3);
    std::array<entry, 3> all;
    heap.set (all[0], 30);
    heap.set (all[1], 10);
    heap.set (all[2], 20);
    EXPECT_EQ (heap.first (), &all[1]);
    heap.set (all[1], 40);
    EXPECT_EQ (heap.first (), &all[2]);
    heap.set (all[2], never_ns);
    EXPECT_EQ (heap.soonest (), 30);
    EXPECT_EQ (heap.size (), 2U);
    heap.set (all[2], never_ns);
    EXPECT_EQ (heap.size (), 2U);
    heap.set (all[2], 0);
    EXPECT_EQ (heap.first (), &all[2]);
    EXPECT_EQ (all[2].deadline (), 0);
}

// Any changes in any order: the first is always a smallest one, and nothing
// beyond the room that was asked for is taken.
TEST (deadline_heap, keeps_its_order_whatever_changes)
{
    std::mt19937 dice (7);
    for (int round = 0; round < 50; ++round) {
        std::array<entry, 40> all;
        deadline_heap heap;
        heap.reserve (all.size ());
        const std::size_t room = heap.room ();
        for (int step = 0; step < 400; ++step) {
            timed &one = all[dice () % all.size ()];
            heap.set (one, dice () % 4 == 0 ? never_ns : static_cast<base::time_ns> (dice () % 100));
            base::time_ns least = never_ns;
            std::size_t count = 0;
            for (const timed &each : all) {
                least = std::min (least, each.deadline ());
                count += each.deadline () != never_ns;
            }
            ASSERT_EQ (heap.soonest (), least);
            ASSERT_EQ (heap.size (), count);
            ASSERT_EQ (heap.first () == nullptr ? never_ns : heap.first ()->deadline (), least);
        }
        EXPECT_EQ (heap.room (), room);
    }
}

}  // namespace
}  // namespace zlink::engine
