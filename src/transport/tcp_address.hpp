// The grammar of TCP endpoints, the part behind "tcp://". Pure text.
//
//   listen   host ":" port          host: number, interface, local name, "*"
//   connect  [source ";"] host ":" port
//            source: host [":" port]; the wildcards are allowed here only
//
// IPv6 numbers stand in brackets, with a zone where they need one
// ("[fe80::1%eth0]:5555"). A port is decimal digits, or "*" (as 0 is: any).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace zlink::transport {

struct host_and_port
{
    std::string host;        // without brackets
    bool any_host = false;   // "*"
    std::uint16_t port = 0;  // 0 = any
};

struct tcp_remote
{
    host_and_port target;
    std::optional<host_and_port> source;
};

// errc::invalid_argument for anything outside the grammar.
[[nodiscard]] base::result<host_and_port> parse_listen_address (std::string_view text);
[[nodiscard]] base::result<tcp_remote> parse_remote_address (std::string_view text);
// Of an address to connect to: its host, and its port in digits. As they are where it
// is none.
void tell_remote (std::string_view text, std::string &host, std::string &port);

}  // namespace zlink::transport
