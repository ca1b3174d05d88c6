// What an application adds to READY: names and values of its own.
//
// A peer that finds one bad property, or more than it takes, closes the
// connection. So what cannot be said is refused where it is set. Source: RFC 37.
// Thread rule: a list has one owner.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace zlink::engine {

// Names and values, no name twice.
using property_list = std::vector<std::pair<std::string, std::string>>;

// Adds one, or gives a new value to the one of that name; names are the same
// whatever the case of their letters. errc::invalid_argument, and nothing has
// changed: the name has octets that names do not have, or READY would become
// larger than peers take, whatever the socket's type and identity. Throws
// bad_alloc.
[[nodiscard]] base::result<void>
add_property (property_list &to, std::string_view name, std::string_view value);

}  // namespace zlink::engine
