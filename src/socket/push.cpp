// PUSH (RFC 30): sends round robin to the peers that have room, blocks while
// none has, receives nothing.
#include "socket/patterns.hpp"

#include "socket/options.hpp"

namespace zlink::socket {

const engine::pattern_traits &push_pattern () noexcept
{
    static constexpr engine::pattern_traits traits{
      .type = static_cast<int> (socket_type::push),
      .name = "PUSH",
      .sends = engine::send_rule::balance,
      .receives = engine::receive_rule::none,
      .single_peer = false,
    };
    return traits;
}

}  // namespace zlink::socket
