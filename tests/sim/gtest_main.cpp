// Tests of the C ABIs in the simulator: each test, from its fixture's making
// to its end, is a fibre of a simulation of its own.
#include "sim/gtest_main.hpp"

#include <optional>

#include <gtest/gtest.h>

#include "api/real_world_access.hpp"
#include "sim/virtual_surroundings.hpp"
#include "sim/world.hpp"
#include "support/here.hpp"
#include "support/waiting.hpp"

namespace zlink::sim {
namespace {

// More is a test that does not come to rest.
constexpr std::uint64_t calls_max = 500'000'000;

// Fair in the run that everybody makes, so that it says the same for long.
[[nodiscard]] schedule schedule_of (int seed)
{
    schedule how;
    how.calls_max = calls_max;
    if (seed == 0)
        return how;
    how.switch_per_mille = seed % 3 == 0 ? 50 : seed % 3 == 1 ? 300 : 700;
    how.weight_spread = seed % 4 == 0 ? 50 : 1;
    how.spurious_per_mille = seed % 5 == 0 ? 50 : 0;
    return how;
}

[[nodiscard]] world_choice world_of (const test_surroundings &wanted, simulation &dice)
{
    world_choice choice;
    choice.nests = wanted.nests;
    choice.around.tls = wanted.tls;
    choice.around.web = wanted.web;
    if (wanted.seed == 0)
        return choice;
    choice.cores = dice.chance (300) ? 1 : 2;
    weather &sky = choice.sky;
    if (dice.chance (300))
        sky.piece_bytes_max = 1000 + dice.roll_below (4000);
    if (dice.chance (300)) {
        sky.buffer_bytes_min = 2000 + dice.roll_below (6000);
        sky.buffer_bytes_max = sky.buffer_bytes_min + dice.roll_below (8000);
    }
    const bool narrow = sky.piece_bytes_max < 5000 || sky.buffer_bytes_min < 4096;
    if (!narrow && dice.chance (400))
        sky.delay_max_ns = base::ns_per_ms;
    sky.short_write_per_mille = dice.chance (500) ? 0 : 200;
    if (dice.chance (300)) {
        sky.refuse_per_mille = 200;
        sky.full_per_mille = 100;
    }
    return choice;
}

std::optional<virtual_world> world_now;

class simulation_per_test final : public testing::EmptyTestEventListener
{
    void OnTestStart (const testing::TestInfo &test) override
    {
        const test_surroundings wanted = surroundings_of (test);
        sim_.emplace (static_cast<std::uint64_t> (wanted.seed), schedule_of (wanted.seed));
        started_ = sim_->now ();
        sim_->step_in ("the test");
        world_now.emplace (*sim_, world_of (wanted, *sim_));
        surroundings_.emplace (*world_now);
        test::elsewhere = &*surroundings_;
        api::replace_world (&world_now->seams);
    }
    void OnTestEnd (const testing::TestInfo &) override
    {
        // A lost wake-up costs no more than virtual time: a deadline ends the sleep,
        // and the last look finds what was there.
        EXPECT_LT (sim_->now () - started_, test::watchdog_ms * base::ns_per_ms)
          << "somebody slept until the watchdog barked";
        api::replace_world (nullptr);
        test::elsewhere = nullptr;
        surroundings_.reset ();
        world_now.reset ();
        sim_->step_out ();
        sim_.reset ();
    }

    time_ns started_ = 0;
    std::optional<simulation> sim_;
    std::optional<virtual_surroundings> surroundings_;
};

}  // namespace

virtual_world &world_of_test () { return *world_now; }

}  // namespace zlink::sim

int main (int argc, char **argv)
{
    testing::InitGoogleTest (&argc, argv);
    testing::UnitTest::GetInstance ()->listeners ().Append (new zlink::sim::simulation_per_test);
    return RUN_ALL_TESTS ();
}
