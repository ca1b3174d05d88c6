// STREAM over what is put around tcp: tls, ws and wss, at both ends. What a STREAM is
// over tcp alone is streams.cpp's.
#include <ostream>

#include "conformance/stream_reader.hpp"
#include "support/events.hpp"
#include "support/papers.hpp"
#include "support/web_words.hpp"

namespace zlink::test {
namespace {

using parts = std::vector<std::string>;

struct wrapped_streams : testing::TestWithParam<const char *>, stream_reader
{
    context own;
    context zlinks{zlink_ctx_new ()};

    [[nodiscard]] socket open (bool in_packets = false)
    {
        static const papers ours ("127.0.0.1");
        socket made (in_packets ? zlinks : own, ZMQ_STREAM);
        ours.hand_to (made);
        return made;
    }
    [[nodiscard]] static std::string place () { return std::string (GetParam ()) + "://127.0.0.1:*"; }

    // Two that know each other, and the names they have for each other.
    struct pair
    {
        socket server;
        socket client;
        std::string where;
        std::string guest;
        std::string host;
    };
    [[nodiscard]] pair meet (bool in_packets = false, int buffer = -1)
    {
        pair made{open (in_packets), open (in_packets), "", "", ""};
        if (buffer > 0) {
            made.server.set (ZMQ_SNDBUF, buffer);
            made.client.set (ZMQ_RCVBUF, buffer);
        }
        made.where = made.server.bind (place ());
        made.client.connect (made.where);
        made.guest = next_comer (made.server);
        made.host = next_comer (made.client);
        return made;
    }
};

TEST_P (wrapped_streams, carry_bytes_both_ways)
{
    pair two = meet ();
    std::string sent;
    for (unsigned i = 0; i < 100; ++i) {
        const std::string piece = pattern (1 + i * 113, i);
        sent += piece;
        ASSERT_TRUE (two.client.send (parts{two.host, piece}));
        ASSERT_TRUE (two.server.send (parts{two.guest, piece}));
    }
    EXPECT_TRUE (read (two.server, two.guest, sent.size ()) == sent);
    EXPECT_TRUE (read (two.client, two.host, sent.size ()) == sent);
    // More at once than anybody's buffer.
    const std::string large = pattern (3'000'000);
    worker sender ([&] { EXPECT_TRUE (two.client.send (parts{two.host, large})); });
    EXPECT_TRUE (read (two.server, two.guest, large.size ()) == large);
}

TEST_P (wrapped_streams, carry_packets_both_ways)
{
    pair two = meet (true);
    for (const std::size_t size : {std::size_t{2}, std::size_t{125}, std::size_t{70'000}}) {
        ASSERT_TRUE (two.client.send (parts{two.host, pattern (size)}));
        news got = next (two.server);
        EXPECT_EQ (got.event, data);
        EXPECT_TRUE (got.body == pattern (size)) << size;
        ASSERT_TRUE (two.server.send (parts{two.guest, pattern (size)}));
        got = next (two.client);
        EXPECT_TRUE (got.body == pattern (size)) << size;
    }
}

// Behind all that it was sent; the others stay.
TEST_P (wrapped_streams, end_one_peer_and_no_other)
{
    pair two = meet ();
    socket other = open ();
    other.connect (two.where);
    const std::string other_guest = next_comer (two.server);
    const std::string other_host = next_comer (other);
    events told (two.client, ZLINK_EVENT_DISCONNECTED);
    const std::string sent = pattern (200'000);
    ASSERT_TRUE (two.server.send (parts{two.guest, sent}));
    ASSERT_TRUE (two.server.send (parts{two.guest, ""}));
    EXPECT_TRUE (read (two.client, two.host, sent.size ()) == sent);
    EXPECT_EQ (next (two.client).event, gone);
    EXPECT_STREQ (told.next ().reason_text, "peer-closed");
    ASSERT_TRUE (two.server.send (parts{other_guest, "still here"}));
    EXPECT_EQ (read (other, other_host, 10), "still here");
    // The other end may do it as well.
    ASSERT_TRUE (other.send (parts{other_host, "bye"}));
    ASSERT_TRUE (other.send (parts{other_host, ""}));
    // (who was ended dials again, which is news, too)
    std::string said;
    for (news got = next (two.server); got.event != gone; got = next (two.server))
        if (got.event == data)
            said += got.body;
    EXPECT_EQ (said, "bye");
}

TEST_P (wrapped_streams, wait_for_the_peer_that_is_full_and_for_no_other)
{
    pair two = meet (false, 8192);
    socket quick = open ();
    quick.connect (two.where);
    const std::string second = next_comer (two.server);
    const std::string host = next_comer (quick);
    std::size_t sent = 0;
    unsigned pieces = 0;
    bool full = false;
    for (; !full && pieces < 100'000; ++pieces) {
        full = zmq_send (two.server, two.guest.data (), two.guest.size (), ZMQ_SNDMORE | ZMQ_DONTWAIT) < 0;
        if (full) {
            EXPECT_EQ (errno, EAGAIN);
            break;
        }
        sent += 10'000;
        ASSERT_TRUE (two.server.send (pattern (10'000, pieces)));
    }
    ASSERT_TRUE (full) << sent;
    ASSERT_TRUE (two.server.send (parts{second, "free"}));
    EXPECT_EQ (read (quick, host, 4), "free");
    worker sender ([&] { EXPECT_TRUE (two.server.send (parts{two.guest, "more"})); });
    std::string got = read (two.client, two.host, sent + 4);
    EXPECT_EQ (got.size (), sent + 4);
    EXPECT_TRUE (got.ends_with ("more"));
    for (unsigned i = 0; i < pieces; ++i)
        ASSERT_TRUE (got.compare (i * 10'000, 10'000, pattern (10'000, i)) == 0) << i;
}

TEST_P (wrapped_streams, know_whose_certificate_it_was)
{
    pair two = meet ();
    ASSERT_TRUE (two.server.send (parts{two.guest, "hello"}));
    part name;
    part body;
    ASSERT_GE (zmq_msg_recv (name.raw (), two.client, 0), 0);
    ASSERT_GE (zmq_msg_recv (body.raw (), two.client, 0), 0);
    EXPECT_EQ (body.text (), "hello");
    const char *const subject = zmq_msg_gets (body.raw (), "TLS-Subject");
    const bool sealed = std::string_view (GetParam ()) != "ws";
    EXPECT_EQ (subject == nullptr ? "" : std::string (subject), sealed ? "CN=host,O=Example" : "");
}

INSTANTIATE_TEST_SUITE_P (over, wrapped_streams, testing::Values ("tls", "ws", "wss"), [] (const auto &each) {
    return std::string (each.param);
});

// --- what the upgrade means: no sub-protocol, and octets whose messages mean nothing

struct web_streams : testing::Test, stream_reader
{
    context own;
};

TEST_F (web_streams, have_no_sub_protocol_and_carry_octets)
{
    for (const std::string offered : {"", "Sec-WebSocket-Protocol: chat, ZWS2.0"}) {
        socket server (own, ZMQ_STREAM);
        const raw_peer peer = raw_peer::connect_to (tcp_below (server.bind ("ws://127.0.0.1:*")));
        web_request asks;
        asks.protocol = offered;
        ASSERT_TRUE (peer.send (asks.text ()));
        const std::string head = head_from (peer);
        EXPECT_TRUE (head.starts_with ("HTTP/1.1 101 ")) << head;
        EXPECT_EQ (head.find ("Sec-WebSocket-Protocol"), std::string::npos) << head;
        const std::string name = next_comer (server);
        // Whole, empty, in fragments with a question between.
        ASSERT_TRUE (peer.send (web_frame (0x82, "one ") + web_frame (0x82, "") + web_frame (0x02, "two ")
                                + web_frame (0x89, "?") + web_frame (0x80, "three")));
        EXPECT_EQ (read (server, name, 13), "one two three");
        EXPECT_EQ (peer.read_exactly (3), web_frame (0x8A, "?", false));
        ASSERT_TRUE (server.send (parts{name, "answer"}));
        EXPECT_EQ (peer.read_exactly (8), web_frame (0x82, "answer", false));
        ASSERT_TRUE (server.send (parts{name, ""}));
        EXPECT_EQ (peer.read_to_end ().substr (0, 1), octet (0x88)) << "a close says goodbye";
    }
}

TEST_F (web_streams, take_no_text)
{
    socket server (own, ZMQ_STREAM);
    const raw_peer peer = raw_peer::connect_to (tcp_below (server.bind ("ws://127.0.0.1:*")));
    web_request asks;
    asks.protocol = "";
    ASSERT_TRUE (peer.send (asks.text () + web_frame (0x81, "text")));
    (void)head_from (peer);
    (void)next_comer (server);
    EXPECT_EQ (next (server).event, gone);
    const std::string heard = peer.read_to_end ();
    EXPECT_EQ (heard.substr (0, 1), octet (0x88));
    EXPECT_EQ (heard.substr (2, 2), big_endian (1003, 2));
}

// A program of HTTP that asks for a page reads why there is none, and is no peer.
TEST_F (web_streams, tell_who_asks_for_a_page_what_is_spoken)
{
    (void)zlink_set_log (zlink_log_discard, nullptr);
    socket server (own, ZMQ_STREAM);
    const std::string where = server.bind ("ws://127.0.0.1:*");
    const raw_peer peer = raw_peer::connect_to (tcp_below (where));
    ASSERT_TRUE (peer.send ("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
    const std::string answer = peer.read_to_end ();
    EXPECT_TRUE (answer.starts_with ("HTTP/1.1 426 ")) << answer;
    EXPECT_NE (answer.find ("Upgrade: websocket\r\n"), std::string::npos) << answer;
    socket client (own, ZMQ_STREAM);
    client.connect (where);
    EXPECT_EQ (next (server).event, came) << "the first that is told of";
}

}  // namespace
}  // namespace zlink::test
