// The command line of sim, and of sim_test where it is given a seed:
//   [--seed N] [--seeds N] [--from N] [--hours H] [--mood calm|storm|rude] [--trace]
//   [--no-nesting | --both-modes] [--mixed] [--seen LEAST] [--find]
// Modes: callers read for themselves, or (no nesting) the reactor reads for all.
// With --mixed the sockets are of all patterns.
// A run of hours plays every seed in both, from a seed on that the clock says;
// each seed is a process of its own, so it can go on for ever.
// With --seen it is a failure when a call, a fault or a change of state was
// seen less often in the whole run.
#pragma once

namespace zlink::sim {

// Prints the seeds that fail and how to run each again. 0: none did, 1: some
// did, 2: the words make no sense.
// With --find it ends at the first failure, and that is what it is for.
int run_command (int count, char **words);

}  // namespace zlink::sim
