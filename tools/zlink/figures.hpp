// Numbers and foreign texts as tables on a terminal show them. Pure.
#pragma once

#include <cstdint>
#include <string>

namespace zlink::tool {

// Without what a terminal would take for a command.
[[nodiscard]] std::string harmless (std::string text);
// Four digits and K, M, G... of a thousand.
[[nodiscard]] std::string amount (double value);
// So many in so many seconds, a second; "-" of none.
[[nodiscard]] std::string rate (std::uint64_t count, double seconds);

}  // namespace zlink::tool
