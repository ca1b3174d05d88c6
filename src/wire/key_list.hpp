// Public keys of CURVE, to ask whether one is among them. Constant once made, so
// that sockets and handshakes share it. Public keys are no secrets: how long a
// look takes may tell which there are.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "base/secret.hpp"

namespace zlink::wire {

class key_list
{
  public:
    // In any order, any of them more than once.
    explicit key_list (std::vector<base::public_key> keys) : keys_ (std::move (keys))
    {
        std::sort (keys_.begin (), keys_.end ());
    }
    [[nodiscard]] bool holds (const base::public_key &key) const noexcept
    {
        return std::binary_search (keys_.begin (), keys_.end (), key);
    }

  private:
    std::vector<base::public_key> keys_;  // sorted
};

}  // namespace zlink::wire
