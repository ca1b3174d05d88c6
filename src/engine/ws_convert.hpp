// The two loops through which small messages go on their way into WebSocket and out
// of it: plain frames of ZMTP 3 to messages of ZWS in one frame each, and back. What
// is not small, not whole or in any way unusual ends a loop; who judges such things
// goes on (ws_stream). Pure; any thread; nothing is allocated or thrown.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"
#include "wire/ws_mask.hpp"

namespace zlink::engine {

struct converted
{
    std::size_t taken = 0;  // bytes of what was given
    std::size_t made = 0;
};

// Frames with short headers that are no commands. masks: a client's, whose frames are
// masked; null: a server's.
[[nodiscard]] converted
into_web (base::bytes_view from, base::bytes_span to, wire::ws_mask_keys *masks) noexcept;

// Messages in frames of less than 64 KiB with bodies of at most body_bytes_max.
// masked: a client's.
[[nodiscard]] converted
out_of_web (base::bytes_view from, base::bytes_span to, bool masked, std::uint64_t body_bytes_max) noexcept;

}  // namespace zlink::engine
