// DISH (RFC 48): receives what is of one of its groups, from each radio in turn;
// sends nothing.
#include "socket/patterns.hpp"

#include "socket/options.hpp"

namespace zlink::socket {

const engine::pattern_traits &dish_pattern () noexcept
{
    static constexpr engine::pattern_traits traits{
      .type = static_cast<int> (socket_type::dish),
      .name = "DISH",
      .sends = engine::send_rule::none,
      .receives = engine::receive_rule::fair,
      .single_part = true,
      .asks_topics = true,
      .grouped = true,
      .filters = true,
      .datagrams = engine::datagram_rule::from_groups,
    };
    return traits;
}

}  // namespace zlink::socket
