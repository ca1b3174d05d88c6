// The small scenarios that the explorer plays, each about one protocol of the
// library.
#pragma once

#include <span>
#include <string_view>

#include "sim/simulation.hpp"

namespace zlink::explore {

// Called by a scenario where its schedules begin to count: what comes before
// is preparation.
using start_exploring = void (sim::simulation &);

struct scenario
{
    std::string_view name;
    void (*play) (sim::simulation &sim, start_exploring *begin);  // in the director's fibre
};

// Of the lock alone.
[[nodiscard]] std::span<const scenario> lock_scenarios () noexcept;
// Of the library on a virtual world.
[[nodiscard]] std::span<const scenario> engine_scenarios () noexcept;

}  // namespace zlink::explore
