#include "crypto/tls_session.hpp"

#include <array>
#include <cstddef>
#include <cstdlib>
#include <openssl/crypto.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include "support/identities.hpp"
#include "support/tls_ends.hpp"

namespace zlink::crypto {
namespace {

using test::day_s;
using test::end_of_pair;
using test::files_in_memory;
using test::identity;
using test::key_kind;
using test::seeded;
using test::shake;
using test::today_s;
using test::wanted;
using bytes = std::vector<std::byte>;

// --- memory that runs out when it is told to --------------------------------------

long allocations_left = -1;  // below 0: without end
std::size_t held_bytes = 0;  // what OpenSSL has, without what malloc puts around it

bool may_allocate () noexcept { return allocations_left < 0 || allocations_left-- > 0; }

// In front of each block. OpenSSL itself loses some where memory runs out: the
// chain of all blocks keeps them in reach, so that a search for leaks finds ours.
struct alignas (std::max_align_t) note
{
    note *before;
    note *behind;
    std::size_t size;
};
note blocks{&blocks, &blocks, 0};

note *note_of (void *block) noexcept
{
    return block == nullptr ? nullptr
                            : reinterpret_cast<note *> (static_cast<std::byte *> (block) - sizeof (note));
}

void *resize (void *had, std::size_t size) noexcept
{
    note *const old = note_of (had);
    const std::size_t old_size = old == nullptr ? 0 : old->size;
    void *const room = may_allocate () ? std::realloc (old, sizeof (note) + size) : nullptr;
    if (room == nullptr)
        return nullptr;
    note *const made = static_cast<note *> (room);
    if (old == nullptr)
        *made = {&blocks, blocks.behind, 0};
    made->before->behind = made->behind->before = made;
    made->size = size;
    held_bytes += size - old_size;
    return made + 1;
}

void *give (std::size_t size, const char *, int) noexcept { return resize (nullptr, size); }
void *give_more (void *had, std::size_t size, const char *, int) noexcept { return resize (had, size); }
void take_back (void *had, const char *, int) noexcept
{
    note *const old = note_of (had);
    if (old == nullptr)
        return;
    old->before->behind = old->behind;
    old->behind->before = old->before;
    held_bytes -= old->size;
    std::free (old);
}

// Before OpenSSL has allocated anything.
const int memory_is_ours = CRYPTO_set_mem_functions (give, give_more, take_back);

// --- two ends ---------------------------------------------------------------------

bytes pattern (std::size_t size)
{
    bytes made (size);
    for (std::size_t i = 0; i < size; ++i)
        made[i] = static_cast<std::byte> (i * 31 + i / 251);
    return made;
}

// What a session makes of bytes; its output is as large as asked for.
bytes encrypted (tls_session &by, bytes_view plain)
{
    bytes out (tls_session::sealed_bytes_max (plain.size ()) + by.owed ());
    const tls_session::moved did = by.encrypt (plain, out);
    EXPECT_EQ (did.taken, plain.size ());
    out.resize (did.written);
    return out;
}

bytes decrypted (tls_session &by, bytes_view sealed, std::size_t room = 1 << 20)
{
    bytes out (room);
    const tls_session::moved did = by.decrypt (sealed, out);
    EXPECT_EQ (did.taken, sealed.size ());
    out.resize (did.written);
    return out;
}

class tls_sessions : public testing::Test
{
  protected:
    // A listener whose certificate `root` signed, and a dialer that trusts root.
    tls_options listening ()
    {
        return {
          .role = tls_role::listener, .certificate = {{}, certificate}, .key = {{}, key}, .now_s = today_s};
    }
    tls_options dialing () { return {.authority = {{}, trusted}, .now_s = today_s}; }

    std::shared_ptr<const tls_context> context (const tls_options &options)
    {
        tls_made made = tls_context::make (world, options);
        EXPECT_NE (made.context, nullptr) << made.error.text ();
        return made.context;
    }
    static end_of_pair
    end (std::shared_ptr<const tls_context> of, std::string_view host = "", tls_ticket *resume = nullptr)
    {
        auto made = tls_session::make (std::move (of), {.host = host, .now_s = today_s, .resume = resume});
        EXPECT_TRUE (made.ok ());
        return {std::move (made).value ()};
    }

