#include "socket/patterns.hpp"

#include <array>

namespace zlink::socket {

const engine::pattern_traits *find_pattern (int type) noexcept
{
    static const std::array built{&pair_pattern (), &push_pattern (), &pull_pattern ()};
    for (const engine::pattern_traits *each : built)
        if (each->type == type)
            return each;
    return nullptr;
}

}  // namespace zlink::socket
