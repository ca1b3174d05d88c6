// What a library has of mechanisms, the keys of CURVE and hashes of passwords, for
// those who see the engine only. Pure. Thread rule: any thread.
#pragma once

#include <array>

#include "base/bytes.hpp"
#include "base/entropy.hpp"
#include "base/error.hpp"
#include "base/secret.hpp"
#include "wire/security.hpp"

namespace zlink::engine {

// NULL is always there. CURVE: keys can be made, too.
[[nodiscard]] bool knows_mechanism (wire::mechanism_kind kind) noexcept;

[[nodiscard]] bool knows_tls () noexcept;

// not_supported: there is no CURVE. no_memory: there are no random numbers.
base::result<void>
make_key_pair (base::entropy &from, base::public_key &open, base::secret_key &secret) noexcept;
base::result<base::public_key> public_key_of (const base::secret_key &secret) noexcept;
// A password's, as text with a NUL at the end, at the default cost
// (crypto/password_hash): blocks for a tenth of a second. not_supported, no_memory as
// above.
using password_hash = std::array<char, 128>;
base::result<void> hash_password (base::entropy &from, base::bytes_view password, password_hash &to) noexcept;

}  // namespace zlink::engine
