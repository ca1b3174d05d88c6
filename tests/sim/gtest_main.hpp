// What a program of tests in the simulator says of its world; main() is in
// gtest_main.cpp.
#pragma once

#include <gtest/gtest.h>

#include "sim/world.hpp"

namespace zlink::sim {

struct test_surroundings
{
    int seed = 0;  // 0: fair weather and turns, for the run that everybody makes
    // Whether sets of descriptors can be members of sets. Where they cannot, the
    // reactors read, and pollers have no descriptor.
    bool nests = true;
    bool tls = false;  // spoken over every stream
    bool web = false;  // likewise WebSocket
};

// The program's own: what this test runs in.
[[nodiscard]] test_surroundings surroundings_of (const testing::TestInfo &test);

// What --gtest_random_seed says, else 0.
[[nodiscard]] inline int wanted_seed () { return testing::GTEST_FLAG (random_seed); }

// The world of the test that runs.
[[nodiscard]] virtual_world &world_of_test ();

}  // namespace zlink::sim
