#include "api/security.hpp"

#include <array>
#include <cstring>

#include "api/errors.hpp"
#include "api/service_handles.hpp"

namespace zlink::api {

using base::errc;
using base::result;

namespace {

// One option after the other, for one side, until the first that fails.
class setter
{
  public:
    setter (service_object &of, side which) noexcept : of_ (of), side_ (which) {}

    void value (int option, const void *bytes, std::size_t size) noexcept
    {
        if (outcome_)
            outcome_ = of_.set_option (side_, option, bytes, size);
    }
    // Null: nothing is said of it.
    void text (int option, const char *what) noexcept
    {
        if (what != nullptr)
            value (option, what, std::strlen (what));
    }
    void number (int option, int what) noexcept { value (option, &what, sizeof what); }
    [[nodiscard]] result<void> outcome () const noexcept { return outcome_; }

  private:
    service_object &of_;
    const side side_;
    result<void> outcome_{};
};

void set_own_keys (setter &to, const zlink_security_t &how) noexcept
{
    to.text (ZLINK_CURVE_PUBLICKEY, how.curve_public_key);
    to.text (ZLINK_CURVE_SECRETKEY, how.curve_secret_key);
}

result<void> secure_listening (service_object &of, const zlink_security_t &how) noexcept
{
    setter to (of, side::listening);
    if (how.plain_passwords != nullptr) {
        to.number (ZLINK_PLAIN_SERVER, 1);
        if (how.plain_passwords[0] != '\0')
            to.text (ZLINK_PLAIN_PASSWORDS, how.plain_passwords);
    }
    if (how.curve_secret_key != nullptr) {
        to.number (ZLINK_CURVE_SERVER, 1);
        set_own_keys (to, how);
        if (how.curve_allowed_keys != nullptr)
            to.value (ZLINK_CURVE_ALLOWED_KEYS, how.curve_allowed_keys, how.curve_allowed_keys_size);
    }
    to.text (ZLINK_TLS_CERT, how.tls_cert);
    to.text (ZLINK_TLS_KEY, how.tls_key);
    if (how.tls_mutual != 0) {
        to.text (ZLINK_TLS_CA, how.tls_ca);
        to.number (ZLINK_TLS_REQUIRE_CLIENT_CERT, 1);
    }
    return to.outcome ();
}

// An authority of one's own is trusted alone.
result<void> secure_dialling (service_object &of, const zlink_security_t &how) noexcept
{
    setter to (of, side::dialling);
    to.text (ZLINK_PLAIN_USERNAME, how.plain_username);
    to.text (ZLINK_PLAIN_PASSWORD, how.plain_password);
    if (how.curve_server_key != nullptr) {
        set_own_keys (to, how);
        to.text (ZLINK_CURVE_SERVERKEY, how.curve_server_key);
    }
    if (how.tls_ca != nullptr) {
        to.text (ZLINK_TLS_CA, how.tls_ca);
        to.number (ZLINK_TLS_TRUST_SYSTEM, 0);
    }
    to.text (ZLINK_TLS_HOSTNAME, how.tls_hostname);
    if (how.tls_mutual != 0) {
        to.text (ZLINK_TLS_CERT, how.tls_cert);
        to.text (ZLINK_TLS_KEY, how.tls_key);
    }
    return to.outcome ();
}

std::shared_ptr<service_object> any_service (void *handle) noexcept
{
    for (const handle_kind each : {handle_kind::registry, handle_kind::discovery, handle_kind::receiver,
                                   handle_kind::gateway, handle_kind::spot_node})
        if (std::shared_ptr<service_object> found = hold_service (handle, each); found != nullptr)
            return found;
    return nullptr;
}

}  // namespace

int service_secure (void *service, const zlink_security_t *how) noexcept
{
    std::shared_ptr<service_object> of = any_service (service);
    if (of == nullptr || how == nullptr)
        return failed (errc::bad_address);
    if (how->size != sizeof *how)
        return failed (errc::invalid_argument);
    const result<void> listening = secure_listening (*of, *how);
    const result<void> outcome = listening ? secure_dialling (*of, *how) : listening;
    of.reset ();
    return answer (outcome);
}

}  // namespace zlink::api
