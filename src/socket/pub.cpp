// PUB (RFC 29): sends each message to all subscribers that asked for a
// beginning of it, never waits, receives nothing.
#include "socket/patterns.hpp"

#include "socket/options.hpp"

namespace zlink::socket {

const engine::pattern_traits &pub_pattern () noexcept
{
    static constexpr engine::pattern_traits traits{
      .type = static_cast<int> (socket_type::pub),
      .name = "PUB",
      .sends = engine::send_rule::publish,
      .receives = engine::receive_rule::none,
      .single_peer = false,
      .takes_topics = true,
    };
    return traits;
}

}  // namespace zlink::socket
