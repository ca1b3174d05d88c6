// Whoever decides, in the dice's place, who goes on: for exploring schedules
// one by one.
//
// Thread rule: that of the simulation.
#pragma once

#include <cstddef>

namespace zlink::sim {

class decider
{
  public:
    virtual ~decider () = default;

    // The running fibre could be stopped here for one of so many others (at
    // least one). 0: it goes on; n: the nth of them does.
    virtual std::size_t at_point (std::size_t others) noexcept = 0;
    // Which of so many (at least two), where somebody has to be chosen.
    virtual std::size_t pick (std::size_t count) noexcept = 0;
};

}  // namespace zlink::sim
