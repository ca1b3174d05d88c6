// GATHER (RFC 49): receives messages of one part from its peers in turn; it
// sends nothing.
#include "socket/patterns.hpp"

#include "socket/options.hpp"

namespace zlink::socket {

const engine::pattern_traits &gather_pattern () noexcept
{
    static constexpr engine::pattern_traits traits{
      .type = static_cast<int> (socket_type::gather),
      .name = "GATHER",
      .sends = engine::send_rule::none,
      .receives = engine::receive_rule::fair,
      .single_part = true,
    };
    return traits;
}

}  // namespace zlink::socket
