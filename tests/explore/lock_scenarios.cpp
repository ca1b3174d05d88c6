// The lock by itself: one at a time, and every waiter gets it in the end.
#include <array>
#include <string>

#include "base/lock.hpp"
#include "explore/scenarios.hpp"

namespace zlink::explore {

namespace {

// Two or three callers take the lock in turn.
template <unsigned callers, unsigned rounds> void contend (sim::simulation &sim, start_exploring *begin)
{
    base::lock_spins_max.store (0);
    base::exchange_lock lock;
    unsigned inside = 0;
    unsigned done = 0;
    std::array<std::size_t, callers> fibres{};
    for (unsigned i = 0; i < callers; ++i)
        fibres[i] = sim.spawn ("caller " + std::to_string (i), [&] {
            for (unsigned round = 0; round < rounds; ++round) {
                const base::locked hold (lock);
                if (++inside != 1)
                    sim.fail ("two hold the lock");
                sim.point ();
                --inside;
                ++done;
            }
        });
    begin (sim);
    sim.wait ("waits for the callers", base::never_ns, [&] {
        for (const std::size_t each : fibres)
            if (!sim.finished (each))
                return false;
        return true;
    });
    if (done != callers * rounds)
        sim.fail ("a caller has not had its turns");
}

constexpr std::array all{
  scenario{"lock_two", contend<2, 2>},
  scenario{"lock_three", contend<3, 1>},
};

}  // namespace

std::span<const scenario> lock_scenarios () noexcept { return all; }

}  // namespace zlink::explore
