// Plays scenarios under schedules: at random by seed, or one by one, depth
// first, all that stop a running fibre at most so many times.
//
// Every run is a process of its own, as in sim/runner.hpp. A run that fails
// prints why and the words that run it again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "explore/scenarios.hpp"

namespace zlink::explore {

// The choices of one schedule, those at the end left out that are 0.
using script = std::vector<unsigned char>;

struct run_choice
{
    const scenario *what = nullptr;
    std::uint64_t seed = 1;
    std::optional<script> steps;  // else the seed decides
    unsigned preemptions_max = 2;
    bool trace = false;
};

struct tally
{
    std::uint64_t runs = 0;
    std::uint64_t failed = 0;
    bool complete = false;  // every schedule within the bound was played
    // The first that failed, unless the clock ended it: then perhaps the
    // machine was busy.
    std::optional<run_choice> failure;
};

[[nodiscard]] bool play_once (const run_choice &choice);
// Seeds from on; stops at the first such failure if asked to.
tally play_seeds (const scenario &what, std::uint64_t from, std::uint64_t seeds, bool stop_at_first);
// Stops at the first failure and after runs_max runs.
tally play_all (const scenario &what, unsigned preemptions_max, std::uint64_t runs_max);

}  // namespace zlink::explore
