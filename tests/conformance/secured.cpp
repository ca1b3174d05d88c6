// PLAIN, CURVE and NULL with somebody to ask: every pattern, who is let in, and
// what either side hears of it. The handler is the test itself.
#include <array>

#include "conformance/secured.hpp"
#include "support/events.hpp"
#include "support/sanitized.hpp"

namespace zlink::test {
namespace {

using message = std::vector<std::string>;

struct secured : conformance
{
    void SetUp () override { handler.bind ("inproc://zeromq.zap.01"); }

    // The next question; empty where none comes.
    [[nodiscard]] message asked () { return handler.receive_message (); }
    void answer (const std::string &status, const std::string &user = "joe", const std::string &metadata = "")
    {
        EXPECT_TRUE (handler.send (message{"1.0", "1", status, "words", user, metadata}))
          << zmq_strerror (errno);
    }
    void let_in (unsigned count = 1)
    {
        for (unsigned i = 0; i < count; ++i) {
            EXPECT_EQ (asked ().size () > 5, true);
            answer ("200");
        }
    }
    void be_server (socket &of, int mechanism)
    {
        if (mechanism == ZMQ_PLAIN) {
            of.set (ZMQ_PLAIN_SERVER, 1);
        } else if (mechanism == ZMQ_CURVE) {
            of.set (ZMQ_CURVE_SERVER, 1);
            set_text (of, ZMQ_CURVE_SECRETKEY, servers.secret.data ());
        } else {
            set_text (of, ZMQ_ZAP_DOMAIN, "home");
        }
    }
    void be_client (socket &of, int mechanism)
    {
        if (mechanism == ZMQ_PLAIN) {
            set_text (of, ZMQ_PLAIN_USERNAME, "me");
            set_text (of, ZMQ_PLAIN_PASSWORD, "secret");
        } else if (mechanism == ZMQ_CURVE) {
            set_text (of, ZMQ_CURVE_PUBLICKEY, clients.open.data ());
            set_text (of, ZMQ_CURVE_SECRETKEY, clients.secret.data ());
            set_text (of, ZMQ_CURVE_SERVERKEY, servers.open.data ());
        }
    }
    // Both ends of a pattern, known to each other.
    void open_pair (int mechanism, int server_type, int client_type)
    {
        server.emplace (open (server_type));
        client.emplace (open (client_type));
        be_server (*server, mechanism);
        be_client (*client, mechanism);
        if (client_type == ZMQ_SUB)
            set_text (*client, ZMQ_SUBSCRIBE, "");
        client->connect (server->bind (place ()));
        let_in ();
        ASSERT_TRUE (client->has_peers () && server->has_peers ());
    }
    // A server that refuses, its client and what both are told.
    void refuse (const std::string &status, std::uint64_t server_hears, std::uint64_t value, const char *why);

