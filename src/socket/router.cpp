// ROUTER (RFC 28): knows its peers by name. What it receives stands behind the
// name of the sender; what it sends goes to the peer that the first part
// names, and is dropped, or refused with ROUTER_MANDATORY, if there is none.
#include "socket/patterns.hpp"

#include "socket/options.hpp"

namespace zlink::socket {

const engine::pattern_traits &router_pattern () noexcept
{
    static constexpr engine::pattern_traits traits{
      .type = static_cast<int> (socket_type::router),
      .name = "ROUTER",
      .sends = engine::send_rule::address,
      .receives = engine::receive_rule::labelled,
      .single_peer = false,
    };
    return traits;
}

}  // namespace zlink::socket
