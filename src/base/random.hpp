// Seam: random numbers for jitter, identities and load spreading. Keys come
// from entropy.hpp, never from here. Thread rule: any thread.
#pragma once

#include <cstdint>

namespace zlink::base {

class random
{
  public:
    virtual ~random () = default;
    [[nodiscard]] virtual std::uint64_t next () noexcept = 0;
};

}  // namespace zlink::base
