#include "socket/tls_options.hpp"

#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/files.hpp"
#include "engine/web_layer.hpp"

namespace zlink::socket {

using base::errc;
using base::result;
using engine::tls_settings;

namespace {

constexpr std::size_t short_text_bytes_max = 255;
constexpr std::size_t list_bytes_max = 4096;

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

std::string engine::web_settings::*web_text_of (security_value what) noexcept
{
    switch (what) {
    case security_value::web_host:
        return &engine::web_settings::host;
    case security_value::web_origin:
        return &engine::web_settings::origin;
    case security_value::web_origins:
        return &engine::web_settings::origins;
    default:
        return nullptr;
    }
}

// The field of a text, or null.
template <class Settings> auto *text_in (Settings &of, security_value what) noexcept
{
    using field = decltype (&of.host);
    if (std::string tls_settings::*const text = text_of (what); text != nullptr)
        return &(of.*text);
    std::string engine::web_settings::*const text = web_text_of (what);
    return text == nullptr ? field () : &(of.web.*text);
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

std::size_t bytes_max_of (security_value what) noexcept
{
    if (what == security_value::web_origins || what == security_value::web_header)
        return list_bytes_max;
    return may_be_long (what) ? base::files::file_bytes_max : short_text_bytes_max;
}

// What goes into a request of HTTP as it is.
bool is_word (security_value what) noexcept
{
    return what == security_value::web_host || what == security_value::web_origin;
}

// Without the NUL that some count. False: it is no text.
bool read_text (const void *value, std::size_t size, std::string_view &to) noexcept
{
    if (value == nullptr && size > 0)
        return false;
    to = std::string_view (static_cast<const char *> (value), size);
    if (to.ends_with ('\0'))
        to.remove_suffix (1);
    return to.find ('\0') == to.npos;
}

result<void> set_text (tls_settings &of, security_value what, std::string &field, std::string_view given)
{
    if (is_word (what) && !engine::web_word_acceptable (given))
        return errc::invalid_argument;
    field.assign (given);
    if (what == security_value::tls_sole_authority && !of.trust_system_said)
        of.trust_system = given.empty ();
    return {};
}

result<void> set_header (tls_settings &of, std::string_view given)
{
    if (!given.empty ())
        return engine::add_web_header (of.web, given);
    of.web.headers.clear ();
    return {};
}

result<void> set_flag (tls_settings &of, security_value what, const void *value, std::size_t size)
{
    bool tls_settings::*const flag = flag_of (what);
    int number = 0;
    if (flag == nullptr || value == nullptr || size != sizeof number)
        return errc::invalid_argument;
    std::memcpy (&number, value, sizeof number);
    if (number != 0 && number != 1)
        return errc::invalid_argument;
    of.*flag = number == 1;
    of.trust_system_said |= what == security_value::tls_trust_system;
    return {};
}

}  // namespace

result<void> set_tls (tls_settings_ref &of, security_value what, const void *value, std::size_t size)
{
    const std::shared_ptr<tls_settings> changed = copy_of (of);
    std::string *const field = text_in (*changed, what);
    result<void> done;
    if (std::string_view given; field != nullptr || what == security_value::web_header) {
        if (size > bytes_max_of (what) || !read_text (value, size, given))
            return errc::invalid_argument;
        done = field != nullptr ? set_text (*changed, what, *field, given) : set_header (*changed, given);
    } else {
        done = set_flag (*changed, what, value, size);
    }
    if (done.ok ())
        of = tls_settings_ref (changed);
    return done;
}

result<void> get_tls (const tls_settings_ref &of, security_value what, void *value, std::size_t *size)
{
    static const tls_settings untouched;
    const std::shared_ptr<const tls_settings> held = of.shared ();
    const tls_settings &from = held == nullptr ? untouched : *held;
    if (const std::string *const said = text_in (from, what); said != nullptr)
        return is_told (what, *said) ? give_bytes (said->c_str (), said->size () + 1, value, size)
                                     : give_bytes ("", 1, value, size);
    bool tls_settings::*const flag = flag_of (what);
    if (flag == nullptr)
        return errc::invalid_argument;
    const int number = from.*flag ? 1 : 0;
    return give_bytes (&number, sizeof number, value, size);
}

}  // namespace zlink::socket
