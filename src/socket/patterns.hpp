// The socket types that are built: an explicit list.
#pragma once

#include <span>

#include "engine/settings.hpp"
#include "socket/options.hpp"

namespace zlink::socket {

// One file per pattern; each says where its rules come from.
[[nodiscard]] const engine::pattern_traits &pair_pattern () noexcept;
[[nodiscard]] const engine::pattern_traits &push_pattern () noexcept;
[[nodiscard]] const engine::pattern_traits &pull_pattern () noexcept;
[[nodiscard]] const engine::pattern_traits &dealer_pattern () noexcept;
[[nodiscard]] const engine::pattern_traits &router_pattern () noexcept;
[[nodiscard]] const engine::pattern_traits &req_pattern () noexcept;
[[nodiscard]] const engine::pattern_traits &rep_pattern () noexcept;
[[nodiscard]] const engine::pattern_traits &pub_pattern () noexcept;
[[nodiscard]] const engine::pattern_traits &sub_pattern () noexcept;
[[nodiscard]] const engine::pattern_traits &xpub_pattern () noexcept;
[[nodiscard]] const engine::pattern_traits &xsub_pattern () noexcept;
[[nodiscard]] const engine::pattern_traits &stream_pattern () noexcept;
[[nodiscard]] const engine::pattern_traits &server_pattern () noexcept;
[[nodiscard]] const engine::pattern_traits &client_pattern () noexcept;
[[nodiscard]] const engine::pattern_traits &gather_pattern () noexcept;
[[nodiscard]] const engine::pattern_traits &scatter_pattern () noexcept;
[[nodiscard]] const engine::pattern_traits &channel_pattern () noexcept;
[[nodiscard]] const engine::pattern_traits &peer_pattern () noexcept;
[[nodiscard]] const engine::pattern_traits &radio_pattern () noexcept;
[[nodiscard]] const engine::pattern_traits &dish_pattern () noexcept;
[[nodiscard]] const engine::pattern_traits &dgram_pattern () noexcept;

// Those that this library is built with: all, unless ZLINK_SOCKET_TYPES says
// which when it is configured.
[[nodiscard]] std::span<const engine::pattern_traits *const> built_patterns () noexcept;

// Null for types that do not exist (yet), or were not chosen.
[[nodiscard]] const engine::pattern_traits *find_pattern (int type) noexcept;

// Whether the type knows its peers by numbers, and what it sends names one.
[[nodiscard]] bool numbers_peers (int type) noexcept;

// Whether peers are told the type's ROUTING_ID.
[[nodiscard]] bool sends_routing_id (int type) noexcept;

// Whether a second connect to the same endpoint is without effect: for types
// to which another connection would bring nothing. The headers differ.
[[nodiscard]] bool connects_once (header by, int type) noexcept;

}  // namespace zlink::socket
