#include "socket/patterns.hpp"

#include <array>

namespace zlink::socket {

// Where types are chosen, cmake/ZlinkTypes.cmake writes a shorter list instead.
std::span<const engine::pattern_traits *const> built_patterns () noexcept
{
    static const std::array all{
      &pair_pattern (),    &push_pattern (),    &pull_pattern (),   &dealer_pattern (), &router_pattern (),
      &req_pattern (),     &rep_pattern (),     &pub_pattern (),    &sub_pattern (),    &xpub_pattern (),
      &xsub_pattern (),    &stream_pattern (),  &server_pattern (), &client_pattern (), &gather_pattern (),
      &scatter_pattern (), &channel_pattern (), &peer_pattern (),   &radio_pattern (),  &dish_pattern (),
      &dgram_pattern ()};
    return all;
}

}  // namespace zlink::socket
