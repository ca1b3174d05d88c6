// XSUB (RFC 29): as SUB, with topics as messages that the application sends:
// an octet, 1 or 0, and the topic. Other messages go to all publishers.
#include "socket/patterns.hpp"

#include "socket/options.hpp"

namespace zlink::socket {

const engine::pattern_traits &xsub_pattern () noexcept
{
    static constexpr engine::pattern_traits traits{
      .type = static_cast<int> (socket_type::xsub),
      .name = "XSUB",
      .sends = engine::send_rule::publish,
      .receives = engine::receive_rule::fair,
      .single_peer = false,
      .asks_topics = true,
    };
    return traits;
}

}  // namespace zlink::socket
