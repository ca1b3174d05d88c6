// Events that only streams have: attempts that fail, handshakes that break.
#include "conformance/transport.hpp"
#include "support/events.hpp"
#include "support/raw_peer.hpp"

namespace zlink::test {
namespace {

struct stream_telling : conformance
{
    [[nodiscard]] socket open_quick (int type)
    {
        socket made = open (type);
        made.set (ZMQ_RECONNECT_IVL, 5);
        return made;
    }
    [[nodiscard]] static bool is_tcp () { return std::string (under_test ().name) == "tcp"; }
};

TEST_F (stream_telling, attempts_that_fail_and_the_one_that_does_not)
{
    const std::string where = place ();
    socket push = open_quick (ZMQ_PUSH);
    zmq_monitor at_push (own, push);
    push.connect (where);
    for (int i = 0; i < 3; ++i) {
        if (is_tcp ()) {
            const monitor_event started = at_push.next ();
            EXPECT_EQ (event_name (started.event), "connect delayed");
            EXPECT_EQ (started.value, unsigned{EINPROGRESS});
            EXPECT_EQ (started.local, where);
        }
        EXPECT_EQ (at_push.next_name (), "closed");
        const monitor_event again = at_push.next ();
        EXPECT_EQ (event_name (again.event), "connect retried");
        EXPECT_GE (again.value, 5u);
        EXPECT_EQ (again.local, where);
    }
    socket pull = open (ZMQ_PULL);
    pull.bind (where);
    std::string name;
    do
        name = at_push.next_name ();
    while (name == "connect delayed" || name == "closed" || name == "connect retried");
    EXPECT_EQ (name, "connected");
    EXPECT_EQ (at_push.next_name (), "ready");
}

TEST_F (stream_telling, a_lost_connection_is_dialled_again)
{
    const std::string where = place ();
    std::optional<socket> pull (open (ZMQ_PULL));
    pull->bind (where);
    socket push = open_quick (ZMQ_PUSH);
    push.connect (where);
    ASSERT_TRUE (push.has_peers ());
    zmq_monitor at_push (own, push, 2);
    pull.reset ();
    const monitor_event lost = at_push.next ();
    EXPECT_EQ (event_name (lost.event), "disconnected");
    EXPECT_EQ (lost.remote, where);
    const monitor_event again = at_push.next ();
    EXPECT_EQ (event_name (again.event), "connect retried");
    EXPECT_EQ (again.remote, where);
    EXPECT_EQ (again.local, "");
}

TEST_F (stream_telling, both_addresses_are_told)
{
    socket pull = open (ZMQ_PULL);
    events at_pull (pull, ZLINK_EVENT_CONNECTION_READY);
    zmq_monitor monitored (own, pull, 2, ZMQ_EVENT_ACCEPTED);
    const std::string where = pull.bind (place ());
    socket push = open (ZMQ_PUSH);
    events at_push (push, ZLINK_EVENT_CONNECTION_READY);
    push.connect (where);
    const zlink_event_t here = at_pull.next ();
    const zlink_event_t there = at_push.next ();
    EXPECT_EQ (std::string (here.local_addr), where);
    EXPECT_EQ (std::string (there.remote_addr), where);
    if (is_tcp ()) {
        EXPECT_EQ (std::string (here.remote_addr), there.local_addr);
        EXPECT_NE (std::string (here.remote_addr), "");
    }
    const monitor_event accepted = monitored.next ();
    EXPECT_EQ (event_name (accepted.event), "accepted");
    EXPECT_EQ (accepted.local, where);
    EXPECT_EQ (accepted.remote, here.remote_addr);
}

TEST_F (stream_telling, unbinding_is_told_when_the_place_is_free)
{
    socket pull = open (ZMQ_PULL);
    events at_pull (pull, ZLINK_EVENT_LISTENING | ZLINK_EVENT_CLOSED);
    const std::string where = place ();
    for (int i = 0; i < 20; ++i) {
        pull.bind (where);
        EXPECT_EQ (at_pull.next_name (), "listening");
        pull.unbind (where);
        EXPECT_EQ (at_pull.next_name (), "closed");
        socket successor = open (ZMQ_PULL);
        ASSERT_EQ (successor.bind (where), where);
    }
}

TEST_F (stream_telling, a_bind_that_fails_is_told)
{
    socket first = open (ZMQ_PULL);
    const std::string where = first.bind (place ());
    socket second = open (ZMQ_PULL);
    zmq_monitor at_second (own, second);
    EXPECT_EQ (zmq_bind (second, where.c_str ()), -1);
    EXPECT_EQ (errno, EADDRINUSE);
    const monitor_event failed = at_second.next ();
    EXPECT_EQ (event_name (failed.event), "bind failed");
    EXPECT_EQ (failed.value, unsigned{EADDRINUSE});
    EXPECT_EQ (failed.local, where);
}

TEST_F (stream_telling, handshakes_that_break_have_the_protocols_codes)
{
    struct bad
    {
        const char *name;
        std::string octets;
        const char *event;
        std::uint64_t value;
    };
    const std::string greeted = zmtp_greeting ();
    const std::vector<bad> table = {
      {"another protocol", "GET / HTTP/1.1\r\nHost: example.org\r\n\r\n", "handshake failed: protocol",
       ZMQ_PROTOCOL_ERROR_ZMTP_UNSPECIFIED},
      {"another mechanism", zmtp_greeting (3, 1, "CURVE"), "handshake failed: protocol",
       ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH},
      {"another command", greeted + zmtp_frame (4, "\5HELLO"), "handshake failed: protocol",
       ZMQ_PROTOCOL_ERROR_ZMTP_UNEXPECTED_COMMAND},
      {"a message", greeted + zmtp_frame (0, "hello"), "handshake failed: protocol",
       ZMQ_PROTOCOL_ERROR_ZMTP_UNEXPECTED_COMMAND},
      {"a command without a name", greeted + zmtp_frame (4, ""), "handshake failed: protocol",
       ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_UNSPECIFIED},
      {"a type that does not fit", greeted + zmtp_ready ("PUB"), "handshake failed: protocol",
       ZMQ_PROTOCOL_ERROR_ZMTP_INVALID_METADATA},
      {"no type", greeted + zmtp_frame (4, "\5READY"), "handshake failed: protocol",
       ZMQ_PROTOCOL_ERROR_ZMTP_INVALID_METADATA},
      {"silence and leaving", greeted, "handshake failed", EPIPE},
    };
    socket pull = open (ZMQ_PULL);
    const std::string where = pull.bind (place ());
    zmq_monitor at_pull (own, pull);
    events typed (pull, ZLINK_EVENT_DISCONNECTED);
    for (const bad &each : table) {
        SCOPED_TRACE (each.name);
        raw_peer peer = raw_peer::connect_to (where);
        peer.send (each.octets);
        peer.end_output ();
        EXPECT_TRUE (peer.sees_end ());
        EXPECT_EQ (at_pull.next_name (), "accepted");
        const monitor_event why = at_pull.next ();
        EXPECT_EQ (event_name (why.event), each.event);
        EXPECT_EQ (why.value, each.value);
        EXPECT_EQ (at_pull.next_name (), "disconnected");
        const zlink_event_t lost = typed.next ();
        EXPECT_EQ (lost.value, unsigned{ZLINK_DISCONNECT_HANDSHAKE_FAILED});
        EXPECT_EQ (std::string (lost.reason_text), pull.status (where).reason_text);
    }
}

TEST_F (stream_telling, a_silent_peer_has_timed_out)
{
    socket pull = open (ZMQ_PULL);
    pull.set (ZMQ_HANDSHAKE_IVL, 50);
    const std::string where = pull.bind (place ());
    zmq_monitor at_pull (own, pull);
    const raw_peer silent = raw_peer::connect_to (where);
    EXPECT_EQ (at_pull.next_name (), "accepted");
    const monitor_event why = at_pull.next ();
    EXPECT_EQ (event_name (why.event), "handshake failed");
    EXPECT_EQ (why.value, unsigned{ETIMEDOUT});
    EXPECT_EQ (at_pull.next_name (), "disconnected");
}

TEST_F (stream_telling, zlinks_monitor_tells_reasons_and_routing_ids)
{
    socket pull = open (ZMQ_PULL);
    const std::string where = pull.bind (place ());
    void *const monitor = zlink_socket_monitor_open (pull, ZLINK_EVENT_ALL);
    ASSERT_NE (monitor, nullptr);
    raw_peer peer = raw_peer::connect_to (where);
    ASSERT_TRUE (peer.send (zmtp_greeting () + zmtp_ready ("PUSH", zmtp_property ("Identity", "me"))));
    zlink_monitor_event_t said;
    ASSERT_EQ (zlink_monitor_recv (monitor, &said, 0), 0);
    EXPECT_EQ (event_name (said.event), "accepted");
    EXPECT_EQ (said.routing_id.size, 0);
    ASSERT_EQ (zlink_monitor_recv (monitor, &said, 0), 0);
    EXPECT_EQ (event_name (said.event), "ready");
    EXPECT_EQ (std::string (reinterpret_cast<char *> (said.routing_id.data), said.routing_id.size), "me");
    EXPECT_EQ (std::string (said.local_addr), where);
    zlink_routing_id_t id{2, {'m', 'e'}};
    zlink_peer_info_t info;
    EXPECT_EQ (zlink_socket_peer_info (pull, &id, &info), 0);
    EXPECT_EQ (std::string (info.remote_addr), said.remote_addr);
    id = {};
    EXPECT_EQ (zlink_socket_peer_routing_id (pull, 0, &id), 0);
    EXPECT_EQ (id.size, 2);
    peer.end_output ();
    ASSERT_EQ (zlink_monitor_recv (monitor, &said, 0), 0);
    EXPECT_EQ (event_name (said.event), "disconnected");
    EXPECT_EQ (said.value, unsigned{ZLINK_DISCONNECT_REMOTE});
    ASSERT_EQ (zlink_socket_monitor (pull, nullptr, 0), 0);
    ASSERT_EQ (zlink_monitor_recv (monitor, &said, 0), 0);
    EXPECT_EQ (event_name (said.event), "stopped");
    EXPECT_EQ (zlink_monitor_recv (monitor, &said, ZLINK_DONTWAIT), -1);
    EXPECT_EQ (errno, EAGAIN);
    EXPECT_EQ (zlink_close (monitor), 0);
}

// As libzmq's: where there is no handshake nothing tells that it succeeded.
TEST_F (stream_telling, a_monitor_tells_no_handshake_of_raw_bytes)
{
    socket stream = open (ZMQ_STREAM);
    zmq_monitor monitored (own, stream);
    events told (stream, ZLINK_EVENT_CONNECTION_READY);
    const std::string where = stream.bind (place ());
    EXPECT_EQ (monitored.next_name (), "listening");
    for (int i = 0; i < 2; ++i) {
        raw_peer peer = raw_peer::connect_to (where);
        EXPECT_EQ (told.next_name (), "ready");
        peer.close ();
        while (stream.receive_message ().size () == 2
               && stream.statistics ().connections_lost <= unsigned (i))
            ;
        EXPECT_EQ (monitored.next_name (), "accepted");
        EXPECT_EQ (monitored.next_name (), "disconnected");
    }
}

// A monitor of version 2 may be a PUSH, too, and says what waits in the pipes.
TEST_F (stream_telling, a_push_monitor_tells_what_waits)
{
    socket pull = open (ZMQ_PULL);
    socket reader = open (ZMQ_PULL);
    ASSERT_EQ (zmq_socket_monitor_versioned (pull, "inproc://pipes", ZMQ_EVENT_PIPES_STATS, 2, ZMQ_PUSH), 0);
    reader.connect ("inproc://pipes");
    EXPECT_EQ (zmq_socket_monitor_pipes_stats (pull), -1);
    EXPECT_EQ (errno, EAGAIN);
    const std::string where = pull.bind (place ());
    socket push = open (ZMQ_PUSH);
    push.connect (where);
    ASSERT_TRUE (pull.has_peers ());
    ASSERT_EQ (zmq_socket_monitor_pipes_stats (pull), 0);
    const std::vector<std::string> parts = reader.receive_message ();
    ASSERT_EQ (parts.size (), 6u);
    EXPECT_EQ (parts[0], std::string ("\0\0\1\0\0\0\0\0", 8));
    EXPECT_EQ (parts[1], std::string ("\2\0\0\0\0\0\0\0", 8));
    EXPECT_EQ (parts[2], std::string (8, '\0'));
    EXPECT_EQ (parts[3], std::string (8, '\0'));
    EXPECT_EQ (parts[4], where);
}

}  // namespace
}  // namespace zlink::test
