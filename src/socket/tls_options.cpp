#include "socket/tls_options.hpp"

#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/files.hpp"

namespace zlink::socket {

using base::errc;
using base::result;
using engine::tls_settings;

namespace {

constexpr std::size_t short_text_bytes_max = 255;

// The text of a number, or null: it is a flag's, or nobody's.
std::string tls_settings::*text_of (security_value what) noexcept
{
    switch (what) {
    case security_value::tls_certificate:
        return &tls_settings::certificate;
    case security_value::tls_key:
        return &tls_settings::key;
    case security_value::tls_authority:
    case security_value::tls_sole_authority:
        return &tls_settings::authority;
    case security_value::tls_host:
        return &tls_settings::host;
    case security_value::tls_passphrase:
        return &tls_settings::passphrase;
    case security_value::tls_protocols:
        return &tls_settings::protocols;
    default:
        return nullptr;
    }
}

bool tls_settings::*flag_of (security_value what) noexcept
{
    switch (what) {
    case security_value::tls_verify:
        return &tls_settings::verify;
    case security_value::tls_require_client_certificate:
        return &tls_settings::require_client_certificate;
    case security_value::tls_trust_system:
        return &tls_settings::trust_system;
    default:
        return nullptr;
    }
}

bool may_be_long (security_value what) noexcept
{
    return what == security_value::tls_certificate || what == security_value::tls_key
           || what == security_value::tls_authority || what == security_value::tls_sole_authority;
}

bool is_told (security_value what, const std::string &text) noexcept
{
    if (what == security_value::tls_passphrase)
        return false;
    return what != security_value::tls_key || text.find ("-----BEGIN") == text.npos;
}

std::shared_ptr<tls_settings> copy_of (const tls_settings_ref &of)
{
    return of.empty () ? std::make_shared<tls_settings> () : std::make_shared<tls_settings> (*of.shared ());
}

result<void> give_bytes (const void *from, std::size_t bytes, void *to, std::size_t *size)
{
    if (*size < bytes)
        return errc::invalid_argument;
    std::memcpy (to, from, bytes);
    std::memset (static_cast<char *> (to) + bytes, 0, *size - bytes);
    *size = bytes;
    return {};
}

}  // namespace

result<void> set_tls (tls_settings_ref &of, security_value what, const void *value, std::size_t size)
{
    if (std::string tls_settings::*const text = text_of (what); text != nullptr) {
        const std::size_t most = may_be_long (what) ? base::files::file_bytes_max : short_text_bytes_max;
        if (size > most || (value == nullptr && size > 0))
            return errc::invalid_argument;
        std::string_view given (static_cast<const char *> (value), size);
        if (given.ends_with ('\0'))
            given.remove_suffix (1);
        if (given.find ('\0') != given.npos)
            return errc::invalid_argument;
        std::shared_ptr<tls_settings> changed = copy_of (of);
        ((*changed).*text).assign (given);
        if (what == security_value::tls_sole_authority && !changed->trust_system_said)
            changed->trust_system = given.empty ();
        of = tls_settings_ref (changed);
        return {};
    }
    bool tls_settings::*const flag = flag_of (what);
    int number = 0;
    if (flag == nullptr || value == nullptr || size != sizeof number)
        return errc::invalid_argument;
    std::memcpy (&number, value, sizeof number);
    if (number != 0 && number != 1)
        return errc::invalid_argument;
    std::shared_ptr<tls_settings> changed = copy_of (of);
    (*changed).*flag = number == 1;
    changed->trust_system_said |= what == security_value::tls_trust_system;
    of = tls_settings_ref (changed);
    return {};
}

result<void> get_tls (const tls_settings_ref &of, security_value what, void *value, std::size_t *size)
{
    static const tls_settings untouched;
    const std::shared_ptr<const tls_settings> held = of.shared ();
    const tls_settings &from = held == nullptr ? untouched : *held;
    if (std::string tls_settings::*const text = text_of (what); text != nullptr) {
        const std::string &said = from.*text;
        return is_told (what, said) ? give_bytes (said.c_str (), said.size () + 1, value, size)
                                    : give_bytes ("", 1, value, size);
    }
    bool tls_settings::*const flag = flag_of (what);
    if (flag == nullptr)
        return errc::invalid_argument;
    const int number = from.*flag ? 1 : 0;
    return give_bytes (&number, sizeof number, value, size);
}

}  // namespace zlink::socket
