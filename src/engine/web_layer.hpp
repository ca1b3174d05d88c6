// How a socket's stream is put into WebSocket, and what its session says first
// then. A build without ws has neither.
// Thread rule: any thread; throws bad_alloc where it says so.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/entropy.hpp"
#include "base/stream.hpp"
#include "engine/buffer_pool.hpp"
#include "wire/security.hpp"
#include "wire/session.hpp"

namespace zlink::engine {

struct web_layer
{
    const base::stream_layers &around;
    const wire::security &secured;  // which sub-protocols are spoken
    bool dialled = false;
    bool bare = false;
    std::int64_t message_bytes_max = -1;  // -1 = any
    base::entropy *secrets = nullptr;
    buffer_pool &out;
    buffer_pool &in;
};

// A ws_stream, and `is_web` is set. Throws bad_alloc. Where there is no ws: the stream
// as it came.
[[nodiscard]] std::unique_ptr<base::stream>
put_into_web (std::unique_ptr<base::stream> inside, const web_layer &how, bool &is_web);

// Both are of a ws_stream: what its session says first, once it is open, and
// ws_stream::peer_is_older.
[[nodiscard]] wire::session_start start_of_web (const base::stream &opened) noexcept;
void tell_web_of_older_peer (base::stream &opened) noexcept;

}  // namespace zlink::engine
