#include "crypto/tls_session.hpp"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <new>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/tls1.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <utility>

#include "base/copying.hpp"
#include "crypto/tls_memory_io.hpp"

namespace zlink::crypto {

using base::errc;

namespace {

// Records one behind the other that carry nothing: key updates, tickets,
// warnings. An honest peer sends a few.
constexpr std::uint32_t empty_records_max = 64;
constexpr std::size_t record_bytes_min = 512;
// What may wait for room: the longest flight of a handshake is its certificates,
// 100 KB as OpenSSL has it.
constexpr std::size_t owed_bytes_max = 256 * 1024;

constexpr unsigned char record_alert = 21;
constexpr unsigned char record_handshake = 22;
constexpr unsigned char version_major = 3;
constexpr unsigned char version_minor_max = 4;

tls_reason reason_of_verdict (long verdict) noexcept
{
    switch (verdict) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
        return tls_reason::expired;
    case X509_V_ERR_CERT_NOT_YET_VALID:
        return tls_reason::not_yet_valid;
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
        return tls_reason::wrong_host;
    case X509_V_ERR_EE_KEY_TOO_SMALL:
    case X509_V_ERR_CA_KEY_TOO_SMALL:
    case X509_V_ERR_CA_MD_TOO_WEAK:
        return tls_reason::too_weak;
    case X509_V_ERR_OUT_OF_MEM:
        return tls_reason::out_of_memory;
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_CERT_UNTRUSTED:
        return tls_reason::untrusted;
    default:
        return tls_reason::unsuitable;
    }
}

struct meaning
{
    int of;
    tls_reason reason;
};

constexpr meaning meanings[] = {
  {SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE, tls_reason::no_certificate},
  {SSL_R_UNSUPPORTED_PROTOCOL, tls_reason::version_unsupported},
  {SSL_R_WRONG_VERSION_NUMBER, tls_reason::version_unsupported},
  {SSL_R_WRONG_SSL_VERSION, tls_reason::version_unsupported},
  {SSL_R_VERSION_TOO_LOW, tls_reason::version_unsupported},
  {SSL_R_UNKNOWN_PROTOCOL, tls_reason::version_unsupported},
  {SSL_R_NO_SHARED_CIPHER, tls_reason::nothing_in_common},
  {SSL_R_NO_SUITABLE_KEY_SHARE, tls_reason::nothing_in_common},
  {SSL_R_NO_SUITABLE_SIGNATURE_ALGORITHM, tls_reason::nothing_in_common},
  {SSL_R_NO_SHARED_SIGNATURE_ALGORITHMS, tls_reason::nothing_in_common},
  {SSL_R_NO_SHARED_GROUPS, tls_reason::nothing_in_common},
  {SSL_R_NO_APPLICATION_PROTOCOL, tls_reason::protocol_unknown},
  {SSL_R_DECRYPTION_FAILED_OR_BAD_RECORD_MAC, tls_reason::record_forged},
  {SSL_R_EE_KEY_TOO_SMALL, tls_reason::too_weak},
  {SSL_R_CA_MD_TOO_WEAK, tls_reason::too_weak},
};

// The first error is the cause, unless memory or randomness was: these are told
// by whoever missed them, and hidden by those above.
tls_failure failure_of_errors (SSL *ssl) noexcept
{
    tls_failure found{tls_reason::violation, 0};
    for (bool first = true; const unsigned long each = ERR_get_error (); first = false) {
        const int reason = ERR_GET_REASON (each);
        if (reason == ERR_R_MALLOC_FAILURE)
            found = {tls_reason::out_of_memory, 0};
        else if (ERR_GET_LIB (each) == ERR_LIB_RAND || ERR_GET_LIB (each) == ERR_LIB_ENGINE)
            found = {tls_reason::no_randomness, 0};
        else if (first && ERR_GET_LIB (each) == ERR_LIB_SSL)
            found.detail = reason;
    }
    if (found.reason != tls_reason::violation)
        return found;
    if (found.detail == 0 || found.detail == ERR_R_INTERNAL_ERROR)
        return {tls_reason::internal, 0};
    if (found.detail == SSL_R_CERTIFICATE_VERIFY_FAILED) {
        const long verdict = SSL_get_verify_result (ssl);
        return {reason_of_verdict (verdict), static_cast<int> (verdict)};
    }
    if (found.detail > SSL_AD_REASON_OFFSET && found.detail <= SSL_AD_REASON_OFFSET + UINT8_MAX)
        return {tls_reason::alert_received, found.detail - SSL_AD_REASON_OFFSET};
    for (const meaning &each : meanings)
        if (each.of == found.detail)
            found.reason = each.reason;
    return found;
}

}  // namespace

