// What WebSocket's handshake asks of cryptography (RFC 6455, 1.3): SHA-1, over
// OpenSSL, and Base64 in text. It keeps no secret: SHA-1 proves there only that
// the far end has read the request. Pure functions; any thread; nothing is thrown.
#pragma once

#include <array>
#include <cstddef>

#include "base/bytes.hpp"

namespace zlink::crypto {

using base::bytes_view;

inline constexpr std::size_t sha1_bytes = 20;
using sha1_digest = std::array<std::byte, sha1_bytes>;

// False: OpenSSL has none here (by its configuration), or no memory; `to` is
// untouched then.
[[nodiscard]] bool sha1 (bytes_view of, sha1_digest &to) noexcept;

[[nodiscard]] constexpr std::size_t base64_chars (std::size_t octets) noexcept
{
    return (octets + 2) / 3 * 4;
}
// Writes base64_chars (of.size ()) characters, padded with '=' (RFC 4648, 4);
// no zero behind them.
void base64 (char *to, bytes_view of) noexcept;

}  // namespace zlink::crypto
