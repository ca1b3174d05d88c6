#include "platform/socket_address.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cstring>
#include <linux/vm_sockets.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

namespace zlink::platform {

namespace {

static_assert (sizeof (sockaddr_un) <= socket_address::capacity_bytes);
static_assert (sizeof (sockaddr_in6) <= socket_address::capacity_bytes);
static_assert (socket_address::any_machine == VMADDR_CID_ANY);
static_assert (socket_address::any_port == VMADDR_PORT_ANY);

constexpr std::size_t path_offset = offsetof (sockaddr_un, sun_path);

template <class Raw> Raw load (const socket_address &from) noexcept
{
    Raw raw{};
    std::memcpy (&raw, from.data (), std::min (sizeof raw, from.size_bytes ()));
    return raw;
}

}  // namespace

socket_address::socket_address (const void *raw, std::size_t size_bytes) noexcept
{
    if (size_bytes < sizeof (sa_family_t) || size_bytes > capacity_bytes)
        return;
    std::memcpy (raw_.data (), raw, size_bytes);
    size_bytes_ = static_cast<std::uint32_t> (size_bytes);
}

socket_address socket_address::any_v4 (std::uint16_t port) noexcept
{
    sockaddr_in raw{};
    raw.sin_family = AF_INET;
    raw.sin_port = htons (port);
    raw.sin_addr.s_addr = htonl (INADDR_ANY);
    return {&raw, sizeof raw};
}

socket_address socket_address::any_v6 (std::uint16_t port) noexcept
{
    sockaddr_in6 raw{};
    raw.sin6_family = AF_INET6;
    raw.sin6_port = htons (port);
    raw.sin6_addr = in6addr_any;
    return {&raw, sizeof raw};
}

base::result<socket_address> socket_address::local (std::string_view path) noexcept
{
    const bool abstract = path.starts_with ('@');
    if (path.empty () || path == "@" || path.find ('\0') != path.npos)
        return base::errc::invalid_argument;
    sockaddr_un raw{};
    // A path is stored with its end mark, an abstract name has none.
    if (path.size () > sizeof raw.sun_path - (abstract ? 0 : 1))
        return base::errc::name_too_long;
    raw.sun_family = AF_UNIX;
    std::memcpy (raw.sun_path, path.data (), path.size ());
    if (abstract)
        raw.sun_path[0] = '\0';
    return socket_address (&raw, path_offset + path.size () + (abstract ? 0 : 1));
}

socket_address socket_address::of_machine (std::uint32_t machine, std::uint32_t port) noexcept
{
    sockaddr_vm raw{};
    raw.svm_family = AF_VSOCK;
    raw.svm_cid = machine;
    raw.svm_port = port;
    return {&raw, sizeof raw};
}

address_family socket_address::family () const noexcept
{
    if (size_bytes_ == 0)
        return address_family::none;
    switch (load<sockaddr> (*this).sa_family) {
    case AF_INET:
        return size_bytes_ >= sizeof (sockaddr_in) ? address_family::v4 : address_family::none;
    case AF_INET6:
        return size_bytes_ >= sizeof (sockaddr_in6) ? address_family::v6 : address_family::none;
    case AF_UNIX:
        return address_family::local;
    case AF_VSOCK:
        return size_bytes_ >= sizeof (sockaddr_vm) ? address_family::machine : address_family::none;
    default:
        return address_family::none;
    }
}

std::uint16_t socket_address::port () const noexcept
{
    switch (family ()) {
    case address_family::v4:
        return ntohs (load<sockaddr_in> (*this).sin_port);
    case address_family::v6:
        return ntohs (load<sockaddr_in6> (*this).sin6_port);
    default:
        return 0;
    }
}

void socket_address::set_port (std::uint16_t port) noexcept
{
    if (family () == address_family::v4)
        base::store_u16_be (raw_.data () + offsetof (sockaddr_in, sin_port), port);
    else if (family () == address_family::v6)
        base::store_u16_be (raw_.data () + offsetof (sockaddr_in6, sin6_port), port);
}

std::optional<base::ip_number> socket_address::number () const noexcept
{
    const socket_address wide = mapped_to_v6 ();
    if (wide.family () != address_family::v6)
        return std::nullopt;
    base::ip_number found;
    const auto raw = load<sockaddr_in6> (wide);
    std::memcpy (found.octets.data (), &raw.sin6_addr, found.octets.size ());
    return found;
}

std::string socket_address::host_text () const
{
    std::array<char, INET6_ADDRSTRLEN> buffer{};
    if (family () == address_family::v4) {
        const auto raw = load<sockaddr_in> (*this);
        ::inet_ntop (AF_INET, &raw.sin_addr, buffer.data (), buffer.size ());
        return buffer.data ();
    }
    if (family () == address_family::machine) {
        const auto raw = load<sockaddr_vm> (*this);
        return raw.svm_cid == any_machine ? "*" : std::to_string (raw.svm_cid);
    }
    if (family () != address_family::v6)
        return {};
    const auto raw = load<sockaddr_in6> (*this);
    ::inet_ntop (AF_INET6, &raw.sin6_addr, buffer.data (), buffer.size ());
    std::string text = buffer.data ();
    if (raw.sin6_scope_id != 0) {
        std::array<char, IF_NAMESIZE> name{};
        text += '%';
        if (::if_indextoname (raw.sin6_scope_id, name.data ()) != nullptr)
            text += name.data ();
        else
            text += std::to_string (raw.sin6_scope_id);
    }
    return text;
}

std::string socket_address::path_text () const
{
    if (family () != address_family::local || size_bytes_ <= path_offset)
        return {};
    const auto raw = load<sockaddr_un> (*this);
    const std::size_t length = size_bytes_ - path_offset;
    if (raw.sun_path[0] != '\0')
        return {raw.sun_path, ::strnlen (raw.sun_path, length)};
    std::string name (raw.sun_path, length);
    name[0] = '@';
    return name;
}

std::string socket_address::text () const
{
    switch (family ()) {
    case address_family::v4:
        return host_text () + ":" + std::to_string (port ());
    case address_family::v6:
        return "[" + host_text () + "]:" + std::to_string (port ());
    case address_family::local:
        return path_text ();
    case address_family::machine:
        return host_text () + ":" + std::to_string (load<sockaddr_vm> (*this).svm_port);
    case address_family::none:
        break;
    }
    return {};
}

socket_address socket_address::mapped_to_v6 () const noexcept
{
    if (family () != address_family::v4)
        return *this;
    const auto from = load<sockaddr_in> (*this);
    sockaddr_in6 to{};
    to.sin6_family = AF_INET6;
    to.sin6_port = from.sin_port;
    to.sin6_addr.s6_addr[10] = 0xff;
    to.sin6_addr.s6_addr[11] = 0xff;
    std::memcpy (&to.sin6_addr.s6_addr[12], &from.sin_addr, sizeof from.sin_addr);
    return {&to, sizeof to};
}

bool operator== (const socket_address &a, const socket_address &b) noexcept
{
    return std::ranges::equal (a.bytes (), b.bytes ());
}

}  // namespace zlink::platform
