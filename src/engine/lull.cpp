#include "engine/lull.hpp"

namespace zlink::engine {

void lull::pass (base::world &world) noexcept
{
    base::clock &time = world.time;
    const std::uint64_t until = time.ticks () + next_ns_ * time.ticks_per_us () / base::ns_per_us;
    next_ns_ *= 3;
    while (time.ticks () < until)
        world.sleep.pause ();
}

}  // namespace zlink::engine
