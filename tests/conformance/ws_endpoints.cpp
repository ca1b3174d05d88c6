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
    static void set_text (socket &of, int option, const std::string &text)
    {
        ASSERT_EQ (zmq_setsockopt (of, option, text.data (), text.size ()), 0) << text;
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
    const std::string request = head_from (peer);
    EXPECT_TRUE (request.starts_with ("GET /path?x=y HTTP/1.1\r\n")) << request;
    EXPECT_NE (request.find ("Host: " + place.substr (6) + "\r\n"), std::string::npos) << request;
    EXPECT_NE (request.find ("Sec-WebSocket-Protocol: ZWS2.0/NULL, ZWS2.0\r\n"), std::string::npos)
      << request;
}

TEST_F (ws_endpoints, what_a_request_says_besides)
{
    const std::string place = tcp_place ();
    const raw_peer listener = raw_peer::listen_at (place);
    socket push (own, ZMQ_PUSH);
    set_text (push, ZLINK_WS_HOST, "virtual.example");
    set_text (push, ZLINK_WS_ORIGIN, "https://page.example");
    set_text (push, ZLINK_WS_HEADER, "X-Token: secret");
    push.connect ("ws" + place.substr (3));
    // An endpoint keeps what was said when it was made.
    set_text (push, ZLINK_WS_HEADER, "");
    set_text (push, ZLINK_WS_HOST, "");
    const std::string request = head_from (listener.accept ());
    for (const char *line : {"Host: virtual.example", "Origin: https://page.example", "X-Token: secret"})
        EXPECT_NE (request.find (line + std::string ("\r\n")), std::string::npos) << request;
    for (const std::string line : {"Host: x", "no colon", "X: a\r\nY: b"}) {
        EXPECT_EQ (zmq_setsockopt (push, ZLINK_WS_HEADER, line.data (), line.size ()), -1) << line;
        EXPECT_EQ (errno, EINVAL);
    }
}

TEST_F (ws_endpoints, an_answer_says_it_too)
{
    socket pull (own, ZMQ_PULL);
    set_text (pull, ZLINK_WS_HEADER, "X-Served-By: zlink");
    const raw_peer peer = raw_peer::connect_to (tcp_below (pull.bind (web_place ())));
    ASSERT_TRUE (peer.send (web_request ().text ()));
    EXPECT_NE (head_from (peer).find ("X-Served-By: zlink\r\n"), std::string::npos);
}

// A browser says from which page it connects; others say nothing, and come in.
TEST_F (ws_endpoints, pages_from_elsewhere_are_kept_out)
{
    (void)zlink_set_log (zlink_log_discard, nullptr);
    socket pull (own, ZMQ_PULL);
    set_text (pull, ZLINK_WS_ALLOWED_ORIGINS, "https://a.example, http://b.example:8080");
    const std::string where = pull.bind (web_place ());
    for (const auto &[origin, status] :
         {std::pair{"https://a.example", 101}, std::pair{"http://b.example:8080", 101}, std::pair{"", 101},
          std::pair{"https://evil.example", 403}, std::pair{"http://a.example", 403},
          std::pair{"null", 403}}) {
        const raw_peer peer = raw_peer::connect_to (tcp_below (where));
        web_request asks;
        if (*origin != '\0')
            asks.more = std::string ("Origin: ") + origin;
        ASSERT_TRUE (peer.send (asks.text ()));
        EXPECT_TRUE (head_from (peer).starts_with ("HTTP/1.1 " + std::to_string (status))) << origin;
    }
    socket push (own, ZMQ_PUSH);
    push.connect (where);
    ASSERT_NO_FATAL_FAILURE (talk (push, pull));
    socket page (own, ZMQ_PUSH);
    set_text (page, ZLINK_WS_ORIGIN, "http://b.example:8080");
    page.connect (where);
    ASSERT_NO_FATAL_FAILURE (talk (page, pull));
}

// As nginx asks on behalf of others: another Host, more headers, "upgrade" in small
// letters, and a path that begins with the location that it serves, or without it.
TEST_F (ws_endpoints, a_proxy_in_front_is_one_who_asks)
{
    socket bound_to_path (own, ZMQ_PULL);
    socket bound_to_any (own, ZMQ_PULL);
    const std::string base = web_place ();
    const std::string with_path = bound_to_path.bind (base + "/mq");
    const std::string any = bound_to_any.bind (web_place ());
    for (const auto &[to, where, path] : {std::tuple{&bound_to_path, with_path, "/mq?token=1"},
                                          std::tuple{&bound_to_any, any, "/mq/behind/a/proxy"}}) {
        const raw_peer peer = raw_peer::connect_to (tcp_below (where));
        web_request asks;
        asks.first = std::string ("GET ") + path + " HTTP/1.1";
        asks.host = "Host: upstream";
        asks.connection = "Connection: upgrade";
        asks.more = "X-Real-IP: 192.0.2.1\r\nX-Forwarded-For: 198.51.100.7, 192.0.2.1\r\n"
                    "X-Forwarded-Proto: https\r\nAccept-Encoding: gzip, deflate\r\n"
                    "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits";
        ASSERT_TRUE (peer.send (asks.text () + zws_ready ("PUSH") + zws_frame (0, "hello")));
        const std::string head = head_from (peer);
        EXPECT_TRUE (head.starts_with ("HTTP/1.1 101 ")) << head;
        EXPECT_EQ (head.find ("Sec-WebSocket-Extensions"), std::string::npos) << "declined";
        EXPECT_EQ (to->receive (), "hello");
    }
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
