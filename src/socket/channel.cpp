// CHANNEL (RFC 52): one peer, both ways, messages of one part.
#include "socket/patterns.hpp"

#include "socket/options.hpp"

namespace zlink::socket {

const engine::pattern_traits &channel_pattern () noexcept
{
    static constexpr engine::pattern_traits traits{
      .type = static_cast<int> (socket_type::channel),
      .name = "CHANNEL",
      .sends = engine::send_rule::balance,
      .receives = engine::receive_rule::fair,
      .single_peer = true,
      .single_part = true,
    };
    return traits;
}

}  // namespace zlink::socket
