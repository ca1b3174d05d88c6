// The transports of the web, which a build may do without (ZLINK_WS).
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/stream.hpp"

namespace zlink::transport {

inline constexpr std::size_t web_transports_max = 2;

// Puts them into `to` behind its first `count`, and answers all that is in there
// then. They live as long as the process. Any thread.
[[nodiscard]] std::span<base::transport *const> with_web_transports (std::span<base::transport *> to,
                                                                     std::size_t count) noexcept;

// What libzmq calls one of them when asked what it has ("WS", "WSS"); other names as
// they are.
[[nodiscard]] std::string_view scheme_called (std::string_view name) noexcept;

}  // namespace zlink::transport
