#include "api/keys.hpp"

#include <cstdint>
#include <cstring>
#include <string_view>
#include <tuple>

#include "api/errors.hpp"
#include "api/real_world_access.hpp"
#include "base/world.hpp"
#include "base/z85.hpp"
#include "socket/facade.hpp"
#include "zlink/zlink.h"

namespace zlink::api {

using base::errc;

namespace {

constexpr std::size_t key_letters = base::key_bytes / 4 * 5;

void write_letters (char *to, const std::byte *key) noexcept
{
    (void)base::z85_encode (to, reinterpret_cast<const std::uint8_t *> (key), base::key_bytes);
}

}  // namespace

int curve_key_pair (char *public_letters, char *secret_letters) noexcept
{
    if (!socket::has_curve ())
        return failed (errc::not_supported);
    if (public_letters == nullptr || secret_letters == nullptr)
        return failed (errc::bad_address);
    base::world *const process = process_world ();
    if (process == nullptr || process->secrets == nullptr)
        return failed (errc::no_memory);
    base::public_key open{};
    base::secret_key secret;
    if (const auto made = socket::make_key_pair (*process->secrets, open, secret); !made.ok ())
        return failed (made.code ());
    write_letters (public_letters, open.data ());
    write_letters (secret_letters, secret.data ());
    return 0;
}

int curve_public_key (char *public_letters, const char *secret_letters) noexcept
{
    if (!socket::has_curve ())
        return failed (errc::not_supported);
    if (public_letters == nullptr || secret_letters == nullptr)
        return failed (errc::bad_address);
    const std::string_view letters = secret_letters;
    base::secret_key secret;
    if (letters.size () != key_letters
        || !base::z85_decode (reinterpret_cast<std::uint8_t *> (secret.data ()), letters))
        return failed (errc::invalid_argument);
    const auto found = socket::public_key_of (secret);
    if (!found.ok ())
        return failed (found.code ());
    write_letters (public_letters, found.value ().data ());
    return 0;
}

int hash_password (char *to, std::size_t to_size, const void *password, std::size_t size) noexcept
{
    if (!socket::has_curve ())
        return failed (errc::not_supported);
    if (to == nullptr || (password == nullptr && size != 0))
        return failed (errc::bad_address);
    static_assert (std::tuple_size_v<socket::password_hash> == ZLINK_PASSWORD_HASH_BYTES);
    if (to_size < ZLINK_PASSWORD_HASH_BYTES)
        return failed (errc::invalid_argument);
    base::world *const process = process_world ();
    if (process == nullptr || process->secrets == nullptr)
        return failed (errc::no_memory);
    socket::password_hash made{};
    const auto done =
      socket::hash_password (*process->secrets, {static_cast<const std::byte *> (password), size}, made);
    if (done.ok ())
        std::memcpy (to, made.data (), made.size ());
    return answer (done);
}

}  // namespace zlink::api
