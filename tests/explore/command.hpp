// The command line of the explorer:
//   [--scenario NAME] [--seed N | --seeds N [--from N] | --all [--preemptions N] [--runs N]
//    | --script N,N,... [--preemptions N]] [--trace] [--find]
#pragma once

#include <span>

#include "explore/scenarios.hpp"

namespace zlink::explore {

// Without a scenario all of them are played. 0: no schedule failed; 1: some
// did, or --all met more than --runs allows; 2: the words make no sense. With
// --find the other way round: 0 as soon as a schedule fails, 1 if none does;
// one that the clock ended does not count. mend takes away what is searched
// for: without it the schedule that failed has to pass.
int run_command (std::span<const scenario> known, int count, char **words, void (*mend) () = nullptr);

}  // namespace zlink::explore
