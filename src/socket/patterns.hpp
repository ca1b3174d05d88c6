// The socket types that are built: an explicit list.
#pragma once

#include "engine/settings.hpp"

namespace zlink::socket {

// One file per pattern; each says where its rules come from.
[[nodiscard]] const engine::pattern_traits &pair_pattern () noexcept;
[[nodiscard]] const engine::pattern_traits &push_pattern () noexcept;
[[nodiscard]] const engine::pattern_traits &pull_pattern () noexcept;

// Null for types that do not exist (yet).
[[nodiscard]] const engine::pattern_traits *find_pattern (int type) noexcept;

}  // namespace zlink::socket
