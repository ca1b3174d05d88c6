#include "crypto/tls_context.hpp"

#include <climits>
#include <cstring>
#include <ctime>
#include <new>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <utility>

#include "base/atomic.hpp"
#include "base/secret.hpp"
#include "crypto/tls_memory_io.hpp"

namespace zlink::crypto {

using base::errc;

namespace {

constexpr int security_level = 2;  // 112 bits
constexpr std::size_t protocol_bytes_max = 255;

template <auto Free> struct freed_by
{
    template <class T> void operator() (T *what) const noexcept { Free (what); }
};
template <class T, auto Free> using owned = std::unique_ptr<T, freed_by<Free>>;
using owned_bio = owned<BIO, BIO_free>;
using owned_certificate = owned<X509, X509_free>;
using owned_revocations = owned<X509_CRL, X509_CRL_free>;
using owned_key = owned<EVP_PKEY, EVP_PKEY_free>;

base::atomic<std::uint64_t> contexts_made{0};

// Whether memory was what was missing in what OpenSSL just did, or else whether
// it was the reason given. The errors are forgotten.
bool errors_name (int reason) noexcept
{
    bool found = false;
    while (const unsigned long each = ERR_get_error ())
        found = found || ERR_GET_REASON (each) == reason;
    return found;
}

bool refused_as_weak (unsigned long each) noexcept
{
    if (ERR_GET_LIB (each) != ERR_LIB_SSL)
        return false;
    const int reason = ERR_GET_REASON (each);
    return reason == SSL_R_EE_KEY_TOO_SMALL || reason == SSL_R_CA_KEY_TOO_SMALL
           || reason == SSL_R_CA_MD_TOO_WEAK || reason == SSL_R_DH_KEY_TOO_SMALL;
}

struct passphrase_asked
{
    std::string_view given;
};

// Called by OpenSSL in place of asking at the terminal.
int tell_passphrase (char *to, int room, int, void *asked) noexcept
{
    const std::string_view given = static_cast<passphrase_asked *> (asked)->given;
    if (room < 0 || given.size () > static_cast<std::size_t> (room))
        return -1;
    std::memcpy (to, given.data (), given.size ());
    return static_cast<int> (given.size ());
}

bool is_encrypted (std::string_view pem) noexcept
{
    return pem.find ("-----BEGIN ENCRYPTED PRIVATE KEY-----") != pem.npos
           || pem.find ("Proc-Type: 4,ENCRYPTED") != pem.npos;
}

// The first of the dialer's that is also ours, by our preference.
int choose_protocol (SSL *,
                     const unsigned char **chosen,
                     unsigned char *chosen_bytes,
                     const unsigned char *theirs,
                     unsigned theirs_bytes,
                     void *context) noexcept
{
    const auto ours = static_cast<const tls_context *> (context)->protocols ();
    unsigned char *found = nullptr;
    const int answer = SSL_select_next_proto (&found, chosen_bytes, ours.data (),
                                              static_cast<unsigned> (ours.size ()), theirs, theirs_bytes);
    *chosen = found;
    return answer == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

}  // namespace

std::string tls_error::text () const
{
    static constexpr const char *items[] = {"TLS",         "certificate",          "key",      "passphrase",
                                            "authorities", "system's authorities", "protocols"};
    static constexpr const char *faults[] = {"no fault",
                                             "no such file",
                                             "reading it is not permitted",
                                             "it cannot be read",
                                             "there is none",
                                             "malformed",
                                             "encrypted, and no passphrase is given",
                                             "the passphrase does not open it",
                                             "it belongs to another certificate",
                                             "expired",
                                             "not yet valid",
                                             "its key or signature is too weak",
                                             "out of memory",
                                             "this library is built without TLS"};
    static_assert (std::size (faults) == tls_faults);
    std::string made = items[static_cast<unsigned> (item)];
    if (!name.empty ())
        made += ' ' + name;
    return made + ": " + faults[static_cast<unsigned> (fault)];
}

// One context in the making. The first fault ends it.
class tls_maker
{
  public:
    tls_maker (tls_context &made, const tls_options &from) noexcept : made_ (made), from_ (from) {}
    ~tls_maker () { ERR_clear_error (); }

    // May throw bad_alloc.
    bool run ();
    tls_error error;

