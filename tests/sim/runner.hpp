// Runs scenarios in processes of their own: each finds the library as a fresh
// process does, so a seed means the same alone and in a long run, and a crash
// or a hang is one seed's.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/scenario.hpp"

namespace zlink::sim {

struct seed_result
{
    bool passed = false;
    bool late = false;  // it failed by the clock: perhaps the machine was busy
    scenario_outcome outcome;
};

// Prints what went wrong, the seed included. A scenario that makes no end
// within seconds_max of real time has failed, and so has one that leaves memory
// behind, where AddressSanitizer looks.
seed_result run_seed (const scenario_choice &choice, unsigned seconds_max = 120);

}  // namespace zlink::sim
