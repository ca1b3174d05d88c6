// Over byte streams: what options do to handshakes and to connections that are
// made anew.
#include "conformance/transport.hpp"
#include "support/events.hpp"
#include "support/raw_peer.hpp"

namespace zlink::test {
namespace {

using parts = std::vector<std::string>;

struct stream_options : conformance
{
    static void set_text (socket &of, int option, std::string_view text)
    {
        ASSERT_EQ (zmq_setsockopt (of, option, text.data (), text.size ()), 0) << zmq_strerror (errno);
    }
    // An endpoint where nobody listens now.
    std::string free_place () { return open (ZMQ_PULL).bind (place ()); }
};

TEST_F (stream_options, metadata_is_read_by_the_peer)
{
    socket pull = open (ZMQ_PULL);
    set_text (pull, ZMQ_METADATA, "X-role:sink");
    socket push = open (ZMQ_PUSH);
    set_text (push, ZMQ_METADATA, "X-role:first");
    set_text (push, ZMQ_METADATA, "X-role:source");
    set_text (push, ZMQ_METADATA, "X-note:with: more: colons");
    ASSERT_TRUE (join (pull, push));
    ASSERT_TRUE (push.send ("hello"));
    part got;
    ASSERT_EQ (zmq_msg_recv (got.raw (), pull, 0), 5);
    EXPECT_STREQ (zmq_msg_gets (got.raw (), "X-role"), "source");
    EXPECT_STREQ (zmq_msg_gets (got.raw (), "X-note"), "with: more: colons");
    EXPECT_STREQ (zmq_msg_gets (got.raw (), "Socket-Type"), "PUSH");
    EXPECT_EQ (zmq_msg_gets (got.raw (), "X-other"), nullptr);
}

TEST_F (stream_options, metadata_that_is_malformed_is_refused)
{
    socket push = open (ZMQ_PUSH);
    for (const std::string_view bad :
         {"", "X-", "X-:v", "X-name", "X-name:", "name:value", "x-name:value", ":value"}) {
        EXPECT_EQ (zmq_setsockopt (push, ZMQ_METADATA, bad.data (), bad.size ()), -1) << bad;
        EXPECT_EQ (errno, EINVAL);
    }
    for (const std::string_view bad : {"X-a b:v", "X-\xC3\xA9:v", "X-a/b:v", "X-a\x01:v"}) {
        EXPECT_EQ (zmq_setsockopt (push, ZMQ_METADATA, bad.data (), bad.size ()), -1) << bad;
        EXPECT_EQ (errno, EINVAL);
    }
    const std::string longest = "X-" + std::string (253, 'n') + ":v";
    EXPECT_EQ (zmq_setsockopt (push, ZMQ_METADATA, longest.data (), longest.size ()), 0);
    const std::string longer = "X" + longest;
    EXPECT_EQ (zmq_setsockopt (push, ZMQ_METADATA, longer.data (), longer.size ()), -1);
}

// Whatever is accepted, a peer takes it.
TEST_F (stream_options, metadata_is_refused_where_no_peer_would_take_it)
{
    socket pull = open (ZMQ_PULL);
    socket push = open (ZMQ_PUSH);
    const std::string longest_name (255, 'i');
    set_text (push, ZMQ_ROUTING_ID, longest_name);
    int count = 0;
    const auto add = [&] (const std::string &text) {
        const bool added = zmq_setsockopt (push, ZMQ_METADATA, text.data (), text.size ()) == 0;
        EXPECT_TRUE (added || errno == EINVAL);
        return added;
    };
    while (add ("X-" + std::to_string (count) + ":" + std::string (400, 'v')))
        ASSERT_LT (++count, 1000);
    EXPECT_GT (count, 100);
    EXPECT_FALSE (add ("X-0:" + std::string (64 * 1024, 'v')));
    EXPECT_TRUE (add ("X-0:first"));
    ASSERT_TRUE (join (pull, push));
    ASSERT_TRUE (push.send ("hello"));
    part got;
    ASSERT_EQ (zmq_msg_recv (got.raw (), pull, 0), 5);
    EXPECT_STREQ (zmq_msg_gets (got.raw (), "X-0"), "first");
}

TEST_F (stream_options, batch_sizes_bound_reads_and_writes)
{
    constexpr std::size_t bytes = 16'384;
    constexpr std::size_t count = 4000;
    socket pull = open (ZMQ_PULL);
    socket push = open (ZMQ_PUSH);
    pull.set (ZMQ_IN_BATCH_SIZE, bytes);
    push.set (ZMQ_OUT_BATCH_SIZE, bytes);
    ASSERT_TRUE (join (pull, push));
    worker sender ([&] {
        for (unsigned i = 0; i < count; ++i)
            ASSERT_TRUE (push.send (pattern (1000, i)));
    });
    for (unsigned i = 0; i < count; ++i)
        ASSERT_TRUE (pull.receive () == pattern (1000, i));
    sender.join ();
    EXPECT_GE (pull.statistics ().read_calls, count * 1000 / bytes);
    EXPECT_GE (push.statistics ().write_calls, count * 1000 / bytes / 16);  // a write takes several
}

// Doubled, and with up to a half more by chance.
TEST_F (stream_options, reconnect_ivl_max_is_where_pauses_end_to_grow)
{
    const std::string where = free_place ();
    socket push = open (ZMQ_PUSH);
    push.set (ZMQ_RECONNECT_IVL, 1);
    push.set (ZMQ_RECONNECT_IVL_MAX, 8);
    zmq_monitor monitor (own, push, 1, ZMQ_EVENT_CONNECT_RETRIED);
    push.connect (where);
    std::uint64_t last = 0;
    for (int i = 0; i < 20; ++i) {
        const monitor_event said = monitor.next ();
        ASSERT_EQ (said.event, std::uint64_t{ZMQ_EVENT_CONNECT_RETRIED});
        ASSERT_LE (said.value, 12u);
        last = said.value;
    }
    EXPECT_GE (last, 8u);
}

TEST_F (stream_options, hiccup_msg_tells_that_a_connection_is_made_anew)
{
    const std::string where = free_place ();
    const raw_peer listener = raw_peer::listen_at (where);
    socket dealer = open (ZMQ_DEALER);
    dealer.set (ZMQ_RECONNECT_IVL, 1);
    set_text (dealer, ZMQ_HICCUP_MSG, "hiccup");
    dealer.connect (where);
    for (int i = 0; i < 3; ++i) {
        raw_peer peer = listener.accept ();
        ASSERT_TRUE (peer.shake_hands ("ROUTER"));
        ASSERT_TRUE (peer.send (zmtp_frame (0, std::to_string (i))));
        EXPECT_EQ (dealer.receive (), std::to_string (i));
        peer.close ();
        EXPECT_EQ (dealer.receive (), "hiccup");
    }
    dealer.disconnect (where);
    EXPECT_FALSE (dealer.receive (ZMQ_DONTWAIT));
}

TEST_F (stream_options, hiccup_msg_tells_nothing_where_nothing_is_made_anew)
{
    const std::string where = free_place ();
    const raw_peer listener = raw_peer::listen_at (where);
    socket dealer = open (ZMQ_DEALER);
    dealer.set (ZMQ_RECONNECT_IVL, -1);
    set_text (dealer, ZMQ_HICCUP_MSG, "hiccup");
    dealer.connect (where);
    raw_peer peer = listener.accept ();
    ASSERT_TRUE (peer.shake_hands ("ROUTER"));
    ASSERT_TRUE (peer.send (zmtp_frame (0, "last")));
    EXPECT_EQ (dealer.receive (), "last");
    peer.close ();
    dealer.set (ZMQ_RCVTIMEO, 1);
    ASSERT_TRUE (eventually ([&] {
        EXPECT_FALSE (dealer.receive ());
        return dealer.statistics ().connections_lost == 1;
    }));
    EXPECT_FALSE (dealer.receive (ZMQ_DONTWAIT));
}

TEST_F (stream_options, hello_msg_comes_again_with_each_connection)
{
    const std::string where = free_place ();
    const raw_peer listener = raw_peer::listen_at (where);
    socket dealer = open (ZMQ_DEALER);
    dealer.set (ZMQ_RECONNECT_IVL, 1);
    set_text (dealer, ZMQ_HELLO_MSG, "hello");
    dealer.connect (where);
    for (int i = 0; i < 3; ++i) {
        const raw_peer peer = listener.accept ();
        ASSERT_TRUE (peer.shake_hands ("ROUTER"));
        EXPECT_EQ (peer.read_frame (), "hello");
    }
}

TEST_F (stream_options, reconnect_stop_ends_with_a_refusal)
{
    socket push = open (ZMQ_PUSH);
    push.set (ZMQ_RECONNECT_IVL, 1);
    push.set (ZMQ_RECONNECT_STOP, ZMQ_RECONNECT_STOP_CONN_REFUSED);
    EXPECT_EQ (push.get (ZMQ_RECONNECT_STOP), ZMQ_RECONNECT_STOP_CONN_REFUSED);
    const std::string where = free_place ();
    push.connect (where);
    ASSERT_TRUE (eventually ([&] { return push.status (where).last_reason != 0; }));
    // One that goes on is tried many times meanwhile.
    socket other_push = open (ZMQ_PUSH);
    other_push.set (ZMQ_RECONNECT_IVL, 1);
    other_push.connect (where);
    ASSERT_TRUE (eventually ([&] { return other_push.status (where).attempts > 20; }));
    EXPECT_EQ (push.status (where).attempts, 1u);
    // It may be dialled again by the application.
    push.disconnect (where);
    socket pull = open (ZMQ_PULL);
    pull.bind (where);
    push.connect (where);
    EXPECT_TRUE (push.has_peers ());
}

TEST_F (stream_options, reconnect_stop_ends_with_a_failed_handshake)
{
    const std::string where = free_place ();
    const raw_peer listener = raw_peer::listen_at (where);
    socket push = open (ZMQ_PUSH);
    push.set (ZMQ_RECONNECT_IVL, 1);
    push.set (ZMQ_RECONNECT_STOP, ZMQ_RECONNECT_STOP_HANDSHAKE_FAILED);
    push.connect (where);
    const raw_peer bad = listener.accept ();
    ASSERT_TRUE (bad.send (zmtp_greeting (3, 1, "NONSENSE")));
    EXPECT_TRUE (bad.sees_end ());
    socket other_push = open (ZMQ_PUSH);
    other_push.set (ZMQ_RECONNECT_IVL, 1);
    other_push.connect (where);
    for (int i = 0; i < 10; ++i) {
        const raw_peer again = listener.accept ();
        ASSERT_TRUE (again.send (zmtp_greeting (3, 1, "NONSENSE")));
        EXPECT_TRUE (again.sees_end ());
    }
    ASSERT_TRUE (eventually ([&] { return other_push.status (where).attempts > 10; }));
    EXPECT_EQ (push.status (where).attempts, 1u);
}

// What waits for an endpoint that is given up is counted, and nobody waits for
// it, neither the sender nor the end of the context.
TEST_F (stream_options, an_endpoint_that_is_given_up_holds_nobody_back)
{
    struct way
    {
        const char *name;
        int option;
        int value;
    };
    for (const way &each : {way{"refused", ZMQ_RECONNECT_STOP, ZMQ_RECONNECT_STOP_CONN_REFUSED},
                            way{"never again", ZMQ_RECONNECT_IVL, -1}}) {
        SCOPED_TRACE (each.name);
        context ending (under_test ().zmq_context ());
        const std::string where = free_place ();
        socket push (ending, ZMQ_PUSH);
        push.set (ZMQ_LINGER, -1);
        push.set (ZMQ_RECONNECT_IVL, 1);
        push.set (each.option, each.value);
        push.connect (where);
        for (int i = 0; i < 10; ++i)
            if (!push.send ("nobody will read this", ZMQ_DONTWAIT)) {
                EXPECT_EQ (errno, EAGAIN);
            }
        const std::uint64_t accepted = push.statistics ().messages_sent;
        ASSERT_TRUE (eventually ([&] { return push.status (where).last_reason != 0; }));
        EXPECT_TRUE (eventually ([&] { return push.statistics ().dropped == accepted; }));
        EXPECT_EQ (zmq_send (push, "x", 1, ZMQ_DONTWAIT), -1);  // there is no peer any more
        EXPECT_EQ (errno, EAGAIN);
        EXPECT_EQ (push.status (where).attempts, 1U);
        push.close ();
        EXPECT_EQ (ending.term (), 0);
    }
}

// The same when the socket is closed before the attempt has failed.
TEST_F (stream_options, a_closing_socket_waits_for_no_endpoint_that_is_given_up)
{
    const std::string where = free_place ();
    raw_peer listener = raw_peer::listen_at (where);
    for (const auto &[option, value] : {std::pair (ZMQ_RECONNECT_STOP, ZMQ_RECONNECT_STOP_HANDSHAKE_FAILED),
                                        std::pair (ZMQ_RECONNECT_IVL, -1)}) {
        context ending (under_test ().zmq_context ());
        socket push (ending, ZMQ_PUSH);
        push.set (ZMQ_LINGER, -1);
        push.set (ZMQ_RECONNECT_IVL, 1);
        push.set (option, value);
        push.connect (where);
        ASSERT_TRUE (push.send ("nobody will read this"));
        const raw_peer bad = listener.accept ();
        push.close ();
        ASSERT_TRUE (bad.send (zmtp_greeting (3, 1, "NONSENSE")));
        EXPECT_TRUE (bad.sees_end ());
        EXPECT_EQ (ending.term (), 0);
    }
}

// connect() is a new beginning, without disconnect() before it.
TEST_F (stream_options, an_endpoint_that_is_given_up_may_be_connected_again)
{
    for (const bool own_header : {false, true}) {
        const std::string where = free_place ();
        socket push = own_header ? open_zlink (ZMQ_PUSH) : open (ZMQ_PUSH);
        push.set (ZMQ_RECONNECT_STOP, ZMQ_RECONNECT_STOP_CONN_REFUSED);
        push.connect (where);
        ASSERT_TRUE (eventually ([&] { return push.status (where).last_reason != 0; }));
        socket pull = open (ZMQ_PULL);
        pull.bind (where);
        push.connect (where);
        ASSERT_TRUE (push.has_peers ());
        EXPECT_EQ (push.status (where).attempts, 1U);
        push.disconnect (where);
        EXPECT_EQ (zmq_disconnect (push, where.c_str ()), -1);  // it was one
        EXPECT_EQ (errno, ENOENT);
    }
}

// What was ready is made anew all the same.
TEST_F (stream_options, reconnect_stop_leaves_connections_that_were_good)
{
    const std::string where = free_place ();
    const raw_peer listener = raw_peer::listen_at (where);
    socket push = open (ZMQ_PUSH);
    push.set (ZMQ_RECONNECT_IVL, 1);
    push.set (ZMQ_RECONNECT_STOP, ZMQ_RECONNECT_STOP_CONN_REFUSED | ZMQ_RECONNECT_STOP_HANDSHAKE_FAILED
                                    | ZMQ_RECONNECT_STOP_AFTER_DISCONNECT);
    push.connect (where);
    for (int i = 0; i < 3; ++i) {
        const raw_peer peer = listener.accept ();
        ASSERT_TRUE (peer.shake_hands ("PULL"));
        ASSERT_TRUE (push.send ("hello"));
        EXPECT_EQ (peer.read_frame (), "hello");
    }
    push.disconnect (where);
}

}  // namespace
}  // namespace zlink::test
