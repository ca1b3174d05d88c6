// CLIENT (RFC 41): sends round robin to the servers that have room, blocks while
// none has, and receives from all of them in turn. A message is one part.
#include "socket/patterns.hpp"

#include "socket/options.hpp"

namespace zlink::socket {

const engine::pattern_traits &client_pattern () noexcept
{
    static constexpr engine::pattern_traits traits{
      .type = static_cast<int> (socket_type::client),
      .name = "CLIENT",
      .sends = engine::send_rule::balance,
      .receives = engine::receive_rule::fair,
      .single_part = true,
    };
    return traits;
}

}  // namespace zlink::socket
