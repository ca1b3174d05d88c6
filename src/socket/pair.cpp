// PAIR (RFC 31): one peer at a time, both ways. A second peer is turned away;
// sending blocks while there is no peer or it is full.
#include "socket/patterns.hpp"

#include "socket/options.hpp"

namespace zlink::socket {

const engine::pattern_traits &pair_pattern () noexcept
{
    static constexpr engine::pattern_traits traits{
      .type = static_cast<int> (socket_type::pair),
      .name = "PAIR",
      .sends = engine::send_rule::balance,
      .receives = engine::receive_rule::fair,
      .single_peer = true,
    };
    return traits;
}

}  // namespace zlink::socket
