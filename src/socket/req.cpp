// REQ (RFC 28): a request to one peer in turn, then its reply, then the next
// request.
#include "socket/patterns.hpp"

#include "socket/options.hpp"

namespace zlink::socket {

const engine::pattern_traits &req_pattern () noexcept
{
    static constexpr engine::pattern_traits traits{
      .type = static_cast<int> (socket_type::req),
      .name = "REQ",
      .sends = engine::send_rule::request,
      .receives = engine::receive_rule::replies,
      .single_peer = false,
    };
    return traits;
}

}  // namespace zlink::socket
