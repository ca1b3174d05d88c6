#include "platform/datagram_socket.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <net/if.h>
#include <netinet/in.h>
#include <new>
#include <poll.h>
#include <sys/socket.h>
#include <system_error>
#include <utility>

#include "platform/os_error.hpp"
#include "platform/socket_setup.hpp"
#include "platform/socket_stream.hpp"
#include "platform/timeout.hpp"

namespace zlink::platform {

namespace {

using base::errc;
using base::result;

// Calls again after a signal: these calls do not sleep, so that costs nothing.
template <class Call> ssize_t again_after_signals (Call call) noexcept
{
    ssize_t answer;
    do
        answer = call ();
    while (answer < 0 && errno == EINTR);
    return answer;
}

template <class Value> result<void> demand (int socket, int level, int name, const Value &value) noexcept
{
    if (::setsockopt (socket, level, name, &value, sizeof value) != 0)
        return last_os_error ();
    return {};
}

template <class Value> void wish (int socket, int level, int name, const Value &value) noexcept
{
    ::setsockopt (socket, level, name, &value, sizeof value);
}

template <class Raw> Raw raw_of (const socket_address &from) noexcept
{
    Raw raw{};
    std::memcpy (&raw, from.data (), std::min (sizeof raw, from.size_bytes ()));
    return raw;
}

// How far what is sent to a group goes, and through which interface.
result<void>
prepare_sending (int socket, const datagram_way &way, const base::stream_options &options) noexcept
{
    if (!is_multicast (way.there))
        return {};
    const int loop = options.multicast_loop ? 1 : 0;
    const bool v6 = way.there.family () == address_family::v6;
    const int level = v6 ? IPPROTO_IPV6 : IPPROTO_IP;
    result<void> done = demand (socket, level, v6 ? IPV6_MULTICAST_LOOP : IP_MULTICAST_LOOP, loop);
    if (done.ok () && options.multicast_hops > 0)
        done = demand (socket, level, v6 ? IPV6_MULTICAST_HOPS : IP_MULTICAST_TTL,
                       std::min (options.multicast_hops, 255));
    if (done.ok () && v6 && way.interface_number != 0)
        done = demand (socket, level, IPV6_MULTICAST_IF, way.interface_number);
    if (done.ok () && !v6 && way.through.family () == address_family::v4)
        done = demand (socket, level, IP_MULTICAST_IF, raw_of<sockaddr_in> (way.through).sin_addr);
    return done;
}

// Only what is sent to this group, not to those that others on this host have
// joined.
result<void> join_group (int socket, const datagram_way &way) noexcept
{
    const int off = 0;
    if (way.group.family () == address_family::v6) {
#ifdef IPV6_MULTICAST_ALL
        wish (socket, IPPROTO_IPV6, IPV6_MULTICAST_ALL, off);
#endif
        const ipv6_mreq wanted{raw_of<sockaddr_in6> (way.group).sin6_addr, way.interface_number};
        return demand (socket, IPPROTO_IPV6, IPV6_ADD_MEMBERSHIP, wanted);
    }
    wish (socket, IPPROTO_IP, IP_MULTICAST_ALL, off);
    ip_mreq wanted{};
    wanted.imr_multiaddr = raw_of<sockaddr_in> (way.group).sin_addr;
    if (way.through.family () == address_family::v4)
        wanted.imr_interface = raw_of<sockaddr_in> (way.through).sin_addr;
    return demand (socket, IPPROTO_IP, IP_ADD_MEMBERSHIP, wanted);
}

// Several may receive at one place, as with libzmq: of a group all of them.
result<void> prepare_receiving (int socket, const datagram_way &way) noexcept
{
    const int on = 1;
    wish (socket, SOL_SOCKET, SO_RXQ_OVFL, on);
    const bool grouped = way.group.family () != address_family::none;
    result<void> done = demand (socket, SOL_SOCKET, SO_REUSEADDR, on);
    if (done.ok () && grouped)
        done = demand (socket, SOL_SOCKET, SO_REUSEPORT, on);
    if (done.ok ())
        done = bind_socket (socket, way.here);
    return done.ok () && grouped ? join_group (socket, way) : done;
}

void name_sender (const sockaddr_storage &from, base::sender_name &to) noexcept
{
    to.size = 0;
    const bool v6 = from.ss_family == AF_INET6;
    char *at = to.text.data ();
    char *const end = at + to.text.size ();
    const auto &narrow = reinterpret_cast<const sockaddr_in &> (from);
    const auto &wide = reinterpret_cast<const sockaddr_in6 &> (from);
    if (v6)
        *at++ = '[';
    const void *const number = v6 ? static_cast<const void *> (&wide.sin6_addr) : &narrow.sin_addr;
    if (::inet_ntop (from.ss_family, number, at, INET6_ADDRSTRLEN) == nullptr)
        return;
    at += std::strlen (at);
    if (v6 && wide.sin6_scope_id != 0) {
        *at++ = '%';
        at = std::to_chars (at, end, wide.sin6_scope_id).ptr;
    }
    if (v6)
        *at++ = ']';
    *at++ = ':';
    at = std::to_chars (at, end, ntohs (v6 ? wide.sin6_port : narrow.sin_port)).ptr;
    to.size = static_cast<std::size_t> (at - to.text.data ());
}

// All of it, in decimal digits.
template <class Number> bool parse_number (std::string_view text, Number &to) noexcept
{
    const char *const end = text.data () + text.size ();
    const auto [stop, failed] = std::from_chars (text.data (), end, to);
    return failed == std::errc () && stop == end;
}

// As the system's functions want it: shorter than this, and ended.
using host_buffer = std::array<char, base::sender_name::bytes_max + 1>;

socket_address parse_v4 (std::string_view host) noexcept
{
    host_buffer number{};
    std::copy (host.begin (), host.end (), number.begin ());
    sockaddr_in raw{};
    raw.sin_family = AF_INET;
    if (::inet_pton (AF_INET, number.data (), &raw.sin_addr) != 1)
        return {};
    return {&raw, sizeof raw};
}

// The zone is a number, as name_sender() writes it.
socket_address parse_v6 (std::string_view host) noexcept
{
    sockaddr_in6 raw{};
    raw.sin6_family = AF_INET6;
    const auto percent = host.find ('%');
    if (percent != host.npos && !parse_number (host.substr (percent + 1), raw.sin6_scope_id))
        return {};
    host = host.substr (0, percent);
    host_buffer number{};
    std::copy (host.begin (), host.end (), number.begin ());
    if (::inet_pton (AF_INET6, number.data (), &raw.sin6_addr) != 1)
        return {};
    return {&raw, sizeof raw};
}

class datagram_socket final : public base::datagram_port
{
  public:
    datagram_socket (descriptor socket,
                     std::string_view scheme,
                     datagram_way way,
                     address_family family,
                     const socket_address &own)
      : socket_ (std::move (socket)), scheme_ (scheme), way_ (std::move (way)), family_ (family), own_ (own)
    {
    }

