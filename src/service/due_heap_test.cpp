#include "service/due_heap.hpp"

#include <map>
#include <random>

#include <gtest/gtest.h>

namespace zlink::service {
namespace {

using base::never_ns;

TEST (due_heap, of_nothing)
{
    due_heap heap;
    EXPECT_EQ (heap.first (), due_heap::none);
    EXPECT_EQ (heap.soonest (), never_ns);
    heap.reserve (3);
    EXPECT_GE (heap.room (), 3u);
    heap.set (2, never_ns);
    EXPECT_EQ (heap.size (), 0u);
}

TEST (due_heap, the_soonest_is_first)
{
    due_heap heap;
    heap.reserve (3);
    heap.set (0, 30);
    heap.set (1, 10);
    heap.set (2, 20);
    EXPECT_EQ (heap.first (), 1u);
    heap.set (1, 40);
    EXPECT_EQ (heap.first (), 2u);
    EXPECT_EQ (heap.soonest (), 20);
    heap.set (2, never_ns);
    EXPECT_EQ (heap.first (), 0u);
    EXPECT_EQ (heap.of (2), never_ns);
    heap.reserve (1000);
    EXPECT_EQ (heap.first (), 0u) << "growing changes nothing";
    EXPECT_EQ (heap.of (1), 40);
}

// Against a plain map.
TEST (due_heap, as_a_map_has_it)
{
    std::mt19937 dice (3);
    due_heap heap;
    heap.reserve (50);
    std::map<due_heap::slot, base::time_ns> plain;
    for (int round = 0; round < 20'000; ++round) {
        const due_heap::slot which = static_cast<due_heap::slot> (dice () % 50);
        if (dice () % 3 == 0) {
            heap.set (which, never_ns);
            plain.erase (which);
        } else {
            plain[which] = static_cast<base::time_ns> (dice () % 1000);
            heap.set (which, plain[which]);
        }
        base::time_ns soonest = never_ns;
        for (const auto &[slot, when] : plain)
            soonest = std::min (soonest, when);
        ASSERT_EQ (heap.soonest (), soonest) << round;
        ASSERT_EQ (heap.size (), plain.size ());
        ASSERT_TRUE (plain.empty () || plain.at (heap.first ()) == soonest);
    }
}

}  // namespace
}  // namespace zlink::service
