// Endpoints that only ws has: paths, and what is told of an upgrade that comes to
// nothing.
#include "support/events.hpp"
#include "support/places.hpp"
#include "support/sockets.hpp"
#include "support/web_words.hpp"

namespace zlink::test {
namespace {

std::string web_place (const std::string &path = "") { return "ws" + tcp_place ().substr (3) + path; }

struct ws_endpoints : testing::Test
{
    context own;

    void talk (socket &push, socket &pull)
    {
        ASSERT_TRUE (push.send ("hello"));
        EXPECT_EQ (pull.receive (), "hello");
    }
    // A PUSH that dials there does not come in.
    void refused (const std::string &where, const std::string &reason, int number)
    {
        socket push (own, ZMQ_PUSH);
        push.set (ZMQ_RECONNECT_IVL, -1);
        events told (push, ZLINK_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZLINK_EVENT_HANDSHAKE_FAILED_PROTOCOL);
        push.connect (where);
        const zlink_event_t failed = told.next ();
        EXPECT_EQ (failed.reason_text, reason);
        EXPECT_EQ (failed.os_error, number);
        EXPECT_EQ (push.status (where).reason_text, reason);
    }
};

TEST_F (ws_endpoints, zmq_and_zlink_know_the_transport)
{
    EXPECT_EQ (zmq_has ("ws"), 1);
    EXPECT_EQ (zlink_has ("ws"), 1);
}

TEST_F (ws_endpoints, the_path_is_shown_and_can_be_connected_to)
{
    for (const std::string path : {"", "/", "/a/b.c;d"}) {
        socket pull (own, ZMQ_PULL);
        socket push (own, ZMQ_PUSH);
        const std::string where = pull.bind ("ws://127.0.0.1:*" + path);
        EXPECT_TRUE (where.starts_with ("ws://127.0.0.1:") && where.ends_with (path)) << where;
        push.connect (where);
        ASSERT_NO_FATAL_FAILURE (talk (push, pull));
        push.disconnect (where);
        pull.unbind (where);
    }
}

TEST_F (ws_endpoints, who_names_no_path_answers_for_all)
{
    socket pull (own, ZMQ_PULL);
    const std::string where = pull.bind (web_place ());
    for (const std::string path : {"", "/", "/any?query=1"}) {
        socket push (own, ZMQ_PUSH);
        push.connect (where + path);
        talk (push, pull);
    }
}

TEST_F (ws_endpoints, who_names_a_path_answers_for_that_alone)
{
    (void)zlink_set_log (zlink_log_discard, nullptr);
    socket pull (own, ZMQ_PULL);
    const std::string base = web_place ();
    const std::string where = pull.bind (base + "/here");
    events told (pull, ZLINK_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZLINK_EVENT_HANDSHAKE_FAILED_PROTOCOL);
    for (const std::string path : {"", "/", "/here/", "/Here", "/other"}) {
        refused (base + path, "upgrade-refused", 404);
        const zlink_event_t seen = told.next ();
        EXPECT_STREQ (seen.reason_text, "upgrade-refused");
        EXPECT_EQ (seen.os_error, 404);
    }
    for (const std::string path : {"/here", "/here?token=x"}) {
        socket push (own, ZMQ_PUSH);
        push.connect (base + path);
        talk (push, pull);
    }
}

TEST_F (ws_endpoints, what_is_no_endpoint_is_refused)
{
    socket pull (own, ZMQ_PULL);
    for (const char *bad :
         {"ws://", "ws://*", "ws://*:x", "ws://*:*/a b", "ws://*:*/a#b", "ws://*:*/a?b", "ws://*:*?b"}) {
        EXPECT_EQ (zmq_bind (pull, bad), -1) << bad;
        EXPECT_EQ (errno, EINVAL) << bad;
    }
    for (const char *bad :
         {"ws://host", "ws://host:0/", "ws://*:80/", "ws://host:80/a b", "ws://host:80/a\r\nX: y"}) {
        EXPECT_EQ (zmq_connect (pull, bad), -1) << bad;
        EXPECT_EQ (errno, EINVAL) << bad;
    }
}

TEST_F (ws_endpoints, what_a_request_says)
{
    const std::string place = tcp_place ();
    const raw_peer listener = raw_peer::listen_at (place);
    socket push (own, ZMQ_PUSH);
    push.connect ("ws" + place.substr (3) + "/path?x=y");
    const raw_peer peer = listener.accept ();
    std::string request;
    while (!request.ends_with ("\r\n\r\n")) {
        const std::string one = peer.read_exactly (1);
        ASSERT_FALSE (one.empty ());
        request += one;
    }
    EXPECT_TRUE (request.starts_with ("GET /path?x=y HTTP/1.1\r\n")) << request;
    EXPECT_NE (request.find ("Host: " + place.substr (6) + "\r\n"), std::string::npos) << request;
    EXPECT_NE (request.find ("Sec-WebSocket-Protocol: ZWS2.0/NULL, ZWS2.0\r\n"), std::string::npos)
      << request;
}

TEST_F (ws_endpoints, answers_that_are_none_are_told_apart)
{
    (void)zlink_set_log (zlink_log_discard, nullptr);
    struct row
    {
        const char *answer;
        const char *reason;
        int number;
    };
    for (const row &each :
         {row{"HTTP/1.1 302 Found\r\nLocation: /x\r\n\r\n", "upgrade-refused", 302},
          row{"HTTP/1.1 400 Bad Request\r\n\r\n", "upgrade-refused", 400},
          row{"HTTP/1.1 426 Upgrade Required\r\n\r\n", "upgrade-refused", 426},
          row{"HTTP/1.1 101 Switching Protocols\r\n\r\n", "upgrade-malformed", 101},
          row{"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
              "Sec-WebSocket-Accept: AAAAAAAAAAAAAAAAAAAAAAAAAAA=\r\n\r\n",
              "upgrade-malformed", 101},
          row{"SSH-2.0-x\r\n", "upgrade-malformed", EPROTO}}) {
        const std::string place = tcp_place ();
        const raw_peer listener = raw_peer::listen_at (place);
        worker server ([&] {
            const raw_peer peer = listener.accept ();
            (void)peer.read_exactly (20);
            (void)peer.send (each.answer);
            (void)peer.sees_end ();
        });
        refused ("ws" + place.substr (3), each.reason, each.number);
        server.join ();
    }
}

TEST_F (ws_endpoints, a_peer_of_tcp_does_not_come_in)
{
    (void)zlink_set_log (zlink_log_discard, nullptr);
    socket pull (own, ZMQ_PULL);
    const std::string where = pull.bind (web_place ());
    events told (pull, ZLINK_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZLINK_EVENT_HANDSHAKE_FAILED_PROTOCOL);
    socket push (own, ZMQ_PUSH);
    push.set (ZMQ_RECONNECT_IVL, -1);
    push.connect (tcp_below (where));
    EXPECT_STREQ (told.next ().reason_text, "upgrade-malformed");
}

// jszmq and old browsers: a routing id first, then messages.
TEST_F (ws_endpoints, a_peer_without_a_mechanism_says_its_name_first)
{
    socket router (own, ZMQ_ROUTER);
    const std::string where = router.bind (web_place ());
    const raw_peer peer = raw_peer::connect_to (tcp_below (where));
    web_request asks;
    asks.protocol = "Sec-WebSocket-Protocol: ZWS2.0";
    ASSERT_TRUE (
      peer.send (asks.text () + zws_frame (0, "me") + zws_frame (1, "") + zws_frame (0, "request")));
    EXPECT_EQ (router.receive_message (), (std::vector<std::string>{"me", "", "request"}));
    ASSERT_TRUE (router.send (std::vector<std::string>{"me", "", "answer"}));
    std::string heard;
    while (!heard.ends_with ("answer")) {
        const std::string one = peer.read_exactly (1);
        ASSERT_FALSE (one.empty ());
        heard += one;
    }
    EXPECT_NE (heard.find ("Sec-WebSocket-Protocol: ZWS2.0\r\n"), std::string::npos);
    const std::string behind = heard.substr (heard.find ("\r\n\r\n") + 4);
    EXPECT_EQ (behind, web_frame (0x82, octet (0), false) + web_frame (0x82, octet (1), false)
                         + web_frame (0x82, octet (0) + "answer", false));
}

// Old-style subscriptions, as messages.
TEST_F (ws_endpoints, a_subscriber_of_the_web_asks_by_messages)
{
    socket pub (own, ZMQ_XPUB);
    const std::string where = pub.bind (web_place ());
    const raw_peer peer = raw_peer::connect_to (tcp_below (where));
    ASSERT_TRUE (peer.send (web_request ().text () + zws_ready ("SUB") + zws_frame (0, octet (1) + "topic")));
    EXPECT_EQ (pub.receive (), octet (1) + "topic");
    ASSERT_TRUE (pub.send ("topic and more"));
    std::string heard;
    while (!heard.ends_with ("topic and more")) {
        const std::string one = peer.read_exactly (1);
        ASSERT_FALSE (one.empty ());
        heard += one;
    }
}

}  // namespace
}  // namespace zlink::test
