// What only tls has: who is let in by what he shows, what is wrong with files is
// told at once, and certificates may be replaced.
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <string>

#include "support/identities.hpp"
#include "support/places.hpp"
#include "support/raw_peer.hpp"
#include "support/sockets.hpp"
#include "support/warnings.hpp"

namespace zlink::test {
namespace {

constexpr int of_zmq = 2000;  // what zmq.h's programs add to the numbers of TLS
constexpr const char *anywhere = "tls://127.0.0.1:*";

wanted valid_today (const char *name, std::int64_t from_days = -1, std::int64_t until_days = 1)
{
    const std::int64_t now_s = std::time (nullptr);
    return {.name = name,
            .alternative = "IP:127.0.0.1,DNS:localhost",
            .from_s = now_s + from_days * day_s,
            .until_s = now_s + until_days * day_s};
}

struct tls_endpoints : testing::Test
{
    identity root{valid_today ("root")};
    identity host{valid_today ("host"), &root};
    identity guest{valid_today ("guest"), &root};
    identity stranger{valid_today ("stranger")};
    context own;

    static void say (socket &to, int option, const std::string &text)
    {
        ASSERT_EQ (zmq_setsockopt (to, of_zmq + option, text.data (), text.size ()), 0);
    }
    void serve (socket &as) const { say (as, ZLINK_TLS_CERT, host.certificate () + host.key ()); }
    void trust (socket &as, const identity &whom) const
    {
        say (as, ZLINK_TLS_CA, whom.certificate ());
        as.set (of_zmq + ZLINK_TLS_TRUST_SYSTEM, 0);
    }
    void show (socket &as, const identity &who) const
    {
        say (as, ZLINK_TLS_CERT, who.certificate () + who.key ());
    }

