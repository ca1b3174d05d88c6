// Octets out of hexadecimal dumps: bare digits, and what xxd and hexdump -C print. Pure.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace zlink::tool {

// False: line `bad_line` (from 1 on) has something else.
[[nodiscard]] bool
read_hex_dump (std::string_view text, std::vector<std::byte> &octets, std::size_t &bad_line);

}  // namespace zlink::tool
