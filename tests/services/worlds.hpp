// A test of services in every world that there is: the real one, on threads of the
// system, and a simulated one under several seeds, on fibres.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include <gtest/gtest.h>

#include "base/world.hpp"
#include "sim/test_world.hpp"
#include "socket/facade.hpp"
#include "transport/real_world.hpp"

namespace zlink::service::test {

inline constexpr std::uint64_t seeds = 30;

using world_body = std::function<void (base::world &)>;

// Connections of the simulated network break, half-close and stall until it is over.
inline void disturb (sim::virtual_world &world, const bool &over)
{
    sim::simulation &sim = world.sim;
    while (!over) {
        sim.pass_time (sim.roll_time (20 * base::ns_per_ms));
        switch (sim.roll_below (4)) {
        case 0:
            (void)world.net.break_one ();
            break;
        case 1:
            (void)world.net.end_one (sim.roll_time (5 * base::ns_per_ms));
            break;
        default:
            (void)world.net.stall_one (sim.roll_time (50 * base::ns_per_ms));
            break;
        }
    }
}

// With what can be done to it from outside.
inline void in_virtual_world (const std::function<void (sim::virtual_world &)> &body, std::uint64_t seed)
{
    SCOPED_TRACE (testing::Message () << "seed " << seed);
    sim::simulation sim (seed, sim::schedule{});
    sim.spawn ("test", [&] {
        sim::virtual_world world (sim, {});
        body (world);
    });
    sim.run ();
}

inline void in_simulation (const world_body &body, std::uint64_t seed)
{
    in_virtual_world ([&body] (sim::virtual_world &world) { body (world.seams); }, seed);
}

inline void in_the_real_world (const world_body &body)
{
    SCOPED_TRACE ("the real world");
    const std::shared_ptr<transport::real_world> real = transport::make_real_world ();
    body (real->world ());
}

inline void in_every_world (const world_body &body)
{
    in_the_real_world (body);
    for (std::uint64_t seed = 1; seed <= seeds; ++seed)
        in_simulation (body, seed);
}

// A context that has to be empty in the end.
class own_context
{
  public:
    explicit own_context (base::world &world)
      : handle_ (socket::context_open (world, socket::header::zlink, nullptr).value ())
    {
    }
    ~own_context ()
    {
        const base::result<void> ended = socket::context_terminate (handle_);
        EXPECT_TRUE (ended.ok ());
    }
    own_context (const own_context &) = delete;
    own_context &operator= (const own_context &) = delete;
    [[nodiscard]] void *handle () const noexcept { return handle_; }

  private:
    void *handle_;
};

}  // namespace zlink::service::test
