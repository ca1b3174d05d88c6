// STREAM: a socket of byte streams whose peers speak no ZMTP. What it receives
// stands behind the name of the peer; what it sends goes to the peer that the
// first part names. Bytes as they are, or packets that have a length in front.
// Source: compat.md, libzmq's ZMQ_STREAM and what its programs rely on.
#include "socket/patterns.hpp"

#include "socket/options.hpp"

namespace zlink::socket {

const engine::pattern_traits &stream_pattern () noexcept
{
    static constexpr engine::pattern_traits traits{
      .type = static_cast<int> (socket_type::stream),
      .name = "STREAM",
      .sends = engine::send_rule::address,
      .receives = engine::receive_rule::labelled,
      .never_full = true,
    };
    return traits;
}

}  // namespace zlink::socket