    // Both, talked through.
    void meet (const tls_options &dials, const tls_options &listens, std::string_view host = "peer.example")
    {
        dialer = end (context (dials), host);
        listener = end (context (listens));
        shake (dialer, listener);
    }
    void meet () { meet (dialing (), listening ()); }
    void be_ready ()
    {
        ASSERT_EQ (dialer.session->state (), tls_state::ready) << why (dialer);
        ASSERT_EQ (listener.session->state (), tls_state::ready) << why (listener);
    }
    // In how many records the dialer puts so many octets. Each begins with 17 03 03
    // and its size.
    unsigned records_of (std::size_t plain_bytes)
    {
        const std::string plain (plain_bytes, 'p');
        std::string sealed (tls_session::sealed_bytes_max (plain_bytes) + 256, '?');
        const tls_session::moved did =
          dialer.session->encrypt (base::as_bytes (plain), std::as_writable_bytes (std::span (sealed)));
        EXPECT_EQ (did.taken, plain.size ());
        unsigned records = 0;
        for (std::size_t at = 0; at < did.written; ++records)
            at += std::size_t{5} + static_cast<unsigned char> (sealed[at + 3]) * std::size_t{256}
                  + static_cast<unsigned char> (sealed[at + 4]);
        return records;
    }
    static std::string why (const end_of_pair &of)
    {
        const tls_failure failure = of.session->failure ();
        return std::string (tls_reason_name (failure.reason)) + " " + std::to_string (failure.detail);
    }
    void expect (const end_of_pair &of, tls_reason reason, int detail)
    {
        EXPECT_EQ (of.session->state (), tls_state::failed);
        EXPECT_EQ (of.session->failure ().reason, reason) << why (of);
        EXPECT_EQ (of.session->failure ().detail, detail) << why (of);
    }
    // The dialer refuses the listener, who is told of it by an alert.
    void expect_refusal (tls_reason reason, int detail, int alert)
    {
        expect (dialer, reason, detail);
        expect (listener, tls_reason::alert_received, alert);
    }
    void carries (std::size_t size)
    {
        const bytes plain = pattern (size);
        EXPECT_EQ (decrypted (*listener.session, encrypted (*dialer.session, plain)), plain) << size;
        EXPECT_EQ (decrypted (*dialer.session, encrypted (*listener.session, plain)), plain) << size;
    }
    void present (const identity &who)
    {
        certificate = who.certificate ();
        key = who.key ();
    }

