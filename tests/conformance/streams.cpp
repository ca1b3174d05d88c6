// STREAM: raw bytes as zmq.h has it, packets with four octets of length as
// zlink.h has it, against plain sockets and against each second.
#include <atomic>
#include <cstring>

#include "conformance/stream_reader.hpp"
#include "conformance/transport.hpp"
#include "support/raw_peer.hpp"

namespace zlink::test {
namespace {

using parts = std::vector<std::string>;

struct streams : conformance, stream_reader
{
    static void quiet (socket &which, bool zlinks)
    {
        which.set (zlinks ? ZLINK_STREAM_NOTIFY : ZMQ_STREAM_NOTIFY, 0);
    }
    static std::string routing_id (socket &of)
    {
        std::string name (255, '\0');
        std::size_t size = name.size ();
        EXPECT_EQ (zmq_getsockopt (of, ZMQ_ROUTING_ID, name.data (), &size), 0);
        return name.substr (0, size);
    }
    // A STREAM that has dialled a listener and calls it "me", and both ends.
    struct dialled
    {
        socket client;
        std::string where;
        raw_peer listener;
        raw_peer peer;
    };
    [[nodiscard]] dialled dial ()
    {
        const std::string where = open (ZMQ_STREAM).bind (place ());  // free now
        dialled made{open (ZMQ_STREAM), where, raw_peer::listen_at (where), raw_peer ()};
        made.client.set (ZMQ_RECONNECT_IVL, 1);
        made.client.set (ZMQ_SNDBUF, 8192);
        EXPECT_EQ (zmq_setsockopt (made.client, ZMQ_CONNECT_ROUTING_ID, "me", 2), 0);
        made.client.connect (where);
        made.peer = made.listener.accept ();
        EXPECT_EQ (next_comer (made.client), "me");
        return made;
    }
    static bool refused (socket &which, const std::string &name, int why)
    {
        return !which.send (name, ZMQ_SNDMORE) && errno == why;
    }
};

// --- raw bytes ---------------------------------------------------------------

TEST_F (streams, carry_raw_bytes_both_ways)
{
    socket server = open (ZMQ_STREAM);
    const raw_peer peer = raw_peer::connect_to (server.bind (place ()));
    const news first = next (server);
    EXPECT_EQ (first.event, came);
    EXPECT_EQ (first.body, "");
    ASSERT_EQ (first.name.size (), 5u);
    EXPECT_EQ (first.name[0], '\0');
    ASSERT_TRUE (peer.send ("hello"));
    EXPECT_EQ (read (server, first.name, 5), "hello");
    for (const std::size_t size : {1, 2, 64, 255, 256, 8192, 16'384, 70'000, 300'000}) {
        ASSERT_TRUE (server.send (parts{first.name, pattern (size)}));
        ASSERT_TRUE (peer.read_exactly (size) == pattern (size)) << size;
        worker sender ([&] { EXPECT_TRUE (peer.send (pattern (size, 1))); });
        ASSERT_TRUE (read (server, first.name, size) == pattern (size, 1)) << size;
    }
}

// Programs have buffers for what one read of libzmq brings.
TEST_F (streams, hand_out_raw_bytes_in_pieces_of_at_most_8192)
{
    socket server = open (ZMQ_STREAM);
    const raw_peer peer = raw_peer::connect_to (server.bind (place ()));
    const std::string name = next_comer (server);
    worker sender ([&] { EXPECT_TRUE (peer.send (pattern (1'000'000))); });
    std::string all;
    while (all.size () < 1'000'000) {
        const news got = next (server);
        ASSERT_EQ (got.event, data);
        ASSERT_LE (got.body.size (), 8192u);
        ASSERT_GE (got.body.size (), 1u);
        all += got.body;
    }
    EXPECT_TRUE (all == pattern (1'000'000));
}

TEST_F (streams, tell_the_end_of_a_peer_behind_its_last_byte)
{
    socket server = open (ZMQ_STREAM);
    raw_peer peer = raw_peer::connect_to (server.bind (place ()));
    const std::string name = next_comer (server);
    ASSERT_TRUE (peer.send (pattern (100'000)));
    peer.close ();
    EXPECT_TRUE (read (server, name, 100'000) == pattern (100'000));
    const news last = next (server);
    EXPECT_EQ (last.name, name);
    EXPECT_EQ (last.body, "");
    EXPECT_EQ (last.event, gone);
    EXPECT_TRUE (refused (server, name, EHOSTUNREACH));
}

TEST_F (streams, tell_of_nobody_who_should_not)
{
    socket server = open (ZMQ_STREAM);
    quiet (server, false);
    const std::string where = server.bind (place ());
    raw_peer one = raw_peer::connect_to (where);
    ASSERT_TRUE (one.send ("one"));
    EXPECT_EQ (next (server).body, "one");
    one.close ();
    const raw_peer two = raw_peer::connect_to (where);
    ASSERT_TRUE (two.send ("two"));
    EXPECT_EQ (next (server).body, "two");
}

TEST_F (streams, close_a_peer_that_gets_an_empty_message)
{
    socket server = open (ZMQ_STREAM);
    const std::string where = server.bind (place ());
    const raw_peer peer = raw_peer::connect_to (where);
    const std::string name = next_comer (server);
    ASSERT_TRUE (server.send (parts{name, pattern (200'000)}));
    ASSERT_TRUE (server.send (parts{name, "bye"}));
    ASSERT_TRUE (server.send (parts{name, ""}));
    EXPECT_TRUE (refused (server, name, EHOSTUNREACH));
    EXPECT_TRUE (peer.read_to_end () == pattern (200'000) + "bye");
    // It is not told of what it has done itself.
    const raw_peer second = raw_peer::connect_to (where);
    EXPECT_NE (next_comer (server), name);
}

// Also while what was sent before is still being gathered.
TEST_F (streams, close_a_peer_behind_a_burst)
{
    for (const bool zlinks : {false, true}) {
        socket server = zlinks ? open_zlink (ZLINK_STREAM) : open (ZMQ_STREAM);
        const std::string where = server.bind (place ());
        for (unsigned round = 0; round < 20; ++round) {
            const raw_peer peer = raw_peer::connect_to (where);
            const std::string name = next_comer (server);
            std::string sent;
            for (unsigned i = 0; i < 200; ++i) {
                ASSERT_TRUE (server.send (parts{name, pattern (30, i)}));
                sent += zlinks ? packet (pattern (30, i)) : pattern (30, i);
            }
            ASSERT_TRUE (server.send (parts{name, zlinks ? octet (0) : ""}));
            ASSERT_TRUE (peer.read_to_end () == sent);
        }
    }
}

TEST_F (streams, close_peers_by_every_call)
{
    socket server = open (ZMQ_STREAM);
    const std::string where = server.bind (place ());
    for (int way = 0; way < 3; ++way) {
        const raw_peer peer = raw_peer::connect_to (where);
        const std::string name = next_comer (server);
        if (way == 0) {
            ASSERT_TRUE (server.send (parts{name, ""}));
        } else if (way == 1) {
            part empty;
            ASSERT_TRUE (server.send (name, ZMQ_SNDMORE));
            ASSERT_EQ (zmq_msg_send (empty.raw (), server, 0), 0);
        } else {
            parts_of<2> message;
            message.set (0, name);
            ASSERT_GE (zlink_sendv (server, message.data (), 2, 0), 0) << zmq_strerror (errno);
        }
        EXPECT_TRUE (peer.sees_end ()) << way;
        EXPECT_TRUE (refused (server, name, EHOSTUNREACH)) << way;
    }
}

TEST_F (streams, refuse_to_send_to_who_is_unknown)
{
    socket server = open (ZMQ_STREAM);
    (void)server.bind (place ());
    EXPECT_TRUE (refused (server, "nobody", EHOSTUNREACH));
    parts_of<2> message;
    message.set (0, "nobody");
    message.set (1, "body");
    EXPECT_EQ (zlink_sendv (server, message.data (), 2, 0), -1);
    EXPECT_EQ (errno, EHOSTUNREACH);
    EXPECT_EQ (message.text (1), "body");
    EXPECT_NE (server.get (ZMQ_EVENTS) & ZMQ_POLLOUT, 0);
}

// A stream has no parts: the mark for more is not looked at.
TEST_F (streams, take_what_follows_a_body_for_the_next_name)
{
    socket server = open (ZMQ_STREAM);
    const raw_peer peer = raw_peer::connect_to (server.bind (place ()));
    const std::string name = next_comer (server);
    ASSERT_TRUE (server.send (name, ZMQ_SNDMORE));
    ASSERT_TRUE (server.send ("one", ZMQ_SNDMORE));
    ASSERT_TRUE (server.send (name, ZMQ_SNDMORE));
    ASSERT_TRUE (server.send ("two"));
    EXPECT_EQ (peer.read_exactly (6), "onetwo");
    parts_of<3> message;
    message.set (0, name);
    EXPECT_EQ (zlink_sendv (server, message.data (), 3, 0), -1);
    EXPECT_EQ (errno, EINVAL);
}

TEST_F (streams, keep_peers_apart)
{
    socket server = open (ZMQ_STREAM);
    const std::string where = server.bind (place ());
    std::vector<raw_peer> peers;
    std::vector<std::string> names;
    for (int i = 0; i < 20; ++i) {
        peers.push_back (raw_peer::connect_to (where));
        names.push_back (next_comer (server));
    }
    for (std::size_t i = 0; i < peers.size (); ++i)
        ASSERT_TRUE (server.send (parts{names[i], "for " + std::to_string (i)}));
    for (std::size_t i = 0; i < peers.size (); ++i) {
        const std::string wanted = "for " + std::to_string (i);
        EXPECT_EQ (peers[i].read_exactly (wanted.size ()), wanted);
        ASSERT_TRUE (peers[i].send ("from " + std::to_string (i)));
        EXPECT_EQ (next (server).name, names[i]);
    }
}

// --- dialling ----------------------------------------------------------------

TEST_F (streams, dial_under_a_name_and_send_before_there_is_anybody)
{
    socket client = open (ZMQ_STREAM);
    ASSERT_EQ (zmq_setsockopt (client, ZMQ_CONNECT_ROUTING_ID, "me", 2), 0);
    const std::string where = open (ZMQ_STREAM).bind (place ());  // free now
    client.connect (where);
    ASSERT_TRUE (client.send (parts{"me", "early"}));
    const raw_peer listener = raw_peer::listen_at (where);
    ASSERT_TRUE (listener.valid ());
    const raw_peer peer = listener.accept ();
    EXPECT_EQ (peer.read_exactly (5), "early");
    EXPECT_EQ (next_comer (client), "me");
    ASSERT_TRUE (peer.send ("answer"));
    EXPECT_EQ (read (client, "me", 6), "answer");
}

TEST_F (streams, tell_the_name_that_was_made_last)
{
    socket server = open (ZMQ_STREAM);
    socket client = open (ZMQ_STREAM);
    EXPECT_EQ (routing_id (client), "");
    client.connect (server.bind (place ()));
    const std::string name = routing_id (client);
    ASSERT_EQ (name.size (), 5u);
    ASSERT_TRUE (client.send (parts{name, "hello"}));
    EXPECT_EQ (next_comer (client), name);
    const std::string peer = next_comer (server);
    EXPECT_EQ (routing_id (server), peer);
    EXPECT_EQ (read (server, peer, 5), "hello");
}

// What was on its way belongs to the stream that has ended; the name stays.
TEST_F (streams, dial_again_under_the_same_name)
{
    auto [client, where, listener, peer] = dial ();
    peer.close ();
    const news lost = next (client);
    EXPECT_EQ (lost.name, "me");
    EXPECT_EQ (lost.event, gone);
    peer = listener.accept ();
    EXPECT_EQ (next_comer (client), "me");
    ASSERT_TRUE (client.send (parts{"me", "again"}));
    EXPECT_EQ (peer.read_exactly (5), "again");
}

TEST_F (streams, begin_a_new_one_without_what_was_left_of_the_old)
{
    auto [client, where, listener, peer] = dial ();
    for (int i = 0; i < 500; ++i)
        ASSERT_TRUE (client.send (parts{"me", pattern (20'000)}));
    peer.reset ();
    peer = listener.accept ();
    EXPECT_EQ (next (client).event, gone);
    EXPECT_EQ (next_comer (client), "me");
    ASSERT_TRUE (client.send (parts{"me", "fresh"}));
    EXPECT_EQ (peer.read_exactly (5), "fresh");
}

TEST_F (streams, refuse_to_send_between_two_streams)
{
    auto [client, where, listener, peer] = dial ();
    listener.close ();
    if (where.starts_with ("ipc://"))
        ::unlink (where.substr (6).c_str ());
    peer.close ();
    EXPECT_EQ (next (client).event, gone);
    EXPECT_TRUE (refused (client, "me", EHOSTUNREACH));
    listener = raw_peer::listen_at (where);
    peer = listener.accept ();
    EXPECT_EQ (next_comer (client), "me");
    ASSERT_TRUE (client.send (parts{"me", "new"}));
    EXPECT_EQ (peer.read_exactly (3), "new");
}

TEST_F (streams, end_a_dialled_peer_for_good)
{
    socket client = open (ZMQ_STREAM);
    client.set (ZMQ_RECONNECT_IVL, 1);
    const std::string where = open (ZMQ_STREAM).bind (place ());
    const raw_peer listener = raw_peer::listen_at (where);
    client.connect (where);
    const raw_peer peer = listener.accept ();
    const std::string name = next_comer (client);
    ASSERT_TRUE (client.send (parts{name, "last"}));
    ASSERT_TRUE (client.send (parts{name, ""}));
    EXPECT_EQ (peer.read_to_end (), "last");
    EXPECT_TRUE (refused (client, name, EHOSTUNREACH));
    EXPECT_TRUE (eventually ([&] {
        zlink_endpoint_status_t found{};
        return zlink_connect_status (client, where.c_str (), &found) != 0;
    }));
}

// What was sent to a peer that has never come is not lost without a word when it
// is ended.
TEST_F (streams, count_what_was_for_a_peer_that_is_ended_before_it_came)
{
    static std::atomic<int> told{0};
    told = 0;
    ASSERT_EQ (zlink_set_log ([] (int, const char *text, const char *,
                                  void *) { told += std::strstr (text, "given up: 2, closed") != nullptr; },
                              nullptr),
               0);
    socket client = open (ZMQ_STREAM);
    client.set (ZMQ_LINGER, -1);
    client.set (ZMQ_RECONNECT_IVL, 1);
    const std::string where = open (ZMQ_STREAM).bind (place ());  // free now
    client.connect (where);
    const std::string name = routing_id (client);
    ASSERT_TRUE (client.send (parts{name, "early"}));
    ASSERT_TRUE (client.send (parts{name, "too early"}));
    ASSERT_TRUE (client.send (parts{name, ""}));
    EXPECT_TRUE (refused (client, name, EHOSTUNREACH));
    zlink_counters_t row{};
    EXPECT_TRUE (eventually ([&] {
        std::size_t count = 1;
        return zlink_counters (client, &row, sizeof row, &count) == 0 && row.dropped_closed != 0;
    }));
    EXPECT_EQ (row.dropped_closed, 2u);
    EXPECT_TRUE (eventually ([&] { return told.load () == 1; }));
    ASSERT_EQ (zlink_set_log (nullptr, nullptr), 0);
    client.set (ZMQ_LINGER, 0);
}

TEST_F (streams, have_no_place_in_the_process)
{
    for (const int way : {0, 1, 2}) {
        socket stream = way == 1 ? open_zlink (ZLINK_STREAM) : open (way == 0 ? ZMQ_STREAM : ZMQ_ROUTER);
        if (way == 2)
            stream.set (ZMQ_ROUTER_RAW, 1);
        EXPECT_EQ (zmq_bind (stream, "inproc://stream"), -1);
        EXPECT_EQ (errno, ENOCOMPATPROTO);
        EXPECT_EQ (zmq_connect (stream, "inproc://stream"), -1);
        EXPECT_EQ (errno, ENOCOMPATPROTO);
    }
}

// --- back-pressure -----------------------------------------------------------

TEST_F (streams, wait_for_the_peer_that_is_full_and_for_no_other)
{
    socket server = open (ZMQ_STREAM);
    server.set (ZMQ_SNDHWM, 10);
    server.set (ZMQ_SNDBUF, 8192);
    const std::string where = server.bind (place ());
    const raw_peer slow = raw_peer::connect_to (where, 8192);
    const std::string name = next_comer (server);
    const raw_peer quick = raw_peer::connect_to (where);
    const std::string second = next_comer (server);
    std::string sent;
    bool full = false;
    for (unsigned i = 0; !full && i < 100'000; ++i) {
        full = zmq_send (server, name.data (), name.size (), ZMQ_SNDMORE | ZMQ_DONTWAIT) < 0;
        if (full) {
            EXPECT_EQ (errno, EAGAIN);
        } else {
            sent += pattern (10'000, i);
            ASSERT_TRUE (server.send (pattern (10'000, i)));
        }
    }
    ASSERT_TRUE (full);
    ASSERT_TRUE (server.send (parts{second, "free"}));
    EXPECT_EQ (quick.read_exactly (4), "free");
    worker sender ([&] { EXPECT_TRUE (server.send (parts{name, "more"})); });
    EXPECT_TRUE (slow.read_exactly (sent.size () + 4) == sent + "more");
}

TEST_F (streams, read_no_further_than_there_is_room)
{
    for (const bool zlinks : {false, true}) {
        socket server = zlinks ? open_zlink (ZLINK_STREAM) : open (ZMQ_STREAM);
        server.set (ZMQ_RCVBUF, 8192);
        const raw_peer peer = raw_peer::connect_to (server.bind (place ()));
        const int small = 8192;
        ::setsockopt (peer.descriptor (), SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
        const std::string name = next_comer (server);
        ::fcntl (peer.descriptor (), F_SETFL, O_NONBLOCK);
        const std::string piece = packet (pattern (996));
        std::size_t sent = 0;
        // Nobody receives: it ends, and far below what memory would take.
        for (int idle = 0; idle < 2000 && sent < 100'000'000;) {
            const ssize_t taken =
              ::send (peer.descriptor (), piece.data () + sent % 1000, 1000 - sent % 1000, MSG_NOSIGNAL);
            idle = taken > 0 ? 0 : idle + 1;
            sent += taken > 0 ? static_cast<std::size_t> (taken) : 0;
            here ().give_way ();
        }
        EXPECT_LT (sent, 30'000'000u);
        std::size_t got = 0;
        while (got + (zlinks ? 1000 : 0) <= sent && got < sent) {
            const news one = next (server);
            ASSERT_EQ (one.event, data);
            got += zlinks ? one.body.size () + 4 : one.body.size ();
        }
        EXPECT_LE (sent - got, zlinks ? 999u : 0u);
    }
}

// --- packets -----------------------------------------------------------------

TEST_F (streams, carry_packets_both_ways)
{
    socket server = open_zlink (ZLINK_STREAM);
    const raw_peer peer = raw_peer::connect_to (server.bind (place ()));
    const news first = next (server);
    EXPECT_EQ (first.event, came);
    EXPECT_EQ (first.body, "\1");
    EXPECT_EQ (first.name, big_endian (1, 4));
    for (const std::size_t size : {0, 2, 64, 255, 256, 8192, 8193, 40'000, 200'000, 1'000'000}) {
        worker sender ([&] { EXPECT_TRUE (peer.send (packet (pattern (size)) + packet ("next"))); });
        news got = next (server);
        EXPECT_EQ (got.event, data);
        ASSERT_TRUE (got.body == pattern (size)) << size;
        EXPECT_EQ (next (server).body, "next");
        worker back ([&] { EXPECT_TRUE (server.send (parts{first.name, pattern (size, 1)})); });
        ASSERT_TRUE (peer.read_exactly (size + 4) == packet (pattern (size, 1))) << size;
    }
}

// The same byte, said by the peer and said of it.
TEST_F (streams, tell_events_from_packets_that_look_like_them)
{
    socket server = open_zlink (ZLINK_STREAM);
    raw_peer peer = raw_peer::connect_to (server.bind (place ()));
    const news first = next (server);
    EXPECT_EQ (first.body + std::to_string (first.event), "\0011");
    ASSERT_TRUE (peer.send (packet (octet (1)) + packet (octet (0)) + packet ("")));
    for (const std::string &body : {octet (1), octet (0), std::string ()}) {
        const news got = next (server);
        EXPECT_EQ (got.event, data);
        EXPECT_EQ (got.body, body);
    }
    peer.close ();
    const news last = next (server);
    EXPECT_EQ (last.event, gone);
    EXPECT_EQ (last.body, octet (0));
    EXPECT_EQ (last.name, first.name);
}

TEST_F (streams, close_a_peer_that_gets_a_packet_of_one_zero)
{
    socket server = open_zlink (ZLINK_STREAM);
    const std::string where = server.bind (place ());
    const raw_peer peer = raw_peer::connect_to (where);
    const std::string name = next_comer (server);
    ASSERT_TRUE (server.send (parts{name, ""}));  // a packet like any second
    ASSERT_TRUE (server.send (parts{name, "bye"}));
    ASSERT_TRUE (server.send (parts{name, octet (0)}));
    EXPECT_EQ (peer.read_to_end (), packet ("") + packet ("bye"));
    EXPECT_TRUE (refused (server, name, EHOSTUNREACH));
    const raw_peer second = raw_peer::connect_to (where);
    EXPECT_EQ (next_comer (server), big_endian (2, 4));
}

TEST_F (streams, close_who_sends_a_packet_above_the_limit)
{
    socket server = open_zlink (ZLINK_STREAM);
    server.set_wide (ZLINK_MAXMSGSIZE, 100);
    const std::string where = server.bind (place ());
    const raw_peer good = raw_peer::connect_to (where);
    const std::string name = next_comer (server);
    const raw_peer bad = raw_peer::connect_to (where);
    const std::string second = next_comer (server);
    ASSERT_TRUE (bad.send (packet (pattern (100)) + big_endian (0xFFFFFFFF, 4)));
    EXPECT_EQ (next (server).body, pattern (100));
    const news last = next (server);
    EXPECT_EQ (last.event, gone);
    EXPECT_EQ (last.name, second);
    EXPECT_TRUE (bad.sees_end ());
    ASSERT_TRUE (good.send (packet ("fine")));
    EXPECT_EQ (next (server).body, "fine");
}

// A packet that is not whole when its stream ends was none.
TEST_F (streams, hand_out_whole_packets_only)
{
    socket server = open_zlink (ZLINK_STREAM);
    raw_peer peer = raw_peer::connect_to (server.bind (place ()));
    const std::string name = next_comer (server);
    ASSERT_TRUE (peer.trickle (packet ("slowly")));
    EXPECT_EQ (next (server).body, "slowly");
    ASSERT_TRUE (peer.send (packet (pattern (100'000)).substr (0, 50'000)));
    peer.close ();
    EXPECT_EQ (next (server).event, gone);
}

TEST_F (streams, of_zlink_may_be_raw_and_of_zmq_in_packets)
{
    socket raw = open_zlink (ZLINK_STREAM);
    EXPECT_EQ (raw.get (ZLINK_STREAM_RAW), 0);
    raw.set (ZLINK_STREAM_RAW, 1);
    socket packets = open (ZMQ_STREAM);
    EXPECT_EQ (packets.get (ZLINK_STREAM_RAW), 1);
    packets.set (ZLINK_STREAM_RAW, 0);
    const raw_peer one = raw_peer::connect_to (raw.bind (place ()));
    const raw_peer two = raw_peer::connect_to (packets.bind (place ()));
    const news first = next (raw);
    EXPECT_EQ (first.body, "");
    EXPECT_EQ (first.event, came);
    EXPECT_EQ (first.name, big_endian (1, 4));
    ASSERT_TRUE (raw.send (parts{first.name, "raw"}));
    EXPECT_EQ (one.read_exactly (3), "raw");
    const news second = next (packets);
    EXPECT_EQ (second.body, "\1");
    EXPECT_EQ (second.name.size (), 5u);
    ASSERT_TRUE (packets.send (parts{second.name, "packet"}));
    EXPECT_EQ (two.read_exactly (10), packet ("packet"));
}

// A socket that changes its mind does so towards those who come afterwards.
TEST_F (streams, stay_what_they_were_when_their_peer_came)
{
    socket server = open (ZMQ_STREAM);
    const std::string where = server.bind (place ());
    const raw_peer first = raw_peer::connect_to (where);
    const std::string raw = next_comer (server);
    server.set (ZLINK_STREAM_RAW, 0);
    const raw_peer second = raw_peer::connect_to (where);
    const std::string packed = next_comer (server);
    for (const int wish : {0, 1}) {
        server.set (ZLINK_STREAM_RAW, wish);
        ASSERT_TRUE (server.send (parts{raw, "bytes"}));
        EXPECT_EQ (first.read_exactly (5), "bytes");
        ASSERT_TRUE (server.send (parts{packed, ""}));
        ASSERT_TRUE (server.send (parts{packed, "body"}));
        EXPECT_EQ (second.read_exactly (12), packet ("") + packet ("body"));
        ASSERT_TRUE (first.send ("in"));
        EXPECT_EQ (read (server, raw, 2), "in");
        ASSERT_TRUE (second.send (packet ("whole")));
        EXPECT_EQ (next (server).body, "whole");
    }
    ASSERT_TRUE (server.send (parts{raw, octet (0)}));
    ASSERT_TRUE (server.send (parts{raw, ""}));
    EXPECT_EQ (first.read_to_end (), octet (0));
    ASSERT_TRUE (server.send (parts{packed, octet (0)}));
    EXPECT_EQ (second.read_to_end (), "");
}

TEST_F (streams, talk_to_each_other)
{
    for (const bool zlinks : {false, true}) {
        socket server = zlinks ? open_zlink (ZLINK_STREAM) : open (ZMQ_STREAM);
        socket client = zlinks ? open_zlink (ZLINK_STREAM) : open (ZMQ_STREAM);
        client.connect (server.bind (place ()));
        const std::string to_server = next_comer (client);
        const std::string to_client = next_comer (server);
        std::string all;
        worker sender ([&] {
            for (unsigned i = 0; i < 5000; ++i)
                ASSERT_TRUE (client.send (parts{to_server, pattern (1 + i % 300, i)}));
        });
        for (unsigned i = 0; i < 5000; ++i)
            all += pattern (1 + i % 300, i);
        EXPECT_TRUE (read (server, to_client, all.size ()) == all);
        ASSERT_TRUE (server.send (parts{to_client, "done"}));
        EXPECT_EQ (read (client, to_server, 4), "done");
    }
}

// --- ROUTER_RAW --------------------------------------------------------------

TEST_F (streams, are_what_a_raw_router_has)
{
    socket router = open (ZMQ_ROUTER);
    router.set (ZMQ_ROUTER_RAW, 1);
    raw_peer peer = raw_peer::connect_to (router.bind (place ()));
    const std::string name = next_comer (router);
    ASSERT_TRUE (peer.send ("hi"));
    EXPECT_EQ (read (router, name, 2), "hi");
    ASSERT_TRUE (router.send (parts{"nobody", "is told"}));
    ASSERT_TRUE (router.send (parts{name, "you"}));
    ASSERT_TRUE (router.send (parts{name, ""}));
    EXPECT_EQ (peer.read_to_end (), "you");
}

// Those who came before have messages of as many parts as they like; of bytes
// there is one part and no other, whatever the router will speak next.
TEST_F (streams, of_a_router_are_with_those_who_came_while_it_was_raw)
{
    socket router = open (ZMQ_ROUTER);
    const std::string where = router.bind (place ());
    socket dealer = open (ZMQ_DEALER);
    ASSERT_EQ (zmq_setsockopt (dealer, ZMQ_ROUTING_ID, "dealer", 6), 0);
    dealer.connect (where);
    ASSERT_TRUE (router.has_peers () && dealer.has_peers ());
    router.set (ZMQ_ROUTER_RAW, 1);
    const raw_peer peer = raw_peer::connect_to (where);
    const std::string name = next_comer (router);
    for (const int raw : {1, 0}) {
        router.set (ZMQ_ROUTER_RAW, raw);
        ASSERT_TRUE (router.send (parts{"dealer", "one", "two", ""}));
        EXPECT_EQ (dealer.receive_message (), (parts{"one", "two", ""}));
        ASSERT_TRUE (dealer.send (parts{"three", "four"}));
        EXPECT_EQ (router.receive_message (), (parts{"dealer", "three", "four"}));
        parts_of<3> message;
        message.set (0, "dealer");
        message.set (1, "five");
        ASSERT_EQ (zlink_sendv (router, message.data (), 3, 0), 3) << zmq_strerror (errno);
        EXPECT_EQ (dealer.receive_message (), (parts{"five", ""}));
        ASSERT_TRUE (router.send (name, ZMQ_SNDMORE));
        ASSERT_TRUE (router.send ("bytes", ZMQ_SNDMORE));
        EXPECT_EQ (peer.read_exactly (5), "bytes");
        message.set (0, name);
        EXPECT_EQ (zlink_sendv (router, message.data (), 3, 0), -1);
        EXPECT_EQ (errno, EINVAL);
        ASSERT_TRUE (peer.send ("back"));
        EXPECT_EQ (read (router, name, 4), "back");
    }
    ASSERT_TRUE (router.send (parts{name, ""}));
    EXPECT_EQ (peer.read_to_end (), "");
}

}  // namespace
}  // namespace zlink::test
