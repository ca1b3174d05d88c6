// From names to addresses: numbers, interfaces, the hosts file, the resolver.
//
// All addresses come back with port 0. Thread rule: any thread. Only
// look_up_host and local_host_address may block.
#pragma once

#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "platform/socket_address.hpp"

namespace zlink::platform {

// "127.0.0.1", "::1", "fe80::1%lo". Without ipv6 an IPv6 number is no address.
// name_not_found: it is none; too_many_files, no_memory: behind % a name stands
// that nobody could be asked about.
[[nodiscard]] base::result<socket_address> numeric_address (std::string_view host, bool ipv6);

// Whether host is a number of either family (asks nobody).
[[nodiscard]] bool is_numeric (std::string_view host);

// The first address of that family on the interface. no_device without one.
[[nodiscard]] base::result<socket_address> interface_address (std::string_view name, address_family family);

// An address of this very host by a name from the hosts file, "localhost" or
// the host's own name; never a query to the network for any other name.
// no_device when there is none.
[[nodiscard]] base::result<socket_address> local_host_address (std::string_view name, bool ipv6);

// All addresses of a name, in the system's order of preference; IPv4 only
// without ipv6. Blocks for as long as the system's resolver does, except for
// "localhost", which is known. name_not_found, no_memory.
[[nodiscard]] base::result<std::vector<socket_address>> look_up_host (std::string_view host, bool ipv6);

}  // namespace zlink::platform
