// What only wss has: zmq.h's options for it, and what is told where one of the two
// layers does not come about.
#include <ctime>
#include <string>

#include "support/identities.hpp"
#include "support/places.hpp"
#include "support/sockets.hpp"
#include "support/web_words.hpp"

namespace zlink::test {
namespace {

struct wss_endpoints : testing::Test
{
    identity root{valid_today ("root", "")};
    identity host{valid_today ("host", "DNS:host.example"), &root};
    context own;

    static wanted valid_today (const char *name, const char *alternative)
    {
        const std::int64_t now_s = std::time (nullptr);
        return {.name = name, .alternative = alternative, .from_s = now_s - day_s, .until_s = now_s + day_s};
    }
    static void say (socket &to, int option, const std::string &text)
    {
        ASSERT_EQ (zmq_setsockopt (to, option, text.data (), text.size ()), 0);
    }
    [[nodiscard]] socket open_server (void *in)
    {
        socket made (in, ZMQ_PULL);
        say (made, ZMQ_WSS_CERT_PEM, host.certificate ());
        say (made, ZMQ_WSS_KEY_PEM, host.key ());
        return made;
    }
    [[nodiscard]] socket open_client (void *in, const std::string &expected = "host.example")
    {
        socket made (in, ZMQ_PUSH);
        say (made, ZMQ_WSS_TRUST_PEM, root.certificate ());
        say (made, ZMQ_WSS_HOSTNAME, expected);
        return made;
    }
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
};

TEST_F (wss_endpoints, zmq_and_zlink_know_the_transport)
{
    for (const char *name : {"tls", "wss", "WSS", "ws", "WS"})  // as libzmq spells them, too
        EXPECT_EQ (zmq_has (name), 1) << name;
    for (const char *name : {"tcp", "udp", "inproc", "WSSS"})
        EXPECT_EQ (zmq_has (name), 0) << name;
    EXPECT_EQ (zlink_has ("wss"), 1);
}

TEST_F (wss_endpoints, take_the_options_of_zmq)
{
    context other (zlink_ctx_new ());
    for (void *const in : {static_cast<void *> (own), static_cast<void *> (other)}) {
        socket pull = open_server (in);
        const std::string where = pull.bind ("wss://127.0.0.1:*/path");
        EXPECT_TRUE (where.starts_with ("wss://127.0.0.1:") && where.ends_with ("/path")) << where;
        socket push = open_client (in);
        push.connect (where);
        talk (push, pull);
        socket stranger = open_client (in, "another.example");
        stranger.connect (where);
        EXPECT_EQ (reason_at (stranger, where), "certificate-of-another");
        int trusts = 1;
        std::size_t size = sizeof trusts;
        EXPECT_EQ (zmq_getsockopt (push, ZMQ_WSS_TRUST_SYSTEM, &trusts, &size), 0);
        EXPECT_EQ (trusts, 0) << "who names whom to trust names all";
    }
}

TEST_F (wss_endpoints, what_is_asked_for_inside_is_refused_as_over_ws)
{
    (void)zlink_set_log (zlink_log_discard, nullptr);
    socket pull = open_server (own);
    const std::string where = pull.bind ("wss://127.0.0.1:*/here");
    const std::string wrong = where.substr (0, where.rfind ('/')) + "/there";
    socket push = open_client (own);
    push.connect (wrong);
    EXPECT_EQ (reason_at (push, wrong), "upgrade-refused");
    EXPECT_EQ (push.status (wrong).last_os_error, 404);
}

TEST_F (wss_endpoints, plain_peers_and_those_of_tls_do_not_meet)
{
    (void)zlink_set_log (zlink_log_discard, nullptr);
    socket pull = open_server (own);
    const std::string sealed = pull.bind ("wss://127.0.0.1:*");
    const std::string open = pull.bind ("ws://127.0.0.1:*");
    socket plain (own, ZMQ_PUSH);
    plain.connect ("ws" + sealed.substr (3));
    EXPECT_EQ (reason_at (pull, sealed), "not-tls");
    socket push = open_client (own);
    push.connect ("wss" + open.substr (2));
    EXPECT_EQ (reason_at (push, "wss" + open.substr (2)), "not-tls");
    EXPECT_EQ (reason_at (pull, open), "upgrade-malformed");
    // TLS alone is no WebSocket.
    socket bare = open_client (own);
    bare.connect ("tls" + sealed.substr (3));
    EXPECT_NE (reason_at (bare, "tls" + sealed.substr (3)), "");
    // Those who do, still do.
    socket good = open_client (own);
    good.connect (sealed);
    talk (good, pull);
}

}  // namespace
}  // namespace zlink::test
