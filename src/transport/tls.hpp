// TLS over TCP: the grammar and the streams of tcp under the scheme "tls", around
// which the engine puts its own. And the files that hold certificates.
// Thread rule: any thread. Both last as long as the process; null in a library
// without TLS, or where memory is out.
#pragma once

#include "base/files.hpp"
#include "base/stream.hpp"
#include "base/world.hpp"

namespace zlink::transport {

[[nodiscard]] base::transport *tls_transport () noexcept;
[[nodiscard]] base::files *certificate_files () noexcept;
// For a library context of OpenSSL's: it must not go before a thread that used it.
[[nodiscard]] base::kept *place_of_tls () noexcept;

// In a forked child: its parent's are left alone, the next call makes others.
void forsake_tls () noexcept;

}  // namespace zlink::transport
