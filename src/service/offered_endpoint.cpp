#include "service/offered_endpoint.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/ip_number.hpp"
#include "wire/registry_message.hpp"

namespace zlink::service {

namespace {

// The parts of an endpoint on the network.
struct network_parts
{
    std::string_view scheme;  // with "://"
    std::string_view host;    // without brackets and zone
    std::string_view port;
    std::string_view rest;  // the path, with its slash
};

constexpr std::array<std::string_view, 4> network_schemes{"tcp://", "tls://", "ws://", "wss://"};

bool is_port (std::string_view text) noexcept
{
    if (text.empty () || text.size () > 5
        || !std::all_of (text.begin (), text.end (), [] (char each) { return each >= '0' && each <= '9'; }))
        return false;
    unsigned number = 0;
    for (const char each : text)
        number = number * 10 + static_cast<unsigned> (each - '0');
    return number <= UINT16_MAX;
}

bool is_any_port (std::string_view text) noexcept
{
    return text == "*" || text.find_first_not_of ('0') == std::string_view::npos;
}

std::string_view without_brackets (std::string_view host) noexcept
{
    if (!host.starts_with ('[') || !host.ends_with (']') || host.size () < 3)
        return host;
    host = host.substr (1, host.size () - 2);
    return host.substr (0, host.find ('%'));
}

std::optional<network_parts> split_network (std::string_view endpoint) noexcept
{
    const auto *const scheme =
      std::find_if (network_schemes.begin (), network_schemes.end (),
                    [endpoint] (std::string_view each) { return endpoint.starts_with (each); });
    if (scheme == network_schemes.end ())
        return std::nullopt;
    network_parts parts;
    parts.scheme = *scheme;
    std::string_view place = endpoint.substr (scheme->size ());
    if (scheme->starts_with ("ws")) {
        const std::size_t path = std::min (place.find ('/'), place.size ());
        parts.rest = place.substr (path);
        place = place.substr (0, path);
    }
    const std::size_t colon = place.rfind (':');
    if (colon == std::string_view::npos || colon == 0)
        return std::nullopt;
    parts.host = without_brackets (place.substr (0, colon));
    parts.port = place.substr (colon + 1);
    return parts;
}

// A name, a number, or a wildcard.
bool is_host (std::string_view host) noexcept
{
    return host == "*" || base::parse_ip_number (host).has_value ()
           || std::all_of (host.begin (), host.end (), [] (char each) {
                  return (each >= '0' && each <= '9') || (each >= 'a' && each <= 'z')
                         || (each >= 'A' && each <= 'Z') || each == '-' || each == '.' || each == '_';
              });
}

bool is_in (std::string_view range, const base::ip_number &number) noexcept
{
    const std::optional<base::ip_range> parsed = base::parse_ip_range (range);
    return parsed && parsed->holds (number);
}

bool is_wildcard_host (std::string_view host) noexcept
{
    const std::optional<base::ip_number> number = base::parse_ip_number (host);
    return host == "*" || (number && (is_in ("0.0.0.0/8", *number) || is_in ("::/128", *number)));
}

bool is_loopback_host (std::string_view host) noexcept
{
    constexpr std::string_view name = "localhost";
    const bool named = host.size () == name.size ()
                       && std::equal (host.begin (), host.end (), name.begin (),
                                      [] (char a, char b) { return (a | 0x20) == b; });
    const std::optional<base::ip_number> number = base::parse_ip_number (host);
    return named || (number && (is_in ("127.0.0.0/8", *number) || is_in ("::1/128", *number)));
}

offer_fault judge_network (const network_parts &parts, nearness from) noexcept
{
    if (is_wildcard_host (parts.host) || is_any_port (parts.port))
        return offer_fault::wildcard;
    if (!is_host (parts.host) || !is_port (parts.port))
        return offer_fault::malformed;
    const std::optional<base::ip_number> number = base::parse_ip_number (parts.host);
    if (number
        && (is_in ("224.0.0.0/4", *number) || is_in ("ff00::/8", *number)
            || is_in ("255.255.255.255/32", *number)))
        return offer_fault::multicast;
    return is_loopback_host (parts.host) && from == nearness::elsewhere ? offer_fault::loopback
                                                                        : offer_fault::none;
}

}  // namespace

offer_fault judge_offer (std::string_view endpoint, nearness from) noexcept
{
    if (!wire::is_endpoint_text (endpoint))
        return offer_fault::malformed;
    if (const std::optional<network_parts> parts = split_network (endpoint))
        return judge_network (*parts, from);
    const bool inproc = endpoint.starts_with ("inproc://");
    if (!inproc && !endpoint.starts_with ("ipc://"))
        return offer_fault::malformed;
    const std::string_view name = endpoint.substr (endpoint.find ("://") + 3);
    if (name.empty ())
        return offer_fault::malformed;
    if (!inproc && name == "*")
        return offer_fault::wildcard;
    const nearness needed = inproc ? nearness::same_process : nearness::same_host;
    return from <= needed ? offer_fault::none : offer_fault::local;
}

const char *offer_fault_name (offer_fault fault) noexcept
{
    static constexpr std::array names{"none", "malformed", "wildcard", "multicast", "loopback", "local"};
    return names[static_cast<std::size_t> (fault)];
}

base::result<std::string> with_host (std::string_view endpoint, std::string_view host)
{
    const std::optional<network_parts> parts = split_network (endpoint);
    if (!parts) {
        const bool local = judge_offer (endpoint, nearness::same_process) == offer_fault::none;
        return local ? base::result<std::string> (std::string (endpoint)) : base::errc::invalid_argument;
    }
    if (is_any_port (parts->port) || !is_port (parts->port))
        return base::errc::invalid_argument;
    if (!is_wildcard_host (parts->host))
        return std::string (endpoint);
    const bool bare_v6 = host.find (':') != std::string_view::npos && !host.starts_with ('[');
    std::string made (parts->scheme);
    made += bare_v6 ? "[" : "";
    made += host;
    made += bare_v6 ? "]:" : ":";
    made += parts->port;
    made += parts->rest;
    return made;
}

}  // namespace zlink::service
