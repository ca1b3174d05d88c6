// Random numbers seeded by the kernel.
//
// The generator is a counter in steps of the golden ratio whose values are
// mixed (SplitMix64: Steele, Lea, Flood, 2014), so that any number of threads
// draw from it with one atomic addition and no lock. A forked child seeds
// itself anew. Not for keys. Thread rule: any thread.
#pragma once

#include <atomic>

#include "base/random.hpp"

namespace zlink::platform {

class system_random final : public base::random
{
  public:
    system_random () noexcept;
    [[nodiscard]] std::uint64_t next () noexcept override;

  private:
    void seed () noexcept;

    std::atomic<std::uint64_t> counter_{0};
    std::atomic<std::uint32_t> generation_{0};
};

}  // namespace zlink::platform
