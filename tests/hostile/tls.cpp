// Peers of TLS that are none of ours: octets that are no TLS, versions and
// certificates that will not do, rules broken behind a good handshake; as guests of
// a listener of ours and as hosts of a dialler. Whatever comes, a good peer goes on.
#include <csignal>
#include <ctime>
#include <functional>
#include <openssl/ssl.h>
#include <ostream>
#include <string>
#include <sys/socket.h>
#include <utility>
#include <vector>

#include "hostile/corpus.hpp"
#include "support/events.hpp"
#include "support/identities.hpp"
#include "support/places.hpp"
#include "support/raw_peer.hpp"

namespace zlink::test {
namespace {

constexpr int of_zmq = 2000;  // what zmq.h's programs add to the numbers of TLS

// OpenSSL by itself, over a socket. It takes whatever it is shown.
class foreign_end
{
  public:
    foreign_end (raw_peer line, bool accepts, const std::function<void (SSL_CTX *)> &arrange = {})
      : line_ (std::move (line)),
        settings_ (SSL_CTX_new (accepts ? TLS_server_method () : TLS_client_method ()))
    {
        std::signal (SIGPIPE, SIG_IGN);  // who is cut off may be writing
        const timeval patience{watchdog_ms / 1000, 0};
        ::setsockopt (line_.descriptor (), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        SSL_CTX_set_security_level (settings_, 0);
        if (arrange)
            arrange (settings_);
        ssl_ = SSL_new (settings_);
        SSL_set_fd (ssl_, line_.descriptor ());
        accepts ? SSL_set_accept_state (ssl_) : SSL_set_connect_state (ssl_);
    }
    ~foreign_end ()
    {
        SSL_free (ssl_);
        SSL_CTX_free (settings_);
    }
    foreign_end (const foreign_end &) = delete;
    foreign_end &operator= (const foreign_end &) = delete;

    [[nodiscard]] SSL *ssl () const { return ssl_; }
    [[nodiscard]] raw_peer &line () { return line_; }
    [[nodiscard]] bool shake () { return SSL_do_handshake (ssl_) == 1; }
    bool write (std::string_view text)
    {
        return SSL_write (ssl_, text.data (), static_cast<int> (text.size ())) > 0;
    }
    // What comes next, or nothing: it is over.
    [[nodiscard]] std::string read ()
    {
        std::string text (4096, '\0');
        const int size = SSL_read (ssl_, text.data (), static_cast<int> (text.size ()));
        text.resize (size > 0 ? static_cast<std::size_t> (size) : 0);
        return text;
    }
    void read_to_end ()
    {
        while (!read ().empty ()) {}
    }

  private:
    raw_peer line_;
    SSL_CTX *settings_;
    SSL *ssl_ = nullptr;
};

wanted valid_today (const char *name, const char *alternative = "IP:127.0.0.1")
{
    const std::int64_t now_s = std::time (nullptr);
    return {.name = name, .alternative = alternative, .from_s = now_s - day_s, .until_s = now_s + day_s};
}

struct all_papers
{
    identity root{valid_today ("root")};
    identity host{valid_today ("host"), &root};
};

const all_papers &papers ()
{
    static const all_papers made;
    return made;
}

void say (socket &to, int option, const std::string &text)
{
    ASSERT_EQ (zmq_setsockopt (to, of_zmq + option, text.data (), text.size ()), 0);
}

void trust_root (socket &as)
{
    say (as, ZLINK_TLS_CA, papers ().root.certificate ());
    as.set (of_zmq + ZLINK_TLS_TRUST_SYSTEM, 0);
}

// The root, and its list of what was revoked, until so long from now.
std::string root_that_revoked (std::initializer_list<const identity *> those, std::int64_t for_s = day_s)
{
    const std::int64_t now_s = std::time (nullptr);
    const identity &root = papers ().root;
    return root.certificate () + root.revocations (those, now_s + for_s, now_s - 2 * day_s);
}

// A PULL that listens, and a good peer of it.
class tls_victim
{
  public:
    explicit tls_victim (int handshake_ms = watchdog_ms)
      : pull_ (context_, ZMQ_PULL), good_ (context_, ZMQ_PUSH),
        told_ (pull_,
               ZLINK_EVENT_DISCONNECTED | ZLINK_EVENT_HANDSHAKE_FAILED_NO_DETAIL
                 | ZLINK_EVENT_HANDSHAKE_FAILED_PROTOCOL)
    {
        (void)zlink_set_log (zlink_log_discard, nullptr);
        pull_.set (ZMQ_HANDSHAKE_IVL, handshake_ms);
        say (pull_, ZLINK_TLS_CERT, papers ().host.certificate () + papers ().host.key ());
        where_ = pull_.bind ("tls://127.0.0.1:*");
        trust_root (good_);
        good_.connect (where_);
        EXPECT_TRUE (pull_.has_peers ());
    }
    [[nodiscard]] raw_peer peer () const { return raw_peer::connect_to ("tcp" + where_.substr (3)); }
    [[nodiscard]] std::string why_ended () { return told_.next ().reason_text; }
    [[nodiscard]] socket &pull () { return pull_; }
    void good_goes_on ()
    {
        ASSERT_TRUE (good_.send ("good"));
        ASSERT_EQ (pull_.receive (), "good");
    }

