// Numbers and foreign texts as tables on a terminal show them. Pure.
#pragma once

#include <string>

namespace zlink::tool {

// Without what a terminal would take for a command.
[[nodiscard]] std::string harmless (std::string text);
// Four digits and K, M, G... of a thousand.
[[nodiscard]] std::string amount (double value);

}  // namespace zlink::tool
