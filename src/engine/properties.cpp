#include "engine/properties.hpp"

#include <algorithm>

#include "wire/command.hpp"
#include "wire/metadata.hpp"
#include "wire/socket_type.hpp"

namespace zlink::engine {

namespace {

// RFC 37. What peers are given to read is printable ASCII of any kind, so that
// other libraries' names pass; ours keep to the letter.
bool is_name (std::string_view text) noexcept
{
    return !text.empty () && text.size () <= wire::name_bytes_max && std::ranges::all_of (text, [] (char c) {
        const bool letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
        return letter || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' || c == '+';
    });
}

constexpr std::size_t property_bytes (std::size_t name_bytes, std::size_t value_bytes) noexcept
{
    return 1 + name_bytes + 4 + value_bytes;
}

// Of READY with the longest type and the longest identity.
constexpr std::size_t longest_type_bytes = std::string_view ("SCATTER").size ();
constexpr std::size_t bytes_besides =
  1 + std::string_view ("READY").size ()
  + property_bytes (wire::property_socket_type.size (), longest_type_bytes)
  + property_bytes (wire::property_identity.size (), wire::identity_bytes_max);
constexpr std::size_t properties_besides = 2;

bool fits (const property_list &all, const std::string *replaced, std::size_t fresh_bytes) noexcept
{
    std::size_t count = properties_besides + 1;
    std::size_t bytes = bytes_besides + fresh_bytes;
    for (const auto &[name, value] : all) {
        if (&name == replaced)
            continue;
        ++count;
        bytes += property_bytes (name.size (), value.size ());
    }
    return count <= wire::metadata_properties_max && bytes <= wire::handshake_command_bytes_max;
}

}  // namespace

base::result<void> add_property (property_list &to, std::string_view name, std::string_view value)
{
    const auto found =
      std::ranges::find_if (to, [name] (const auto &each) { return wire::names_equal (each.first, name); });
    const std::string *const replaced = found == to.end () ? nullptr : &found->first;
    if (!is_name (name) || value.size () > wire::handshake_command_bytes_max
        || !fits (to, replaced, property_bytes (name.size (), value.size ())))
        return base::errc::invalid_argument;
    std::pair<std::string, std::string> fresh (name, value);
    if (found != to.end ())
        *found = std::move (fresh);
    else
        to.push_back (std::move (fresh));
    return {};
}

}  // namespace zlink::engine