  private:
    context context_;
    socket pull_;
    socket good_;
    events told_;
    std::string where_;
};

// The beginning of a handshake as OpenSSL has it.
std::string hello ()
{
    SSL_CTX *const settings = SSL_CTX_new (TLS_client_method ());
    SSL *const ssl = SSL_new (settings);
    SSL_set_bio (ssl, BIO_new (BIO_s_mem ()), BIO_new (BIO_s_mem ()));
    SSL_set_connect_state (ssl);
    SSL_do_handshake (ssl);
    char *from = nullptr;
    const long size = BIO_get_mem_data (SSL_get_wbio (ssl), &from);
    std::string text (from, static_cast<std::size_t> (size));
    SSL_free (ssl);
    SSL_CTX_free (settings);
    return text;
}

// --- what is no TLS, or none that can be ----------------------------------------

struct octets_row
{
    const char *name;
    std::string octets;
    const char *reason;
    friend void PrintTo (const octets_row &of, std::ostream *to) { *to << of.name; }
};

std::vector<octets_row> octets_rows ()
{
    return {
      {"zmtp", zmtp_greeting () + zmtp_ready ("PUSH"), "not-tls"},
      {"http", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "not-tls"},
      {"ssh", "SSH-2.0-OpenSSH_9.2\r\n", "not-tls"},
      {"zeros", std::string (100, '\0'), "not-tls"},
      {"nothing_that_ends", "", "peer-closed"},
      {"a_hello_cut_off", hello ().substr (0, 100), "peer-closed"},
      {"a_record_too_long", "\x16\x03\x01\xFF\xFF" + std::string (70'000, 'x'), "tls-violation"},
      {"a_record_without_a_hello", "\x16\x03\x01" + big_endian (4, 2) + big_endian (0x63000000, 4),
       "tls-violation"},
      {"data_at_first", "\x17\x03\x03" + big_endian (20, 2) + std::string (20, 'x'), "not-tls"},
      {"an_alert_at_first", "\x15\x03\x01" + big_endian (2, 2) + octet (2) + octet (40), "tls-violation"},
    };
}

class tls_octets : public testing::TestWithParam<octets_row>
{
};

INSTANTIATE_TEST_SUITE_P (rows, tls_octets, testing::ValuesIn (octets_rows ()), [] (const auto &of) {
    return std::string (of.param.name);
});

TEST_P (tls_octets, end_with_a_reason)
{
    for (const bool in_pieces : {false, true}) {
        if (in_pieces && GetParam ().octets.size () > 1000)
            break;
        tls_victim of;
        const raw_peer peer = of.peer ();
        in_pieces ? peer.trickle (GetParam ().octets) : peer.send (GetParam ().octets);
        peer.end_output ();
        EXPECT_EQ (of.why_ended (), GetParam ().reason);
        EXPECT_TRUE (peer.sees_end ());
        ASSERT_NO_FATAL_FAILURE (of.good_goes_on ());
    }
}

// Slowly, or never.
TEST (tls_stalls, are_not_waited_for)
{
    const std::string whole = hello ();
    for (const std::size_t said : {std::size_t{0}, std::size_t{5}, whole.size () - 1, whole.size ()}) {
        tls_victim of (50);
        const raw_peer peer = of.peer ();
        ASSERT_TRUE (peer.send (whole.substr (0, said)));
        EXPECT_EQ (of.why_ended (), "handshake-timeout") << said;
        EXPECT_TRUE (peer.sees_end ());
        ASSERT_NO_FATAL_FAILURE (of.good_goes_on ());
    }
}

// --- guests that speak TLS ---------------------------------------------------------

using arrangement = std::function<void (SSL_CTX *)>;

arrangement up_to (int version)
{
    return [version] (SSL_CTX *of) {
        SSL_CTX_set_min_proto_version (of, TLS1_VERSION);
        SSL_CTX_set_max_proto_version (of, version);
    };
}

// Comes in, and is heard.
void is_heard (tls_victim &of, foreign_end &guest)
{
    ASSERT_TRUE (guest.shake ());
    ASSERT_TRUE (guest.write (zmtp_greeting () + zmtp_ready ("PUSH") + zmtp_frame (0, "hello")));
    ASSERT_EQ (of.pull ().receive (), "hello");
}

TEST (tls_guests, of_version_1_2_come_in_and_older_ones_do_not)
{
    for (const auto &[version, comes] : {std::pair{TLS1_2_VERSION, true}, std::pair{TLS1_3_VERSION, true},
                                         std::pair{TLS1_VERSION, false}, std::pair{TLS1_1_VERSION, false}}) {
        tls_victim of;
        foreign_end guest (of.peer (), false, up_to (version));
        if (comes) {
            is_heard (of, guest);
        } else {
            EXPECT_FALSE (guest.shake ());
            EXPECT_EQ (of.why_ended (), "tls-nothing-in-common");
        }
        ASSERT_NO_FATAL_FAILURE (of.good_goes_on ());
    }
}

TEST (tls_guests, may_ask_for_any_host_or_for_none)
{
    tls_victim of;
    for (const char *host : {"", "elsewhere.example", "host"}) {
        foreign_end guest (of.peer (), false);
        if (*host != '\0')
            SSL_set_tlsext_host_name (guest.ssl (), host);
        is_heard (of, guest);
        SSL_shutdown (guest.ssl ());
        EXPECT_EQ (of.why_ended (), "peer-closed") << "goodbye is an end like any other";
    }
}

TEST (tls_guests, that_leave_without_a_goodbye_are_cut_off)
{
    tls_victim of;
    foreign_end guest (of.peer (), false);
    is_heard (of, guest);
    guest.line ().end_output ();
    EXPECT_EQ (of.why_ended (), "tls-truncated");
    ASSERT_NO_FATAL_FAILURE (of.good_goes_on ());
}

TEST (tls_guests, that_speak_plainly_behind_the_handshake_end)
{
    for (const std::string &said : {zmtp_greeting () + zmtp_ready ("PUSH"), std::string (200, '\0'),
                                    "\x17\x03\x03" + big_endian (100, 2) + std::string (100, 'x'),
                                    "\x17\x03\x03" + big_endian (17'000, 2) + std::string (17'000, 'x')}) {
        tls_victim of;
        foreign_end guest (of.peer (), false);
        ASSERT_TRUE (guest.shake ());
        ASSERT_TRUE (guest.line ().send (said));
        const std::string why = of.why_ended ();
        EXPECT_TRUE (why == "tls-violation" || why == "tls-forged") << why;
        ASSERT_NO_FATAL_FAILURE (of.good_goes_on ());
    }
}

// What has been said before still counts.
TEST (tls_guests, that_change_keys_for_ever_end)
{
    tls_victim of;
    foreign_end guest (of.peer (), false);
    is_heard (of, guest);
    bool goes_on = true;
    for (int i = 0; i < 100'000 && goes_on; ++i)
        goes_on = SSL_key_update (guest.ssl (), SSL_KEY_UPDATE_NOT_REQUESTED) == 1
                  && SSL_do_handshake (guest.ssl ()) == 1;
    EXPECT_EQ (of.why_ended (), "tls-violation");
    ASSERT_NO_FATAL_FAILURE (of.good_goes_on ());
}

TEST (tls_guests, may_change_keys_now_and_then)
{
    tls_victim of;
    foreign_end guest (of.peer (), false);
    is_heard (of, guest);
    for (int i = 0; i < 20; ++i) {
        ASSERT_EQ (SSL_key_update (guest.ssl (), SSL_KEY_UPDATE_REQUESTED), 1);
        ASSERT_TRUE (guest.write (zmtp_frame (0, "under new keys")));
        ASSERT_EQ (of.pull ().receive (), "under new keys");
    }
}

TEST (tls_guests, that_begin_again_are_not_followed)
{
    tls_victim of;
    foreign_end guest (of.peer (), false, up_to (TLS1_2_VERSION));
    is_heard (of, guest);
    if (SSL_renegotiate (guest.ssl ()) == 1) {
        (void)SSL_do_handshake (guest.ssl ());
        guest.read_to_end ();
    }
    ASSERT_NO_FATAL_FAILURE (of.good_goes_on ());
}

// The list stands beside the root.
TEST (tls_guests, that_were_revoked_do_not_come_in)
{
    (void)zlink_set_log (zlink_log_discard, nullptr);
    const identity good (valid_today ("good"), &papers ().root);
    const identity bad (valid_today ("bad"), &papers ().root);
    context own;
    socket pull (own, ZMQ_PULL);
    say (pull, ZLINK_TLS_CERT, papers ().host.certificate () + papers ().host.key ());
    say (pull, ZLINK_TLS_CA, root_that_revoked ({&bad}));
    pull.set (of_zmq + ZLINK_TLS_REQUIRE_CLIENT_CERT, 1);
    events told (pull, ZLINK_EVENT_HANDSHAKE_FAILED_NO_DETAIL);
    const std::string where = pull.bind ("tls://127.0.0.1:*");
    const auto dial = [&] (socket &as, const identity &shown) {
        trust_root (as);
        say (as, ZLINK_TLS_CERT, shown.certificate () + shown.key ());
        as.set (ZMQ_RECONNECT_IVL, -1);
        as.connect (where);
    };
    socket refused (own, ZMQ_PUSH);
    dial (refused, bad);
    EXPECT_STREQ (told.next ().reason_text, "certificate-unsuitable");
    EXPECT_TRUE (eventually ([&] { return refused.status (where).last_reason != 0; }));
    EXPECT_STREQ (refused.status (where).reason_text, "tls-alert");
    socket welcome (own, ZMQ_PUSH);
    dial (welcome, good);
    ASSERT_TRUE (welcome.send ("good"));
    EXPECT_EQ (pull.receive (), "good");
}

// --- hosts that speak TLS ----------------------------------------------------------

struct host_row
{
    const char *name;
    wanted shows;
    bool known = true;  // by the root that is trusted
    const char *reason = "";
    const char *expected = "127.0.0.1";  // TLS_HOSTNAME
    arrangement arrange{};
    // What the root that is trusted says of those it has signed.
    std::string (*list) (const identity &shown) = nullptr;
    friend void PrintTo (const host_row &of, std::ostream *to) { *to << of.name; }
};

std::vector<host_row> host_rows ()
{
    const std::int64_t now_s = std::time (nullptr);
    wanted expired = valid_today ("expired");
    expired.until_s = now_s - 10;
    wanted early = valid_today ("early");
    early.from_s = now_s + 1000;
    wanted weak = valid_today ("weak");
    weak.kind = key_kind::rsa1024;
    wanted p256 = valid_today ("p256");
    p256.kind = key_kind::p256;
    return {
      {"good", valid_today ("good")},
      {"p256", p256},
      {"version_1_2", valid_today ("good"), true, "", "127.0.0.1", up_to (TLS1_2_VERSION)},
      {"wildcard", valid_today ("wild", "DNS:*.hosts.example"), true, "", "any.hosts.example"},
      {"expired", expired, true, "certificate-expired"},
      {"not_yet_valid", early, true, "certificate-expired"},
      {"known_to_nobody", valid_today ("stranger"), false, "certificate-untrusted"},
      {"another_address", valid_today ("other", "IP:127.0.0.9"), true, "certificate-of-another"},
      {"another_name", valid_today ("other", "DNS:other.example"), true, "certificate-of-another",
       "any.example"},
      {"a_wildcard_for_one_label", valid_today ("wild", "DNS:*.hosts.example"), true,
       "certificate-of-another", "not.any.hosts.example"},
      {"a_name_in_the_subject_alone", valid_today ("any.example", ""), true, "", "any.example"},
      {"another_in_the_subject_alone", valid_today ("any.example", ""), true, "certificate-of-another",
       "other.example"},
      {"a_short_key", weak, true, "certificate-unsuitable"},
      {"an_old_version", valid_today ("good"), true, "tls-alert", "127.0.0.1", up_to (TLS1_1_VERSION)},
      {"revoked",
       valid_today ("bad"),
       true,
       "certificate-unsuitable",
       "127.0.0.1",
       {},
       [] (const identity &shown) { return root_that_revoked ({&shown}); }},
      {"another_was_revoked",
       valid_today ("good"),
       true,
       "",
       "127.0.0.1",
       {},
       [] (const identity &) { return root_that_revoked ({&papers ().host}); }},
      {"a_list_out_of_date",
       valid_today ("good"),
       true,
       "certificate-unsuitable",
       "127.0.0.1",
       {},
       [] (const identity &) { return root_that_revoked ({}, -day_s); }},
    };
}

class tls_hosts : public testing::TestWithParam<host_row>
{
};

INSTANTIATE_TEST_SUITE_P (rows, tls_hosts, testing::ValuesIn (host_rows ()), [] (const auto &of) {
    return std::string (of.param.name);
});

TEST_P (tls_hosts, are_looked_at_before_anything_is_said)
{
    (void)zlink_set_log (zlink_log_discard, nullptr);
    const host_row &row = GetParam ();
    const identity shown (row.shows, row.known ? &papers ().root : nullptr);
    const std::string place = tcp_place ();
    const raw_peer listener = raw_peer::listen_at (place);
    context own;
    socket push (own, ZMQ_PUSH);
    trust_root (push);
    if (row.list != nullptr)
        say (push, ZLINK_TLS_CA, row.list (shown));
    say (push, ZLINK_TLS_HOSTNAME, row.expected);
    push.set (ZMQ_RECONNECT_IVL, -1);
    const std::string where = "tls" + place.substr (3);
    push.connect (where);
    foreign_end host (listener.accept (), true, [&] (SSL_CTX *of) {
        const std::unique_ptr<BIO, key_freed> pem (BIO_new (BIO_s_mem ()));
        const std::string text = shown.certificate () + shown.key ();
        BIO_write (pem.get (), text.data (), static_cast<int> (text.size ()));
        const std::unique_ptr<X509, key_freed> certificate (
          PEM_read_bio_X509 (pem.get (), nullptr, nullptr, nullptr));
        const std::unique_ptr<EVP_PKEY, key_freed> key (
          PEM_read_bio_PrivateKey (pem.get (), nullptr, nullptr, nullptr));
        EXPECT_EQ (SSL_CTX_use_certificate (of, certificate.get ()), 1);
        EXPECT_EQ (SSL_CTX_use_PrivateKey (of, key.get ()), 1);
        if (row.arrange)
            row.arrange (of);
    });
    const bool shaken = host.shake ();
    if (*row.reason == '\0') {
        ASSERT_TRUE (shaken);
        EXPECT_TRUE (host.read ().starts_with (octet (0xFF)));
        return;
    }
    // The host of TLS 1.3 is done before the guest has looked at it.
    EXPECT_EQ (host.read (), "") << "nothing is said to it";
    EXPECT_TRUE (eventually ([&] { return push.status (where).last_reason != 0; }));
    EXPECT_STREQ (push.status (where).reason_text, row.reason);
}

TEST (plain_hosts, that_answer_plainly_are_none)
{
    (void)zlink_set_log (zlink_log_discard, nullptr);
    for (const std::string &answer : {zmtp_greeting (), std::string ("HTTP/1.1 400 Bad Request\r\n\r\n"),
                                      std::string ("SSH-2.0-x\r\n")}) {
        const std::string place = tcp_place ();
        const raw_peer listener = raw_peer::listen_at (place);
        context own;
        socket push (own, ZMQ_PUSH);
        trust_root (push);
        push.set (ZMQ_RECONNECT_IVL, -1);
        const std::string where = "tls" + place.substr (3);
        push.connect (where);
        const raw_peer host = listener.accept ();
        ASSERT_TRUE (host.send (answer));
        EXPECT_TRUE (host.sees_end ());
        EXPECT_TRUE (eventually ([&] { return push.status (where).last_reason != 0; }));
        EXPECT_STREQ (push.status (where).reason_text, "not-tls");
    }
}

}  // namespace
}  // namespace zlink::test
