// A UDP socket of the system, for tests that look at datagrams as they are.
#pragma once

#include <arpa/inet.h>
#include <cstddef>
#include <cstdint>
#include <net/if.h>
#include <netinet/in.h>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include <gtest/gtest.h>

#include "support/waiting.hpp"

namespace zlink::test {

class raw_udp
{
  public:
    explicit raw_udp (int family = AF_INET)
      : family_ (family), socket_ (::socket (family, SOCK_DGRAM | SOCK_CLOEXEC, 0))
    {
        EXPECT_GE (socket_, 0);
        const timeval limit{watchdog_ms / 1000, 0};
        ::setsockopt (socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        sockaddr_storage own = loopback (0);
        EXPECT_EQ (::bind (socket_, reinterpret_cast<sockaddr *> (&own), size ()), 0);
    }
    ~raw_udp () { ::close (socket_); }
    raw_udp (const raw_udp &) = delete;
    raw_udp &operator= (const raw_udp &) = delete;

    [[nodiscard]] std::uint16_t port () const
    {
        sockaddr_storage own{};
        socklen_t bytes = sizeof own;
        EXPECT_EQ (::getsockname (socket_, reinterpret_cast<sockaddr *> (&own), &bytes), 0);
        return ntohs (family_ == AF_INET6 ? reinterpret_cast<sockaddr_in6 &> (own).sin6_port
                                          : reinterpret_cast<sockaddr_in &> (own).sin_port);
    }
    [[nodiscard]] std::string where () const
    {
        return (family_ == AF_INET6 ? "[::1]:" : "127.0.0.1:") + std::to_string (port ());
    }
    // To a port of this host.
    void send (std::uint16_t to, const std::string &datagram)
    {
        sockaddr_storage far = loopback (to);
        EXPECT_EQ (::sendto (socket_, datagram.data (), datagram.size (), 0,
                             reinterpret_cast<sockaddr *> (&far), size ()),
                   static_cast<ssize_t> (datagram.size ()));
    }
    // To whatever endpoint ends in that port ("udp://127.0.0.1:5555").
    void send (const std::string &endpoint, const std::string &datagram)
    {
        send (static_cast<std::uint16_t> (std::stoi (endpoint.substr (endpoint.rfind (':') + 1))), datagram);
    }
    // The next datagram; nothing once the watchdog's time is over.
    [[nodiscard]] std::optional<std::string> receive (std::uint16_t *from = nullptr)
    {
        std::string buffer (65536, '\0');
        sockaddr_storage sender{};
        socklen_t bytes = sizeof sender;
        const ssize_t got = ::recvfrom (socket_, buffer.data (), buffer.size (), 0,
                                        reinterpret_cast<sockaddr *> (&sender), &bytes);
        if (got < 0)
            return std::nullopt;
        if (from != nullptr)
            *from = ntohs (reinterpret_cast<sockaddr_in &> (sender).sin_port);
        buffer.resize (static_cast<std::size_t> (got));
        return buffer;
    }

    // The name of an interface that takes what is sent to an IPv6 multicast
    // group; empty: there is none.
    [[nodiscard]] static std::string ipv6_multicast_interface ()
    {
        std::string found;
        struct if_nameindex *const all = ::if_nameindex ();
        for (auto *each = all; each != nullptr && each->if_index != 0 && found.empty (); ++each) {
            const int probe = ::socket (AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
            sockaddr_in6 group{};
            group.sin6_family = AF_INET6;
            group.sin6_port = htons (9);
            ::inet_pton (AF_INET6, "ff02::77:9", &group.sin6_addr);
            const auto number = each->if_index;
            ::setsockopt (probe, IPPROTO_IPV6, IPV6_MULTICAST_IF, &number, sizeof number);
            if (::sendto (probe, "", 0, 0, reinterpret_cast<sockaddr *> (&group), sizeof group) == 0)
                found = each->if_name;
            ::close (probe);
        }
        ::if_freenameindex (all);
        return found;
    }

  private:
    [[nodiscard]] sockaddr_storage loopback (std::uint16_t port) const
    {
        sockaddr_storage at{};
        if (family_ == AF_INET6) {
            auto &wide = reinterpret_cast<sockaddr_in6 &> (at);
            wide.sin6_family = AF_INET6;
            wide.sin6_port = htons (port);
            wide.sin6_addr = in6addr_loopback;
        } else {
            auto &narrow = reinterpret_cast<sockaddr_in &> (at);
            narrow.sin_family = AF_INET;
            narrow.sin_port = htons (port);
            narrow.sin_addr.s_addr = htonl (INADDR_LOOPBACK);
        }
        return at;
    }
    [[nodiscard]] socklen_t size () const
    {
        return family_ == AF_INET6 ? sizeof (sockaddr_in6) : sizeof (sockaddr_in);
    }

    int family_;
    int socket_;
};

}  // namespace zlink::test
