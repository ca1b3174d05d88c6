// Scenarios by seed. To run one again: sim --seed N.
#include <gtest/gtest.h>

#include "sim/runner.hpp"

namespace zlink::sim {

namespace {

constexpr std::uint64_t seeds_per_block = ZLINK_SEEDS_PER_BLOCK;  // fewer under a sanitizer
constexpr std::uint64_t blocks = 20;

class Seeds : public testing::TestWithParam<std::uint64_t>
{
};

void run_block (std::uint64_t first, bool nests)
{
    for (std::uint64_t seed = first; seed < first + seeds_per_block; ++seed) {
        scenario_choice choice;
        choice.seed = seed;
        choice.nests = nests;
        EXPECT_TRUE (run_seed (choice).passed)
          << "again: sim --seed " << seed << (nests ? "" : " --no-nesting");
    }
}

// Callers read for themselves, or the reactor reads for all.
TEST_P (Seeds, KeepTheirPromises) { run_block (GetParam (), true); }
TEST_P (Seeds, KeepTheirPromisesWhereSetsDoNotNest) { run_block (GetParam (), false); }

INSTANTIATE_TEST_SUITE_P (From,
                          Seeds,
                          testing::Range<std::uint64_t> (1, 1 + blocks * seeds_per_block, seeds_per_block),
                          testing::PrintToStringParamName ());

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
