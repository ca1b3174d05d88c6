#include "tools/zlink/option_value.hpp"

#include <charconv>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

#include "socket/options.hpp"
#include "tools/zlink/explanations.hpp"
#include "tools/zlink/hex.hpp"

namespace zlink::tool {

namespace {

constexpr std::string_view hex_prefix = "hex:";

template <class T> std::string octets_of (T number)
{
    std::string octets (sizeof (T), '\0');
    std::memcpy (octets.data (), &number, sizeof (T));
    return octets;
}

// Within the row's bounds; what is refused beyond them is the library's to say.
template <class T> bool read_number (std::string_view text, std::string &octets)
{
    T number{};
    const char *const end = text.data () + text.size ();
    const auto [stop, failure] = std::from_chars (text.data (), end, number);
    if (text.empty () || failure != std::errc () || stop != end)
        return false;
    octets = octets_of (number);
    return true;
}

bool read_octets (std::string_view text, std::string &octets)
{
    if (text.starts_with (hex_prefix))
        return from_hex (text.substr (hex_prefix.size ()), octets);
    octets = text;
    return true;
}

bool read_value (socket::option_type type, std::string_view text, std::string &octets)
{
    switch (type) {
    case socket::option_type::integer:
    case socket::option_type::boolean:
    case socket::option_type::handle:
        return read_number<int> (text, octets);
    case socket::option_type::int64:
        return read_number<std::int64_t> (text, octets);
    case socket::option_type::uint64:
        return read_number<std::uint64_t> (text, octets);
    case socket::option_type::string:
        octets = text;
        return true;
    case socket::option_type::binary:
        return read_octets (text, octets);
    }
    return false;
}

}  // namespace

bool read_option (std::string_view text, option_value &found, std::string &why)
{
    const std::size_t equals = text.find ('=');
    const std::string name = canonical_name (text.substr (0, equals));
    const socket::option_row *const row = socket::find_option (name);
    if (row == nullptr || row->zlink_number == socket::no_number)
        why = fmt::format ("no socket option is called '{}' (`zlink explain --all` lists them)", name);
    else if (row->access == socket::option_access::read)
        why = fmt::format ("{} can only be read", name);
    else if (equals == std::string_view::npos)
        why = fmt::format ("'{}' has no value: write {}=VALUE", text, name);
    else if (!read_value (row->type, text.substr (equals + 1), found.bytes))
        why = fmt::format ("'{}' is no value of {}", text.substr (equals + 1), name);
    else {
        found.name = name;
        found.number = row->zlink_number;
        return true;
    }
    return false;
}

}  // namespace zlink::tool
