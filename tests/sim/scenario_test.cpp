// That a seed means the same every time. The seeds themselves are played by
// the program sim.
#include <gtest/gtest.h>

#include "sim/runner.hpp"

namespace zlink::sim {

namespace {

TEST (Scenario, IsTheSameForTheSameSeed)
{
    for (const std::uint64_t seed : {11, 12, 13}) {
        scenario_choice choice;
        choice.seed = seed;
        const seed_result once = run_seed (choice);
        const seed_result again = run_seed (choice);
        EXPECT_TRUE (once.passed);
        EXPECT_EQ (once.outcome.fingerprint, again.outcome.fingerprint);
        EXPECT_EQ (once.outcome.calls, again.outcome.calls);
    }
}

}  // namespace

}  // namespace zlink::sim
