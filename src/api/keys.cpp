#include "api/keys.hpp"

#include <cstdint>
#include <string_view>

#include "api/errors.hpp"
#include "api/real_world_access.hpp"
#include "base/world.hpp"
#include "base/z85.hpp"
#include "socket/facade.hpp"

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

}  // namespace zlink::api
