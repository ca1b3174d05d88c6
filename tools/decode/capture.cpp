#include "tools/decode/capture.hpp"

#include <optional>

#include <fmt/format.h>

namespace zlink::tool {

namespace {

constexpr std::uint32_t magic_us = 0xA1B2C3D4;
constexpr std::uint32_t magic_ns = 0xA1B23C4D;
constexpr std::uint32_t magic_of_successor = 0x0A0D0D0A;
constexpr std::size_t file_head_bytes = 24;
constexpr std::size_t packet_head_bytes = 16;

// The kinds of links that libpcap numbers so.
constexpr std::uint32_t link_null = 0;
constexpr std::uint32_t link_ethernet = 1;
constexpr std::uint32_t link_raw = 101;
constexpr std::uint32_t link_raw_of_old = 12;
constexpr std::uint32_t link_loop = 108;
constexpr std::uint32_t link_cooked = 113;
constexpr std::uint32_t link_cooked_2 = 276;

constexpr unsigned type_vlan = 0x8100;
constexpr unsigned type_vlan_outer = 0x88A8;
constexpr unsigned protocol_tcp = 6;

unsigned octet (bytes_view in, std::size_t at) { return static_cast<unsigned> (in[at]); }
unsigned pair_at (bytes_view in, std::size_t at) { return octet (in, at) << 8 | octet (in, at + 1); }
std::uint32_t four_at (bytes_view in, std::size_t at)
{
    return static_cast<std::uint32_t> (pair_at (in, at)) << 16 | pair_at (in, at + 2);
}

// What is behind a head of so many octets; nothing: they are not there.
std::optional<bytes_view> behind (bytes_view in, std::size_t head_bytes)
{
    if (in.size () < head_bytes)
        return std::nullopt;
    return in.subspan (head_bytes);
}

std::optional<bytes_view> behind_ethernet (bytes_view packet)
{
    constexpr std::size_t addresses_bytes = 12;
    constexpr std::size_t tag_bytes = 4;
    std::optional<bytes_view> rest = behind (packet, addresses_bytes);
    while (rest && rest->size () >= tag_bytes
           && (pair_at (*rest, 0) == type_vlan || pair_at (*rest, 0) == type_vlan_outer))
        rest = behind (*rest, tag_bytes);
    return rest ? behind (*rest, 2) : rest;
}

// Of IP, whatever the link is.
std::optional<bytes_view> behind_link (std::uint32_t link, bytes_view packet)
{
    switch (link) {
    case link_null:
    case link_loop:
        return behind (packet, 4);
    case link_ethernet:
        return behind_ethernet (packet);
    case link_raw:
    case link_raw_of_old:
        return packet;
    case link_cooked:
        return behind (packet, 16);
    case link_cooked_2:
        return behind (packet, 20);
    default:
        return std::nullopt;
    }
}

struct tcp_packet
{
    std::string from;
    std::string to;
    bytes_view bytes;  // the head of TCP first
};

std::string name_4 (bytes_view address)
{
    return fmt::format ("{}.{}.{}.{}", octet (address, 0), octet (address, 1), octet (address, 2),
                        octet (address, 3));
}

// As RFC 5952 has it, but that no zeros are left out in the middle other than of ::1.
std::string name_6 (bytes_view address)
{
    constexpr std::size_t groups = 8;
    std::string name = "[";
    bool is_local = pair_at (address, 14) == 1;
    for (std::size_t i = 0; i + 1 < groups; ++i)
        is_local = is_local && pair_at (address, 2 * i) == 0;
    if (is_local)
        return "[::1]";
    for (std::size_t i = 0; i < groups; ++i)
        name += fmt::format ("{}{:x}", i == 0 ? "" : ":", pair_at (address, 2 * i));
    return name + "]";
}

std::optional<tcp_packet> read_ip_4 (bytes_view packet)
{
    constexpr std::size_t head_bytes_min = 20;
    constexpr unsigned fragment_bits = 0x3FFF;  // more of them, or an offset
    if (packet.size () < head_bytes_min)
        return std::nullopt;
    const std::size_t head_bytes = (octet (packet, 0) & 15) * std::size_t{4};
    const std::size_t all_bytes = pair_at (packet, 2);
    const bool is_whole = (pair_at (packet, 6) & fragment_bits) == 0;
    if (head_bytes < head_bytes_min || all_bytes < head_bytes || all_bytes > packet.size () || !is_whole
        || octet (packet, 9) != protocol_tcp)
        return std::nullopt;
    return tcp_packet{name_4 (packet.subspan (12, 4)), name_4 (packet.subspan (16, 4)),
                      packet.subspan (head_bytes, all_bytes - head_bytes)};
}

std::optional<tcp_packet> read_ip_6 (bytes_view packet)
{
    constexpr std::size_t head_bytes = 40;
    if (packet.size () < head_bytes)
        return std::nullopt;
    const std::size_t body_bytes = pair_at (packet, 4);
    if (body_bytes > packet.size () - head_bytes || octet (packet, 6) != protocol_tcp)
        return std::nullopt;
    return tcp_packet{name_6 (packet.subspan (8, 16)), name_6 (packet.subspan (24, 16)),
                      packet.subspan (head_bytes, body_bytes)};
}

std::optional<tcp_packet> read_ip (bytes_view packet)
{
    constexpr unsigned version_4 = 4;
    constexpr unsigned version_6 = 6;
    const unsigned version = packet.empty () ? 0 : octet (packet, 0) >> 4;
    if (version == version_4)
        return read_ip_4 (packet);
    return version == version_6 ? read_ip_6 (packet) : std::nullopt;
}

bool read_tcp (const tcp_packet &packet, segment &found)
{
    constexpr std::size_t head_bytes_min = 20;
    constexpr unsigned flag_fin = 1;
    constexpr unsigned flag_syn = 2;
    constexpr unsigned flag_rst = 4;
    const bytes_view bytes = packet.bytes;
    if (bytes.size () < head_bytes_min)
        return false;
    const std::size_t head_bytes = (octet (bytes, 12) >> 4) * std::size_t{4};
    if (head_bytes < head_bytes_min || head_bytes > bytes.size ())
        return false;
    const unsigned flags = octet (bytes, 13);
    found.way = {fmt::format ("{}:{}", packet.from, pair_at (bytes, 0)),
                 fmt::format ("{}:{}", packet.to, pair_at (bytes, 2))};
    found.sequence = four_at (bytes, 4);
    found.opens = (flags & flag_syn) != 0;
    found.closes = (flags & (flag_fin | flag_rst)) != 0;
    found.payload = bytes.subspan (head_bytes);
    return true;
}

std::uint32_t swapped (std::uint32_t number)
{
    return number >> 24 | (number >> 8 & 0xFF00U) | (number << 8 & 0xFF0000U) | number << 24;
}

}  // namespace

capture_reader::capture_reader (bytes_view file) : rest_ (file)
{
    if (file.size () < file_head_bytes) {
        trouble_ = "it is too short for a pcap file";
        return;
    }
    const std::uint32_t magic = four_at (file, 0);
    swapped_ = magic != magic_us && magic != magic_ns;
    const std::uint32_t read = number_at (0);
    if (magic == magic_of_successor)
        trouble_ = "it is a pcapng file: `editcap -F pcap` makes a pcap file of it";
    else if (read != magic_us && read != magic_ns)
        trouble_ = "it is no pcap file: its first octets are others";
    counts_ns_ = read == magic_ns;
    constexpr std::size_t link_at = 20;
    constexpr std::uint32_t link_bits = 0x0FFFFFFF;
    link_ = number_at (link_at) & link_bits;
    rest_ = file.subspan (file_head_bytes);
}

std::uint32_t capture_reader::number_at (std::size_t at) const noexcept
{
    const std::uint32_t number = four_at (rest_, at);
    return swapped_ ? swapped (number) : number;
}

bool capture_reader::next (segment &found)
{
    while (trouble_.empty () && !rest_.empty ()) {
        if (rest_.size () < packet_head_bytes || number_at (8) > rest_.size () - packet_head_bytes) {
            ends_early_ = true;
            rest_ = {};
            return false;
        }
        constexpr std::int64_t second_ns = 1'000'000'000;
        constexpr std::int64_t us_ns = 1000;
        found.time_ns = number_at (0) * second_ns + number_at (4) * (counts_ns_ ? 1 : us_ns);
        const bytes_view packet = rest_.subspan (packet_head_bytes, number_at (8));
        rest_ = rest_.subspan (packet_head_bytes + packet.size ());
        const std::optional<bytes_view> inner = behind_link (link_, packet);
        const std::optional<tcp_packet> tcp = inner ? read_ip (*inner) : std::nullopt;
        if (tcp && read_tcp (*tcp, found))
            return true;
        ++left_out_;
    }
    return false;
}

}  // namespace zlink::tool
