#include "platform/host_lookup.hpp"

#include <arpa/inet.h>
#include <array>
#include <cstring>
#include <ifaddrs.h>
#include <memory>
#include <mutex>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

#include "platform/os_error.hpp"

namespace zlink::platform {

namespace {

using base::errc;
using base::result;

struct free_list
{
    void operator() (addrinfo *list) const noexcept { ::freeaddrinfo (list); }
    void operator() (ifaddrs *list) const noexcept { ::freeifaddrs (list); }
};

socket_address make_v4 (const in_addr &host) noexcept
{
    sockaddr_in raw{};
    raw.sin_family = AF_INET;
    raw.sin_addr = host;
    return {&raw, sizeof raw};
}

socket_address make_v6 (const in6_addr &host, std::uint32_t scope) noexcept
{
    sockaddr_in6 raw{};
    raw.sin6_family = AF_INET6;
    raw.sin6_addr = host;
    raw.sin6_scope_id = scope;
    return {&raw, sizeof raw};
}

socket_address loopback_v4 () noexcept { return make_v4 (in_addr{htonl (INADDR_LOOPBACK)}); }

socket_address loopback_v6 () noexcept { return make_v6 (in6addr_loopback, 0); }

// A scope is an interface's name or its number. The system looks names up
// through a socket of its own.
result<std::uint32_t> scope_number (const std::string &scope) noexcept
{
    if (const unsigned index = ::if_nametoindex (scope.c_str ()); index != 0)
        return index;
    const base::error why = last_os_error ();
    if (why.code == errc::too_many_files || why.code == errc::no_memory)
        return why;
    std::uint32_t number = 0;
    if (scope.empty () || scope.size () > 9)
        return errc::name_not_found;
    for (const char c : scope) {
        if (c < '0' || c > '9')
            return errc::name_not_found;
        number = number * 10 + static_cast<std::uint32_t> (c - '0');
    }
    return number;
}

errc lookup_code (int answer) noexcept
{
    switch (answer) {
    case EAI_MEMORY:
        return errc::no_memory;
    case EAI_SYSTEM:
        return errno == EMFILE || errno == ENFILE ? errc::too_many_files : errc::name_not_found;
    default:
        return errc::name_not_found;
    }
}

result<std::vector<socket_address>> ask_resolver (const std::string &host, bool ipv6)
{
    addrinfo hints{};
    hints.ai_family = ipv6 ? AF_UNSPEC : AF_INET;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo *raw = nullptr;
    if (const int answer = ::getaddrinfo (host.c_str (), nullptr, &hints, &raw); answer != 0)
        return lookup_code (answer);
    const std::unique_ptr<addrinfo, free_list> list (raw);
    std::vector<socket_address> found;
    for (const addrinfo *entry = raw; entry != nullptr; entry = entry->ai_next) {
        const socket_address one (entry->ai_addr, entry->ai_addrlen);
        if (one.family () != address_family::none)
            found.push_back (one);
    }
    if (found.empty ())
        return errc::name_not_found;
    return found;
}

// Walks the hosts file only: enumeration never asks a name server. The walk's
// position is one per process, hence the lock.
std::optional<socket_address> find_in_hosts_file (const std::string &name, int family)
{
    static std::mutex walking;
    const std::lock_guard lock (walking);
    std::optional<socket_address> found;
    std::array<char, 4096> buffer;
    hostent entry{};
    hostent *current = nullptr;
    int problem = 0;
    ::sethostent (0);
    while (!found && ::gethostent_r (&entry, buffer.data (), buffer.size (), &current, &problem) == 0
           && current != nullptr) {
        bool named = ::strcasecmp (entry.h_name, name.c_str ()) == 0;
        for (char **alias = entry.h_aliases; !named && alias != nullptr && *alias != nullptr; ++alias)
            named = ::strcasecmp (*alias, name.c_str ()) == 0;
        if (!named || entry.h_addrtype != family || entry.h_addr_list[0] == nullptr)
            continue;
        if (family == AF_INET) {
            in_addr host{};
            std::memcpy (&host, entry.h_addr_list[0], sizeof host);
            found = make_v4 (host);
        } else {
            in6_addr host{};
            std::memcpy (&host, entry.h_addr_list[0], sizeof host);
            found = make_v6 (host, 0);
        }
    }
    ::endhostent ();
    return found;
}

bool is_own_name (const std::string &name) noexcept
{
    std::array<char, 256> own{};
    return ::gethostname (own.data (), own.size () - 1) == 0
           && ::strcasecmp (own.data (), name.c_str ()) == 0;
}

bool is_localhost (std::string_view name) noexcept
{
    constexpr std::string_view known = "localhost";
    return name.size () == known.size () && ::strncasecmp (name.data (), known.data (), known.size ()) == 0;
}

}  // namespace

result<socket_address> numeric_address (std::string_view host, bool ipv6)
{
    const auto percent = host.find ('%');
    const std::string number (host.substr (0, percent));
    in_addr v4{};
    if (percent == host.npos && ::inet_pton (AF_INET, number.c_str (), &v4) == 1)
        return make_v4 (v4);
    in6_addr v6{};
    if (!ipv6 || ::inet_pton (AF_INET6, number.c_str (), &v6) != 1)
        return errc::name_not_found;
    if (percent == host.npos)
        return make_v6 (v6, 0);
    const auto scope = scope_number (std::string (host.substr (percent + 1)));
    if (!scope)
        return scope.failure ();
    return make_v6 (v6, scope.value ());
}

bool is_numeric (std::string_view host)
{
    const std::string number (host.substr (0, host.find ('%')));
    in_addr v4{};
    in6_addr v6{};
    return ::inet_pton (AF_INET, number.c_str (), &v4) == 1
           || ::inet_pton (AF_INET6, number.c_str (), &v6) == 1;
}

result<socket_address> interface_address (std::string_view name, address_family family)
{
    const int wanted = family == address_family::v6 ? AF_INET6 : AF_INET;
    ifaddrs *raw = nullptr;
    if (::getifaddrs (&raw) != 0)
        return last_os_error ();
    const std::unique_ptr<ifaddrs, free_list> list (raw);
    for (const ifaddrs *entry = raw; entry != nullptr; entry = entry->ifa_next) {
        if (entry->ifa_addr == nullptr || entry->ifa_addr->sa_family != wanted || name != entry->ifa_name)
            continue;
        return socket_address (entry->ifa_addr,
                               wanted == AF_INET ? sizeof (sockaddr_in) : sizeof (sockaddr_in6));
    }
    return errc::no_device;
}

result<socket_address> local_host_address (std::string_view host, bool ipv6)
{
    const std::string name (host);
    if (name.empty ())
        return errc::no_device;
    if (is_localhost (name))
        return ipv6 ? loopback_v6 () : loopback_v4 ();
    if (ipv6)
        if (const auto found = find_in_hosts_file (name, AF_INET6))
            return *found;
    if (const auto found = find_in_hosts_file (name, AF_INET))
        return *found;
    if (!is_own_name (name))
        return errc::no_device;
    const auto found = ask_resolver (name, ipv6);
    if (found)
        return found.value ().front ();
    return found.code () == errc::name_not_found ? base::error{errc::no_device} : found.failure ();
}

result<std::vector<socket_address>> look_up_host (std::string_view host, bool ipv6)
{
    if (is_localhost (host)) {
        std::vector<socket_address> known;
        if (ipv6)
            known.push_back (loopback_v6 ());
        known.push_back (loopback_v4 ());
        return known;
    }
    return ask_resolver (std::string (host), ipv6);
}

}  // namespace zlink::platform
