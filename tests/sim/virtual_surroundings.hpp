// What the tests of tests/support wait with, in a simulation: threads are
// fibres, time is virtual, descriptors are the simulated kernel's.
//
// Thread rule: inside fibres of the world's simulation. The world outlives it.
#pragma once

#include "sim/world.hpp"
#include "support/surroundings.hpp"

namespace zlink::sim {

class virtual_surroundings final : public test::surroundings
{
  public:
    explicit virtual_surroundings (virtual_world &world) noexcept : world_ (world) {}

    std::unique_ptr<thread> start (std::function<void ()> body) override;
    // A little time passes, so that whoever looks in vain gets to an end.
    void give_way () override;
    void wait_while (const std::atomic<unsigned> &word, unsigned value) override;
    void wake_all (std::atomic<unsigned> &) override {}  // who waits looks by itself
    std::int64_t now_us () override { return world_.time.now_ns () / 1000; }
    std::unique_ptr<beater> make_beater (long period_us) override;
    std::unique_ptr<bell> make_bell () override;
    unsigned readable (std::span<const int> descriptors, int timeout_ms) override;

  private:
    virtual_world &world_;
};

}  // namespace zlink::sim
