// DEALER (RFC 28): sends round robin to the peers that have room, blocks while
// none has, and receives from all of them in turn.
#include "socket/patterns.hpp"

#include "socket/options.hpp"

namespace zlink::socket {

const engine::pattern_traits &dealer_pattern () noexcept
{
    static constexpr engine::pattern_traits traits{
      .type = static_cast<int> (socket_type::dealer),
      .name = "DEALER",
      .sends = engine::send_rule::balance,
      .receives = engine::receive_rule::fair,
      .single_peer = false,
    };
    return traits;
}

}  // namespace zlink::socket
