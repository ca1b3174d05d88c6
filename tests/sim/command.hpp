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
// With --find it is the other way round: 0 as soon as a seed fails, 1 if none
// does; one that the clock ended does not count. mend takes away what is
// searched for: without it the seed that failed has to pass.
int run_command (int count, char **words, void (*mend) () = nullptr);

}  // namespace zlink::sim
