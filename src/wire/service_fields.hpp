// The fields that messages of services are made of (docs/protocol):
//
//   field = tag (2 octets), size (4 octets, both big endian), value
//
// A reader passes over tags that it does not know, so that fields can be added.
// Pure; reading allocates nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "wire/service_limits.hpp"

namespace zlink::wire {

using base::bytes_view;

inline constexpr std::size_t service_field_head_bytes = 6;

// Borrowed from the bytes that were read.
struct service_field
{
    std::uint16_t tag = 0;
    bytes_view value{};
};

// Walks fields in place. The bytes outlive it.
class service_field_reader
{
  public:
    explicit service_field_reader (bytes_view bytes) noexcept : rest_ (bytes) {}
    // False at the end and at the first violation.
    [[nodiscard]] bool next (service_field &out) noexcept;
    // True after next() met a size past the end, or an end within a head.
    [[nodiscard]] bool malformed () const noexcept { return malformed_; }

  private:
    bytes_view rest_;
    bool malformed_ = false;
};

// Reads the big-endian number that the value is. False, and out untouched, when it
// has another size than U.
template <class U> [[nodiscard]] bool read_number (bytes_view value, U &out) noexcept
{
    if (value.size () != sizeof (U))
        return false;
    out = base::load_be<U> (value.data ());
    return true;
}

// These append one field; value is below 4 GiB. May throw std::bad_alloc, and
// nothing is appended then.
void append_field (std::vector<std::byte> &out, std::uint16_t tag, bytes_view value);
template <class U> void append_number_field (std::vector<std::byte> &out, std::uint16_t tag, U value)
{
    std::byte octets[sizeof (U)];
    base::store_be (octets, value);
    append_field (out, tag, octets);
}

// A field that has fields for its value: begin, append those, end with what begin
// answered.
[[nodiscard]] std::size_t begin_field (std::vector<std::byte> &out, std::uint16_t tag);
void end_field (std::vector<std::byte> &out, std::size_t begun) noexcept;

// What may be a name or a text for people: at most bytes_max octets, none of them a
// control character. Octets from 80 on pass, as UTF-8 has them.
[[nodiscard]] bool is_service_text (std::string_view text, std::size_t bytes_max) noexcept;
// What may be an endpoint: 1 to service_endpoint_bytes_max printable characters of
// ASCII, no blank.
[[nodiscard]] bool is_endpoint_text (std::string_view text) noexcept;

}  // namespace zlink::wire
