#include "engine/keys.hpp"

#include <array>
#include <type_traits>

#include "crypto/box.hpp"
#include "crypto/password_hash.hpp"
#include "crypto/tls_world.hpp"
#include "wire/mechanism.hpp"

namespace zlink::engine {

bool knows_mechanism (wire::mechanism_kind kind) noexcept { return wire::has_mechanism (kind); }

bool knows_tls () noexcept { return crypto::tls_world::built (); }

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

static_assert (std::is_same_v<password_hash, crypto::password_hash>);

base::result<void> hash_password (base::entropy &from, base::bytes_view password, password_hash &to) noexcept
{
    if (!knows_mechanism (wire::mechanism_kind::curve))
        return base::errc::not_supported;
    std::array<std::byte, crypto::password_salt_bytes> salt{};
    if (!from.fill (salt) || !crypto::make_password_hash (password, salt, {}, to))
        return base::errc::no_memory;
    return {};
}

}  // namespace zlink::engine
