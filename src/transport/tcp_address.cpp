#include "transport/tcp_address.hpp"

#include <algorithm>

namespace zlink::transport {

namespace {

using base::errc;
using base::result;

constexpr std::size_t port_digits_max = 5;
constexpr unsigned port_max = 65535;

result<std::uint16_t> parse_port (std::string_view text)
{
    if (text == "*")
        return std::uint16_t{0};
    if (text.empty () || text.size () > port_digits_max)
        return errc::invalid_argument;
    unsigned port = 0;
    for (const char c : text) {
        if (c < '0' || c > '9')
            return errc::invalid_argument;
        port = port * 10 + static_cast<unsigned> (c - '0');
    }
    if (port > port_max)
        return errc::invalid_argument;
    return static_cast<std::uint16_t> (port);
}

bool may_be_in_host (char c) noexcept
{
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool digit = c >= '0' && c <= '9';
    return letter || digit || c == '.' || c == '-' || c == '_' || c == ':' || c == '%';
}

result<host_and_port> make (std::string_view host, std::uint16_t port)
{
    if (host.starts_with ('[') != host.ends_with (']'))
        return errc::invalid_argument;
    if (host.starts_with ('['))
        host = host.substr (1, host.size () - 2);
    if (host == "*")
        return host_and_port{{}, true, port};
    if (!std::ranges::all_of (host, may_be_in_host))
        return errc::invalid_argument;
    return host_and_port{std::string (host), false, port};
}

// The colon before the port: the last one outside brackets.
std::size_t port_colon (std::string_view text) noexcept
{
    const auto colon = text.rfind (':');
    const auto bracket = text.rfind (']');
    return colon != text.npos && bracket != text.npos && bracket > colon ? text.npos : colon;
}

result<host_and_port> parse_source (std::string_view text)
{
    const auto colon = port_colon (text);
    if (colon == text.npos)
        return make (text, 0);
    const auto port = parse_port (text.substr (colon + 1));
    if (!port)
        return port.failure ();
    return make (text.substr (0, colon), port.value ());
}

}  // namespace

result<host_and_port> parse_listen_address (std::string_view text)
{
    const auto colon = port_colon (text);
    if (colon == text.npos)
        return errc::invalid_argument;
    const auto port = parse_port (text.substr (colon + 1));
    if (!port)
        return port.failure ();
    return make (text.substr (0, colon), port.value ());
}

result<tcp_remote> parse_remote_address (std::string_view text)
{
    tcp_remote remote;
    if (const auto semicolon = text.find (';'); semicolon != text.npos) {
        auto source = parse_source (text.substr (0, semicolon));
        if (!source)
            return source.failure ();
        if (!source.value ().any_host && source.value ().host.empty ())
            return errc::invalid_argument;
        remote.source = std::move (source.value ());
        text.remove_prefix (semicolon + 1);
    }
    auto target = parse_listen_address (text);
    if (!target)
        return target.failure ();
    remote.target = std::move (target.value ());
    if (remote.target.any_host || remote.target.host.empty () || remote.target.port == 0)
        return errc::invalid_argument;
    return remote;
}

void tell_remote (std::string_view text, std::string &host, std::string &port)
{
    const auto remote = parse_remote_address (text);
    if (!remote)
        return;
    host = remote.value ().target.host;
    port = std::to_string (remote.value ().target.port);
}

}  // namespace zlink::transport
