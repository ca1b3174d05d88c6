// The address of a stream socket: IPv4, IPv6, a local path, or a virtual machine
// and a port in it. A plain value; no system types, so that src/transport can
// carry it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/ip_number.hpp"

namespace zlink::platform {

enum class address_family : std::uint8_t
{
    none,
    v4,
    v6,
    local,
    machine,
};

[[nodiscard]] constexpr bool is_ip (address_family family) noexcept
{
    return family == address_family::v4 || family == address_family::v6;
}

class socket_address
{
  public:
    // The system's own structure is at most this long here.
    static constexpr std::size_t capacity_bytes = 112;

    // No address: family () is none, size_bytes () is 0.
    socket_address () = default;

    // A copy of the system's structure; too long or too short is no address.
    socket_address (const void *raw, std::size_t size_bytes) noexcept;

    // All interfaces.
    [[nodiscard]] static socket_address any_v4 (std::uint16_t port) noexcept;
    [[nodiscard]] static socket_address any_v6 (std::uint16_t port) noexcept;

    // A path, or "@name" in the abstract space. invalid_argument when empty,
    // name_too_long when it does not fit.
    [[nodiscard]] static base::result<socket_address> local (std::string_view path) noexcept;

    // A port of a virtual machine, by numbers as the system has them.
    static constexpr std::uint32_t any_machine = 0xffffffff;
    static constexpr std::uint32_t any_port = 0xffffffff;
    [[nodiscard]] static socket_address of_machine (std::uint32_t machine, std::uint32_t port) noexcept;

    [[nodiscard]] const void *data () const noexcept { return raw_.data (); }
    [[nodiscard]] std::size_t size_bytes () const noexcept { return size_bytes_; }
    [[nodiscard]] base::bytes_view bytes () const noexcept { return {raw_.data (), size_bytes_}; }

    [[nodiscard]] address_family family () const noexcept;
    [[nodiscard]] std::uint16_t port () const noexcept;  // 0 for those that are not IP
    void set_port (std::uint16_t port) noexcept;

    // Without port and zone; none of those that are not IP.
    [[nodiscard]] std::optional<base::ip_number> number () const noexcept;

    // "127.0.0.1", "fe80::1%eth0", a machine's number; "" for local ones.
    [[nodiscard]] std::string host_text () const;
    // The path or "@name"; "" for others and for unnamed sockets.
    [[nodiscard]] std::string path_text () const;
    // "127.0.0.1:5555", "[::1]:5555", "/run/app/socket", "@name", "3:5555", "*:5555".
    [[nodiscard]] std::string text () const;

    // The same IPv4 address as an IPv6 one (::ffff:a.b.c.d); others unchanged.
    [[nodiscard]] socket_address mapped_to_v6 () const noexcept;

    friend bool operator== (const socket_address &a, const socket_address &b) noexcept;

  private:
    alignas (8) std::array<std::byte, capacity_bytes> raw_{};
    std::uint32_t size_bytes_ = 0;
};

}  // namespace zlink::platform
