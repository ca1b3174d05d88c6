// The options of TLS and of WebSocket. Setting one makes the settings anew: endpoints that are there
// keep theirs. Pure; may throw bad_alloc.
#pragma once

#include <cstddef>

#include "base/error.hpp"
#include "socket/options.hpp"

namespace zlink::socket {

using tls_settings_ref = engine::tls_ref<const engine::tls_settings>;

// of may be empty: nothing was said yet. invalid_argument: a wrong size or number;
// nothing has changed then.
base::result<void> set_tls (tls_settings_ref &of, security_value what, const void *value, std::size_t size);

// A key that was given as text, and a pass phrase, are told as empty. *size becomes
// the value's. invalid_argument: there is no room.
base::result<void> get_tls (const tls_settings_ref &of, security_value what, void *value, std::size_t *size);

}  // namespace zlink::socket
