#include "wire/metadata.hpp"

#include <algorithm>
#include <cstdint>

#include "base/appending.hpp"
namespace zlink::wire {

namespace {

constexpr std::size_t value_length_bytes = 4;
constexpr std::uint32_t value_bytes_max = 0x7FFF'FFFF;

// RFC 37 allows letters, digits and -_.+ only. libzmq never checks, and its
// users put what they like behind X-, so all printable ASCII passes.
bool name_acceptable (std::string_view name) noexcept
{
    return !name.empty () && name.size () <= name_bytes_max
           && std::ranges::all_of (name, [] (char c) { return c >= ' ' && c <= '~'; });
}

char lower (char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char> (c - 'A' + 'a') : c; }

}  // namespace

bool property_reader::next (property &out) noexcept
{
    if (rest_.empty () || malformed_)
        return false;
    malformed_ = true;  // until the whole property is seen to be there
    const auto name_size = static_cast<std::size_t> (rest_[0]);
    if (rest_.size () < 1 + name_size + value_length_bytes)
        return false;
    const std::string_view name = base::as_text (rest_.subspan (1, name_size));
    if (!name_acceptable (name))
        return false;
    const std::uint32_t value_size = base::load_u32_be (rest_.data () + 1 + name_size);
    const bytes_view behind = rest_.subspan (1 + name_size + value_length_bytes);
    if (value_size > value_bytes_max || behind.size () < value_size)
        return false;
    out.name = name;
    out.value = behind.first (value_size);
    rest_ = behind.subspan (value_size);
    malformed_ = false;
    return true;
}

bool metadata::parse (bytes_view bytes, std::size_t properties_max)
{
    properties_.clear ();
    property_reader reader (bytes);
    property found;
    bool acceptable = true;
    while (acceptable && reader.next (found)) {
        acceptable = properties_.size () < properties_max && find (found.name) == nullptr;
        if (acceptable)
            properties_.emplace_back (found.name, base::as_text (found.value));
    }
    if (acceptable && !reader.malformed ())
        return true;
    properties_.clear ();
    return false;
}

const std::string *metadata::find (std::string_view name) const noexcept
{
    for (const auto &[own_name, value] : properties_)
        if (names_equal (own_name, name))
            return &value;
    return nullptr;
}

bool append_property (std::vector<std::byte> &out, std::string_view name, bytes_view value)
{
    if (!name_acceptable (name) || value.size () > value_bytes_max)
        return false;
    std::byte length[value_length_bytes];
    base::store_u32_be (length, static_cast<std::uint32_t> (value.size ()));
    out.reserve (out.size () + 1 + name.size () + value_length_bytes + value.size ());
    out.push_back (static_cast<std::byte> (name.size ()));
    base::append (out, base::as_bytes (name));
    base::append (out, length);
    base::append (out, value);
    return true;
}

bool names_equal (std::string_view a, std::string_view b) noexcept
{
    return a.size () == b.size () && std::equal (a.begin (), a.end (), b.begin (), [] (char x, char y) {
               return lower (x) == lower (y);
           });
}

}  // namespace zlink::wire
