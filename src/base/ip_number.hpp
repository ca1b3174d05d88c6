// Internet addresses as numbers, and ranges of them (CIDR). Pure text and
// octets: no names, no zones, nothing of the system.
//
// IPv4 numbers are held in their mapped form (::ffff:a.b.c.d), which is how
// they also arrive at a socket that listens on both families: a range of IPv4
// addresses holds its members either way.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace zlink::base {

struct ip_number
{
    std::array<std::byte, 16> octets{};  // in network order

    [[nodiscard]] bool is_v4 () const noexcept;
    bool operator== (const ip_number &) const = default;
};

inline constexpr std::size_t v4_octets = 4;
inline constexpr std::size_t v4_at = 12;  // where they stand in octets

// "127.0.0.1" (four decimal numbers without leading zeros) or an IPv6 number
// ("::1", "2001:db8::7", "::ffff:1.2.3.4"), without brackets.
[[nodiscard]] std::optional<ip_number> parse_ip_number (std::string_view text) noexcept;

struct ip_range
{
    ip_number first;
    unsigned bits = 0;  // of the mapped form that count, from the first on

    [[nodiscard]] bool holds (const ip_number &which) const noexcept;
    bool operator== (const ip_range &) const = default;
};

// A number alone, or with "/bits": of 32 for IPv4, of 128 for IPv6. "/0" is
// everything of the family; of IPv6, that is IPv4, too.
[[nodiscard]] std::optional<ip_range> parse_ip_range (std::string_view text) noexcept;

}  // namespace zlink::base
