// Seam: bytes that nobody can guess, for keys and nonces. Whoever can foresee
// them reads what is encrypted: nothing but the system's own source is behind it
// outside tests. Thread rule: any thread. Blocks only early in a boot.
#pragma once

#include "base/bytes.hpp"

namespace zlink::base {

class entropy
{
  public:
    virtual ~entropy () = default;
    // False: there is none to be had; what `to` holds is not to be used.
    [[nodiscard]] virtual bool fill (bytes_span to) noexcept = 0;
};

}  // namespace zlink::base