    seeded secrets{1};
    files_in_memory files;
    std::shared_ptr<tls_world> world = tls_world::make (secrets, files);
    identity root{{.name = "root", .alternative = {}}};
    identity own{{}, &root};
    std::string trusted = root.certificate ();
    std::string certificate = own.certificate ();
    std::string key = own.key ();
    end_of_pair dialer{};
    end_of_pair listener{};
};

constexpr int alert_bad_certificate = 42;
constexpr int alert_expired = 45;
constexpr int alert_unknown_ca = 48;
constexpr int alert_version = 70;
constexpr int alert_certificate_required = 116;
constexpr int alert_no_protocol = 120;

// --- the handshake ----------------------------------------------------------------

TEST_F (tls_sessions, two_ends_agree)
{
    for (const key_kind kind : {key_kind::ed25519, key_kind::p256}) {
        present (identity ({.kind = kind}, &root));
        meet ();
        be_ready ();
        EXPECT_EQ (dialer.session->version (), "TLSv1.3");
        EXPECT_EQ (listener.session->cipher (), "TLS_AES_256_GCM_SHA384");
        EXPECT_EQ (dialer.session->peer_subject (), "CN=peer,O=Example");
        EXPECT_EQ (listener.session->peer_subject (), "");
        EXPECT_EQ (listener.session->asked_host (), "peer.example");
        EXPECT_EQ (dialer.session->protocol (), "");
        EXPECT_FALSE (dialer.session->resumed ());
        carries (1);
        carries (1000);
        carries (100'000);
    }
}

TEST_F (tls_sessions, bytes_may_come_one_at_a_time)
{
    const auto dials = context (dialing ());
    const auto listens = context (listening ());
    for (const std::size_t room : {1U, 7U, 70'000U}) {
        dialer = end (dials, "peer.example");
        listener = end (listens);
        shake (dialer, listener, 1, room);
        be_ready ();
        const bytes plain = pattern (20'000);
        bytes came;
        for (const std::byte each : encrypted (*dialer.session, plain)) {
            const bytes some = decrypted (*listener.session, bytes_view (&each, 1));
            came.insert (came.end (), some.begin (), some.end ());
        }
        EXPECT_EQ (came, plain);
    }
}

TEST_F (tls_sessions, what_comes_behind_the_handshake_is_left)
{
    dialer = end (context (dialing ()), "peer.example");
    listener = end (context (listening ()));
    EXPECT_TRUE (pass (listener, dialer, 0, 1 << 16));  // hello
    EXPECT_TRUE (pass (dialer, listener, 1 << 16, 1 << 16));
    EXPECT_TRUE (pass (listener, dialer, 1 << 16, 1 << 16));  // finished
    ASSERT_EQ (dialer.session->state (), tls_state::ready);
    const bytes plain = pattern (100);
    const bytes sealed = encrypted (*dialer.session, plain);
    dialer.sent.insert (dialer.sent.end (), sealed.begin (), sealed.end ());
    bytes out (1 << 16);
    const tls_session::moved did = listener.session->step (dialer.sent, out);
    ASSERT_EQ (listener.session->state (), tls_state::ready);
    ASSERT_EQ (did.taken + sealed.size (), dialer.sent.size ());
    EXPECT_EQ (decrypted (*listener.session, sealed), plain);
}

TEST_F (tls_sessions, names_and_addresses_are_checked)
{
    struct
    {
        const char *says, *host;
        bool fits;
    } const cases[] = {
      {"DNS:peer.example", "peer.example", true},
      {"DNS:peer.example", "peer.example.", true},
      {"DNS:peer.example", "PEER.example", true},
      {"DNS:peer.example", "", true},
      {"DNS:peer.example", "other.example", false},
      {"DNS:peer.example", "example", false},
      {"DNS:*.peer.example", "a.peer.example", true},
      {"DNS:*.peer.example", "b.a.peer.example", false},
      {"DNS:*.peer.example", "peer.example", false},
      {"DNS:*.example", "peer.example", false},
      {"DNS:a*.peer.example", "ab.peer.example", false},
      {"IP:127.0.0.1", "127.0.0.1", true},
      {"IP:127.0.0.1", "127.0.0.2", false},
      {"IP:::1", "::1", true},
      {"DNS:127.0.0.1", "127.0.0.1", false},
    };
    for (const auto &each : cases) {
        present (identity ({.alternative = each.says}, &root));
        meet (dialing (), listening (), each.host);
        if (each.fits) {
            be_ready ();
            continue;
        }
        SCOPED_TRACE (std::string (each.says) + " for " + each.host);
        EXPECT_EQ (dialer.session->failure ().reason, tls_reason::wrong_host) << why (dialer);
        expect (listener, tls_reason::alert_received, alert_bad_certificate);
    }
}

TEST_F (tls_sessions, an_address_is_not_asked_for_by_name)
{
    present (identity ({.alternative = "IP:127.0.0.1"}, &root));
    meet (dialing (), listening (), "127.0.0.1");
    be_ready ();
    EXPECT_EQ (listener.session->asked_host (), "");
}

TEST_F (tls_sessions, hosts_that_cannot_be_are_refused)
{
    const auto dials = context (dialing ());
    const std::string longest (255, 'h');
    const std::string longer (256, 'h');
    using namespace std::string_view_literals;
    EXPECT_TRUE (tls_session::make (dials, {.host = longest}).ok ());
    EXPECT_EQ (tls_session::make (dials, {.host = longer}).code (), base::errc::invalid_argument);
    EXPECT_EQ (tls_session::make (dials, {.host = "a\0b"sv}).code (), base::errc::invalid_argument);
}

TEST_F (tls_sessions, who_is_trusted_by_nobody_is_refused)
{
    const identity stranger ({.name = "stranger", .alternative = {}});
    trusted = stranger.certificate ();
    meet ();
    expect_refusal (tls_reason::untrusted, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, alert_unknown_ca);
    present (identity ({}));
    meet ();
    expect_refusal (tls_reason::untrusted, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, alert_unknown_ca);

    tls_options careless = dialing ();
    careless.verify = false;
    meet (careless, listening (), "other.example");
    be_ready ();

    // The system's authorities count beside those that are given.
    files.system = certificate;
    meet ();
    be_ready ();
}

TEST_F (tls_sessions, records_are_as_short_as_was_said)
{
    const auto dials = context (dialing ());
    auto made =
      tls_session::make (dials, {.host = "peer.example", .now_s = today_s, .record_bytes_max = 8192});
    ASSERT_TRUE (made.ok ());
    dialer = {std::move (made).value ()};
    listener = end (context (listening ()));
    shake (dialer, listener);
    be_ready ();
    EXPECT_EQ (records_of (20'000), 3U);
    dialer.session->write_whole_records ();
    EXPECT_EQ (records_of (20'000), 2U);
    for (const std::size_t size : {std::size_t{511}, tls_session::record_bytes_max + 1})
        EXPECT_EQ (tls_session::make (dials, {.now_s = today_s, .record_bytes_max = size}).code (),
                   base::errc::invalid_argument);
}

TEST_F (tls_sessions, what_was_revoked_is_refused)
{
    const identity good ({}, &root);
    const identity bad ({}, &root);
    const std::string authority = trusted;
    trusted = authority + root.revocations ({&bad});
    present (good);
    meet ();
    be_ready ();
    present (bad);
    meet ();
    expect (dialer, tls_reason::unsuitable, X509_V_ERR_CERT_REVOKED);

    // Of a list that is out of date nothing is known.
    present (good);
    trusted = authority + root.revocations ({}, today_s - day_s);
    meet ();
    expect (dialer, tls_reason::unsuitable, X509_V_ERR_CRL_HAS_EXPIRED);
    const identity elsewhere ({.name = "elsewhere", .alternative = {}});
    trusted = authority + elsewhere.certificate () + elsewhere.revocations ({});
    meet ();
    expect (dialer, tls_reason::unsuitable, X509_V_ERR_UNABLE_TO_GET_CRL);
}

TEST_F (tls_sessions, who_was_revoked_does_not_come_in)
{
    const identity client ({.name = "client", .alternative = {}}, &root);
    const std::string clients = client.certificate ();
    const std::string clients_key = client.key ();
    const std::string known = trusted + root.revocations ({&client});
    tls_options dials = dialing ();
    dials.certificate = {{}, clients};
    dials.key = {{}, clients_key};
    tls_options listens = listening ();
    listens.require_client_certificate = true;
    listens.authority = {{}, known};
    meet (dials, listens);
    EXPECT_EQ (listener.session->failure ().reason, tls_reason::unsuitable);
    EXPECT_EQ (listener.session->failure ().detail, X509_V_ERR_CERT_REVOKED);
}

TEST_F (tls_sessions, a_certificate_is_valid_at_the_time_that_was_told)
{
    const auto listens = context (listening ());
    const auto dials = context (dialing ());
    for (const auto &[day, reason, detail] :
         {std::tuple (31, tls_reason::expired, X509_V_ERR_CERT_HAS_EXPIRED),
          std::tuple (-31, tls_reason::not_yet_valid, X509_V_ERR_CERT_NOT_YET_VALID)}) {
        auto late = tls_session::make (dials, {.host = "peer.example", .now_s = today_s + day * day_s});
        ASSERT_TRUE (late.ok ());
        dialer = {std::move (late).value ()};
        listener = end (listens);
        shake (dialer, listener);
        expect (dialer, reason, detail);
        EXPECT_EQ (listener.session->failure ().reason, tls_reason::alert_received);
        EXPECT_EQ (listener.session->failure ().detail, day > 0 ? alert_expired : alert_bad_certificate);
    }
}

TEST_F (tls_sessions, clients_show_who_they_are_if_they_must)
{
    tls_options listens = listening ();
    listens.require_client_certificate = true;
    listens.authority = {{}, trusted};
    meet (dialing (), listens);
    expect (listener, tls_reason::no_certificate, SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE);
    // A dialer of 1.3 was ready before it was looked at: it learned when it read.
    expect (dialer, tls_reason::alert_received, alert_certificate_required);

    const identity client ({.name = "klient \xC3\xA9", .alternative = {}}, &root);
    const std::string clients = client.certificate ();
    const std::string clients_key = client.key ();
    tls_options dials = dialing ();
    dials.certificate = {{}, clients};
    dials.key = {{}, clients_key};
    meet (dials, listens);
    be_ready ();
    EXPECT_EQ (listener.session->peer_subject (), "CN=klient \xC3\xA9,O=Example");

    const identity elsewhere ({.name = "elsewhere", .alternative = {}});
    const std::string others = elsewhere.certificate ();
    const std::string others_key = elsewhere.key ();
    dials.certificate = {{}, others};
    dials.key = {{}, others_key};
    meet (dials, listens);
    EXPECT_EQ (listener.session->failure ().reason, tls_reason::untrusted);
}

TEST_F (tls_sessions, protocols_are_agreed_on)
{
    const std::string_view both[] = {"zmtp", "mqtt"};
    const std::string_view second[] = {"mqtt"};
    const std::string_view none_of_them[] = {"http/1.1"};
    tls_options dials = dialing ();
    tls_options listens = listening ();
    listens.protocols = both;
    meet (dials, listens);
    be_ready ();
    EXPECT_EQ (dialer.session->protocol (), "");
    dials.protocols = second;
    meet (dials, listens);
    be_ready ();
    EXPECT_EQ (dialer.session->protocol (), "mqtt");
    EXPECT_EQ (listener.session->protocol (), "mqtt");
    dials.protocols = none_of_them;
    meet (dials, listens);
    expect (dialer, tls_reason::alert_received, alert_no_protocol);
    EXPECT_EQ (listener.session->failure ().reason, tls_reason::protocol_unknown);
    listens.protocols = {};
    meet (dials, listens);
    be_ready ();
    EXPECT_EQ (dialer.session->protocol (), "");
}

// --- other programs on the port -----------------------------------------------------

TEST_F (tls_sessions, plain_text_is_told_from_tls)
{
    const auto listens = context (listening ());
    const auto dials = context (dialing ());
    for (const std::string_view text :
         {std::string_view ("\xFF\0\0\0", 4), std::string_view ("GET / HTTP/1.1"),
          std::string_view ("\x16\x05\x01"), std::string_view ("\x16\x03\x09"),
          std::string_view ("\x80\x2E\x01"), std::string_view ("SSH-2.0")}) {
        for (const auto &side : {listens, dials}) {
            end_of_pair one = end (side);
            std::size_t taken = 0;
            one.step ({}, taken, 1 << 16);
            const std::size_t hello_bytes = one.sent.size ();
            for (const char each : text) {
                one.step (base::as_bytes (std::string_view (&each, 1)), taken, 1 << 16);
            }
            expect (one, tls_reason::not_tls, 0);
            EXPECT_EQ (one.session->owed (), 0U);
            EXPECT_EQ (one.sent.size (), hello_bytes);
        }
    }
}

TEST_F (tls_sessions, nonsense_in_the_dress_of_tls_ends_in_a_violation)
{
    const auto listens = context (listening ());
    for (const std::string_view text : {std::string_view ("\x16\x03\x01\x00\x05hello", 10),
                                        std::string_view ("\x16\x03\x01\x50\x01hello", 10)}) {
        end_of_pair one = end (listens);
        std::size_t taken = 0;
        one.step (base::as_bytes (text), taken, 1 << 16);
        EXPECT_EQ (one.session->state (), tls_state::failed);
        EXPECT_EQ (one.session->failure ().reason, tls_reason::violation) << why (one);
        EXPECT_FALSE (one.sent.empty ()) << "an alert";
    }
}

// A peer as OpenSSL makes one, without us, that does what we would not.
class foreign_dialer
{
  public:
    explicit foreign_dialer (int version_max) : settings_ (SSL_CTX_new (TLS_client_method ())), ssl_ (nullptr)
    {
        SSL_CTX_set_security_level (settings_, 0);
        SSL_CTX_set_min_proto_version (settings_, 0);
        SSL_CTX_set_max_proto_version (settings_, version_max);
        ssl_ = SSL_new (settings_);
        SSL_set_bio (ssl_, BIO_new (BIO_s_mem ()), BIO_new (BIO_s_mem ()));
        SSL_set_connect_state (ssl_);
    }
    foreign_dialer (const foreign_dialer &) = delete;
    foreign_dialer &operator= (const foreign_dialer &) = delete;
    ~foreign_dialer ()
    {
        SSL_free (ssl_);
        SSL_CTX_free (settings_);
    }

    [[nodiscard]] SSL *ssl () const { return ssl_; }
    [[nodiscard]] bytes written () const
    {
        bytes all (static_cast<std::size_t> (BIO_pending (SSL_get_wbio (ssl_))));
        if (all.empty ())
            return all;
        EXPECT_EQ (BIO_read (SSL_get_wbio (ssl_), all.data (), static_cast<int> (all.size ())),
                   static_cast<int> (all.size ()));
        return all;
    }
    void hears (bytes_view what) const
    {
        if (!what.empty ())
            BIO_write (SSL_get_rbio (ssl_), what.data (), static_cast<int> (what.size ()));
    }
    void meet (end_of_pair &other) const
    {
        for (int turn = 0; turn < 10; ++turn) {
            (void)SSL_do_handshake (ssl_);
            std::size_t taken = 0;
            other.step (written (), taken, 1 << 16);
            hears (other.sent);
            other.sent.clear ();
        }
    }

  private:
    SSL_CTX *settings_;
    SSL *ssl_;
};

TEST_F (tls_sessions, versions_below_1_2_are_refused)
{
    const foreign_dialer old (TLS1_1_VERSION);
    listener = end (context (listening ()));
    (void)SSL_do_handshake (old.ssl ());
    std::size_t taken = 0;
    listener.step (old.written (), taken, 1 << 16);
    EXPECT_EQ (listener.session->failure ().reason, tls_reason::version_unsupported) << why (listener);
    ASSERT_EQ (listener.sent.size (), 7U);
    EXPECT_EQ (listener.sent[6], std::byte{alert_version});
}

TEST_F (tls_sessions, version_1_2_is_spoken_but_not_begun_again)
{
    present (identity ({.kind = key_kind::p256}, &root));
    const foreign_dialer old (TLS1_2_VERSION);
    listener = end (context (listening ()));
    old.meet (listener);
    ASSERT_EQ (listener.session->state (), tls_state::ready) << why (listener);
    EXPECT_EQ (listener.session->version (), "TLSv1.2");
    old.hears (encrypted (*listener.session, pattern (100)));
    std::array<std::byte, 200> came{};
    EXPECT_EQ (SSL_read (old.ssl (), came.data (), came.size ()), 100);

    // It is told no by a warning, and goes on.
    ASSERT_EQ (SSL_renegotiate (old.ssl ()), 1);
    (void)SSL_do_handshake (old.ssl ());
    EXPECT_TRUE (decrypted (*listener.session, old.written ()).empty ());
    EXPECT_EQ (listener.session->state (), tls_state::ready) << why (listener);
    EXPECT_GT (listener.session->owed (), 0U);
}

// --- traffic ------------------------------------------------------------------------

TEST_F (tls_sessions, output_is_bounded_and_input_taken_as_it_fits)
{
    meet ();
    be_ready ();
    for (const std::size_t size : {1U, 16384U, 16385U, 65536U, 1'000'000U}) {
        const bytes plain = pattern (size);
        bytes out (tls_session::sealed_bytes_max (size));
        const tls_session::moved did = dialer.session->encrypt (plain, out);
        EXPECT_EQ (did.taken, size);
        EXPECT_EQ (dialer.session->owed (), 0U);
        out.resize (did.written);
        EXPECT_EQ (decrypted (*listener.session, out), plain);
    }
    const bytes plain = pattern (100'000);
    for (const std::size_t room : {0U, 1U, 64U, 65U, 100U, 20'000U}) {
        bytes all;
        bytes_view left = plain;
        for (bytes out (room); !left.empty ();) {
            const tls_session::moved did =
              dialer.session->encrypt (left.first (std::min<std::size_t> (left.size (), 40'000)), out);
            EXPECT_EQ (dialer.session->owed (), 0U) << room;
            if (room <= 64) {
                EXPECT_EQ (did.taken + did.written, 0U);
                break;
            }
            ASSERT_GT (did.taken, 0U);
            const bytes came = decrypted (*listener.session, bytes_view (out).first (did.written));
            EXPECT_EQ (came.size (), did.taken);
            all.insert (all.end (), came.begin (), came.end ());
            left = left.subspan (did.taken);
        }
        EXPECT_TRUE (room <= 64 || all == plain);
    }
}

TEST_F (tls_sessions, little_room_for_what_came_holds_it)
{
    meet ();
    be_ready ();
    const bytes plain = pattern (50'000);
    const bytes sealed = encrypted (*dialer.session, plain);
    bytes came;
    bytes_view left = sealed;
    for (bytes room (1000); came.size () < plain.size ();) {
        const tls_session::moved did = listener.session->decrypt (left, room);
        ASSERT_GT (did.taken + did.written, 0U);
        came.insert (came.end (), room.begin (), room.begin () + static_cast<std::ptrdiff_t> (did.written));
        left = left.subspan (did.taken);
        EXPECT_LE (listener.session->held (), tls_session::record_bytes_max);
    }
    EXPECT_EQ (came, plain);
    EXPECT_TRUE (left.empty ());
    EXPECT_EQ (listener.session->held (), 0U);
}

TEST_F (tls_sessions, what_was_changed_on_the_way_is_not_taken)
{
    for (const std::size_t at : {6U, 50U, 121U}) {
        meet ();
        be_ready ();
        bytes sealed = encrypted (*dialer.session, pattern (100));
        ASSERT_EQ (sealed.size (), 122U);
        sealed[at] ^= std::byte{1};
        EXPECT_TRUE (decrypted (*listener.session, sealed).empty ());
        EXPECT_EQ (listener.session->failure ().reason, tls_reason::record_forged) << why (listener);
        bytes alert (100);
        alert.resize (listener.session->write_owed (alert));
        EXPECT_FALSE (alert.empty ());
        EXPECT_TRUE (decrypted (*dialer.session, alert).empty ());
        expect (dialer, tls_reason::alert_received, 20);
        EXPECT_EQ (dialer.session->encrypt (pattern (10), alert).taken, 0U);
    }
}

TEST_F (tls_sessions, a_record_that_is_too_long_is_a_violation)
{
    meet ();
    be_ready ();
    bytes sealed (5 + 16384 + 257);
    sealed[0] = std::byte{0x17};
    sealed[1] = sealed[2] = std::byte{3};
    base::store_u16_be (sealed.data () + 3, 16384 + 257);
    bytes out (100);
    (void)listener.session->decrypt (sealed, out);
    EXPECT_EQ (listener.session->failure ().reason, tls_reason::violation) << why (listener);
}

TEST_F (tls_sessions, keys_are_changed_in_time)
{
    auto made = tls_session::make (context (dialing ()),
                                   {.host = "peer.example", .now_s = today_s, .records_per_key_max = 2});
    dialer = {std::move (made).value ()};
    listener = end (context (listening ()));
    shake (dialer, listener);
    be_ready ();
    std::size_t most = 0;
    for (int i = 0; i < 10; ++i) {
        const bytes sealed = encrypted (*dialer.session, pattern (100));
        most = std::max (most, sealed.size ());
        EXPECT_EQ (decrypted (*listener.session, sealed), pattern (100));
    }
    EXPECT_GT (most, 122U);
    EXPECT_LE (most, 100 + 2 * tls_session::record_overhead_bytes_max);
    carries (100'000);
}

TEST_F (tls_sessions, an_answer_to_new_keys_goes_before_what_is_written_next)
{
    const foreign_dialer peer (TLS1_3_VERSION);
    listener = end (context (listening ()));
    peer.meet (listener);
    ASSERT_EQ (listener.session->state (), tls_state::ready) << why (listener);
    ASSERT_EQ (SSL_key_update (peer.ssl (), SSL_KEY_UPDATE_REQUESTED), 1);
    ASSERT_EQ (SSL_write (peer.ssl (), "hello", 5), 5);
    EXPECT_EQ (decrypted (*listener.session, peer.written ()).size (), 5U);
    const bytes sealed = encrypted (*listener.session, pattern (100));
    EXPECT_GT (sealed.size (), 122U);
    peer.hears (sealed);
    std::array<std::byte, 200> came{};
    EXPECT_EQ (SSL_read (peer.ssl (), came.data (), came.size ()), 100);
}

TEST_F (tls_sessions, records_without_end_that_carry_nothing_end_it)
{
    const foreign_dialer peer (TLS1_3_VERSION);
    listener = end (context (listening ()));
    peer.meet (listener);
    ASSERT_EQ (listener.session->state (), tls_state::ready) << why (listener);
    for (int i = 0; i < 40; ++i) {
        ASSERT_EQ (SSL_key_update (peer.ssl (), SSL_KEY_UPDATE_NOT_REQUESTED), 1);
        (void)SSL_do_handshake (peer.ssl ());
    }
    ASSERT_EQ (SSL_write (peer.ssl (), "hello", 5), 5);
    EXPECT_EQ (decrypted (*listener.session, peer.written ()).size (), 5U);
    for (int i = 0; i < 400; ++i) {
        ASSERT_EQ (SSL_key_update (peer.ssl (), SSL_KEY_UPDATE_NOT_REQUESTED), 1);
        (void)SSL_do_handshake (peer.ssl ());
    }
    const bytes flood = peer.written ();
    bytes out (100);
    EXPECT_LT (listener.session->decrypt (flood, out).taken, flood.size () / 2);
    expect (listener, tls_reason::flooded, 0);
}

// --- the end ------------------------------------------------------------------------

TEST_F (tls_sessions, a_goodbye_is_told_from_a_stream_that_breaks_off)
{
    meet ();
    be_ready ();
    bytes sealed = encrypted (*dialer.session, pattern (10));
    bytes goodbye (100);
    goodbye.resize (dialer.session->close (goodbye));
    EXPECT_FALSE (goodbye.empty ());
    sealed.insert (sealed.end (), goodbye.begin (), goodbye.end ());
    EXPECT_EQ (decrypted (*listener.session, sealed), pattern (10));
    EXPECT_EQ (listener.session->state (), tls_state::closed);
    listener.session->end_of_stream ();
    EXPECT_EQ (listener.session->state (), tls_state::closed);
    EXPECT_EQ (listener.session->failure ().reason, tls_reason::none);

    // Either direction ends for itself.
    EXPECT_EQ (dialer.session->encrypt (pattern (10), goodbye).taken, 0U);
    EXPECT_EQ (decrypted (*dialer.session, encrypted (*listener.session, pattern (99))), pattern (99));
    dialer.session->end_of_stream ();
    expect (dialer, tls_reason::truncated, 0);
}

TEST_F (tls_sessions, a_goodbye_waits_for_room)
{
    meet ();
    be_ready ();
    EXPECT_EQ (dialer.session->close ({}), 0U);
    const std::size_t owed = dialer.session->owed ();
    EXPECT_GT (owed, 0U);
    bytes all;
    for (bytes one (1); dialer.session->owed () > 0;) {
        ASSERT_EQ (dialer.session->write_owed (one), 1U);
        all.push_back (one[0]);
    }
    EXPECT_EQ (all.size (), owed);
    EXPECT_EQ (dialer.session->close (all), 0U) << "said once";
    EXPECT_TRUE (decrypted (*listener.session, all).empty ());
    EXPECT_EQ (listener.session->state (), tls_state::closed);
}

TEST_F (tls_sessions, a_stream_that_ends_early_is_truncated)
{
    listener = end (context (listening ()));
    listener.session->end_of_stream ();
    expect (listener, tls_reason::truncated, 0);
    meet ();
    be_ready ();
    const bytes sealed = encrypted (*dialer.session, pattern (10));
    EXPECT_TRUE (decrypted (*listener.session, bytes_view (sealed).first (20)).empty ());
    listener.session->end_of_stream ();
    expect (listener, tls_reason::truncated, 0);
}

// --- tickets, reloading, seeds --------------------------------------------------------

TEST_F (tls_sessions, a_ticket_makes_the_next_handshake_shorter)
{
    tls_options listens = listening ();
    listens.require_client_certificate = true;
    listens.authority = {{}, trusted};
    tls_options dials = dialing ();
    dials.certificate = {{}, certificate};
    dials.key = {{}, key};
    const auto dialing_context = context (dials);
    const auto listening_context = context (listens);
    tls_tickets cache;
    const auto again = [&] (std::string_view host, const std::shared_ptr<const tls_context> &with) {
        tls_ticket ticket = cache.take ();
        dialer = end (with, host, &ticket);
        EXPECT_TRUE (ticket.empty ());
        listener = end (listening_context);
        shake (dialer, listener);
        carries (10);
        cache.put (dialer.session->take_ticket ());
        EXPECT_EQ (dialer.session->resumed (), listener.session->resumed ());
        return dialer.session->resumed ();
    };
    EXPECT_FALSE (again ("peer.example", dialing_context));
    EXPECT_TRUE (again ("peer.example", dialing_context));
    EXPECT_EQ (dialer.session->peer_subject (), "CN=peer,O=Example");
    EXPECT_EQ (listener.session->peer_subject (), "CN=peer,O=Example");
    EXPECT_TRUE (again ("peer.example", dialing_context)) << "each gives one for the next";
    EXPECT_FALSE (again ("", dialing_context)) << "another name would not be looked at";
    EXPECT_TRUE (again ("", dialing_context));
    EXPECT_FALSE (again ("", context (dials))) << "nor other authorities";
}

TEST_F (tls_sessions, tickets_are_few_and_the_newest_is_used)
{
    tls_tickets cache;
    EXPECT_TRUE (cache.take ().empty ());
    const auto listens = context (listening ());
    for (std::size_t i = 0; i < tls_tickets::tickets_max + 3; ++i) {
        dialer = end (context (dialing ()), "peer.example");
        listener = end (listens);
        shake (dialer, listener);
        carries (10);
        tls_ticket ticket = dialer.session->take_ticket ();
        EXPECT_FALSE (ticket.empty ());
        EXPECT_TRUE (dialer.session->take_ticket ().empty ());
        cache.put (std::move (ticket));
        cache.put ({});
    }
    for (std::size_t i = 0; i < tls_tickets::tickets_max; ++i)
        EXPECT_FALSE (cache.take ().empty ());
    EXPECT_TRUE (cache.take ().empty ());
}

// Whoever was there goes on with what it began with.
TEST_F (tls_sessions, certificates_are_reloaded_for_those_who_come)
{
    auto listens = context (listening ());
    dialer = end (context (dialing ()), "peer.example");
    listener = end (listens);
    shake (dialer, listener);
    be_ready ();
    present (identity ({.name = "new"}, &root));
    listens = context (listening ());
    carries (100);
    EXPECT_EQ (dialer.session->peer_subject (), "CN=peer,O=Example");
    dialer = end (context (dialing ()), "peer.example");
    listener = end (listens);
    shake (dialer, listener);
    be_ready ();
    EXPECT_EQ (dialer.session->peer_subject (), "CN=new,O=Example");
}

TEST_F (tls_sessions, a_seed_repeats_a_connection_byte_for_byte)
{
    for (const key_kind kind : {key_kind::ed25519, key_kind::p256}) {
        present (identity ({.kind = kind}, &root));
        std::vector<bytes> said;
        for (const std::uint64_t seed : {5U, 5U, 6U}) {
            seeded dice (seed);
            world = tls_world::make (dice, files);
            dialer = end (context (dialing ()), "peer.example");
            listener = end (context (listening ()));
            bytes all;
            for (int turn = 0; turn < 6; ++turn) {
                end_of_pair &from = turn % 2 == 0 ? dialer : listener;
                end_of_pair &to = turn % 2 == 0 ? listener : dialer;
                (void)pass (from, to, 1 << 16, 1 << 16);
                if (turn < 4)  // the ticket behind it tells OpenSSL's time
                    all.insert (all.end (), to.sent.begin (), to.sent.end ());
            }
            be_ready ();
            const bytes sealed = encrypted (*listener.session, pattern (1000));
            all.insert (all.end (), sealed.begin (), sealed.end ());
            said.push_back (std::move (all));
            dialer = {};
            listener = {};
            world = nullptr;
        }
        EXPECT_EQ (said[0], said[1]) << static_cast<int> (kind);
        EXPECT_NE (said[0], said[2]);
    }
}

// --- memory ---------------------------------------------------------------------------

// What one end costs that is ready and has nothing to say: 40 KiB at most, its
// peer's certificate and all.
TEST_F (tls_sessions, an_end_at_rest_is_small)
{
    ASSERT_EQ (memory_is_ours, 1);
    constexpr std::size_t pairs = 20;
    constexpr std::size_t rest_bytes_max = 40 * 1024;
    present (identity ({.kind = key_kind::p256}, &root));
    tls_options dials = dialing ();
    tls_options listens = listening ();
    dials.certificate = listens.certificate;
    dials.key = listens.key;
    listens.require_client_certificate = true;
    listens.authority = {{}, trusted};
    const auto dialing_context = context (dials);
    const auto listening_context = context (listens);
    std::vector<end_of_pair> dialers;
    std::vector<end_of_pair> listeners;
    std::size_t first = 0;
    for (std::size_t i = 0; i < pairs; ++i) {
        dialer = end (dialing_context, "peer.example");
        listener = end (listening_context);
        shake (dialer, listener);
        be_ready ();
        carries (100'000);
        dialer.session->rest ();
        listener.session->rest ();
        dialers.push_back (std::move (dialer));
        listeners.push_back (std::move (listener));
        if (i == 0)  // what OpenSSL makes for all of them is there
            first = held_bytes;
    }
    const std::size_t of_both = (held_bytes - first) / (pairs - 1);
    listeners.clear ();
    const std::size_t of_dialer = (held_bytes - first) / (pairs - 1);
    RecordProperty ("dialer_bytes", static_cast<int> (of_dialer));
    RecordProperty ("listener_bytes", static_cast<int> (of_both - of_dialer));
    EXPECT_LE (of_dialer + sizeof (tls_session), rest_bytes_max);
    EXPECT_LE (of_both - of_dialer + sizeof (tls_session), rest_bytes_max);
}

TEST_F (tls_sessions, nothing_is_left_behind)
{
    ASSERT_EQ (memory_is_ours, 1);
    const auto dials = context (dialing ());
    const auto listens = context (listening ());
    std::size_t before = 0;
    for (int i = 0; i < 4; ++i) {
        dialer = end (dials, "peer.example");
        listener = end (listens);
        shake (dialer, listener);
        carries (100'000);
        dialer = {};
        listener = {};
        if (i > 0) {
            EXPECT_EQ (held_bytes, before);
        }
        before = held_bytes;
    }
}

// --- what is missing ------------------------------------------------------------------

TEST_F (tls_sessions, without_randomness_there_is_no_handshake)
{
    dialer = end (context (dialing ()), "peer.example");
    secrets.dry = true;
    std::size_t taken = 0;
    dialer.step ({}, taken, 1 << 16);
    EXPECT_EQ (dialer.session->failure ().reason, tls_reason::no_randomness) << why (dialer);
    secrets.dry = false;
}

// Each allocation of OpenSSL's fails once; nobody aborts, and who fails says why.
TEST_F (tls_sessions, memory_may_run_out_at_any_time)
{
    ASSERT_EQ (memory_is_ours, 1);
    const auto dials = context (dialing ());
    const auto listens = context (listening ());
    std::size_t failures = 0;
    std::size_t told = 0;
    const auto tells = [] (const end_of_pair &of) {
        const tls_reason reason = of.session->failure ().reason;
        return reason == tls_reason::out_of_memory || reason == tls_reason::internal;
    };
    bool passed = false;
    for (long n = 0; !passed; ++n) {
        ASSERT_LT (n, 100'000);
        allocations_left = n;
        auto one = tls_session::make (dials, {.host = "peer.example", .now_s = today_s});
        auto other = tls_session::make (listens, {.now_s = today_s});
        if (!one.ok () || !other.ok ()) {
            allocations_left = -1;
            EXPECT_EQ (one.ok () ? other.code () : one.code (), base::errc::no_memory);
            continue;
        }
        dialer = {std::move (one).value ()};
        listener = {std::move (other).value ()};
        shake (dialer, listener);
        passed = allocations_left >= 0;  // all were there
        allocations_left = -1;
        const bool fine =
          dialer.session->state () == tls_state::ready && listener.session->state () == tls_state::ready;
        EXPECT_TRUE (fine || !passed);
        failures += fine ? 0 : 1;
        told += !fine && (tells (dialer) || tells (listener)) ? 1 : 0;
    }
    EXPECT_GT (failures, 100U);
    EXPECT_GT (told, failures * 3 / 4) << "of " << failures;
    RecordProperty ("failures", static_cast<int> (failures));
    RecordProperty ("told", static_cast<int> (told));
    carries (1000);
}

TEST_F (tls_sessions, memory_may_run_out_while_a_context_is_made)
{
    ASSERT_EQ (memory_is_ours, 1);
    tls_options options = listening ();
    options.require_client_certificate = true;
    options.authority = {{}, trusted};
    tls_made made;
    for (long n = 0; made.context == nullptr; n += 1 + n / 50) {
        ASSERT_LT (n, 1'000'000);
        allocations_left = n;
        made = tls_context::make (world, options);
        allocations_left = -1;
        EXPECT_EQ (made.context == nullptr, made.error.fault != tls_fault::none);
    }
}

TEST (tls_reasons, have_names)
{
    for (unsigned i = 0; i < tls_reasons; ++i)
        EXPECT_NE (std::string_view (tls_reason_name (static_cast<tls_reason> (i))), "");
    EXPECT_STREQ (tls_reason_name (tls_reason::not_tls), "not-tls");
    EXPECT_STREQ (tls_reason_name (tls_reason::no_randomness), "no-randomness");
}

}  // namespace
}  // namespace zlink::crypto
