// How a socket's stream is put into WebSocket, and what its session says first
// then. A build without ws has neither.
// Thread rule: any thread; throws bad_alloc where it says so.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/entropy.hpp"
#include "base/stream.hpp"
#include "crypto/tls_settings.hpp"
#include "engine/buffer_pool.hpp"
#include "wire/security.hpp"
#include "wire/session.hpp"

namespace zlink::engine {

struct web_layer
{
    const base::stream_layers &around;
    const crypto::web_settings *said = nullptr;  // null: nothing was said
    const wire::security &secured;               // which sub-protocols are spoken
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

// Whether the library has ws.
[[nodiscard]] bool knows_web () noexcept;
// "Name: value", as an upgrade may say it besides what it has to say: an error where
// it may not, or where headers have no room for more. May throw bad_alloc.
base::result<void> add_web_header (crypto::web_settings &to, std::string_view line);
// A host or a page's origin: of characters that can be seen.
[[nodiscard]] bool web_word_acceptable (std::string_view word) noexcept;

// Both are of a ws_stream: what its session says first, once it is open, and
// ws_stream::peer_is_older.
[[nodiscard]] wire::session_start start_of_web (const base::stream &opened) noexcept;
void tell_web_of_older_peer (base::stream &opened) noexcept;

}  // namespace zlink::engine
