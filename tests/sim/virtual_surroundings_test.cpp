#include "sim/virtual_surroundings.hpp"

#include <gtest/gtest.h>

#include "sim/test_world.hpp"

namespace zlink::sim {

namespace {

TEST (VirtualSurroundings, AThreadIsWaitedForAtItsEnd)
{
    in_world ([] (virtual_world &world) {
        virtual_surroundings around (world);
        bool ended = false;
        auto other = around.start ([&] {
            world.sim.pass_time (base::ns_per_s);
            ended = true;
        });
        EXPECT_FALSE (ended);
        other.reset ();
        EXPECT_TRUE (ended);
    });
}

TEST (VirtualSurroundings, AThreadThatSleepsCanBeInterrupted)
{
    in_world ([] (virtual_world &world) {
        virtual_surroundings around (world);
        wait_end end = wait_end::ready;
        auto other = around.start ([&] {
            end = world.sim.wait (
              "sleeps", base::never_ns, [] { return false; }, true);
        });
        world.sim.pass_time (base::ns_per_ms);
        other->interrupt (1);
        other.reset ();
        EXPECT_EQ (end, wait_end::interrupted);
    });
}

TEST (VirtualSurroundings, GivingWayLetsTimePass)
{
    in_world ([] (virtual_world &world) {
        virtual_surroundings around (world);
        const std::int64_t start_us = around.now_us ();
        while (around.now_us () < start_us + 1'000'000)
            around.give_way ();
    });
}

TEST (VirtualSurroundings, WhoWaitsForAWordGoesOnWhenItChanges)
{
    in_world ([] (virtual_world &world) {
        virtual_surroundings around (world);
        std::atomic<unsigned> word{0};
        auto other = around.start ([&] {
            world.sim.pass_time (base::ns_per_s);
            word = 1;
            around.wake_all (word);
        });
        around.wait_while (word, 0);
        EXPECT_EQ (word, 1u);
    });
}

TEST (VirtualSurroundings, BeatsKeepTheirPaceHoweverLongItTakesInBetween)
{
    in_world ([] (virtual_world &world) {
        virtual_surroundings around (world);
        const time_ns start = world.sim.now ();
        const auto beater = around.make_beater (1000);
        beater->beat ();
        EXPECT_EQ (world.sim.now () - start, base::ns_per_ms);
        world.sim.pass_time (base::ns_per_ms / 2);
        beater->beat ();
        EXPECT_EQ (world.sim.now () - start, 2 * base::ns_per_ms);
        world.sim.pass_time (base::ns_per_ms * 7 / 2);
        beater->beat ();  // those missed come at once
        EXPECT_EQ (world.sim.now () - start, base::ns_per_ms * 11 / 2);
        beater->beat ();
        EXPECT_EQ (world.sim.now () - start, 6 * base::ns_per_ms);
    });
}

TEST (VirtualSurroundings, ABellIsReadableWhileItIsRaised)
{
    in_world ([] (virtual_world &world) {
        virtual_surroundings around (world);
        const auto one = around.make_bell ();
        const auto two = around.make_bell ();
        const int both[] = {one->descriptor (), two->descriptor ()};
        EXPECT_EQ (around.readable (both, 10), 0u);
        auto other = around.start ([&] {
            world.sim.pass_time (base::ns_per_s);
            two->raise ();
        });
        EXPECT_EQ (around.readable (both, -1), 2u);
        one->raise ();
        EXPECT_EQ (around.readable (both, 0), 3u);
        two->lower ();
        EXPECT_EQ (around.readable (both, 0), 1u);
    });
}

}  // namespace

}  // namespace zlink::sim
