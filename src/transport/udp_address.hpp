// The grammar of UDP endpoints, the part behind "udp://". Pure text.
//
//   [interface ";"] host ":" port
//
// bind: host is a number, an interface or "*"; connect: a number or a name. The
// interface is "*", one of its addresses or its name, and stands before a
// multicast address only. IPv6 numbers stand in brackets. A port is decimal
// digits; "*" and 0 are any, to bind only.
#pragma once

#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "transport/tcp_address.hpp"

namespace zlink::transport {

struct udp_address
{
    host_and_port at;
    std::optional<host_and_port> through;
};

// errc::invalid_argument for anything outside the grammar. Throws bad_alloc.
[[nodiscard]] base::result<udp_address> parse_udp_address (std::string_view text, bool binds);

}  // namespace zlink::transport
