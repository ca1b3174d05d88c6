// RADIO (RFC 48): sends each message, of one part, to all who have joined its
// group, never waits, receives nothing.
#include "socket/patterns.hpp"

#include "socket/options.hpp"

namespace zlink::socket {

const engine::pattern_traits &radio_pattern () noexcept
{
    static constexpr engine::pattern_traits traits{
      .type = static_cast<int> (socket_type::radio),
      .name = "RADIO",
      .sends = engine::send_rule::publish,
      .receives = engine::receive_rule::none,
      .single_part = true,
      .takes_topics = true,
      .grouped = true,
      .datagrams = engine::datagram_rule::to_groups,
    };
    return traits;
}

}  // namespace zlink::socket
