// Instead of box, in a library without libsodium: CURVE cannot be chosen
// (built), so nothing of this is called.
// Chosen by src/crypto/CMakeLists.txt; contracts are those of crypto/box.hpp.
#include "crypto/box.hpp"

namespace zlink::crypto {

bool built () noexcept { return false; }

public_key public_key_of (const secret_key &) noexcept { return {}; }

bool agree (const public_key &, const secret_key &, secret_key &) noexcept { return false; }

void seal (std::byte *, bytes_view, const nonce &, const secret_key &) noexcept {}

bool open (std::byte *, bytes_view, const nonce &, const secret_key &) noexcept { return false; }

bool equal (bytes_view, bytes_view) noexcept { return false; }

numbered_key::numbered_key (const secret_key &, bytes_view) noexcept {}

void numbered_key::seal (std::byte *, std::byte, bytes_view, std::uint64_t) const noexcept {}

bool numbered_key::open (std::byte &, std::byte *, bytes_view, std::uint64_t) const noexcept { return false; }

}  // namespace zlink::crypto
