// The kernel's random bytes, good enough for keys. Nothing is kept between
// calls, so a forked child needs no care. Thread rule: any thread.
#pragma once

#include "base/entropy.hpp"

namespace zlink::platform {

class system_entropy final : public base::entropy
{
  public:
    [[nodiscard]] bool fill (base::bytes_span to) noexcept override;
};

}  // namespace zlink::platform