  private:
    bool settings ();
    bool protocols ();
    bool own_certificate ();
    bool own_key (std::string_view beside, std::string_view beside_path);
    bool read_key (std::string_view pem);
    bool whom_to_trust ();
    bool trust_all_of (std::string_view pem, tls_item item, std::string_view path, bool announce);
    bool heed_revocations (std::string_view pem, tls_item item, std::string_view path);
    bool load (const tls_pem &from, tls_item item, std::string &text);
    bool valid_now (const X509 *certificate);
    bool fault (tls_fault what, tls_item item, std::string_view path = {});
    bool refused (tls_item item, std::string_view path);
    [[nodiscard]] OSSL_LIB_CTX *library () const noexcept { return made_.world_->library (); }

    tls_context &made_;
    const tls_options &from_;
};

bool tls_maker::fault (tls_fault what, tls_item item, std::string_view path)
{
    error.fault = what;
    error.item = item;
    error.name = path;
    return false;
}

// OpenSSL did not take it: why?
bool tls_maker::refused (tls_item item, std::string_view path)
{
    tls_fault why = tls_fault::malformed;
    while (const unsigned long each = ERR_get_error ()) {
        if (ERR_GET_REASON (each) == ERR_R_MALLOC_FAILURE)
            why = tls_fault::out_of_memory;
        else if (why == tls_fault::malformed && refused_as_weak (each))
            why = tls_fault::too_weak;
    }
    return fault (why, item, path);
}

bool tls_maker::load (const tls_pem &from, tls_item item, std::string &text)
{
    if (!from.text.empty ()) {
        text = from.text;
        return true;
    }
    base::result<std::string> read = made_.world_->files ().read (from.path);
    if (read.ok ()) {
        text = std::move (read).value ();
        return true;
    }
    error.os_code = read.failure ().os_code;
    switch (read.code ()) {
    case errc::no_such_file:
        return fault (tls_fault::file_missing, item, from.path);
    case errc::permission_denied:
        return fault (tls_fault::file_forbidden, item, from.path);
    case errc::no_memory:
        return fault (tls_fault::out_of_memory, item, from.path);
    default:
        return fault (tls_fault::file_unreadable, item, from.path);
    }
}

bool tls_maker::settings ()
{
    SSL_CTX *const made = SSL_CTX_new_ex (library (), nullptr, TLS_method ());
    made_.settings_ = made;
    made_.memory_io_ = new_memory_io ();
    if (made == nullptr || made_.memory_io_ == nullptr)
        return fault (tls_fault::out_of_memory, tls_item::none);
    SSL_CTX_set_security_level (made, security_level);
    SSL_CTX_set_options (made, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_PRIORITIZE_CHACHA
                                 | SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_set_mode (made, SSL_MODE_ENABLE_PARTIAL_WRITE);
    static constexpr unsigned char ours[] = "zlink";
    const bool listens = from_.role == tls_role::listener;
    if (SSL_CTX_set_min_proto_version (made, TLS1_2_VERSION) != 1
        || SSL_CTX_set_cipher_list (made, "ECDHE+AESGCM:ECDHE+CHACHA20") != 1
        || SSL_CTX_set1_groups_list (made, "X25519:P-256:P-384") != 1
        || SSL_CTX_set_session_id_context (made, ours, sizeof ours) != 1
        || SSL_CTX_set_num_tickets (made, 1) != 1)
        return refused (tls_item::none, {});
    SSL_CTX_set_session_cache_mode (made, listens ? SSL_SESS_CACHE_OFF
                                                  : SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    if (!listens)
        watch_tickets (made);
    const int wants = SSL_VERIFY_PEER | (listens ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0);
    made_.verifies_ = listens ? from_.require_client_certificate : from_.verify;
    SSL_CTX_set_verify (made, made_.verifies_ ? wants : SSL_VERIFY_NONE, nullptr);
    return true;
}

bool tls_maker::protocols ()
{
    for (const std::string_view each : from_.protocols) {
        if (each.empty () || each.size () > protocol_bytes_max)
            return fault (tls_fault::malformed, tls_item::protocols);
        made_.protocols_.push_back (static_cast<unsigned char> (each.size ()));
        made_.protocols_.insert (made_.protocols_.end (), each.begin (), each.end ());
    }
    if (made_.protocols_.size () > UINT16_MAX)
        return fault (tls_fault::malformed, tls_item::protocols);
    if (made_.protocols_.empty ())
        return true;
    if (from_.role == tls_role::listener)
        SSL_CTX_set_alpn_select_cb (made_.settings_, choose_protocol, &made_);
    else if (SSL_CTX_set_alpn_protos (made_.settings_, made_.protocols_.data (),
                                      static_cast<unsigned> (made_.protocols_.size ()))
             != 0)
        return fault (tls_fault::out_of_memory, tls_item::protocols);
    return true;
}

bool tls_maker::valid_now (const X509 *certificate)
{
    std::time_t now = static_cast<std::time_t> (from_.now_s);
    if (X509_cmp_time (X509_get0_notBefore (certificate), &now) > 0)
        return fault (tls_fault::not_yet_valid, tls_item::certificate, from_.certificate.path);
    if (X509_cmp_time (X509_get0_notAfter (certificate), &now) < 0)
        return fault (tls_fault::expired, tls_item::certificate, from_.certificate.path);
    return true;
}

owned_bio reading (std::string_view text) noexcept
{
    return owned_bio (
      text.size () > INT_MAX ? nullptr : BIO_new_mem_buf (text.data (), static_cast<int> (text.size ())));
}

// The next certificate of a text. Null with errors: it is malformed, or memory is
// out; without: there is none any more.
owned_certificate next_certificate (BIO *from, OSSL_LIB_CTX *library) noexcept
{
    X509 *fresh = X509_new_ex (library, nullptr);
    if (fresh == nullptr)
        return nullptr;
    if (PEM_read_bio_X509 (from, &fresh, tell_passphrase, nullptr) != nullptr)
        return owned_certificate (fresh);
    X509_free (fresh);
    if (ERR_GET_REASON (ERR_peek_last_error ()) == PEM_R_NO_START_LINE)
        ERR_clear_error ();
    return nullptr;
}

bool tls_maker::own_certificate ()
{
    if (!from_.certificate.given ())
        return from_.role == tls_role::listener ? fault (tls_fault::missing, tls_item::certificate)
               : from_.key.given ()             ? fault (tls_fault::missing, tls_item::certificate)
                                                : true;
    std::string text;
    if (!load (from_.certificate, tls_item::certificate, text))
        return false;
    struct wiping
    {
        std::string &text;
        ~wiping () { base::wipe (std::as_writable_bytes (std::span (text))); }
    } const wiped{text};
    const std::string_view path = from_.certificate.path;
    const owned_bio from = reading (text);
    if (from == nullptr)
        return refused (tls_item::certificate, path);
    const owned_certificate own = next_certificate (from.get (), library ());
    if (own == nullptr || SSL_CTX_use_certificate (made_.settings_, own.get ()) != 1)
        return refused (tls_item::certificate, path);
    if (!valid_now (own.get ()))
        return false;
    while (owned_certificate between = next_certificate (from.get (), library ())) {
        if (SSL_CTX_add0_chain_cert (made_.settings_, between.get ()) != 1)
            return refused (tls_item::certificate, path);
        (void)between.release ();
    }
    if (ERR_peek_error () != 0)
        return refused (tls_item::certificate, path);
    return own_key (text, path);
}

bool tls_maker::own_key (std::string_view beside, std::string_view beside_path)
{
    if (!from_.key.given ()) {
        if (beside.find ("PRIVATE KEY-----") == beside.npos)
            return fault (tls_fault::missing, tls_item::key);
        return read_key (beside) || (error.name = beside_path, false);
    }
    std::string text;
    if (!load (from_.key, tls_item::key, text))
        return false;
    const bool done = read_key (text) || (error.name = from_.key.path, false);
    base::wipe (std::as_writable_bytes (std::span (text)));
    return done;
}

bool tls_maker::read_key (std::string_view pem)
{
    const bool encrypted = is_encrypted (pem);
    if (encrypted && from_.passphrase.empty ())
        return fault (tls_fault::passphrase_missing, tls_item::key);
    const owned_bio from = reading (pem);
    if (from == nullptr)
        return refused (tls_item::key, {});
    passphrase_asked asked{from_.passphrase};
    const owned_key key (
      PEM_read_bio_PrivateKey_ex (from.get (), nullptr, tell_passphrase, &asked, library (), nullptr));
    if (key == nullptr) {
        if (encrypted && !errors_name (ERR_R_MALLOC_FAILURE))
            return fault (tls_fault::passphrase_wrong, tls_item::key);
        return refused (tls_item::key, {});
    }
    if (X509_check_private_key (SSL_CTX_get0_certificate (made_.settings_), key.get ()) != 1)
        return fault (errors_name (ERR_R_MALLOC_FAILURE) ? tls_fault::out_of_memory : tls_fault::key_mismatch,
                      tls_item::key);
    return SSL_CTX_use_PrivateKey (made_.settings_, key.get ()) == 1 || refused (tls_item::key, {});
}

// announce: who is let in is told whose certificates we take.
bool tls_maker::trust_all_of (std::string_view pem, tls_item item, std::string_view path, bool announce)
{
    const owned_bio from = reading (pem);
    if (from == nullptr)
        return refused (item, path);
    X509_STORE *const store = SSL_CTX_get_cert_store (made_.settings_);
    std::size_t found = 0;
    while (const owned_certificate each = next_certificate (from.get (), library ())) {
        if (X509_STORE_add_cert (store, each.get ()) != 1
            || (announce && SSL_CTX_add_client_CA (made_.settings_, each.get ()) != 1))
            return refused (item, path);
        ++found;
    }
    return (found > 0 && ERR_peek_error () == 0) || refused (item, path);
}

// The next list of what was revoked; null as above.
owned_revocations next_revocations (BIO *from, OSSL_LIB_CTX *library) noexcept
{
    X509_CRL *fresh = X509_CRL_new_ex (library, nullptr);
    if (fresh == nullptr)
        return nullptr;
    if (PEM_read_bio_X509_CRL (from, &fresh, tell_passphrase, nullptr) != nullptr)
        return owned_revocations (fresh);
    X509_CRL_free (fresh);
    if (ERR_GET_REASON (ERR_peek_last_error ()) == PEM_R_NO_START_LINE)
        ERR_clear_error ();
    return nullptr;
}

// Lists may stand among the authorities. Where there is one, each certificate has to
// have one of its issuer's that is in date, and not to stand in it.
bool tls_maker::heed_revocations (std::string_view pem, tls_item item, std::string_view path)
{
    const owned_bio from = reading (pem);
    if (from == nullptr)
        return refused (item, path);
    X509_STORE *const store = SSL_CTX_get_cert_store (made_.settings_);
    while (const owned_revocations each = next_revocations (from.get (), library ()))
        if (X509_STORE_add_crl (store, each.get ()) != 1
            || X509_STORE_set_flags (store, X509_V_FLAG_CRL_CHECK) != 1)
            return refused (item, path);
    return ERR_peek_error () == 0 || refused (item, path);
}

bool tls_maker::whom_to_trust ()
{
    if (!made_.verifies_)
        return true;
    const bool listens = from_.role == tls_role::listener;
    const bool system = from_.trust_system && !listens;
    if (!from_.authority.given () && !system)
        return fault (tls_fault::missing, tls_item::authority);
    if (from_.authority.given ()) {
        std::string text;
        if (!load (from_.authority, tls_item::authority, text)
            || !trust_all_of (text, tls_item::authority, from_.authority.path, listens)
            || !heed_revocations (text, tls_item::authority, from_.authority.path))
            return false;
    }
    if (!system)
        return true;
    const base::result<std::string> known = made_.world_->files ().read_system_trust ();
    // A system without any is as good as one that trusts nobody.
    if (known.code () == errc::no_such_file || (known.ok () && known.value ().empty ()))
        return true;
    if (!known.ok ()) {
        error.os_code = known.failure ().os_code;
        return fault (tls_fault::file_unreadable, tls_item::system_trust);
    }
    return trust_all_of (known.value (), tls_item::system_trust, {}, false);
}

bool tls_maker::run ()
{
    ERR_clear_error ();
    made_.role_ = from_.role;
    return settings () && protocols () && own_certificate () && whom_to_trust ();
}

tls_context::tls_context (std::shared_ptr<tls_world> world) noexcept
  : world_ (std::move (world)), serial_ (contexts_made.fetch_add (1, std::memory_order_relaxed) + 1)
{
}

tls_context::~tls_context ()
{
    SSL_CTX_free (settings_);
    BIO_meth_free (memory_io_);
}

tls_made tls_context::make (std::shared_ptr<tls_world> world, const tls_options &options) noexcept
try {
    std::shared_ptr<tls_context> made (new tls_context (std::move (world)));
    tls_maker maker (*made, options);
    if (maker.run ())
        return {std::move (made), {}};
    return {nullptr, std::move (maker.error)};
} catch (const std::bad_alloc &) {
    return {nullptr, {tls_fault::out_of_memory, tls_item::none, {}, 0}};
}

}  // namespace zlink::crypto
