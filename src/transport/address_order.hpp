// In which order the addresses of a name are tried (RFC 8305, section 4). Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "platform/socket_address.hpp"

namespace zlink::transport {

// A name with more addresses is tried at the first ones only.
inline constexpr std::size_t addresses_max = 64;

// The resolver's order is kept within each family; the families take turns,
// the first one's first: one that leads nowhere costs an attempt or two, and
// not all of its own.
[[nodiscard]] std::vector<platform::socket_address>
in_turns (const std::vector<platform::socket_address> &sorted);

}  // namespace zlink::transport
