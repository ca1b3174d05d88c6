// Publisher and subscribers find each other before anything is measured: a
// publisher cannot see who hears it, so it calls until all have answered
// through the shared state, then says that it begins. Nothing of it is left
// in any queue when the calls return.
//
// Thread rule: each side from the thread that uses its sockets.
#pragma once

#include <vector>

#include "bench/library.hpp"
#include "bench/roles.hpp"

namespace zlink::bench {

// slot: as of node, one for each direction.
void meet_as_publisher (
  const library &calls, void *publisher, shared_state *state, unsigned slot, unsigned subscribers);
void meet_as_subscribers (const library &calls,
                          const std::vector<void *> &subscribers,
                          shared_state *state,
                          unsigned slot);

}  // namespace zlink::bench
