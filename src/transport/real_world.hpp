// The real implementations of all seams, wired together.
//
// Whoever makes contexts keeps one alive for as long as any of them lives.
// Making one measures the processor's counters (once per process, below
// 1 ms) and starts no thread. Thread rule: the world's members' own.
#pragma once

#include <array>
#include <memory>

#include "base/world.hpp"
#include "platform/recommended.hpp"
#include "transport/ipc.hpp"
#include "transport/tcp.hpp"
#include "transport/udp.hpp"
#include "transport/web_transports.hpp"

namespace zlink::transport {

class real_world
{
  public:
    real_world () noexcept;
    real_world (const real_world &) = delete;
    real_world &operator= (const real_world &) = delete;

    [[nodiscard]] base::world &world () noexcept { return world_; }

  private:
    platform::recommended_clock clock_;
    platform::recommended_waiter waiter_;
    platform::recommended_poller_factory pollers_;
    platform::recommended_random random_;
    platform::recommended_entropy entropy_;
    platform::recommended_threads threads_;
    tcp tcp_;
    ipc ipc_;
    udp udp_;
    platform::recommended_resolver resolver_;
    platform::recommended_worker worker_;
    // Those that may be null stand behind the others.
    static constexpr std::size_t always = 3;
    std::array<base::transport *, always + 2 + web_transports_max> transports_;
    base::world world_;
};

// Null when there is no memory.
[[nodiscard]] std::shared_ptr<real_world> make_real_world () noexcept;

}  // namespace zlink::transport
