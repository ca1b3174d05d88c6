// Manual pages of the command in the man macros of roff. Pure.
#pragma once

#include <span>
#include <string>

#include "tools/zlink/command_line.hpp"

namespace zlink::tool {

// zlink(1): what the verbs are, and how they end.
[[nodiscard]] std::string manual_of_all (std::span<const described_verb> verbs);
// zlink-NAME(1).
[[nodiscard]] std::string manual_of (const described_verb &verb);

}  // namespace zlink::tool
