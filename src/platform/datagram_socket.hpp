// A datagram socket of the system (UDP).
//
// Errors of opening: address_in_use, address_not_available, permission_denied,
// no_device, protocol_not_supported, too_many_files, no_memory. Options of the
// system that only tune are best effort, as of streams; a device to bind to and
// all that multicast needs are not. Thread rule: that of base::datagram_port.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/datagram.hpp"
#include "base/stream.hpp"
#include "platform/descriptor.hpp"
#include "platform/socket_address.hpp"

namespace zlink::platform {

// Where a port sends, or receives. A group of hosts is a multicast address; the
// one that is sent to or joined is met through an interface: of IPv4 by the
// address that it has, of IPv6 by its number; without either the system chooses.
struct datagram_way
{
    socket_address there;                // to be sent to; none: each datagram says
    socket_address here;                 // to be bound, and received at; none: nothing is received
    socket_address group;                // likewise, to be joined
    socket_address through;              // an IPv4 interface
    std::uint32_t interface_number = 0;  // an IPv6 interface
    std::string shown_through{};         // as what local_endpoint() shows it, ";" behind it
};

// Of IPv4 or IPv6.
[[nodiscard]] bool is_multicast (const socket_address &which) noexcept;

// "127.0.0.1:5555" or "[::1]:5555" as an address of that family, with octets of
// 0 behind it or not; none if it is nothing of the kind, or the port is 0.
[[nodiscard]] socket_address parse_sender_name (std::string_view text, address_family family) noexcept;

// The number of an interface by its name; 0: there is none.
[[nodiscard]] std::uint32_t interface_number (const std::string &name) noexcept;

// scheme: of the endpoints that the port shows; it stays valid.
[[nodiscard]] base::result<std::unique_ptr<base::datagram_port>> open_datagram_socket (
  std::string_view scheme, const datagram_way &way, const base::stream_options &options) noexcept;

}  // namespace zlink::platform
