// DGRAM (libzmq's): datagrams as they are, by udp and in no other way. A message
// has two parts, the address of the other side and the body.
#include "socket/patterns.hpp"

#include "socket/options.hpp"

namespace zlink::socket {

const engine::pattern_traits &dgram_pattern () noexcept
{
    static constexpr engine::pattern_traits traits{
      .type = static_cast<int> (socket_type::dgram),
      .name = "DGRAM",
      .sends = engine::send_rule::balance,
      .receives = engine::receive_rule::fair,
      .single_peer = true,
      .datagrams = engine::datagram_rule::raw,
    };
    return traits;
}

}  // namespace zlink::socket