const char *tls_reason_name (tls_reason reason) noexcept
{
    static constexpr const char *names[] = {"none",
                                            "not-tls",
                                            "untrusted",
                                            "expired",
                                            "not-yet-valid",
                                            "wrong-host",
                                            "too-weak",
                                            "unsuitable",
                                            "no-certificate",
                                            "version-unsupported",
                                            "nothing-in-common",
                                            "protocol-unknown",
                                            "alert-received",
                                            "record-forged",
                                            "violation",
                                            "flooded",
                                            "truncated",
                                            "out-of-memory",
                                            "internal",
                                            "no-randomness"};
    static_assert (std::size (names) == tls_reasons);
    return names[static_cast<unsigned> (reason)];
}

// --- tickets --------------------------------------------------------------------

struct tls_ticket::kept
{
    kept () = default;
    kept (const kept &) = delete;
    kept &operator= (const kept &) = delete;
    ~kept () { SSL_SESSION_free (session); }

    std::shared_ptr<tls_world> world;
    SSL_SESSION *session = nullptr;
    std::uint64_t context = 0;
    std::array<char, 256> host_text{};
    std::size_t host_bytes = 0;
};

tls_ticket::tls_ticket () noexcept = default;
tls_ticket::tls_ticket (tls_ticket &&) noexcept = default;
tls_ticket &tls_ticket::operator= (tls_ticket &&) noexcept = default;
tls_ticket::~tls_ticket () = default;

void tls_tickets::put (tls_ticket fresh) noexcept
{
    if (fresh.empty ())
        return;
    if (count_ == tickets_max) {
        std::move (held_.begin () + 1, held_.end (), held_.begin ());
        --count_;
    }
    held_[count_++] = std::move (fresh);
}

tls_ticket tls_tickets::take () noexcept { return count_ > 0 ? std::move (held_[--count_]) : tls_ticket (); }

// --- what OpenSSL calls ---------------------------------------------------------

struct tls_session_io
{
    static int read (BIO *io, char *to, std::size_t size, std::size_t *done) noexcept;
    static int write (BIO *io, const char *from, std::size_t size, std::size_t *done) noexcept;
    static long control (BIO *, int what, long, void *) noexcept { return what == BIO_CTRL_FLUSH ? 1 : 0; }
    static int came (SSL *ssl, SSL_SESSION *fresh) noexcept;
    static void
    message (int written, int, int kind, const void *, std::size_t, SSL *, void *session) noexcept;
};

int tls_session_io::read (BIO *io, char *to, std::size_t size, std::size_t *done) noexcept
{
    auto &session = *static_cast<tls_session *> (BIO_get_data (io));
    BIO_clear_retry_flags (io);
    *done = 0;
    if (session.empty_records_ > empty_records_max)
        return 0;
    const std::size_t got = std::min (size, session.in_.size ());
    if (got == 0) {
        BIO_set_retry_read (io);
        return 0;
    }
    base::copy_octets (to, session.in_.data (), got);
    session.in_ = session.in_.subspan (got);
    session.taken_ += got;
    *done = got;
    return 1;
}

int tls_session_io::write (BIO *io, const char *from, std::size_t size, std::size_t *done) noexcept
{
    auto &session = *static_cast<tls_session *> (BIO_get_data (io));
    BIO_clear_retry_flags (io);
    const bytes_view all = std::as_bytes (std::span (from, size));
    const std::size_t fits = session.owed () > 0 ? 0 : std::min (size, session.out_.size ());
    if (fits < size && !session.owe (all.subspan (fits))) {
        session.no_memory_ = true;
        *done = 0;
        return 0;
    }
    if (fits > 0)
        base::copy_octets (session.out_.data (), from, fits);
    session.out_ = session.out_.subspan (fits);
    session.written_ += fits;
    *done = size;
    return 1;
}

