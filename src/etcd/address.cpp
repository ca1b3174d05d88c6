#include "etcd/address.hpp"

#include <algorithm>

namespace zlink::etcd {

namespace {

constexpr std::string_view scheme = "etcd://";

bool is_digit (char each) noexcept { return each >= '0' && each <= '9'; }

bool is_port (std::string_view text) noexcept
{
    unsigned number = 0;
    for (const char each : text)
        number = is_digit (each) ? number * 10 + static_cast<unsigned> (each - '0') : 65'536;
    return !text.empty () && text.size () <= 5 && number >= 1 && number <= 65'535;
}

bool is_letter (char each) noexcept { return (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z'); }

bool is_of_v6 (char each) noexcept
{
    return is_digit (each) || each == ':' || each == '.' || (is_letter (each) && (each | 0x20) <= 'f');
}

bool is_of_name (char each) noexcept
{
    return is_digit (each) || is_letter (each) || each == '.' || each == '-' || each == '_';
}

bool is_host (std::string_view text) noexcept
{
    if (text.starts_with ('[')) {
        text = text.ends_with (']') ? text.substr (1, text.size () - 2) : std::string_view ();
        return text.find (':') != std::string_view::npos && std::ranges::all_of (text, is_of_v6);
    }
    return !text.empty () && std::ranges::all_of (text, is_of_name);
}

// With its port; empty: it is none.
std::string host_in (std::string_view text)
{
    std::string_view host = text, port = default_port;
    const std::size_t bracket = text.rfind (']');
    const std::size_t colon = text.rfind (':');
    if (colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket)) {
        host = text.substr (0, colon);
        port = text.substr (colon + 1);
    }
    if (!is_host (host) || !is_port (port))
        return {};
    std::string made (host);
    made += ':';
    made += port;
    return made;
}

}  // namespace

std::optional<address> read_address (std::string_view url)
{
    if (!url.starts_with (scheme))
        return std::nullopt;
    url.remove_prefix (scheme.size ());
    const std::size_t slash = url.find ('/');
    if (slash == std::string_view::npos)
        return std::nullopt;
    std::string_view hosts = url.substr (0, slash);
    std::string_view prefix = url.substr (slash + 1);
    if (prefix.ends_with ('/'))
        prefix.remove_suffix (1);
    const bool clean = std::ranges::all_of (prefix, [] (char each) { return each > ' ' && each < '\x7F'; });
    if (prefix.empty () || prefix.size () > prefix_bytes_max || prefix.starts_with ('/')
        || prefix.ends_with ('/') || !clean)
        return std::nullopt;
    address found{.hosts = {}, .prefix = std::string (prefix)};
    while (true) {
        const std::size_t comma = hosts.find (',');
        std::string host = host_in (hosts.substr (0, comma));
        if (host.empty () || found.hosts.size () >= hosts_max)
            return std::nullopt;
        found.hosts.push_back (std::move (host));
        if (comma == std::string_view::npos)
            return found;
        hosts.remove_prefix (comma + 1);
    }
}

}  // namespace zlink::etcd
