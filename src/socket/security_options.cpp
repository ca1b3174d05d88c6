#include "socket/security_options.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/z85.hpp"
#include "socket/tls_options.hpp"

namespace zlink::socket {

using base::errc;
using base::result;
using engine::mechanism_kind;
using engine::security;

namespace {

constexpr std::size_t text_bytes_max = 255;
constexpr std::size_t key_letters = base::key_bytes / 4 * 5;

// False: it is no key. A secret leaves nothing behind on its way.
bool read_key (const void *value, std::size_t size, std::byte *to)
{
    if (value == nullptr)
        return false;
    base::secret_key key;
    if (size == base::key_bytes) {
        std::memcpy (key.data (), value, size);
    } else {
        const auto *const letters = static_cast<const char *> (value);
        const bool text = size == key_letters || (size == key_letters + 1 && letters[key_letters] == '\0');
        if (!text
            || !base::z85_decode (reinterpret_cast<std::uint8_t *> (key.data ()), {letters, key_letters}))
            return false;
    }
    std::memcpy (to, key.data (), base::key_bytes);
    return true;
}

result<void> write_key (const std::byte *key, void *value, std::size_t size)
{
    if (size == base::key_bytes)
        std::memcpy (value, key, size);
    else if (size != key_letters + 1
             || !base::z85_encode (static_cast<char *> (value), reinterpret_cast<const std::uint8_t *> (key),
                                   base::key_bytes))
        return errc::invalid_argument;
    return {};
}

bool read_int (const void *value, std::size_t size, int &to)
{
    if (value == nullptr || size != sizeof to)
        return false;
    std::memcpy (&to, value, sizeof to);
    return true;
}

result<void> be_server (security &of, mechanism_kind kind, const void *value, std::size_t size)
{
    int on = 0;
    if (!read_int (value, size, on) || (on != 0 && on != 1))
        return errc::invalid_argument;
    of.as_server = on != 0;
    of.mechanism = on != 0 ? kind : mechanism_kind::null;
    return {};
}

// Of a client of PLAIN; no value at all ends that.
result<void> be_known (security &of, std::string security::*as, const void *value, std::size_t size)
{
    if (value == nullptr && size == 0) {
        of.mechanism = mechanism_kind::null;
        return {};
    }
    if (value == nullptr || size == 0 || size > text_bytes_max)
        return errc::invalid_argument;
    (of.*as).assign (static_cast<const char *> (value), size);
    of.as_server = false;
    of.mechanism = mechanism_kind::plain;
    return {};
}

result<void> have_key (security &of, std::byte *key, const void *value, std::size_t size)
{
    if (!read_key (value, size, key))
        return errc::invalid_argument;
    of.mechanism = mechanism_kind::curve;
    return {};
}

result<void> have_domain (security &of, const void *value, std::size_t size)
{
    if (size > text_bytes_max || (value == nullptr && size != 0))
        return errc::invalid_argument;
    of.domain.assign (static_cast<const char *> (value), size);
    return {};
}

// Any number but 0 is yes.
result<void> have_flag (bool &flag, const void *value, std::size_t size)
{
    int number = 0;
    if (!read_int (value, size, number))
        return errc::invalid_argument;
    flag = number != 0;
    return {};
}

// 1 is yes, 0 no.
result<void> have_strict_flag (bool &flag, const void *value, std::size_t size)
{
    int number = 0;
    if (!read_int (value, size, number) || (number != 0 && number != 1))
        return errc::invalid_argument;
    flag = number == 1;
    return {};
}

result<void> give (const void *from, std::size_t bytes, void *to, std::size_t *size)
{
    if (*size < bytes)
        return errc::invalid_argument;
    std::memcpy (to, from, bytes);
    std::memset (static_cast<char *> (to) + bytes, 0, *size - bytes);
    *size = bytes;
    return {};
}

result<void> give (bool flag, void *to, std::size_t *size)
{
    const int number = flag ? 1 : 0;
    return give (&number, sizeof number, to, size);
}

result<void> give (const std::string &text, void *to, std::size_t *size)
{
    return give (text.c_str (), text.size () + 1, to, size);
}

}  // namespace

const option_rule *find_security_option (header by, int number) noexcept
{
    return find_mechanism_option (by, number);
}

result<void> set_security (security &of, security_value what, const void *value, std::size_t size)
{
    result<void> done;
    switch (what) {
    case security_value::plain_server:
        return be_server (of, mechanism_kind::plain, value, size);
    case security_value::curve_server:
        return be_server (of, mechanism_kind::curve, value, size);
    case security_value::plain_username:
        return be_known (of, &security::username, value, size);
    case security_value::plain_password:
        return be_known (of, &security::password, value, size);
    case security_value::curve_public_key:
        return have_key (of, of.own_public.data (), value, size);
    case security_value::curve_secret_key:
        return have_key (of, of.own_secret.data (), value, size);
    case security_value::curve_server_key:
        done = have_key (of, of.server.data (), value, size);
        of.as_server = of.as_server && !done.ok ();
        return done;
    case security_value::domain:
        return have_domain (of, value, size);
    case security_value::enforce_domain:
        return have_flag (of.enforce_domain, value, size);
    case security_value::requires_policy:
        return have_strict_flag (of.requires_policy, value, size);
    default:
        return set_tls (of.tls, what, value, size);
    }
}

result<void> get_security (const security &of, security_value what, void *value, std::size_t *size)
{
    switch (what) {
    case security_value::plain_server:
        return give (of.as_server && of.mechanism == mechanism_kind::plain, value, size);
    case security_value::curve_server:
        return give (of.as_server && of.mechanism == mechanism_kind::curve, value, size);
    case security_value::plain_username:
        return give (of.username, value, size);
    case security_value::plain_password:
        return give (of.password, value, size);
    case security_value::curve_public_key:
        return write_key (of.own_public.data (), value, *size);
    case security_value::curve_secret_key:
        return write_key (of.own_secret.data (), value, *size);
    case security_value::curve_server_key:
        return write_key (of.server.data (), value, *size);
    case security_value::domain:
        return give (of.domain, value, size);
    case security_value::enforce_domain:
        return give (of.enforce_domain, value, size);
    case security_value::requires_policy:
        return give (of.requires_policy, value, size);
    default:
        return get_tls (of.tls, what, value, size);
    }
}

}  // namespace zlink::socket
