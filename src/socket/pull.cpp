// PULL (RFC 30): receives from all peers, one message of each in turn, sends
// nothing.
#include "socket/patterns.hpp"

#include "socket/options.hpp"

namespace zlink::socket {

const engine::pattern_traits &pull_pattern () noexcept
{
    static constexpr engine::pattern_traits traits{
      .type = static_cast<int> (socket_type::pull),
      .name = "PULL",
      .sends = engine::send_rule::none,
      .receives = engine::receive_rule::fair,
      .single_peer = false,
    };
    return traits;
}

}  // namespace zlink::socket
