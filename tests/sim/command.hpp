// The command line of sim, and of sim_test where it is given a seed:
//   [--seed N] [--seeds N] [--from N] [--hours H] [--mood calm|storm|rude] [--trace] [--no-nesting]
#pragma once

namespace zlink::sim {

// Prints the seeds that fail and how to run each again. 0: none did, 1: some
// did, 2: the words make no sense.
int run_command (int count, char **words);

}  // namespace zlink::sim
