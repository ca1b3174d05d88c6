// PEER (RFC 51): as SERVER, but peers of the same type, each of whom may connect,
// and be told the other's number at once.
#include "socket/patterns.hpp"

#include "socket/options.hpp"

namespace zlink::socket {

const engine::pattern_traits &peer_pattern () noexcept
{
    static constexpr engine::pattern_traits traits{
      .type = static_cast<int> (socket_type::peer),
      .name = "PEER",
      .sends = engine::send_rule::number,
      .receives = engine::receive_rule::fair,
      .never_full = true,
      .dials_by_number = true,
      .single_part = true,
    };
    return traits;
}

}  // namespace zlink::socket