    // What is said to it is heard.
    static void talk (socket &push, socket &pull)
    {
        ASSERT_TRUE (push.send ("hello"));
        EXPECT_EQ (pull.receive (), "hello");
    }
    static std::string reason_at (socket &of, const std::string &place)
    {
        EXPECT_TRUE (eventually ([&] { return of.status (place).last_reason != 0; }));
        return of.status (place).reason_text;
    }
    static std::string write_file (const std::string &name, const std::string &text)
    {
        const std::string path = own_folder () + '/' + name;
        std::ofstream (path + ".new") << text;
        EXPECT_EQ (std::rename ((path + ".new").c_str (), path.c_str ()), 0);
        return path;
    }
};

TEST_F (tls_endpoints, meet_with_certificates_from_memory_and_from_files)
{
    socket pull (own, ZMQ_PULL);
    say (pull, ZLINK_TLS_CERT, write_file ("host.pem", host.certificate ()));
    say (pull, ZLINK_TLS_KEY, write_file ("host.key", host.key ("open")));
    say (pull, ZLINK_TLS_PASSWORD, "open");
    const std::string where = pull.bind (anywhere);
    EXPECT_TRUE (where.starts_with ("tls://127.0.0.1:"));
    socket push (own, ZMQ_PUSH);
    trust (push, root);
    push.connect (where);
    talk (push, pull);
    socket other (own, ZMQ_PUSH);
    say (other, ZLINK_TLS_CA, write_file ("root.pem", root.certificate ()));
    other.connect ("tls://localhost:" + where.substr (where.rfind (':') + 1));
    talk (other, pull);
}

TEST_F (tls_endpoints, secrets_are_not_told)
{
    socket pull (own, ZMQ_PULL);
    say (pull, ZLINK_TLS_KEY, host.key ());
    say (pull, ZLINK_TLS_PASSWORD, "open");
    for (const int option : {ZLINK_TLS_KEY, ZLINK_TLS_PASSWORD}) {
        char text[64] = "anything";
        std::size_t size = sizeof text;
        ASSERT_EQ (zmq_getsockopt (pull, of_zmq + option, text, &size), 0);
        EXPECT_STREQ (text, "");
    }
}

// The call fails, and one line says what is wrong with what.
TEST_F (tls_endpoints, what_is_wrong_is_told_by_bind)
{
    const identity expired (valid_today ("expired", -9, -2), &root);
    struct wrong
    {
        std::string certificate;
        std::string key;
        int failure;
        std::string said;
    };
    const std::string missing = own_folder () + "/missing.pem";
    for (const wrong &each : {wrong{"", "", EINVAL, "certificate: "}, wrong{missing, "", ENOENT, missing},
                              wrong{own_folder (), "", EINVAL, own_folder ()},
                              wrong{host.certificate (), guest.key (), EINVAL, "another certificate"},
                              wrong{write_file ("old.pem", expired.certificate () + expired.key ()), "",
                                    EINVAL, "old.pem: expired"},
                              wrong{host.certificate () + host.key ("locked"), "", EINVAL, "no passphrase"},
                              wrong{"-----BEGIN nonsense", "", EINVAL, "malformed"}}) {
        context alone;  // whose warnings are its own
        heard_warnings heard;
        socket pull (alone, ZMQ_PULL);
        say (pull, ZLINK_TLS_CERT, each.certificate);
        say (pull, ZLINK_TLS_KEY, each.key);
        EXPECT_EQ (zmq_bind (pull, anywhere), -1);
        EXPECT_EQ (errno, each.failure) << each.said;
        const said_line line = heard_warnings::find ("TLS cannot be used");
        EXPECT_NE (line.about.find (each.said), std::string::npos) << line.about << " / " << each.said;
    }
}

TEST_F (tls_endpoints, what_is_wrong_is_told_by_connect)
{
    socket push (own, ZMQ_PUSH);
    say (push, ZLINK_TLS_CA, own_folder () + "/nobody.pem");
    EXPECT_EQ (zmq_connect (push, "tls://127.0.0.1:9"), -1);
    EXPECT_EQ (errno, ENOENT);
}

TEST_F (tls_endpoints, who_is_not_trusted_is_not_talked_to)
{
    socket pull (own, ZMQ_PULL);
    serve (pull);
    const std::string where = pull.bind (anywhere);
    socket push (own, ZMQ_PUSH);
    trust (push, stranger);
    push.connect (where);
    EXPECT_EQ (reason_at (push, where), "certificate-untrusted");
    EXPECT_EQ (reason_at (pull, where), "tls-alert");
    EXPECT_GE (pull.statistics ().handshakes_failed, 1U);
    push.disconnect (where);
    // Who does not care talks to anybody.
    push.set (of_zmq + ZLINK_TLS_VERIFY, 0);
    push.connect (where);
    talk (push, pull);
}

TEST_F (tls_endpoints, another_hosts_certificate_will_not_do)
{
    socket pull (own, ZMQ_PULL);
    serve (pull);
    const std::string where = pull.bind (anywhere);
    socket push (own, ZMQ_PUSH);
    trust (push, root);
    say (push, ZLINK_TLS_HOSTNAME, "elsewhere.example");
    push.connect (where);
    EXPECT_EQ (reason_at (push, where), "certificate-of-another");
    push.disconnect (where);
    say (push, ZLINK_TLS_HOSTNAME, "localhost");
    push.connect (where);
    talk (push, pull);
}

TEST_F (tls_endpoints, plain_peers_and_those_of_tls_do_not_meet)
{
    socket pull (own, ZMQ_PULL);
    serve (pull);
    const std::string sealed = pull.bind (anywhere);
    const std::string open = pull.bind ("tcp://127.0.0.1:*");
    socket plain (own, ZMQ_PUSH);
    plain.connect ("tcp" + sealed.substr (3));
    EXPECT_EQ (reason_at (pull, sealed), "not-tls");
    socket push (own, ZMQ_PUSH);
    trust (push, root);
    push.connect ("tls" + open.substr (3));
    EXPECT_NE (reason_at (pull, open), "");
    EXPECT_NE (reason_at (push, "tls" + open.substr (3)), "");
    // Those who do, still do.
    socket other (own, ZMQ_PUSH);
    trust (other, root);
    other.connect (sealed);
    talk (other, pull);
}

TEST_F (tls_endpoints, a_guest_may_have_to_show_a_certificate_and_is_known_by_it)
{
    socket pull (own, ZMQ_PULL);
    serve (pull);
    trust (pull, root);
    pull.set (of_zmq + ZLINK_TLS_REQUIRE_CLIENT_CERT, 1);
    const std::string where = pull.bind (anywhere);
    socket nobody (own, ZMQ_PUSH);
    trust (nobody, root);
    nobody.connect (where);
    EXPECT_EQ (reason_at (nobody, where), "tls-alert");
    EXPECT_EQ (reason_at (pull, where), "certificate-missing");
    socket push (own, ZMQ_PUSH);
    trust (push, root);
    show (push, guest);
    push.connect (where);
    ASSERT_TRUE (push.send ("hello"));
    part got;
    ASSERT_GE (zmq_msg_recv (got.raw (), pull, 0), 0);
    EXPECT_STREQ (zmq_msg_gets (got.raw (), "TLS-Subject"), "CN=guest,O=Example");
}

// A function and the handler may judge by it.
TEST_F (tls_endpoints, whose_a_certificate_is_is_told_to_who_judges)
{
    const identity other (valid_today ("other"), &root);
    socket pull (own, ZMQ_PULL);
    serve (pull);
    trust (pull, root);
    pull.set (of_zmq + ZLINK_TLS_REQUIRE_CLIENT_CERT, 1);
    const auto judge = [] (const zlink_claim_t *who, char *user_id, void *) {
        const std::string subject = who->certificate_subject == nullptr ? "" : who->certificate_subject;
        EXPECT_EQ (who->public_key, nullptr);
        user_id[subject.copy (user_id, ZLINK_USER_ID_BYTES - 1)] = '\0';
        return subject == "CN=guest,O=Example" ? 200 : 400;
    };
    ASSERT_EQ (zlink_set_authenticator (pull, judge, nullptr, nullptr), 0);
    const std::string where = pull.bind (anywhere);
    socket no (own, ZMQ_PUSH);
    trust (no, root);
    show (no, other);
    no.connect (where);
    EXPECT_EQ (reason_at (no, where), "authentication-failed");
    socket push (own, ZMQ_PUSH);
    trust (push, root);
    show (push, guest);
    push.connect (where);
    ASSERT_TRUE (push.send ("hello"));
    part got;
    ASSERT_GE (zmq_msg_recv (got.raw (), pull, 0), 0);
    EXPECT_STREQ (zmq_msg_gets (got.raw (), "User-Id"), "CN=guest,O=Example");
}

TEST_F (tls_endpoints, whose_a_certificate_is_is_told_to_the_handler)
{
    socket handler (own, ZMQ_REP);
    handler.bind ("inproc://zeromq.zap.01");
    socket pull (own, ZMQ_PULL);
    serve (pull);
    trust (pull, root);
    pull.set (of_zmq + ZLINK_TLS_REQUIRE_CLIENT_CERT, 1);
    ASSERT_EQ (zmq_setsockopt (pull, ZMQ_ZAP_DOMAIN, "d", 1), 0);
    const std::string where = pull.bind (anywhere);
    socket push (own, ZMQ_PUSH);
    trust (push, root);
    show (push, guest);
    push.connect (where);
    const std::vector<std::string> asked = handler.receive_message ();
    ASSERT_EQ (asked.size (), 7U);
    EXPECT_EQ (asked[5], "NULL");
    EXPECT_EQ (asked[6], "CN=guest,O=Example");
    ASSERT_TRUE (handler.send (std::vector<std::string>{"1.0", asked[1], "200", "", "guest", ""}));
    talk (push, pull);
}

// What nobody has checked is no name.
TEST_F (tls_endpoints, whose_a_certificate_is_is_not_told_unchecked)
{
    socket rep (own, ZMQ_REP);
    serve (rep);
    const std::string where = rep.bind (anywhere);
    for (const int checks : {1, 0}) {
        socket req (own, ZMQ_REQ);
        trust (req, root);
        req.set (of_zmq + ZLINK_TLS_VERIFY, checks);
        req.connect (where);
        ASSERT_TRUE (req.send ("who?"));
        EXPECT_EQ (rep.receive (), "who?");
        ASSERT_TRUE (rep.send ("see"));
        part got;
        ASSERT_GE (zmq_msg_recv (got.raw (), req, 0), 0);
        const char *const subject = zmq_msg_gets (got.raw (), "TLS-Subject");
        EXPECT_EQ (subject != nullptr, checks == 1);
    }
}

TEST_F (tls_endpoints, no_common_protocol_no_connection)
{
    socket pull (own, ZMQ_PULL);
    serve (pull);
    ASSERT_EQ (zmq_setsockopt (pull, ZLINK_TLS_ALPN, "zmtp", 4), 0);
    const std::string where = pull.bind (anywhere);
    socket push (own, ZMQ_PUSH);
    trust (push, root);
    ASSERT_EQ (zmq_setsockopt (push, ZLINK_TLS_ALPN, "other", 5), 0);
    push.connect (where);
    EXPECT_EQ (reason_at (pull, where), "tls-nothing-in-common");
    socket good (own, ZMQ_PUSH);
    trust (good, root);
    ASSERT_EQ (zmq_setsockopt (good, ZLINK_TLS_ALPN, "other,zmtp", 10), 0);
    good.connect (where);
    ASSERT_TRUE (good.send ("hello"));
    part got;
    ASSERT_GE (zmq_msg_recv (got.raw (), pull, 0), 0);
    EXPECT_STREQ (zmq_msg_gets (got.raw (), "TLS-Protocol"), "zmtp");
}

// A handshake that goes nowhere ends with HANDSHAKE_IVL.
TEST_F (tls_endpoints, who_says_nothing_is_not_waited_for)
{
    socket pull (own, ZMQ_PULL);
    serve (pull);
    pull.set (ZMQ_HANDSHAKE_IVL, 50);
    const std::string where = pull.bind (anywhere);
    raw_peer silent = raw_peer::connect_to ("tcp" + where.substr (3));
    ASSERT_TRUE (silent.valid ());
    EXPECT_EQ (reason_at (pull, where), "handshake-timeout");
}

// Who comes sees the certificate of the day, who is there stays.
TEST_F (tls_endpoints, certificates_are_replaced_for_those_who_come)
{
    const std::string path = write_file ("renewed.pem", host.certificate () + host.key ());
    socket rep (own, ZMQ_REP);
    say (rep, ZLINK_TLS_CERT, path);
    const std::string where = rep.bind (anywhere);
    // As whom the host shows itself to a newcomer.
    const auto shown_to = [&] (socket &req) {
        EXPECT_TRUE (req.send ("who?"));
        EXPECT_EQ (rep.receive (), "who?");
        EXPECT_TRUE (rep.send ("see"));
        part got;
        EXPECT_GE (zmq_msg_recv (got.raw (), req, 0), 0);
        return std::string (zmq_msg_gets (got.raw (), "TLS-Subject"));
    };
    socket first (own, ZMQ_REQ);
    trust (first, root);
    first.connect (where);
    EXPECT_EQ (shown_to (first), "CN=host,O=Example");
    const identity renewed (valid_today ("renewed"), &root);
    write_file ("renewed.pem", renewed.certificate () + renewed.key ());
    EXPECT_TRUE (eventually ([&] {
        socket next (own, ZMQ_REQ);
        trust (next, root);
        next.connect (where);
        return shown_to (next) == "CN=renewed,O=Example";
    }));
    EXPECT_EQ (shown_to (first), "CN=host,O=Example");
    // What is of no use is complained of, and changes nothing.
    heard_warnings heard;
    write_file ("renewed.pem", "rubbish");
    said_line line;
    EXPECT_TRUE (eventually ([&] {
        socket next (own, ZMQ_REQ);
        trust (next, root);
        next.connect (where);
        EXPECT_EQ (shown_to (next), "CN=renewed,O=Example");
        return heard_warnings::look ("changed files", line);
    }));
    EXPECT_NE (line.about.find ("renewed.pem"), std::string::npos) << line.about;
}

}  // namespace
}  // namespace zlink::test
