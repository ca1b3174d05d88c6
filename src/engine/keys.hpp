// What a library has of mechanisms, and the keys of CURVE, for those who see the
// engine only. Pure. Thread rule: any thread.
#pragma once

#include "base/entropy.hpp"
#include "base/error.hpp"
#include "base/secret.hpp"
#include "wire/security.hpp"

namespace zlink::engine {

// NULL is always there. CURVE: keys can be made, too.
[[nodiscard]] bool knows_mechanism (wire::mechanism_kind kind) noexcept;

// not_supported: there is no CURVE. no_memory: there are no random numbers.
base::result<void>
make_key_pair (base::entropy &from, base::public_key &open, base::secret_key &secret) noexcept;
base::result<base::public_key> public_key_of (const base::secret_key &secret) noexcept;

}  // namespace zlink::engine