    result<void> send (base::bytes_view datagram, std::string_view to) noexcept override;
    result<base::arrival> receive (base::bytes_span buffer, base::sender_name *from) noexcept override;
    [[nodiscard]] std::uint64_t overrun () const noexcept override { return overrun_; }
    bool wait_writable (base::time_ns timeout_ns) noexcept override
    {
        pollfd entry{socket_.get (), POLLOUT, 0};
        const timespec timeout = to_timespec (timeout_ns);
        return ::ppoll (&entry, 1, timeout_ns < 0 ? nullptr : &timeout, nullptr) > 0;
    }
    [[nodiscard]] base::io_handle handle () const noexcept override { return socket_.get (); }
    [[nodiscard]] std::string local_endpoint () const override
    {
        if (way_.here.family () == address_family::none)
            return {};
        socket_address shown = way_.group.family () != address_family::none ? way_.group : own_;
        shown.set_port (own_.port ());
        return std::string (scheme_) + "://" + way_.shown_through + shown.text ();
    }
    [[nodiscard]] std::string remote_endpoint () const override
    {
        return endpoint_text (scheme_, way_.there);
    }
    [[nodiscard]] std::string peer_address () const override { return way_.there.host_text (); }

  private:
    descriptor socket_;
    std::string_view scheme_;
    datagram_way way_;
    address_family family_;
    socket_address own_;
    std::uint64_t overrun_ = 0;
    std::uint32_t overrun_seen_ = 0;  // as the system counts, which begins anew
};

errc why_not_sent (int os_code) noexcept
{
    switch (os_code) {
    case EAGAIN:
        return errc::would_block;
    case EMSGSIZE:
        return errc::message_too_long;
    case ENOBUFS:
    case ENOMEM:
        return errc::no_memory;
    default:
        return errc::host_unreachable;
    }
}

result<void> datagram_socket::send (base::bytes_view datagram, std::string_view to) noexcept
{
    const socket_address there = to.empty () ? way_.there : parse_sender_name (to, family_);
    if (there.family () == address_family::none)
        return errc::bad_address;
    const ssize_t answer = again_after_signals ([&] {
        return ::sendto (socket_.get (), datagram.data (), datagram.size (), MSG_NOSIGNAL | MSG_DONTWAIT,
                         static_cast<const sockaddr *> (there.data ()),
                         static_cast<socklen_t> (there.size_bytes ()));
    });
    if (answer < 0)
        return base::error{why_not_sent (errno), errno};
    return {};
}

result<base::arrival> datagram_socket::receive (base::bytes_span buffer, base::sender_name *from) noexcept
{
    sockaddr_storage sender{};
    alignas (cmsghdr) std::array<char, 64> notes{};
    iovec into{buffer.data (), buffer.size ()};
    msghdr message{};
    message.msg_iov = &into;
    message.msg_iovlen = 1;
    message.msg_control = notes.data ();
    message.msg_controllen = notes.size ();
    if (from != nullptr) {
        message.msg_name = &sender;
        message.msg_namelen = sizeof sender;
    }
    const ssize_t answer =
      again_after_signals ([&] { return ::recvmsg (socket_.get (), &message, MSG_DONTWAIT); });
    if (answer < 0)
        return last_os_error ();
    for (cmsghdr *note = CMSG_FIRSTHDR (&message); note != nullptr; note = CMSG_NXTHDR (&message, note))
        if (note->cmsg_level == SOL_SOCKET && note->cmsg_type == SO_RXQ_OVFL) {
            std::uint32_t dropped = 0;
            std::memcpy (&dropped, CMSG_DATA (note), sizeof dropped);
            overrun_ += dropped - std::exchange (overrun_seen_, dropped);
        }
    if (from != nullptr)
        name_sender (sender, *from);
    return base::arrival{static_cast<std::size_t> (answer), (message.msg_flags & MSG_TRUNC) != 0};
}

}  // namespace

bool is_multicast (const socket_address &which) noexcept
{
    const auto number = which.number ();
    if (!number)
        return false;
    if (which.family () == address_family::v4)
        return (std::to_integer<unsigned> (number->octets[base::v4_at]) & 0xF0u) == 0xE0u;
    return number->octets[0] == std::byte{0xFF};
}

socket_address parse_sender_name (std::string_view text, address_family family) noexcept
{
    while (text.ends_with ('\0'))
        text.remove_suffix (1);
    const auto colon = text.rfind (':');
    if (colon == text.npos || text.size () > base::sender_name::bytes_max)
        return {};
    std::uint16_t port = 0;
    if (!parse_number (text.substr (colon + 1), port) || port == 0)
        return {};
    const std::string_view host = text.substr (0, colon);
    socket_address found;
    if (!host.starts_with ('[') || !host.ends_with (']'))
        found = parse_v4 (host);
    else if (family == address_family::v6)
        found = parse_v6 (host.substr (1, host.size () - 2));
    found.set_port (port);
    return family == address_family::v6 ? found.mapped_to_v6 () : found;
}

std::uint32_t interface_number (const std::string &name) noexcept { return ::if_nametoindex (name.c_str ()); }

result<std::unique_ptr<base::datagram_port>> open_datagram_socket (
  std::string_view scheme, const datagram_way &way, const base::stream_options &options) noexcept
try {
    const bool receives = way.here.family () != address_family::none;
    const address_family family = receives ? way.here.family () : way.there.family ();
    const bool v6 = family == address_family::v6;
    descriptor socket (::socket (v6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!socket.valid ())
        return last_os_error ();
    if (v6)
        wish (socket.get (), IPPROTO_IPV6, IPV6_V6ONLY, 0);
    result<void> done =
      apply_common_options (socket.get (), v6 ? address_family::v6 : address_family::v4, options);
    if (done.ok ())
        done = prepare_sending (socket.get (), way, options);
    if (done.ok () && receives)
        done = prepare_receiving (socket.get (), way);
    if (!done.ok ())
        return done.failure ();
    const socket_address own = receives ? own_address (socket.get ()) : socket_address ();
    if (receives && own.family () == address_family::none)
        return last_os_error ();
    return std::unique_ptr<base::datagram_port> (
      new datagram_socket (std::move (socket), scheme, way, family, own));
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

}  // namespace zlink::platform
