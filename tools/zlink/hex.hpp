// Octets as pairs of hexadecimal digits. Pure.
#pragma once

#include <string>
#include <string_view>

namespace zlink::tool {

// Blanks between pairs are left out. False: there is something else.
[[nodiscard]] bool from_hex (std::string_view text, std::string &octets);
[[nodiscard]] std::string to_hex (std::string_view octets);

}  // namespace zlink::tool
