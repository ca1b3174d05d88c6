// REP (RFC 28): a request of each peer in turn, then the reply to it, which
// goes back in the request's envelope or is dropped when the peer has gone.
#include "socket/patterns.hpp"

#include "socket/options.hpp"

namespace zlink::socket {

const engine::pattern_traits &rep_pattern () noexcept
{
    static constexpr engine::pattern_traits traits{
      .type = static_cast<int> (socket_type::rep),
      .name = "REP",
      .sends = engine::send_rule::reply,
      .receives = engine::receive_rule::requests,
      .single_peer = false,
    };
    return traits;
}

}  // namespace zlink::socket
