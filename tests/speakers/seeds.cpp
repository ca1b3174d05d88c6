// The conversations of tests/failures in the simulator: a few at once, their
// parts in any order and any number, on a network that breaks for a while. Each
// call says no more than that it was interrupted, or that a descriptor was
// missing; each conversation comes to its end; and every public function is
// called often.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "failures/script.hpp"
#include "sim/gtest_main.hpp"
#include "speakers/builders.hpp"
#include "speakers/public_functions.hpp"
#include "support/here.hpp"
#include "support/sanitized.hpp"

namespace zlink::test {
namespace {

using sim::simulation;
using sim::virtual_world;

constexpr int seed_count = sanitized ? 1000 : 3000;
constexpr std::uint64_t calls_least = 50;
constexpr std::size_t speakers_min = 2;
constexpr std::size_t speakers_spread = 3;
constexpr std::size_t parts_max = 8;

struct conversation
{
    void (*play) (const char *endpoint, const char *remote);
    bool in_process = true;  // over inproc, too
};

constexpr conversation conversations[] = {
  {play_zmq},          {play_zlink},
  {play_zmq},          {play_zlink},
  {play_topics},       {play_met},
  {play_asked},        {play_names},
  {play_requests},     {play_packets, false},
  {play_services},     {play_statistics, false},
  {play_gateways},     {build_under_end, false},
  {play_spots, false},
};

const char *current_step = "";

[[nodiscard]] simulation &dice () { return sim::world_of_test ().sim; }

void speak (std::size_t number)
{
    const conversation &which = conversations[dice ().roll_below (std::size (conversations))];
    const bool near = which.in_process && dice ().chance (300);
    const std::string endpoint = near ? "inproc://meeting" : "sim://speaker" + std::to_string (number);
    which.play (endpoint.c_str (), nullptr);
}

// Bad weather, and then no more of it.
void blow ()
{
    virtual_world &world = sim::world_of_test ();
    const std::uint64_t gusts = dice ().roll_below (30);
    for (std::uint64_t i = 0; i < gusts; ++i) {
        dice ().pass_time (dice ().roll_time (5 * base::ns_per_ms));
        const std::uint64_t kind = dice ().roll_below (10);
        if (kind < 5)
            world.net.break_one ();
        else if (kind < 7)
            world.net.end_one (dice ().roll_time (10 * base::ns_per_ms));
        else
            world.net.stall_one (dice ().roll_time (20 * base::ns_per_ms));
    }
    world.net.how ().refuse_per_mille = world.net.how ().full_per_mille = 0;
}

class speakers : public testing::TestWithParam<int>
{
};

TEST_P (speakers, come_to_an_end)
{
    simulation &sim = dice ();
    std::vector<std::unique_ptr<surroundings::thread>> all;
    all.push_back (here ().start (blow));
    const std::size_t count = speakers_min + sim.roll_below (speakers_spread);
    for (std::size_t i = 0; i < count; ++i)
        all.push_back (here ().start ([i] { speak (i); }));
    all.clear ();
    const virtual_world &world = sim::world_of_test ();
    EXPECT_EQ (world.net.streams (), 0u);
    EXPECT_EQ (world.net.listeners (), 0u);
}

INSTANTIATE_TEST_SUITE_P (seed, speakers, testing::Range (1, seed_count + 1));

// One seed says nothing of how often.
class often final : public testing::Environment
{
    void TearDown () override
    {
        const testing::UnitTest &run = *testing::UnitTest::GetInstance ();
        if (run.test_to_run_count () < seed_count)
            return;
        EXPECT_GT (public_functions ().size (), 150u);
        for (const public_function &each : public_functions ())
            EXPECT_GE (calls_of (each), calls_least) << each.name << " was called too rarely";
    }
};
testing::Environment *const looks_how_often = testing::AddGlobalTestEnvironment (new often);

}  // namespace

void script_is_at (const char *step) noexcept { current_step = step; }

void script_failed (const char *step, const char *problem, int error) noexcept
{
    dice ().fail (std::string (step) + " " + problem + " " + std::to_string (error) + " ("
                  + std::strerror (error) + ")");
}

bool says_out_of_something (int error) noexcept { return error == EINTR || error == EMFILE; }

std::size_t next_part (std::size_t played, std::size_t count) noexcept
{
    return played == parts_max || dice ().chance (100) ? count : dice ().roll_below (count);
}

// Nothing is refused here but by the network.
std::uint64_t faults_so_far () noexcept { return 1; }
library_call::library_call () noexcept = default;
library_call::~library_call () = default;

}  // namespace zlink::test

// The number of the case is the seed.
zlink::sim::test_surroundings zlink::sim::surroundings_of (const testing::TestInfo &test)
{
    const char *const number = std::strrchr (test.name (), '/');
    const int seed = number == nullptr ? 0 : std::atoi (number + 1) + 1;
    return {seed, seed % 2 == 0};
}
