// For tests of the simulator itself: a world with quiet scheduling, and the
// body of a test run in a fibre of it.
#pragma once

#include <functional>

#include "sim/world.hpp"

namespace zlink::sim {

inline void in_world (const std::function<void (virtual_world &)> &body,
                      const world_choice &choice = {},
                      std::uint64_t seed = 1)
{
    schedule how;
    how.switch_per_mille = 0;
    simulation sim (seed, how);
    sim.spawn ("test", [&] {
        virtual_world world (sim, choice);
        body (world);
    });
    sim.run ();
}

}  // namespace zlink::sim
