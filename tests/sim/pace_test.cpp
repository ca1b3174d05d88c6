// A receiver gets up for the next message of a steady pace, and for nothing else.
#include <array>
#include <gtest/gtest.h>
#include <span>

#include "sim/test_world.hpp"
#include "socket/facade.hpp"

namespace zlink::sim {

namespace {

using base::ns_per_s;
using base::ns_per_us;

constexpr int type_pair = 0;
constexpr int option_spin = 3003;
constexpr base::time_ns pace = 300 * ns_per_us;

// Two sockets of a context, one connection between them.
class pair_of_sockets
{
  public:
    explicit pair_of_sockets (virtual_world &world)
      : context_ (socket::context_open (world.seams, socket::header::zlink, nullptr).value ()),
        from (socket::open (context_, type_pair).value ()), to (socket::open (context_, type_pair).value ())
    {
        EXPECT_TRUE (socket::bind (to, "sim://there").ok ());
        EXPECT_TRUE (socket::connect (from, "sim://there").ok ());
    }
    ~pair_of_sockets ()
    {
        for (void *const each : {from, to})
            EXPECT_TRUE (socket::close (each).ok ());
        EXPECT_TRUE (socket::context_terminate (context_).ok ());
    }
    pair_of_sockets (const pair_of_sockets &) = delete;
    pair_of_sockets &operator= (const pair_of_sockets &) = delete;

  private:
    void *context_;

  public:
    void *const from;
    void *const to;
};

void send_one (void *from)
{
    const char body = 'x';
    EXPECT_TRUE (socket::send (from, base::bytes_view (std::as_bytes (std::span (&body, 1))), 0).ok ());
}

void receive_one (void *to)
{
    std::array<std::byte, 8> got{};
    EXPECT_TRUE (socket::receive (to, base::bytes_span (got), 0).ok ());
}

// Sends `count` with such gaps; how often the receiver slept until one came.
std::uint64_t sleeps (virtual_world &world, pair_of_sockets &both, int count, base::time_ns gap)
{
    const std::uint64_t before = socket::statistics (both.to).value ().wakes;
    world.sim.spawn ("sends", [&world, &both, count, gap] {
        for (int i = 0; i < count; ++i) {
            world.sim.pass_time (gap);
            send_one (both.from);
        }
    });
    for (int i = 0; i < count; ++i)
        receive_one (both.to);
    return socket::statistics (both.to).value ().wakes - before;
}

world_choice steady_sky ()
{
    world_choice choice;
    choice.sky.delay_min_ns = choice.sky.delay_max_ns = 10 * ns_per_us;
    choice.sky.short_write_per_mille = 0;
    return choice;
}

TEST (Pace, IsMetAwake)
{
    for (const base::time_ns gap : {100 * ns_per_us, 300 * ns_per_us})
        in_world (
          [gap] (virtual_world &world) {
              pair_of_sockets both (world);
              sleeps (world, both, 50, gap);
              EXPECT_LT (sleeps (world, both, 100, gap), 60u) << gap;
          },
          steady_sky ());
}

TEST (Pace, IsSleptThroughByWhoDoesNotSpin)
{
    in_world (
      [] (virtual_world &world) {
          pair_of_sockets both (world);
          const int off = 0;
          ASSERT_TRUE (socket::set_option (both.to, option_spin, &off, sizeof off).ok ());
          sleeps (world, both, 50, pace);
          EXPECT_GE (sleeps (world, both, 100, pace), 100u);
      },
      steady_sky ());
}

TEST (Pace, ThatEndsCostsOneLook)
{
    in_world (
      [] (virtual_world &world) {
          pair_of_sockets both (world);
          sleeps (world, both, 100, pace);
          const std::uint64_t before = world.sim.calls ();
          sleeps (world, both, 1, 3600 * ns_per_s);
          EXPECT_LT (world.sim.calls () - before, 500u);
      },
      steady_sky ());
}

}  // namespace

}  // namespace zlink::sim
