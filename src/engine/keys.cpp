#include "engine/keys.hpp"

#include "crypto/box.hpp"
#include "wire/mechanism.hpp"

namespace zlink::engine {

bool knows_mechanism (wire::mechanism_kind kind) noexcept { return wire::has_mechanism (kind); }

base::result<void>
make_key_pair (base::entropy &from, base::public_key &open, base::secret_key &secret) noexcept
{
    if (!knows_mechanism (wire::mechanism_kind::curve))
        return base::errc::not_supported;
    if (!from.fill (secret.bytes ()))
        return base::errc::no_memory;
    open = crypto::public_key_of (secret);
    return {};
}

base::result<base::public_key> public_key_of (const base::secret_key &secret) noexcept
{
    if (!knows_mechanism (wire::mechanism_kind::curve))
        return base::errc::not_supported;
    return crypto::public_key_of (secret);
}

}  // namespace zlink::engine
