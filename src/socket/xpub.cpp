// XPUB (RFC 29): as PUB, and its application reads what subscribers ask for:
// an octet, 1 or 0, and the topic.
#include "socket/patterns.hpp"

#include "socket/options.hpp"

namespace zlink::socket {

const engine::pattern_traits &xpub_pattern () noexcept
{
    static constexpr engine::pattern_traits traits{
      .type = static_cast<int> (socket_type::xpub),
      .name = "XPUB",
      .sends = engine::send_rule::publish,
      .receives = engine::receive_rule::fair,
      .single_peer = false,
      .takes_topics = true,
    };
    return traits;
}

}  // namespace zlink::socket