    keys servers;
    keys clients;
    socket handler = open (ZMQ_REP);
    std::optional<socket> server;
    std::optional<socket> client;
};

constexpr std::array mechanisms{ZMQ_NULL, ZMQ_PLAIN, ZMQ_CURVE};

// Around every border of boxes, frames and buffers.
[[nodiscard]] std::vector<message> bodies ()
{
    std::vector<message> all;
    for (const std::size_t size : {0u, 1u, 30u, 31u, 32u, 222u, 223u, 255u, 256u, 4000u, 65'536u, 300'000u})
        all.push_back ({pattern (size, static_cast<unsigned> (size))});
    all.push_back ({"a", "", pattern (70'000), "z"});
    return all;
}

TEST_F (secured, a_pair_talks_both_ways)
{
    for (const int mechanism : mechanisms) {
        open_pair (mechanism, ZMQ_PAIR, ZMQ_PAIR);
        EXPECT_EQ (server->get (ZMQ_MECHANISM), mechanism);
        EXPECT_EQ (client->get (ZMQ_MECHANISM), mechanism);
        for (const message &each : bodies ()) {
            ASSERT_TRUE (client->send (each));
            ASSERT_TRUE (server->receive_message () == each) << each[0].size ();
            ASSERT_TRUE (server->send (each));
            ASSERT_TRUE (client->receive_message () == each) << each[0].size ();
        }
    }
}

TEST_F (secured, a_stream_of_messages_arrives_whole)
{
    for (const int mechanism : mechanisms) {
        open_pair (mechanism, ZMQ_PULL, ZMQ_PUSH);
        constexpr unsigned count = 3000;
        const worker sender ([&] {
            for (unsigned i = 0; i < count; ++i)
                EXPECT_TRUE (client->send (pattern (i % 200, i)));
        });
        for (unsigned i = 0; i < count; ++i)
            ASSERT_TRUE (server->receive () == pattern (i % 200, i)) << i;
    }
}

TEST_F (secured, topics_are_told_in_the_box)
{
    for (const int mechanism : mechanisms) {
        open_pair (mechanism, ZMQ_PUB, ZMQ_SUB);
        ASSERT_EQ (zlink_wait_subscribers (*server, 1, watchdog_ms), 0);
        for (const message &each : bodies ()) {
            ASSERT_TRUE (server->send (each));
            ASSERT_TRUE (client->receive_message () == each) << each[0].size ();
        }
    }
}

TEST_F (secured, requests_are_answered_and_show_who_asks)
{
    for (const int mechanism : mechanisms) {
        open_pair (mechanism, ZMQ_REP, ZMQ_REQ);
        for (const message &each : bodies ()) {
            ASSERT_TRUE (client->send (each));
            part first;
            ASSERT_GE (zmq_msg_recv (first.raw (), *server, 0), 0);
            EXPECT_STREQ (zmq_msg_gets (first.raw (), "User-Id"), "joe");
            message rest{first.text ()};
            if (first.more ())
                for (const std::string &more : server->receive_message ())
                    rest.push_back (more);
            ASSERT_TRUE (rest == each);
            ASSERT_TRUE (server->send (rest));
            ASSERT_TRUE (client->receive_message () == each);
        }
    }
}

TEST_F (secured, routers_know_their_peers)
{
    for (const int mechanism : mechanisms) {
        server.emplace (open (ZMQ_ROUTER));
        client.emplace (open (ZMQ_DEALER));
        be_server (*server, mechanism);
        be_client (*client, mechanism);
        set_text (*client, ZMQ_ROUTING_ID, "dealer");
        client->connect (server->bind (place ()));
        let_in ();
        for (const message &each : bodies ()) {
            ASSERT_TRUE (client->send (each));
            message got = server->receive_message ();
            ASSERT_EQ (got.size (), each.size () + 1);
            EXPECT_EQ (got[0], "dealer");
            ASSERT_TRUE (server->send (got));
            ASSERT_TRUE (client->receive_message () == each);
        }
    }
}

TEST_F (secured, the_side_that_lets_in_may_dial)
{
    for (const int mechanism : {ZMQ_PLAIN, ZMQ_CURVE}) {
        socket pull = open (ZMQ_PULL);
        socket push = open (ZMQ_PUSH);
        be_server (push, mechanism);
        be_client (pull, mechanism);
        push.connect (pull.bind (place ()));
        let_in ();
        ASSERT_TRUE (push.send ("hello"));
        EXPECT_EQ (pull.receive (), "hello");
    }
}

TEST_F (secured, heartbeats_go_in_the_box)
{
    for (const int mechanism : mechanisms) {
        server.emplace (open (ZMQ_PAIR));
        client.emplace (open (ZMQ_PAIR));
        be_server (*server, mechanism);
        be_client (*client, mechanism);
        server->set (ZMQ_HEARTBEAT_IVL, 5);
        client->set (ZMQ_HEARTBEAT_IVL, 5);
        client->set (ZMQ_HEARTBEAT_TIMEOUT, watchdog_ms);
        server->set (ZMQ_HEARTBEAT_TIMEOUT, watchdog_ms);
        client->connect (server->bind (place ()));
        let_in ();
        ASSERT_TRUE (client->has_peers ());
        EXPECT_TRUE (eventually ([&] { return client->statistics ().round_trip_ns > 0; }));
        ASSERT_TRUE (client->send ("still here"));
        EXPECT_EQ (server->receive (), "still here");
    }
}

TEST_F (secured, questions_and_answers_are_as_the_rfc_says)
{
    server.emplace (open (ZMQ_PULL));
    client.emplace (open (ZMQ_PUSH));
    be_server (*server, ZMQ_PLAIN);
    set_text (*server, ZMQ_ZAP_DOMAIN, "home");
    set_text (*server, ZMQ_ROUTING_ID, "us");
    be_client (*client, ZMQ_PLAIN);
    client->connect (server->bind (place ()));
    const message question = asked ();
    ASSERT_EQ (question.size (), 8u);
    EXPECT_EQ (question[0], "1.0");
    EXPECT_EQ (question[1], "1");
    EXPECT_EQ (question[2], "home");
    EXPECT_EQ (question[3], own_address ());
    EXPECT_EQ (question[4], "us");
    EXPECT_EQ ((message{question.begin () + 5, question.end ()}), (message{"PLAIN", "me", "secret"}));
    using namespace std::string_literals;
    answer ("200", "", "\5Hello\0\0\0\5World\13Socket-Type\0\0\0\3odd"s);
    ASSERT_TRUE (client->send ("hello"));
    part got;
    ASSERT_EQ (zmq_msg_recv (got.raw (), *server, 0), 5);
    EXPECT_STREQ (zmq_msg_gets (got.raw (), "User-Id"), "");
    EXPECT_STREQ (zmq_msg_gets (got.raw (), "Hello"), "World");
    EXPECT_EQ (zmq_msg_gets (got.raw (), "Peer-Address"), own_address ());
    EXPECT_STREQ (zmq_msg_gets (got.raw (), "Socket-Type"), "odd")
      << "the handler's word goes before the peer's";

    be_server (*server, ZMQ_CURVE);
    be_client (*client, ZMQ_CURVE);
    client->connect (server->bind (place ()));
    const message second = asked ();
    ASSERT_EQ (second.size (), 7u);
    EXPECT_EQ (second[5], "CURVE");
    std::array<std::uint8_t, 32> raw{};
    ASSERT_NE (zmq_z85_decode (raw.data (), clients.open.data ()), nullptr);
    EXPECT_EQ (second[6], std::string (raw.begin (), raw.end ()));
    answer ("200");
    EXPECT_TRUE (client->has_peers (2));
}

void secured::refuse (const std::string &status,
                      std::uint64_t server_hears,
                      std::uint64_t value,
                      const char *why)
{
    server.emplace (open (ZMQ_PULL));
    be_server (*server, ZMQ_PLAIN);
    const std::string where = server->bind (place ());
    events at_server (*server, ZLINK_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZLINK_EVENT_HANDSHAKE_FAILED_PROTOCOL
                                 | ZLINK_EVENT_HANDSHAKE_FAILED_AUTH);
    client.emplace (open (ZMQ_PUSH));
    client->set (ZMQ_RECONNECT_IVL, -1);
    be_client (*client, ZMQ_PLAIN);
    client->connect (where);
    EXPECT_FALSE (asked ().empty ());
    answer (status);
    const zlink_event_t heard = at_server.next ();
    EXPECT_EQ (heard.event, server_hears) << status;
    EXPECT_EQ (heard.value, value) << status;
    EXPECT_STREQ (heard.reason_text, why) << status;
}

TEST_F (secured, who_is_refused_hears_why_unless_it_may_come_again)
{
    for (const std::string status : {"300", "400", "500"}) {
        const auto number = static_cast<std::uint64_t> (std::stoi (status));
        refuse (status, ZLINK_EVENT_HANDSHAKE_FAILED_AUTH, number, "authentication-failed");
        const std::string where = client->last_endpoint ();
        const std::string_view hears = status == "300" ? "turned-away" : "authentication-failed";
        // Another dial may have failed before.
        EXPECT_TRUE (eventually ([&] { return client->status (where).reason_text == hears; })) << status;
        const zlink_endpoint_status_t told = client->status (where);
        if (status != "300") {
            EXPECT_EQ (told.last_os_error, static_cast<int> (number));
        }
    }
}

// Doubled each time, though RECONNECT_IVL_MAX says nothing, until it is let in.
TEST_F (secured, who_is_refused_comes_again_less_and_less_often)
{
    for (const std::string status : {"300", "400", "500"}) {
        server.emplace (open (ZMQ_PULL));
        client.emplace (open (ZMQ_PUSH));
        be_server (*server, ZMQ_PLAIN);
        be_client (*client, ZMQ_PLAIN);
        client->set (ZMQ_RECONNECT_IVL, 2);
        events told (*client, ZLINK_EVENT_CONNECT_RETRIED);
        client->connect (server->bind (place ()));
        for (std::uint64_t least = 2; least <= 16; least *= 2) {
            EXPECT_FALSE (asked ().empty ());
            answer (status);
            const zlink_event_t next = told.next ();
            EXPECT_GE (next.value, least) << status;
            EXPECT_LE (next.value, least + least / 2) << status;
            EXPECT_STREQ (next.reason_text, status == "300" ? "turned-away" : "authentication-failed");
        }
        let_in ();
        ASSERT_TRUE (client->send ("at last"));
        EXPECT_EQ (server->receive (), "at last");
    }
}

// Where RECONNECT_IVL_MAX says how long, that holds.
TEST_F (secured, who_is_refused_rests_no_longer_than_it_was_told)
{
    server.emplace (open (ZMQ_PULL));
    client.emplace (open (ZMQ_PUSH));
    be_server (*server, ZMQ_PLAIN);
    be_client (*client, ZMQ_PLAIN);
    client->set (ZMQ_RECONNECT_IVL, 2);
    client->set (ZMQ_RECONNECT_IVL_MAX, 4);
    events told (*client, ZLINK_EVENT_CONNECT_RETRIED);
    client->connect (server->bind (place ()));
    for (int i = 0; i < 5; ++i) {
        EXPECT_FALSE (asked ().empty ());
        answer ("400");
        EXPECT_LE (told.next ().value, 6u);
    }
}

TEST_F (secured, a_server_without_a_policy_is_warned_of_or_refused)
{
    handler.close ();
    const auto begins = [&] (int mechanism, bool binds, bool required) {
        socket one = open (ZMQ_PULL);
        be_server (one, mechanism);
        one.set (ZLINK_REQUIRE_POLICY, required ? 1 : 0);
        EXPECT_EQ (one.get (ZLINK_REQUIRE_POLICY), required ? 1 : 0);
        const std::string where = place ();
        return (binds ? zmq_bind (one, where.c_str ()) : zmq_connect (one, where.c_str ())) == 0;
    };
    for (const bool binds : {true, false}) {
        for (const int mechanism : {ZMQ_PLAIN, ZMQ_CURVE}) {
            EXPECT_TRUE (begins (mechanism, binds, false)) << mechanism << binds;
            EXPECT_FALSE (begins (mechanism, binds, true)) << mechanism << binds;
            EXPECT_EQ (errno, EFSM);
        }
        EXPECT_TRUE (begins (ZMQ_NULL, binds, true)) << binds;
    }
    socket late = open (ZMQ_REP);
    late.bind ("inproc://zeromq.zap.01");
    EXPECT_TRUE (begins (ZMQ_PLAIN, true, true));
    EXPECT_TRUE (begins (ZMQ_CURVE, false, true));
    const int none = 2;
    EXPECT_EQ (zmq_setsockopt (late, ZLINK_REQUIRE_POLICY, &none, sizeof none), -1);
    // There is a handler, and this one does not ask it.
    socket deaf = open (ZMQ_PULL);
    be_server (deaf, ZMQ_CURVE);
    deaf.set (ZMQ_ZAP_ENFORCE_DOMAIN, 1);
    deaf.set (ZLINK_REQUIRE_POLICY, 1);
    EXPECT_EQ (zmq_bind (deaf, place ().c_str ()), -1);
    EXPECT_EQ (errno, EFSM);
}

// The handler was there when it bound.
TEST_F (secured, who_requires_a_policy_lets_nobody_in_without)
{
    for (const bool enforced : {false, true}) {
        socket gone = open (ZMQ_REP);
        handler.close ();
        gone.bind ("inproc://zeromq.zap.01");
        server.emplace (open (ZMQ_PULL));
        be_server (*server, ZMQ_CURVE);
        server->set (ZLINK_REQUIRE_POLICY, 1);
        events at_server (*server, ZLINK_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZLINK_EVENT_CONNECTION_READY);
        const std::string where = server->bind (place ());
        server->set (ZMQ_ZAP_ENFORCE_DOMAIN, enforced ? 1 : 0);
        gone.unbind ("inproc://zeromq.zap.01");
        client.emplace (open (ZMQ_PUSH));
        be_client (*client, ZMQ_CURVE);
        client->connect (where);
        EXPECT_STREQ (at_server.next ().reason_text, "zap-unavailable") << enforced;
    }
}

TEST_F (secured, a_list_of_keys_says_who_comes_in)
{
    const keys others;
    server.emplace (open (ZMQ_PULL));
    be_server (*server, ZMQ_CURVE);
    handler.close ();
    server->set (ZMQ_ZAP_ENFORCE_DOMAIN, 1);  // so that nobody would be asked
    server->set (ZLINK_REQUIRE_POLICY, 1);    // the list is one
    set_text (*server, ZLINK_CURVE_ALLOWED_KEYS, std::string (32, 'x') + raw_key (clients));
    const std::string where = server->bind (place ());
    caller known (own, servers, clients, where);
    ASSERT_TRUE (known.gets_in ());
    ASSERT_TRUE (known.push.send ("hello"));
    part got;
    ASSERT_EQ (zmq_msg_recv (got.raw (), *server, 0), 5);
    EXPECT_STREQ (zmq_msg_gets (got.raw (), "User-Id"), clients.open.data ());
    caller unknown (own, servers, others, where);
    EXPECT_FALSE (unknown.gets_in ());
    EXPECT_EQ (unknown.push.status (where).last_os_error, 400);

    // Another list is for those who come later.
    set_text (*server, ZLINK_CURVE_ALLOWED_KEYS, raw_key (others));
    EXPECT_TRUE (caller (own, servers, others, where).gets_in ());
    EXPECT_FALSE (caller (own, servers, clients, where).gets_in ());
    ASSERT_TRUE (known.push.send ("still here"));
    EXPECT_EQ (server->receive (), "still here");
    set_text (*server, ZLINK_CURVE_ALLOWED_KEYS, "");
    EXPECT_FALSE (caller (own, servers, others, where).gets_in ());

    EXPECT_EQ (zmq_setsockopt (*server, ZLINK_CURVE_ALLOWED_KEYS, "half a key", 10), -1);
    EXPECT_EQ (errno, EINVAL);
    char room[64];
    std::size_t size = sizeof room;
    EXPECT_EQ (zmq_getsockopt (*server, ZLINK_CURVE_ALLOWED_KEYS, room, &size), -1) << "only written";

    // One that became empty in other languages.
    set_text (*server, ZLINK_CURVE_ALLOWED_KEYS, raw_key (others));
    ASSERT_EQ (zmq_setsockopt (*server, ZLINK_CURVE_ALLOWED_KEYS, nullptr, 0), 0);
    EXPECT_FALSE (caller (own, servers, others, where).gets_in ());
}

// Over the bound, and just within it.
TEST_F (secured, a_list_of_keys_has_a_longest)
{
    server.emplace (open (ZMQ_PULL));
    be_server (*server, ZMQ_CURVE);
    const std::string most = std::string (std::size_t{32} * 99'999, 'x') + raw_key (clients);
    EXPECT_EQ (zmq_setsockopt (*server, ZLINK_CURVE_ALLOWED_KEYS, (most + most).data (), most.size () + 32),
               -1);
    EXPECT_EQ (errno, EINVAL);
    set_text (*server, ZLINK_CURVE_ALLOWED_KEYS, most);
    EXPECT_TRUE (caller (own, servers, clients, server->bind (place ())).gets_in ());
}

// The list says it all, whatever the handler would.
TEST_F (secured, a_list_of_keys_asks_nobody)
{
    server.emplace (open (ZMQ_PULL));
    be_server (*server, ZMQ_CURVE);
    set_text (*server, ZMQ_ZAP_DOMAIN, "home");
    set_text (*server, ZLINK_CURVE_ALLOWED_KEYS, raw_key (clients));
    EXPECT_TRUE (caller (own, servers, clients, server->bind (place ())).gets_in ());
    char none = 0;
    EXPECT_EQ (zmq_recv (handler, &none, 1, ZMQ_DONTWAIT), -1);
}

TEST_F (secured, answers_that_are_none_let_nobody_in)
{
    const auto protocol = ZLINK_EVENT_HANDSHAKE_FAILED_PROTOCOL;
    refuse ("201", protocol, ZMQ_PROTOCOL_ERROR_ZAP_INVALID_STATUS_CODE, "zap-status-bad");
    struct row
    {
        message said;
        std::uint64_t value;
    };
    const row rows[] = {
      {{"1.1", "1", "200", "", "", ""}, ZMQ_PROTOCOL_ERROR_ZAP_BAD_VERSION},
      {{"1.0", "2", "200", "", "", ""}, ZMQ_PROTOCOL_ERROR_ZAP_BAD_REQUEST_ID},
      {{"1.0", "1", "200", "", ""}, ZMQ_PROTOCOL_ERROR_ZAP_MALFORMED_REPLY},
      {{"1.0", "1", "200", "", "", "", ""}, ZMQ_PROTOCOL_ERROR_ZAP_MALFORMED_REPLY},
      {{"1.0", "1", "200", "", "", "\5Hello"}, ZMQ_PROTOCOL_ERROR_ZAP_INVALID_METADATA},
    };
    for (const row &each : rows) {
        server.emplace (open (ZMQ_PULL));
        be_server (*server, ZMQ_CURVE);
        zmq_monitor at_server (own, *server, 1, ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL);
        client.emplace (open (ZMQ_PUSH));
        client->set (ZMQ_RECONNECT_IVL, -1);
        be_client (*client, ZMQ_CURVE);
        client->connect (server->bind (place ()));
        EXPECT_FALSE (asked ().empty ());
        EXPECT_TRUE (handler.send (each.said));
        EXPECT_EQ (at_server.next ().value, each.value) << each.said.size ();
    }
}

TEST_F (secured, a_handler_that_says_nothing_is_borne_as_long_as_a_handshake)
{
    server.emplace (open (ZMQ_PULL));
    be_server (*server, ZMQ_PLAIN);
    server->set (ZMQ_HANDSHAKE_IVL, sanitized ? 2'000 : 200);  // enough to come as far as the question
    events at_server (*server, ZLINK_EVENT_HANDSHAKE_FAILED_NO_DETAIL);
    client.emplace (open (ZMQ_PUSH));
    client->set (ZMQ_RECONNECT_IVL, -1);
    be_client (*client, ZMQ_PLAIN);
    client->connect (server->bind (place ()));
    EXPECT_FALSE (asked ().empty ());
    EXPECT_STREQ (at_server.next ().reason_text, "handshake-timeout");
    answer ("200");  // to nobody
    server->set (ZMQ_HANDSHAKE_IVL, 30'000);
    client->connect (server->bind (place ()));
    let_in ();
    ASSERT_TRUE (client->send ("in time"));
    EXPECT_EQ (server->receive (), "in time");
}

TEST_F (secured, without_a_handler_it_depends_on_what_is_wanted)
{
    handler.close ();
    const auto fails = [&] (int mechanism, bool domain, bool enforced, const char *why) {
        socket pull = open (ZMQ_PULL);
        be_server (pull, mechanism);
        if (domain)
            set_text (pull, ZMQ_ZAP_DOMAIN, "home");
        pull.set (ZMQ_ZAP_ENFORCE_DOMAIN, enforced ? 1 : 0);
        events at_pull (pull, ZLINK_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZLINK_EVENT_CONNECTION_READY);
        socket push = open (ZMQ_PUSH);
        push.set (ZMQ_RECONNECT_IVL, -1);
        be_client (push, mechanism);
        push.connect (pull.bind (place ()));
        EXPECT_STREQ (at_pull.next ().reason_text, why) << mechanism << domain << enforced;
    };
    fails (ZMQ_PLAIN, false, false, "zap-unavailable");
    fails (ZMQ_PLAIN, true, true, "zap-unavailable");
    fails (ZMQ_CURVE, false, false, "none");
    fails (ZMQ_CURVE, true, false, "none");
    fails (ZMQ_CURVE, false, true, "none");
    fails (ZMQ_CURVE, true, true, "zap-unavailable");
    fails (ZMQ_NULL, true, false, "none");
    fails (ZMQ_NULL, true, true, "zap-unavailable");
}

TEST_F (secured, mechanisms_do_not_mix)
{
    const auto hears = [&] (int ours, int theirs) {
        socket pull = open (ZMQ_PULL);
        if (ours != ZMQ_NULL)
            be_server (pull, ours);
        zmq_monitor at_pull (own, pull, 1,
                             settles_by_upgrade () ? ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL
                                                   : ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL);
        socket push = open (ZMQ_PUSH);
        push.set (ZMQ_RECONNECT_IVL, -1);
        be_client (push, theirs);
        push.connect (pull.bind (place ()));
        return at_pull.next ().value;
    };
    constexpr std::uint64_t bad_request = 400;
    const std::uint64_t expected =
      settles_by_upgrade () ? bad_request : ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH;
    for (const int ours : mechanisms)
        for (const int theirs : mechanisms)
            if (ours != theirs) {
                EXPECT_EQ (hears (ours, theirs), expected) << ours << theirs;
            }
    const keys others;
    socket pull = open (ZMQ_PULL);
    be_server (pull, ZMQ_CURVE);
    zmq_monitor at_pull (own, pull, 1, ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL);
    socket push = open (ZMQ_PUSH);
    push.set (ZMQ_RECONNECT_IVL, -1);
    be_client (push, ZMQ_CURVE);
    set_text (push, ZMQ_CURVE_SERVERKEY, others.open.data ());
    push.connect (pull.bind (place ()));
    EXPECT_EQ (at_pull.next ().value, ZMQ_PROTOCOL_ERROR_ZMTP_CRYPTOGRAPHIC);
}

// What waits for a session is sealed by the one that comes.
TEST_F (secured, a_server_that_comes_back_gets_what_waited)
{
    const std::string where = place ();
    client.emplace (open (ZMQ_PUSH));
    client->set (ZMQ_RECONNECT_IVL, 1);
    be_client (*client, ZMQ_CURVE);
    client->connect (where);
    for (int round = 0; round < 3; ++round) {
        ASSERT_TRUE (client->send ("first of " + std::to_string (round)));
        ASSERT_TRUE (client->send (pattern (100'000, 7)));
        server.emplace (open (ZMQ_PULL));
        be_server (*server, ZMQ_CURVE);
        server->bind (where);
        let_in ();
        EXPECT_EQ (server->receive (), "first of " + std::to_string (round));
        EXPECT_TRUE (server->receive () == pattern (100'000, 7));
        server.reset ();
        ASSERT_TRUE (eventually ([&] { return client->status (where).connected == 0; }));
    }
}

}  // namespace
}  // namespace zlink::test
