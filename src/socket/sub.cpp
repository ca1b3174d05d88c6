// SUB (RFC 29): receives what begins with one of its topics, from each
// publisher in turn; sends nothing.
#include "socket/patterns.hpp"

#include "socket/options.hpp"

namespace zlink::socket {

const engine::pattern_traits &sub_pattern () noexcept
{
    static constexpr engine::pattern_traits traits{
      .type = static_cast<int> (socket_type::sub),
      .name = "SUB",
      .sends = engine::send_rule::none,
      .receives = engine::receive_rule::fair,
      .single_peer = false,
      .asks_topics = true,
      .filters = true,
    };
    return traits;
}

}  // namespace zlink::socket
