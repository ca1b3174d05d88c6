// Connections by tcp through a SOCKS5 proxy. The proxy is the test, octet by
// octet, or a small one that relays.
#include <array>

#include "support/events.hpp"
#include "support/places.hpp"
#include "support/raw_peer.hpp"
#include "support/sockets.hpp"

namespace zlink::test {
namespace {

const std::string no_authentication = octet (5) + octet (0);
const std::string password_wanted = octet (5) + octet (2);
const std::string password_good = octet (1) + octet (0);

std::string reply (unsigned code)
{
    return octet (5) + octet (code) + octet (0) + octet (1) + big_endian (0, 6);
}

// What is asked of the proxy, and the reply's form of it, too.
std::string request (const std::string &address, unsigned port)
{
    return octet (5) + octet (1) + octet (0) + address + big_endian (port, 2);
}
std::string name (const std::string &host)
{
    return octet (3) + octet (static_cast<unsigned> (host.size ())) + host;
}

// Both ways, until either side ends.
void relay (const raw_peer &one, const raw_peer &other)
{
    std::array<pollfd, 2> both{pollfd{one.descriptor (), POLLIN, 0}, pollfd{other.descriptor (), POLLIN, 0}};
    std::string piece (65'536, '\0');
    while (::poll (both.data (), both.size (), watchdog_ms) > 0)
        for (int side = 0; side < 2; ++side) {
            if (both[static_cast<std::size_t> (side)].revents == 0)
                continue;
            const ssize_t got =
              ::recv (both[static_cast<std::size_t> (side)].fd, piece.data (), piece.size (), 0);
            if (got <= 0 || !(side == 0 ? other : one).send ({piece.data (), static_cast<std::size_t> (got)}))
                return;
        }
}

struct proxies : testing::Test
{
    void SetUp () override { ASSERT_TRUE (listener.valid ()); }
    static void set_text (socket &of, int option, std::string_view text)
    {
        ASSERT_EQ (zmq_setsockopt (of, option, text.data (), text.size ()), 0) << zmq_strerror (errno);
    }
    [[nodiscard]] socket open (int type)
    {
        socket made (own, type);
        made.set (ZMQ_RECONNECT_IVL, 1);
        made.set (ZMQ_LINGER, 0);
        set_text (made, ZMQ_SOCKS_PROXY, std::string_view (place).substr (6));
        return made;
    }
    // A proxy that has heard which methods there are, and the request.
    [[nodiscard]] raw_peer called (const std::string &asked) const
    {
        raw_peer client = listener.accept ();
        EXPECT_EQ (client.read_exactly (3), octet (5) + octet (1) + octet (0));
        EXPECT_TRUE (client.send (no_authentication));
        EXPECT_EQ (client.read_exactly (asked.size ()), asked);
        return client;
    }
    void fails_with (const std::string &said, const char *why, int code);

    context own;
    const std::string place = tcp_place ();
    const raw_peer listener = raw_peer::listen_at (place);
};

TEST_F (proxies, connect_with_whom_they_are_asked_for)
{
    const std::pair<const char *, std::string> table[] = {
      {"tcp://server.invalid:5555", request (name ("server.invalid"), 5555)},
      {"tcp://192.0.2.7:80", request (octet (1) + big_endian (0xC000'0207, 4), 80)},
      {"tcp://[2001:db8::7]:443",
       request (octet (4) + big_endian (0x2001'0DB8'0000'0000, 8) + big_endian (7, 8), 443)},
    };
    for (const auto &[where, asked] : table) {
        socket push = open (ZMQ_PUSH);
        zmq_monitor monitored (own, push, 1, ZMQ_EVENT_CONNECTED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
        push.connect (where);
        const raw_peer far = called (asked);
        // The peer's first words may come with the proxy's last.
        ASSERT_TRUE (far.send (reply (0) + zmtp_greeting () + zmtp_ready ("PULL")));
        EXPECT_EQ (far.read_exactly (64).size (), 64U);
        EXPECT_NE (far.read_frame (), "");
        ASSERT_TRUE (push.send ("hello"));
        EXPECT_EQ (far.read_frame (), "hello");
        EXPECT_EQ (monitored.next_name (), "connected");
        EXPECT_EQ (monitored.next_name (), "ready");
        push.close ();  // before the far end goes: it would be called again
    }
}

TEST_F (proxies, relay_both_ways)
{
    socket router (own, ZMQ_ROUTER);
    const std::string target = router.bind ("tcp://127.0.0.1:*");
    socket dealer = open (ZMQ_DEALER);
    worker proxy ([&] {
        const auto port = static_cast<unsigned> (std::stoi (target.substr (target.rfind (':') + 1)));
        const raw_peer client = called (request (octet (1) + big_endian (0x7F00'0001, 4), port));
        const raw_peer server = raw_peer::connect_to (target);
        EXPECT_TRUE (client.send (reply (0)));
        relay (client, server);
    });
    dealer.connect (target);
    const std::string large = pattern (300'000);
    for (int i = 0; i < 20; ++i) {
        ASSERT_TRUE (dealer.send (large));
        const std::vector<std::string> got = router.receive_message ();
        ASSERT_EQ (got.size (), 2U);
        ASSERT_TRUE (got[1] == large);
        ASSERT_TRUE (router.send (got[0], ZMQ_SNDMORE));
        ASSERT_TRUE (router.send (std::to_string (i)));
        ASSERT_EQ (dealer.receive (), std::to_string (i));
    }
    dealer.close ();
    proxy.join ();
}

TEST_F (proxies, are_shown_a_user_and_a_password)
{
    socket push = open (ZMQ_PUSH);
    set_text (push, ZMQ_SOCKS_USERNAME, "somebody");
    set_text (push, ZMQ_SOCKS_PASSWORD, "secret");
    push.connect ("tcp://server:1");
    const raw_peer client = listener.accept ();
    EXPECT_EQ (client.read_exactly (4), octet (5) + octet (2) + octet (0) + octet (2));
    // An octet a time comes to the same.
    ASSERT_TRUE (client.trickle (password_wanted));
    EXPECT_EQ (client.read_exactly (17), octet (1) + octet (8) + "somebody" + octet (6) + "secret");
    ASSERT_TRUE (client.trickle (password_good));
    const std::string asked = request (name ("server"), 1);
    EXPECT_EQ (client.read_exactly (asked.size ()), asked);
    ASSERT_TRUE (client.trickle (octet (5) + octet (0) + octet (0) + name ("elsewhere") + big_endian (7, 2)));
    EXPECT_TRUE (client.shake_hands ("PULL"));
    EXPECT_TRUE (push.has_peers ());
}

// The attempt fails with that reason; the next one comes, and may be better.
void proxies::fails_with (const std::string &said, const char *why, int code)
{
    SCOPED_TRACE (why);
    const std::string where = "tcp://server:1";
    socket push = open (ZMQ_PUSH);
    events told (push, ZLINK_EVENT_CLOSED);
    push.connect (where);
    {
        const raw_peer client = listener.accept ();
        EXPECT_EQ (client.read_exactly (3).size (), 3U);
        ASSERT_TRUE (client.send (said));
        const zlink_event_t failed = told.next ();
        EXPECT_STREQ (failed.reason_text, why);
        EXPECT_TRUE (client.sees_end ());
        EXPECT_STREQ (push.status (where).reason_text, why);
        EXPECT_EQ (push.status (where).last_os_error, code);
    }
    const raw_peer far = called (request (name ("server"), 1));
    ASSERT_TRUE (far.send (reply (0)));
    EXPECT_TRUE (far.shake_hands ("PULL"));
    EXPECT_TRUE (push.has_peers ());
    push.close ();  // before the far end goes: it would be called again
}

TEST_F (proxies, that_refuse_say_why)
{
    fails_with (no_authentication + reply (5), "proxy-refused", 5);
    fails_with (no_authentication + reply (2), "proxy-refused", 2);
    fails_with (octet (5) + octet (255), "proxy-authentication", 0);
}

TEST_F (proxies, that_are_none_are_left)
{
    fails_with ("HTTP/1.1 400 Bad Request\r\n\r\n", "proxy-malformed", 0);
    fails_with (password_wanted, "proxy-malformed", 0);  // nobody offered that
    fails_with (no_authentication + octet (4) + octet (90) + big_endian (0, 6), "proxy-malformed", 0);
}

// Cut off behind every octet of a whole conversation.
TEST_F (proxies, may_break_off_anywhere)
{
    const std::string where = "tcp://server:1";
    socket push = open (ZMQ_PUSH);
    set_text (push, ZMQ_SOCKS_USERNAME, "me");
    const std::string whole = password_wanted + password_good + reply (0);
    push.connect (where);
    for (std::size_t cut = 0; cut < whole.size (); ++cut) {
        const raw_peer client = listener.accept ();
        ASSERT_TRUE (client.valid ()) << cut;
        ASSERT_TRUE (client.send (whole.substr (0, cut))) << cut;
        client.end_output ();
        EXPECT_TRUE (client.sees_end ()) << cut;
    }
    ASSERT_TRUE (eventually ([&] { return push.status (where).last_reason != 0; }));
    EXPECT_STREQ (push.status (where).reason_text, "proxy-malformed");
    const raw_peer client = listener.accept ();
    ASSERT_TRUE (client.send (whole));
    EXPECT_EQ (client.read_exactly (4 + 5 + 13).size (), 22U);
    EXPECT_TRUE (client.shake_hands ("PULL"));
    EXPECT_TRUE (push.has_peers ());
}

// Silence is bounded by either time-out.
TEST_F (proxies, that_are_silent_are_left)
{
    for (const int option : {ZMQ_CONNECT_TIMEOUT, ZMQ_HANDSHAKE_IVL}) {
        const std::string where = "tcp://server:1";
        socket push = open (ZMQ_PUSH);
        push.set (option, 20);
        push.connect (where);
        const raw_peer first = listener.accept ();
        EXPECT_EQ (first.read_exactly (3).size (), 3U);
        EXPECT_TRUE (first.sees_end ());
        const raw_peer second = listener.accept ();
        ASSERT_TRUE (second.send (no_authentication));
        EXPECT_TRUE (second.sees_end ());
        EXPECT_STREQ (push.status (where).reason_text, "connect-timeout");
        push.disconnect (where);
    }
}

TEST_F (proxies, are_for_tcp_only_and_for_the_next_connect)
{
    socket pull (own, ZMQ_PULL);
    const std::string direct = pull.bind ("tcp://127.0.0.1:*");
    const std::string local = pull.bind (ipc_place ());
    socket push = open (ZMQ_PUSH);
    push.connect (local);
    EXPECT_TRUE (push.has_peers ());
    socket other = open (ZMQ_PUSH);
    ASSERT_EQ (zmq_setsockopt (other, ZMQ_SOCKS_PROXY, nullptr, 0), 0);
    other.connect (direct);
    EXPECT_TRUE (other.has_peers ());
}

TEST_F (proxies, that_cannot_be_are_refused)
{
    socket push = open (ZMQ_PUSH);
    EXPECT_EQ (zmq_connect (push, ("tcp://" + std::string (256, 'x') + ":1").c_str ()), -1);
    EXPECT_EQ (errno, EINVAL);
    EXPECT_EQ (zmq_connect (push, "tcp://[fe80::1%lo]:1"), -1);
    EXPECT_EQ (errno, EINVAL);
    for (const char *bad :
         {"proxy", "proxy:", "proxy:0", "*:1080", ":1080", "tcp://proxy:1080", "127.0.0.1;proxy:1"}) {
        set_text (push, ZMQ_SOCKS_PROXY, bad);
        EXPECT_EQ (zmq_connect (push, "tcp://server:1"), -1) << bad;
        EXPECT_EQ (errno, EINVAL) << bad;
    }
}

// A disconnect in the middle ends it.
TEST_F (proxies, are_left_by_who_disconnects)
{
    socket push = open (ZMQ_PUSH);
    push.connect ("tcp://server:1");
    const raw_peer client = called (request (name ("server"), 1));
    push.disconnect ("tcp://server:1");
    EXPECT_TRUE (client.sees_end ());
    push.connect ("tcp://server:2");
    const raw_peer again = called (request (name ("server"), 2));
    push.close ();
    EXPECT_TRUE (again.sees_end ());
}

}  // namespace
}  // namespace zlink::test
