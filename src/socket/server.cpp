// SERVER (RFC 41): knows its peers by numbers of its own making. What it
// receives tells the sender's; what it sends goes to the peer whose number it
// tells, waits while that one has no room, and is refused if there is none.
#include "socket/patterns.hpp"

#include "socket/options.hpp"

namespace zlink::socket {

const engine::pattern_traits &server_pattern () noexcept
{
    static constexpr engine::pattern_traits traits{
      .type = static_cast<int> (socket_type::server),
      .name = "SERVER",
      .sends = engine::send_rule::number,
      .receives = engine::receive_rule::fair,
      .never_full = true,
      .single_part = true,
    };
    return traits;
}

}  // namespace zlink::socket
