// Metadata: the properties that READY and INITIATE carry (RFC 37).
//
//   property = name length (1 octet, not 0), name, value length (4 octets,
//              big endian), value
//
// Names are compared without regard to case, sent as `Socket-Type` and
// `Identity` because libzmq compares them exactly.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "wire/limits.hpp"

namespace zlink::wire {

using base::bytes_view;

inline constexpr std::string_view property_socket_type = "Socket-Type";
inline constexpr std::string_view property_identity = "Identity";

// Borrowed from the bytes that were read.
struct property
{
    std::string_view name;
    bytes_view value;
};

// Walks properties in place; allocates nothing. The bytes outlive it.
class property_reader
{
  public:
    explicit property_reader (bytes_view bytes) noexcept : rest_ (bytes) {}
    // False at the end and at the first violation.
    [[nodiscard]] bool next (property &out) noexcept;
    // True after next() met a name of length 0, a name that is not printable
    // ASCII or a length past the end.
    [[nodiscard]] bool malformed () const noexcept { return malformed_; }

  private:
    bytes_view rest_;
    bool malformed_ = false;
};

// A peer's properties, owned. One thread at a time.
class metadata
{
  public:
    // Replaces the content. False, and empty, when the bytes are malformed, a
    // name occurs twice or there are more than properties_max. May throw
    // std::bad_alloc; the session turns that into a reason.
    [[nodiscard]] bool parse (bytes_view bytes, std::size_t properties_max = metadata_properties_max);
    // Null when there is none. Valid until the next parse.
    [[nodiscard]] const std::string *find (std::string_view name) const noexcept;
    [[nodiscard]] const std::vector<std::pair<std::string, std::string>> &all () const noexcept
    {
        return properties_;
    }
    [[nodiscard]] bool empty () const noexcept { return properties_.empty (); }

  private:
    std::vector<std::pair<std::string, std::string>> properties_;
};

// Appends one property. False, and nothing appended, when the name is empty,
// longer than 255 or not printable ASCII, or the value longer than 2^31 - 1.
bool append_property (std::vector<std::byte> &out, std::string_view name, bytes_view value);

// ASCII only; other octets compare exactly.
[[nodiscard]] bool names_equal (std::string_view a, std::string_view b) noexcept;

}  // namespace zlink::wire
