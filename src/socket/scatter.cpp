// SCATTER (RFC 49): deals messages of one part out to its peers in turn; it
// receives nothing.
#include "socket/patterns.hpp"

#include "socket/options.hpp"

namespace zlink::socket {

const engine::pattern_traits &scatter_pattern () noexcept
{
    static constexpr engine::pattern_traits traits{
      .type = static_cast<int> (socket_type::scatter),
      .name = "SCATTER",
      .sends = engine::send_rule::balance,
      .receives = engine::receive_rule::none,
      .single_part = true,
    };
    return traits;
}

}  // namespace zlink::socket