// A listener gave us a ticket. What OpenSSL has it spoils when the connection ends
// without a goodbye: we keep a copy. 0: we did not take what it has.
int tls_session_io::came (SSL *ssl, SSL_SESSION *fresh) noexcept
{
    auto &session = *static_cast<tls_session *> (SSL_get_app_data (ssl));
    if (SSL_SESSION_is_resumable (fresh) != 1)
        return 0;
    std::unique_ptr<tls_ticket::kept> kept (new (std::nothrow) tls_ticket::kept);
    if (kept == nullptr)
        return 0;
    kept->world = session.context_->world ();
    kept->session = SSL_SESSION_dup (fresh);
    if (kept->session == nullptr)
        return 0;
    kept->context = session.context_->serial ();
    kept->host_text = session.host_text_;
    kept->host_bytes = session.host_.size ();
    session.ticket_.kept_ = std::move (kept);
    return 0;
}

void tls_session_io::message (
  int written, int, int kind, const void *, std::size_t, SSL *, void *session) noexcept
{
    auto &self = *static_cast<tls_session *> (session);
    if (written == 0 && kind == SSL3_RT_HEADER && self.state_ != tls_state::handshaking)
        ++self.empty_records_;
}

bio_method_st *new_memory_io () noexcept
{
    BIO_METHOD *const made = BIO_meth_new (BIO_TYPE_SOURCE_SINK, "memory of a call");
    if (made == nullptr)
        return nullptr;
    BIO_meth_set_read_ex (made, tls_session_io::read);
    BIO_meth_set_write_ex (made, tls_session_io::write);
    BIO_meth_set_ctrl (made, tls_session_io::control);
    return made;
}

void watch_tickets (ssl_ctx_st *settings) noexcept
{
    SSL_CTX_sess_set_new_cb (settings, tls_session_io::came);
}

// --- its life -------------------------------------------------------------------

tls_session::tls_session (std::shared_ptr<const tls_context> context) noexcept
  : context_ (std::move (context))
{
}

tls_session::~tls_session () { SSL_free (ssl_); }

base::result<std::unique_ptr<tls_session>> tls_session::make (std::shared_ptr<const tls_context> context,
                                                              const tls_session_options &options) noexcept
{
    ERR_clear_error ();
    std::unique_ptr<tls_session> made (new (std::nothrow) tls_session (std::move (context)));
    if (made == nullptr)
        return errc::no_memory;
    const base::result<void> done = made->start (options);
    ERR_clear_error ();
    return done.ok () ? base::result (std::move (made)) : done.failure ();
}

base::result<void> tls_session::start (const tls_session_options &options) noexcept
{
    if (options.host.size () >= host_text_.size () || options.host.find ('\0') != options.host.npos
        || options.record_bytes_max < record_bytes_min || options.record_bytes_max > record_bytes_max)
        return errc::invalid_argument;
    records_max_ = std::max<std::uint64_t> (options.records_per_key_max, 1);
    fragment_bytes_ = options.record_bytes_max;
    ssl_ = SSL_new (context_->settings ());
    BIO *const io = ssl_ == nullptr ? nullptr : BIO_new (context_->memory_io ());
    if (io == nullptr)
        return errc::no_memory;
    BIO_set_data (io, this);
    BIO_set_init (io, 1);
    SSL_set_bio (ssl_, io, io);
    if (SSL_set_app_data (ssl_, this) != 1)
        return errc::no_memory;
    SSL_set_msg_callback (ssl_, tls_session_io::message);
    SSL_set_msg_callback_arg (ssl_, this);
    X509_VERIFY_PARAM_set_time (SSL_get0_param (ssl_), static_cast<std::time_t> (options.now_s));
    if (context_->role () == tls_role::listener) {
        SSL_set_accept_state (ssl_);
        return {};
    }
    SSL_set_connect_state (ssl_);
    if (!set_host (options.host))
        return errc::no_memory;
    if (options.resume != nullptr)
        resume_with (*options.resume);
    return {};
}

