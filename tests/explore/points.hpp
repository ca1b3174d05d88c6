// Which simulation the points of over/base/atomic.hpp belong to.
//
// Thread rule: one thread.
#pragma once

#include "sim/simulation.hpp"

namespace zlink::explore {

// For the length of a scope; one at a time.
class points_of
{
  public:
    explicit points_of (sim::simulation &run) noexcept;
    ~points_of ();
    points_of (const points_of &) = delete;
    points_of &operator= (const points_of &) = delete;
};

}  // namespace zlink::explore
