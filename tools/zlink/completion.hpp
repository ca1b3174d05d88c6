// Scripts by which shells complete the command: verbs, options, and values where there
// is a choice. Pure.
#pragma once

#include <span>
#include <string>

#include "tools/zlink/command_line.hpp"

namespace zlink::tool {

[[nodiscard]] std::string completion_for_bash (std::span<const described_verb> verbs);
[[nodiscard]] std::string completion_for_zsh (std::span<const described_verb> verbs);
[[nodiscard]] std::string completion_for_fish (std::span<const described_verb> verbs);

}  // namespace zlink::tool
