#include "wire/service_fields.hpp"

#include <algorithm>

namespace zlink::wire {

bool service_field_reader::next (service_field &out) noexcept
{
    if (rest_.empty ())
        return false;
    if (rest_.size () < service_field_head_bytes) {
        malformed_ = true;
        return false;
    }
    const std::size_t size = base::load_u32_be (rest_.data () + 2);
    if (size > rest_.size () - service_field_head_bytes) {
        malformed_ = true;
        return false;
    }
    out.tag = base::load_u16_be (rest_.data ());
    out.value = rest_.subspan (service_field_head_bytes, size);
    rest_ = rest_.subspan (service_field_head_bytes + size);
    return true;
}

void append_field (std::vector<std::byte> &out, std::uint16_t tag, bytes_view value)
{
    const std::size_t at = out.size ();
    out.resize (at + service_field_head_bytes + value.size ());
    base::store_u16_be (out.data () + at, tag);
    base::store_u32_be (out.data () + at + 2, static_cast<std::uint32_t> (value.size ()));
    std::copy (value.begin (), value.end (),
               out.begin () + static_cast<std::ptrdiff_t> (at + service_field_head_bytes));
}

std::size_t begin_field (std::vector<std::byte> &out, std::uint16_t tag)
{
    const std::size_t at = out.size ();
    append_field (out, tag, {});
    return at;
}

void end_field (std::vector<std::byte> &out, std::size_t begun) noexcept
{
    const std::size_t size = out.size () - begun - service_field_head_bytes;
    base::store_u32_be (out.data () + begun + 2, static_cast<std::uint32_t> (size));
}

bool is_service_text (std::string_view text, std::size_t bytes_max) noexcept
{
    return text.size () <= bytes_max && std::none_of (text.begin (), text.end (), [] (char each) {
               const auto octet = static_cast<unsigned char> (each);
               return octet < 0x20 || octet == 0x7F;
           });
}

bool is_endpoint_text (std::string_view text) noexcept
{
    return !text.empty () && text.size () <= service_endpoint_bytes_max
           && std::all_of (text.begin (), text.end (), [] (char each) { return each > 0x20 && each < 0x7F; });
}

}  // namespace zlink::wire
