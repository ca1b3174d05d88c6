#include "base/ip_number.hpp"

#include <algorithm>

namespace zlink::base {

namespace {

constexpr std::size_t octets_max = 16;
constexpr unsigned mapped_bits = 96;  // before an IPv4 number

// Digits of a base up to 16, at most so many; nothing else.
std::optional<unsigned>
parse_digits (std::string_view text, unsigned number_base, std::size_t digits_max) noexcept
{
    if (text.empty () || text.size () > digits_max)
        return std::nullopt;
    unsigned value = 0;
    for (const char c : text) {
        unsigned digit = number_base;
        if (c >= '0' && c <= '9')
            digit = static_cast<unsigned> (c - '0');
        else if (c >= 'a' && c <= 'f')
            digit = static_cast<unsigned> (c - 'a') + 10;
        else if (c >= 'A' && c <= 'F')
            digit = static_cast<unsigned> (c - 'A') + 10;
        if (digit >= number_base)
            return std::nullopt;
        value = value * number_base + digit;
    }
    return value;
}

// What stands before the mark, which is taken off with it; the rest where
// there is none.
std::string_view cut (std::string_view &text, char mark) noexcept
{
    const std::size_t at = std::min (text.find (mark), text.size ());
    const std::string_view head = text.substr (0, at);
    text.remove_prefix (std::min (at + 1, text.size ()));
    return head;
}

bool parse_v4 (std::string_view text, std::byte *to) noexcept
{
    if (std::ranges::count (text, '.') != 3)
        return false;
    for (std::size_t i = 0; i < v4_octets; ++i) {
        const std::string_view piece = cut (text, '.');
        const auto value = parse_digits (piece, 10, 3);
        if (!value || *value > 255 || (piece.size () > 1 && piece.front () == '0'))
            return false;
        to[i] = static_cast<std::byte> (*value);
    }
    return true;
}

struct groups
{
    std::array<std::byte, octets_max> octets{};
    std::size_t count = 0;
};

// Groups of hexadecimal digits between single colons; the last may be an IPv4
// number. Nothing at all is no group.
std::optional<groups> parse_groups (std::string_view text) noexcept
{
    groups found;
    if (text.ends_with (':'))
        return std::nullopt;
    while (!text.empty ()) {
        const std::string_view piece = cut (text, ':');
        const bool dotted = piece.find ('.') != piece.npos;
        const std::size_t length = dotted ? v4_octets : 2;
        if (found.count + length > octets_max || (dotted && !text.empty ()))
            return std::nullopt;
        std::byte *const to = found.octets.data () + found.count;
        found.count += length;
        if (dotted) {
            if (!parse_v4 (piece, to))
                return std::nullopt;
            continue;
        }
        const auto value = parse_digits (piece, 16, 4);
        if (!value)
            return std::nullopt;
        to[0] = static_cast<std::byte> (*value >> 8);
        to[1] = static_cast<std::byte> (*value & 0xFF);
    }
    return found;
}

std::optional<ip_number> parse_v6 (std::string_view text) noexcept
{
    const std::size_t gap = text.find ("::");
    const auto head = parse_groups (text.substr (0, gap));
    if (!head)
        return std::nullopt;
    ip_number made{head->octets};
    if (gap == text.npos)
        return head->count == octets_max ? std::optional (made) : std::nullopt;
    const std::string_view before = text.substr (0, gap);
    const auto tail = parse_groups (text.substr (gap + 2));
    if (before.find ('.') != before.npos || !tail || head->count + tail->count > octets_max - 2)
        return std::nullopt;
    std::copy_n (tail->octets.begin (), tail->count, made.octets.end () - static_cast<long> (tail->count));
    return made;
}

}  // namespace

bool ip_number::is_v4 () const noexcept
{
    return std::all_of (octets.begin (), octets.begin () + 10,
                        [] (std::byte each) { return each == std::byte{0}; })
           && octets[10] == std::byte{0xFF} && octets[11] == std::byte{0xFF};
}

std::optional<ip_number> parse_ip_number (std::string_view text) noexcept
{
    if (text.find (':') != text.npos)
        return parse_v6 (text);
    ip_number made;
    made.octets[10] = made.octets[11] = std::byte{0xFF};
    return parse_v4 (text, made.octets.data () + v4_at) ? std::optional (made) : std::nullopt;
}

bool ip_range::holds (const ip_number &which) const noexcept
{
    const std::size_t whole = bits / 8;
    if (!std::equal (first.octets.begin (), first.octets.begin () + static_cast<long> (whole),
                     which.octets.begin ()))
        return false;
    if (bits % 8 == 0)
        return true;
    const auto mask = static_cast<std::byte> (0xFF00U >> bits % 8);
    return ((first.octets[whole] ^ which.octets[whole]) & mask) == std::byte{0};
}

std::optional<ip_range> parse_ip_range (std::string_view text) noexcept
{
    const std::size_t slash = text.find ('/');
    const auto number = parse_ip_number (text.substr (0, slash));
    if (!number)
        return std::nullopt;
    const bool v4 = text.find (':') == text.npos;
    const unsigned bits_max = v4 ? 32 : 128;
    const unsigned before = v4 ? mapped_bits : 0;
    if (slash == text.npos)
        return ip_range{*number, before + bits_max};
    const auto bits = parse_digits (text.substr (slash + 1), 10, 3);
    if (!bits || *bits > bits_max)
        return std::nullopt;
    return ip_range{*number, before + *bits};
}

}  // namespace zlink::base
