// Counts how often this process is the child of a fork that knew us, so that
// what must not be shared between parent and child (random state) is renewed.
// Thread rule: any thread.
#pragma once

#include <cstdint>

namespace zlink::platform {

// 0 in the process that loaded us, one more in every child of a child. A
// relaxed load after the first call.
[[nodiscard]] std::uint32_t fork_generation () noexcept;

}  // namespace zlink::platform