// An address is looked for as such, and never asked for by name.
bool tls_session::set_host (std::string_view host) noexcept
{
    if (host.ends_with ('.'))
        host.remove_suffix (1);
    if (!host.empty ())
        std::memcpy (host_text_.data (), host.data (), host.size ());
    host_ = std::string_view (host_text_.data (), host.size ());
    if (host.empty ())
        return true;
    const char *const text = host_text_.data ();
    X509_VERIFY_PARAM *const checks = SSL_get0_param (ssl_);
    if (ASN1_OCTET_STRING *const number = a2i_IPADDRESS (text); number != nullptr) {
        const bool set = X509_VERIFY_PARAM_set1_ip (checks, ASN1_STRING_get0_data (number),
                                                    static_cast<std::size_t> (ASN1_STRING_length (number)))
                         == 1;
        ASN1_OCTET_STRING_free (number);
        return set;
    }
    X509_VERIFY_PARAM_set_hostflags (checks, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    return X509_VERIFY_PARAM_set1_host (checks, text, host.size ()) == 1
           && SSL_set_tlsext_host_name (ssl_, text) == 1;
}

// Who resumes does not look at certificates again: only where these would be
// looked at in the same way.
void tls_session::resume_with (tls_ticket &ticket) noexcept
{
    const std::unique_ptr<tls_ticket::kept> kept = std::move (ticket.kept_);
    if (kept != nullptr && kept->context == context_->serial ()
        && std::string_view (kept->host_text.data (), kept->host_bytes) == host_)
        (void)SSL_set_session (ssl_, kept->session);
}

void tls_session::fail (tls_reason reason, int detail) noexcept
{
    if (state_ == tls_state::failed)
        return;
    state_ = tls_state::failed;
    failure_ = {reason, detail};
}

// --- one call -------------------------------------------------------------------

void tls_session::begin (bytes_view in, bytes_span out) noexcept
{
    // To look is less than to clear what is clear.
    if (ERR_peek_error () != 0)
        ERR_clear_error ();
    in_ = in;
    taken_ = 0;
    written_ = write_owed (out);
    out_ = out.subspan (written_);
}

tls_session::moved tls_session::finish () noexcept
{
    in_ = {};
    out_ = {};
    return {taken_, written_};
}

// OpenSSL could not go on.
void tls_session::settle (int answer) noexcept
{
    const int why = SSL_get_error (ssl_, answer);
    if (no_memory_)
        return fail (tls_reason::out_of_memory, 0);
    if (empty_records_ > empty_records_max)
        return fail (tls_reason::flooded, 0);
    if (why == SSL_ERROR_WANT_READ)
        return;
    if (why == SSL_ERROR_ZERO_RETURN) {
        state_ = tls_state::closed;
        return;
    }
    const tls_failure found = failure_of_errors (ssl_);
    // What version is spoken is settled by then: it is no record.
    const bool settled = state_ != tls_state::handshaking && found.reason == tls_reason::version_unsupported;
    fail (settled ? tls_reason::violation : found.reason, found.detail);
}

bool tls_session::owe (bytes_view bytes) noexcept
{
    if (owed_capacity_ - owed_end_ < bytes.size ()) {
        const std::size_t held = owed ();
        const std::size_t wanted = std::max ({held + bytes.size (), 2 * held, std::size_t{512}});
        std::unique_ptr<std::byte[]> grown (
          held + bytes.size () > owed_bytes_max ? nullptr : new (std::nothrow) std::byte[wanted]);
        if (grown == nullptr)
            return false;
        if (held > 0)
            std::memcpy (grown.get (), owed_.get () + owed_begin_, held);
        owed_ = std::move (grown);
        owed_capacity_ = wanted;
        owed_begin_ = 0;
        owed_end_ = held;
    }
    std::memcpy (owed_.get () + owed_end_, bytes.data (), bytes.size ());
    owed_end_ += bytes.size ();
    return true;
}

std::size_t tls_session::write_owed (bytes_span out) noexcept
{
    const std::size_t fits = std::min (owed (), out.size ());
    if (fits == 0)
        return 0;
    std::memcpy (out.data (), owed_.get () + owed_begin_, fits);
    owed_begin_ += fits;
    if (owed () == 0) {
        owed_.reset ();
        owed_capacity_ = owed_begin_ = owed_end_ = 0;
    }
    return fits;
}

// The first three bytes of a peer's are 16 or 15 (a handshake, or an alert), 03,
// and a small number.
bool tls_session::looks_like_tls (bytes_view in) noexcept
{
    for (; looked_ < 3 && !in.empty (); ++looked_, in = in.subspan (1)) {
        const auto octet = std::to_integer<unsigned char> (in.front ());
        const bool fits = looked_ == 0   ? octet == record_handshake || octet == record_alert
                          : looked_ == 1 ? octet == version_major
                                         : octet <= version_minor_max;
        if (!fits)
            return false;
    }
    return true;
}

tls_session::moved tls_session::step (bytes_view in, bytes_span out) noexcept
{
    begin (in, out);
    if (state_ != tls_state::handshaking)
        return finish ();
    if (!looks_like_tls (in)) {
        fail (tls_reason::not_tls, 0);
        return finish ();
    }
    const int answer = SSL_do_handshake (ssl_);
    if (answer == 1)
        state_ = tls_state::ready;
    else
        settle (answer);
    // Thousands may shake hands at once; between their steps none needs a buffer.
    rest ();
    return finish ();
}

// How much of the plain bytes fits into one record in what room there is.
std::size_t tls_session::record_room (std::size_t plain_bytes) const noexcept
{
    const std::size_t around = 2 * record_overhead_bytes_max;  // a change of keys may go before
    if (owed () > 0 || out_.size () <= around)
        return 0;
    return std::min ({plain_bytes, fragment_bytes_, out_.size () - around});
}

tls_session::moved tls_session::encrypt (bytes_view plain, bytes_span out) noexcept
{
    begin ({}, out);
    const bool open = (state_ == tls_state::ready || state_ == tls_state::closed) && !goodbye_said_;
    while (open && state_ != tls_state::failed) {
        const std::size_t size = record_room (plain.size ());
        if (size == 0)
            break;
        if (records_ >= records_max_ && SSL_version (ssl_) == TLS1_3_VERSION) {
            (void)SSL_key_update (ssl_, SSL_KEY_UPDATE_NOT_REQUESTED);
            records_ = 0;
        }
        std::size_t done = 0;
        const int answer = SSL_write_ex (ssl_, plain.data (), size, &done);
        if (answer != 1) {
            settle (answer);
            // It never waits for anything to come.
            if (state_ != tls_state::failed)
                fail (tls_reason::internal, 0);
            break;
        }
        ++records_;
        taken_ += done;
        plain = plain.subspan (done);
    }
    return finish ();
}

tls_session::moved tls_session::decrypt (bytes_view in, bytes_span out) noexcept
{
    begin (in, {});
    std::size_t plain_bytes = 0;
    while (state_ == tls_state::ready && plain_bytes < out.size ()) {
        std::size_t done = 0;
        const int answer = SSL_read_ex (ssl_, out.data () + plain_bytes, out.size () - plain_bytes, &done);
        if (answer != 1) {
            settle (answer);
            break;
        }
        empty_records_ = 0;
        plain_bytes += done;
    }
    return {finish ().taken, plain_bytes};
}

void tls_session::rest () noexcept
{
    // It keeps what still holds something.
    (void)SSL_free_buffers (ssl_);
}

std::size_t tls_session::held () const noexcept { return static_cast<std::size_t> (SSL_pending (ssl_)); }

std::size_t tls_session::close (bytes_span out) noexcept
{
    begin ({}, out);
    if ((state_ == tls_state::ready || state_ == tls_state::closed) && !goodbye_said_) {
        goodbye_said_ = true;
        if (SSL_shutdown (ssl_) < 0)
            settle (-1);
    }
    return finish ().written;
}

void tls_session::end_of_stream () noexcept
{
    if (state_ != tls_state::closed)
        fail (tls_reason::truncated, 0);
}

// --- what became of it ----------------------------------------------------------

std::string tls_session::peer_subject () const noexcept
try {
    const X509 *const peer = SSL_get0_peer_certificate (ssl_);
    BIO *const text = peer == nullptr ? nullptr : BIO_new (BIO_s_mem ());
    if (text == nullptr)
        return {};
    const std::unique_ptr<BIO, void (*) (BIO *)> freed (text, BIO_free_all);
    // Letters beyond ASCII as UTF-8.
    X509_NAME_print_ex (text, X509_get_subject_name (peer), 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB);
    char *from = nullptr;
    const long size = BIO_get_mem_data (text, &from);
    ERR_clear_error ();
    return size > 0 ? std::string (from, static_cast<std::size_t> (size)) : std::string ();
} catch (const std::bad_alloc &) {
    return {};
}

std::string_view tls_session::protocol () const noexcept
{
    const unsigned char *chosen = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected (ssl_, &chosen, &size);
    return {reinterpret_cast<const char *> (chosen), size};
}

std::string_view tls_session::version () const noexcept { return SSL_get_version (ssl_); }

std::string_view tls_session::cipher () const noexcept { return SSL_get_cipher_name (ssl_); }

bool tls_session::resumed () const noexcept { return SSL_session_reused (ssl_) == 1; }

std::string_view tls_session::asked_host () const noexcept
{
    const char *const asked = SSL_get_servername (ssl_, TLSEXT_NAMETYPE_host_name);
    return asked == nullptr ? std::string_view () : std::string_view (asked);
}

tls_ticket tls_session::take_ticket () noexcept { return std::move (ticket_); }

}  // namespace zlink::crypto
