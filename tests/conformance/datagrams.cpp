// udp: RADIO and DISH, to one host and to multicast groups, and DGRAM. Where it
// matters what is on the wire a plain socket of the system is the other side.
#include <array>
#include <atomic>
#include <thread>

#include "support/counts.hpp"
#include "support/raw_udp.hpp"
#include "support/sockets.hpp"

namespace zlink::test {
namespace {

using message = std::pair<std::string, std::string>;
using parts = std::vector<std::string>;
constexpr std::size_t datagram_max = 8192;

std::string port_of (const std::string &endpoint) { return endpoint.substr (endpoint.rfind (':') + 1); }

// As it is on the wire.
std::string in_group (const std::string &group, const std::string &body)
{
    return std::string (1, static_cast<char> (group.size ())) + group + body;
}

struct datagrams : testing::Test
{
    context own;

    [[nodiscard]] socket dish_of (const std::vector<std::string> &names)
    {
        socket made (own, ZMQ_DISH);
        for (const std::string &each : names)
            EXPECT_EQ (zmq_join (made, each.c_str ()), 0) << each;
        return made;
    }
    // A datagram may be lost anywhere: sends until one has come.
    [[nodiscard]] static bool reaches (socket &radio, socket &dish, const std::string &group)
    {
        dish.set (ZMQ_RCVTIMEO, 20);
        const bool came = eventually ([&] {
            EXPECT_TRUE (radio.send_in (group, "hello"));
            return dish.receive_in () == message (group, "hello");
        });
        dish.set (ZMQ_RCVTIMEO, watchdog_ms);
        return came;
    }
    static void expect_refusal (int outcome, int expected, const std::string &endpoint)
    {
        EXPECT_EQ (outcome, -1) << endpoint;
        EXPECT_EQ (errno, expected) << endpoint << ": " << zmq_strerror (errno);
    }
    [[nodiscard]] static bool has_ipv6 ()
    {
        const int probe = ::socket (AF_INET6, SOCK_DGRAM, 0);
        sockaddr_in6 own_host{};
        own_host.sin6_family = AF_INET6;
        own_host.sin6_addr = in6addr_loopback;
        const bool works =
          probe >= 0 && ::bind (probe, reinterpret_cast<sockaddr *> (&own_host), sizeof own_host) == 0;
        ::close (probe);
        return works;
    }
};

// --- RADIO and DISH ----------------------------------------------------------------

TEST_F (datagrams, reach_those_who_have_joined)
{
    socket dish = dish_of ({"tv", "radio"});
    socket radio (own, ZMQ_RADIO);
    const std::string where = dish.bind ("udp://127.0.0.1:*");
    EXPECT_TRUE (where.starts_with ("udp://127.0.0.1:")) << where;
    EXPECT_GT (std::stoi (port_of (where)), 0);
    radio.connect (where);
    // It is sent from the first moment on, and to all: nobody is asked.
    ASSERT_TRUE (radio.send_in ("tv", "one"));
    ASSERT_TRUE (radio.send_in ("else", "filtered"));
    ASSERT_TRUE (radio.send_in ("radio", ""));
    ASSERT_TRUE (radio.send_in ("tv", std::string (datagram_max - 3, 'x')));
    EXPECT_EQ (dish.receive_in (), message ("tv", "one"));
    EXPECT_EQ (dish.receive_in (), message ("radio", ""));
    EXPECT_EQ (dish.receive_in (), message ("tv", std::string (datagram_max - 3, 'x')));
    EXPECT_EQ (own_row (dish).dropped_filtered, 1u);
    EXPECT_EQ (own_row (radio).messages_sent, 4u);
    ASSERT_EQ (zmq_leave (dish, "tv"), 0);
    ASSERT_EQ (zmq_join (dish, "else"), 0);
    ASSERT_TRUE (radio.send_in ("tv", "left"));
    ASSERT_TRUE (radio.send_in ("else", "joined"));
    EXPECT_EQ (dish.receive_in (), message ("else", "joined"));
}

TEST_F (datagrams, of_a_radio_are_length_group_and_body)
{
    raw_udp far;
    socket radio (own, ZMQ_RADIO);
    radio.connect ("udp://" + far.where ());
    ASSERT_TRUE (radio.send_in ("tv", "news"));
    EXPECT_EQ (far.receive (), in_group ("tv", "news"));
    ASSERT_TRUE (radio.send_in ("", ""));
    EXPECT_EQ (far.receive (), std::string (1, '\0'));
    const std::string longest (255, 'g');
    ASSERT_TRUE (radio.send_in (longest, std::string (datagram_max - 256, 'b')));
    EXPECT_EQ (far.receive (), in_group (longest, std::string (datagram_max - 256, 'b')));
}

TEST_F (datagrams, that_would_be_too_large_are_dropped_and_counted)
{
    raw_udp far;
    socket radio (own, ZMQ_RADIO);
    radio.connect ("udp://" + far.where ());
    ASSERT_TRUE (radio.send_in ("tv", std::string (datagram_max - 2, 'x')));
    ASSERT_TRUE (radio.send_in ("tv", std::string (1 << 20, 'x')));
    ASSERT_TRUE (radio.send_in ("tv", "small"));
    EXPECT_EQ (far.receive (), in_group ("tv", "small"));
    EXPECT_TRUE (eventually ([&] { return own_row (radio).dropped_too_large == 2; }));
}

TEST_F (datagrams, that_are_none_are_dropped_and_counted)
{
    socket dish = dish_of ({"tv", ""});
    const std::string where = dish.bind ("udp://127.0.0.1:*");
    raw_udp far;
    far.send (where, "");
    far.send (where, std::string (1, '\1'));
    far.send (where, "\3tv");
    far.send (where, "\xff" + std::string (254, 'g'));
    far.send (where, std::string (datagram_max + 1, '\0'));
    far.send (where, std::string (60'000, '\2'));
    far.send (where, in_group ("", "fine"));
    EXPECT_EQ (dish.receive_in (), message ("", "fine"));
    far.send (where, in_group ("tv", "too"));
    EXPECT_EQ (dish.receive_in (), message ("tv", "too"));
    const zlink_counters_t row = own_row (dish);
    EXPECT_EQ (row.dropped_malformed, 4u);
    EXPECT_EQ (row.dropped_too_large, 2u);
    EXPECT_EQ (row.connections_lost, 0u);
}

TEST_F (datagrams, above_maxmsgsize_do_not_end_their_port)
{
    socket dish = dish_of ({"g"});
    dish.set_wide (ZMQ_MAXMSGSIZE, 4);
    const std::string where = dish.bind ("udp://127.0.0.1:*");
    raw_udp far;
    far.send (where, in_group ("g", "12345"));
    far.send (where, in_group ("g", "1234"));
    EXPECT_EQ (dish.receive_in (), message ("g", "1234"));
    EXPECT_EQ (own_row (dish).dropped_too_large, 1u);
    EXPECT_EQ (own_row (dish).connections_lost, 0u);
}

TEST_F (datagrams, come_from_any_number_of_radios)
{
    socket dish = dish_of ({"g"});
    const std::string where = dish.bind ("udp://127.0.0.1:*");
    socket one (own, ZMQ_RADIO);
    socket two (own, ZMQ_RADIO);
    one.connect (where);
    two.connect (where);
    for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE (one.send_in ("g", "one"));
        EXPECT_EQ (dish.receive_in (), message ("g", "one"));
        ASSERT_TRUE (two.send_in ("g", "two"));
        EXPECT_EQ (dish.receive_in (), message ("g", "two"));
    }
}

// A message to all is for those who have joined by tcp, too.
TEST_F (datagrams, go_beside_streams)
{
    socket radio (own, ZMQ_RADIO);
    socket by_tcp = dish_of ({"g"});
    socket by_udp = dish_of ({"g", "h"});
    by_tcp.connect (radio.bind ("tcp://127.0.0.1:*"));
    radio.connect (by_udp.bind ("udp://127.0.0.1:*"));
    ASSERT_EQ (zlink_wait_subscribed (by_tcp, 1, watchdog_ms), 0);
    for (int i = 0; i < 10; ++i) {
        ASSERT_TRUE (radio.send_in ("g", "both"));
        ASSERT_TRUE (radio.send_in ("h", "one"));
        EXPECT_EQ (by_tcp.receive_in (), message ("g", "both"));
        EXPECT_EQ (by_udp.receive_in (), message ("g", "both"));
        EXPECT_EQ (by_udp.receive_in (), message ("h", "one"));
    }
    radio.disconnect (radio.last_endpoint ());
    ASSERT_TRUE (radio.send_in ("h", "nobody"));
    ASSERT_TRUE (radio.send_in ("g", "one left"));
    EXPECT_EQ (by_tcp.receive_in (), message ("g", "one left"));
    by_udp.set (ZMQ_RCVTIMEO, 0);
    EXPECT_EQ (by_udp.receive_in (), std::nullopt);
}

TEST_F (datagrams, wake_a_receiver_that_waits)
{
    socket dish = dish_of ({"g"});
    const std::string where = dish.bind ("udp://127.0.0.1:*");
    socket radio (own, ZMQ_RADIO);
    radio.connect (where);
    for (int i = 0; i < 20; ++i) {
        std::thread waiting ([&] { EXPECT_EQ (dish.receive_in (), message ("g", "now")); });
        ASSERT_TRUE (
          eventually ([&] { return own_row (dish).messages_received == static_cast<unsigned> (i); }));
        ASSERT_TRUE (radio.send_in ("g", "now"));
        waiting.join ();
    }
}

TEST_F (datagrams, can_be_polled_for)
{
    socket dish = dish_of ({"g"});
    socket radio (own, ZMQ_RADIO);
    radio.connect (dish.bind ("udp://127.0.0.1:*"));
    zmq_pollitem_t item{dish, 0, ZMQ_POLLIN, 0};
    EXPECT_EQ (zmq_poll (&item, 1, 0), 0);
    ASSERT_TRUE (radio.send_in ("g", "look"));
    ASSERT_EQ (zmq_poll (&item, 1, watchdog_ms), 1);
    EXPECT_EQ (dish.receive_in (), message ("g", "look"));
    EXPECT_EQ (zmq_poll (&item, 1, 0), 0);
}

// What nobody takes is dropped by the system, and nobody waits for it.
TEST_F (datagrams, are_lost_and_counted_where_nobody_reads)
{
    socket dish = dish_of ({"g"});
    dish.set (ZMQ_RCVBUF, 4096);
    dish.set (ZMQ_RCVHWM, 1);
    socket radio (own, ZMQ_RADIO);
    radio.connect (dish.bind ("udp://127.0.0.1:*"));
    for (int i = 0; i < 2000; ++i) {
        ASSERT_TRUE (radio.send_in ("g", std::string (4000, 'x')));
    }
    std::uint64_t sent = 2000;
    std::uint64_t came = 0;
    dish.set (ZMQ_RCVTIMEO, 20);
    // The system tells with the next one that it has room for.
    EXPECT_TRUE (eventually ([&] {
        EXPECT_TRUE (radio.send_in ("g", "one more"));
        ++sent;
        while (dish.receive_in ())
            ++came;
        return came + own_row (dish).dropped_full + own_row (radio).dropped_full == sent;
    }));
    EXPECT_GT (came, 0u);
    EXPECT_GT (own_row (dish).dropped_full, 0u);
    EXPECT_EQ (own_row (dish).connections_lost, 0u);
}

// --- multicast -----------------------------------------------------------------------

TEST_F (datagrams, reach_all_who_have_joined_a_multicast_group)
{
    socket one = dish_of ({"g"});
    socket two = dish_of ({"g"});
    const std::string where = one.bind ("udp://127.0.0.1;239.255.77.1:*");
    EXPECT_TRUE (where.starts_with ("udp://127.0.0.1;239.255.77.1:")) << where;
    EXPECT_EQ (two.bind (where), where);
    socket radio (own, ZMQ_RADIO);
    radio.connect (where);
    ASSERT_TRUE (reaches (radio, one, "g"));
    EXPECT_EQ (two.receive_in (), message ("g", "hello"));
}

TEST_F (datagrams, meet_at_an_interface_by_its_name)
{
    socket dish = dish_of ({"g"});
    const std::string where = dish.bind ("udp://lo;239.255.77.2:*");
    socket radio (own, ZMQ_RADIO);
    radio.connect ("udp://lo;239.255.77.2:" + port_of (where));
    ASSERT_TRUE (reaches (radio, dish, "g"));
}

// Two groups at one port of one host are two groups.
TEST_F (datagrams, are_not_heard_by_other_multicast_groups)
{
    socket one = dish_of ({"g"});
    socket two = dish_of ({"g"});
    const std::string where = one.bind ("udp://127.0.0.1;239.255.77.3:*");
    two.bind ("udp://127.0.0.1;239.255.77.4:" + port_of (where));
    socket radio (own, ZMQ_RADIO);
    radio.connect (where);
    ASSERT_TRUE (reaches (radio, one, "g"));
    two.set (ZMQ_RCVTIMEO, 0);
    EXPECT_EQ (two.receive_in (), std::nullopt);
}

TEST_F (datagrams, do_not_come_back_where_the_loop_is_off)
{
    socket dish = dish_of ({"g"});
    const std::string where = dish.bind ("udp://127.0.0.1;239.255.77.5:*");
    socket silent (own, ZMQ_RADIO);
    EXPECT_EQ (silent.get (ZMQ_MULTICAST_LOOP), 1);
    silent.set (ZMQ_MULTICAST_LOOP, 0);
    silent.set (ZMQ_MULTICAST_HOPS, 3);
    silent.connect (where);
    socket loud (own, ZMQ_RADIO);
    loud.connect (where);
    ASSERT_TRUE (silent.send_in ("g", "silent"));
    ASSERT_TRUE (eventually ([&] { return own_row (silent).queued_messages == 0; }));
    ASSERT_TRUE (reaches (loud, dish, "g"));
    EXPECT_EQ (own_row (silent).dropped_unroutable, 0u);
}

TEST_F (datagrams, of_ipv6_go_to_hosts)
{
    if (!has_ipv6 ())
        GTEST_SKIP () << "this host has no IPv6";
    socket one = dish_of ({"g"});
    one.set (ZMQ_IPV6, 1);
    socket own_radio (own, ZMQ_RADIO);
    own_radio.set (ZMQ_IPV6, 1);
    own_radio.connect (one.bind ("udp://[::1]:*"));
    EXPECT_TRUE (reaches (own_radio, one, "g"));
    // A wildcard hears both.
    socket dish = dish_of ({"g"});
    dish.set (ZMQ_IPV6, 1);
    const std::string all = dish.bind ("udp://*:*");
    for (const char *host : {"127.0.0.1", "[::1]"}) {
        socket radio (own, ZMQ_RADIO);
        radio.set (ZMQ_IPV6, 1);
        radio.connect (std::string ("udp://") + host + ":" + port_of (all));
        EXPECT_TRUE (reaches (radio, dish, "g")) << host;
    }
}

TEST_F (datagrams, of_ipv6_go_to_multicast_groups)
{
    const std::string through = raw_udp::ipv6_multicast_interface ();
    if (through.empty ())
        GTEST_SKIP () << "no interface of this host carries IPv6 multicast";
    socket dish = dish_of ({"g"});
    socket radio (own, ZMQ_RADIO);
    dish.set (ZMQ_IPV6, 1);
    radio.set (ZMQ_IPV6, 1);
    radio.set (ZMQ_MULTICAST_HOPS, 2);
    const std::string where = dish.bind ("udp://" + through + ";[ff02::77:1]:*");
    EXPECT_TRUE (where.starts_with ("udp://" + through + ";[ff02::77:1]:")) << where;
    radio.connect (where);
    EXPECT_TRUE (reaches (radio, dish, "g"));
    // An interface of IPv6 has no other name.
    expect_refusal (zmq_bind (dish, "udp://[::1];[ff02::77:1]:*"), ENODEV, "by address");
    expect_refusal (zmq_bind (dish, "udp://127.0.0.1;[ff02::77:1]:*"), EINVAL, "of the other family");
}

// --- DGRAM ---------------------------------------------------------------------------

TEST_F (datagrams, are_address_and_body)
{
    socket dgram (own, ZMQ_DGRAM);
    const std::string where = dgram.bind ("udp://127.0.0.1:*");
    raw_udp far;
    far.send (where, "question");
    // libzmq's address has an octet of 0 at its end.
    EXPECT_EQ (dgram.receive_message (), parts ({far.where () + '\0', "question"}));
    ASSERT_TRUE (dgram.send (parts{far.where () + '\0', "answer"}));
    std::uint16_t from = 0;
    EXPECT_EQ (far.receive (&from), "answer");
    EXPECT_EQ (std::to_string (from), port_of (where));
    ASSERT_TRUE (dgram.send (parts{far.where (), ""}));
    EXPECT_EQ (far.receive (), "");
    ASSERT_TRUE (dgram.send (parts{far.where (), std::string (datagram_max, 'x')}));
    EXPECT_EQ (far.receive (), std::string (datagram_max, 'x'));
    far.send (where, "");
    EXPECT_EQ (dgram.receive_message (), parts ({far.where () + '\0', ""}));
    EXPECT_EQ (dgram.get (ZMQ_THREAD_SAFE), 0);
    EXPECT_EQ (dgram.get (ZMQ_TYPE), ZMQ_DGRAM);
}

TEST_F (datagrams, go_between_two_dgrams)
{
    socket one (own, ZMQ_DGRAM);
    socket two (own, ZMQ_DGRAM);
    const std::string first = one.bind ("udp://127.0.0.1:*").substr (6);
    const std::string second = two.bind ("udp://127.0.0.1:*").substr (6);
    for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE (one.send (parts{second, std::to_string (i)}));
        parts came = two.receive_message ();
        EXPECT_EQ (came, parts ({first + '\0', std::to_string (i)}));
        ASSERT_TRUE (two.send (came));
        EXPECT_EQ (one.receive_message (), parts ({second + '\0', std::to_string (i)}));
    }
}

TEST_F (datagrams, are_two_parts_and_nothing_else)
{
    socket dgram (own, ZMQ_DGRAM);
    dgram.bind ("udp://127.0.0.1:*");
    raw_udp far;
    EXPECT_FALSE (dgram.send ("a body alone"));
    EXPECT_EQ (errno, EINVAL);
    ASSERT_TRUE (dgram.send (far.where (), ZMQ_SNDMORE));
    EXPECT_FALSE (dgram.send ("more", ZMQ_SNDMORE));
    EXPECT_EQ (errno, EINVAL);
    ASSERT_TRUE (dgram.send ("the rest"));
    EXPECT_EQ (far.receive (), "the rest");
    parts_of<3> three;
    for (const std::size_t count : {1u, 3u}) {
        EXPECT_EQ (zlink_sendv (dgram, three.data (), count, 0), -1);
        EXPECT_EQ (errno, EINVAL);
    }
    parts_of<2> both;
    both.set (0, far.where ());
    both.set (1, "whole");
    EXPECT_EQ (zlink_sendv (dgram, both.data (), 2, 0), 2);
    EXPECT_EQ (far.receive (), "whole");
}

TEST_F (datagrams, to_nowhere_are_dropped_and_counted)
{
    socket dgram (own, ZMQ_DGRAM);
    dgram.bind ("udp://127.0.0.1:*");
    raw_udp far;
    const std::array nowhere{"",
                             "x",
                             "127.0.0.1",
                             ":5555",
                             "127.0.0.1:0",
                             "host:5555",
                             "127.0.0.1:x",
                             "[::1]:5555",
                             "256.1.1.1:7",
                             "127.0.0.1:65536",
                             "127.0.0.1:5 "};
    for (const char *each : nowhere) {
        ASSERT_TRUE (dgram.send (parts{each, "lost"}));
    }
    ASSERT_TRUE (dgram.send (parts{std::string (5000, '1') + ":5", "lost"}));
    ASSERT_TRUE (dgram.send (parts{far.where (), std::string (datagram_max + 1, 'x')}));
    ASSERT_TRUE (dgram.send (parts{far.where (), "found"}));
    EXPECT_EQ (far.receive (), "found");
    EXPECT_TRUE (eventually ([&] { return own_row (dgram).dropped_malformed == nowhere.size () + 1; }));
    EXPECT_EQ (own_row (dgram).dropped_too_large, 1u);
    EXPECT_EQ (own_row (dgram).connections_lost, 0u);
}

TEST_F (datagrams, of_ipv6_name_their_senders)
{
    if (!has_ipv6 ())
        GTEST_SKIP () << "this host has no IPv6";
    socket dgram (own, ZMQ_DGRAM);
    dgram.set (ZMQ_IPV6, 1);
    const std::string where = dgram.bind ("udp://*:*");
    raw_udp wide (AF_INET6);
    raw_udp narrow;
    wide.send (where, "wide");
    EXPECT_EQ (dgram.receive_message (), parts ({wide.where () + '\0', "wide"}));
    narrow.send (where, "narrow");
    const parts came = dgram.receive_message ();
    ASSERT_EQ (came.size (), 2u);
    EXPECT_EQ (came[1], "narrow");
    ASSERT_TRUE (dgram.send (parts{came[0], "back"}));
    EXPECT_EQ (narrow.receive (), "back");
    ASSERT_TRUE (dgram.send (parts{narrow.where (), "plain"}));
    EXPECT_EQ (narrow.receive (), "plain");
    ASSERT_TRUE (dgram.send (parts{wide.where (), "back"}));
    EXPECT_EQ (wide.receive (), "back");
}

// --- endpoints -------------------------------------------------------------------------

TEST_F (datagrams, are_for_some_types_and_ways_only)
{
    for (const int type : {ZMQ_PUB, ZMQ_SUB, ZMQ_PAIR, ZMQ_CLIENT, ZMQ_STREAM, ZMQ_RADIO}) {
        socket any (own, type);
        expect_refusal (zmq_bind (any, "udp://127.0.0.1:*"), ENOCOMPATPROTO, "bind");
    }
    for (const int type : {ZMQ_PUB, ZMQ_SUB, ZMQ_PAIR, ZMQ_CLIENT, ZMQ_STREAM, ZMQ_DISH, ZMQ_DGRAM}) {
        socket any (own, type);
        expect_refusal (zmq_connect (any, "udp://127.0.0.1:5555"), ENOCOMPATPROTO, "connect");
    }
    socket dgram (own, ZMQ_DGRAM);
    for (const char *each : {"tcp://127.0.0.1:*", "inproc://x", "ipc://*"})
        expect_refusal (zmq_bind (dgram, each), ENOCOMPATPROTO, each);
    for (const char *each : {"tcp://127.0.0.1:5555", "inproc://x", "ipc://@x"})
        expect_refusal (zmq_connect (dgram, each), ENOCOMPATPROTO, each);
}

TEST_F (datagrams, have_endpoints_of_their_own)
{
    socket radio (own, ZMQ_RADIO);
    for (const char *each : {"udp://127.0.0.1", "udp://127.0.0.1:", "udp://127.0.0.1:0", "udp://127.0.0.1:*",
                             "udp://*:5555", "udp://127.0.0.1:65536", "udp://lo;127.0.0.1:5555",
                             "udp://239.1.1.1;239.1.1.1:5555", "udp://;239.1.1.1:5555", "udp://:5555"})
        expect_refusal (zmq_connect (radio, each), EINVAL, each);
    expect_refusal (zmq_connect (radio, "udp://no_such_device;239.1.1.1:5555"), ENODEV, "device");
    socket dish (own, ZMQ_DISH);
    for (const char *each :
         {"udp://127.0.0.1", "udp://127.0.0.1:x", "udp://lo;127.0.0.1:5555", "udp://:5555"})
        expect_refusal (zmq_bind (dish, each), EINVAL, each);
    expect_refusal (zmq_bind (dish, "udp://no_such_device:*"), ENODEV, "device");
    expect_refusal (zmq_bind (dish, "udp://192.0.2.1:*"), EADDRNOTAVAIL, "address");
    socket dgram (own, ZMQ_DGRAM);
    dgram.bind ("udp://127.0.0.1:*");
    expect_refusal (zmq_bind (dgram, "udp://127.0.0.1:*"), EADDRINUSE, "second");
}

TEST_F (datagrams, end_with_their_endpoint)
{
    socket dish = dish_of ({"g"});
    const std::string where = dish.bind ("udp://127.0.0.1:*");
    EXPECT_EQ (zmq_disconnect (dish, where.c_str ()), -1);
    EXPECT_EQ (errno, ENOENT);
    raw_udp far;
    far.send (where, in_group ("g", "before"));
    EXPECT_EQ (dish.receive_in (), message ("g", "before"));
    EXPECT_TRUE (dish.status (where).is_listener);
    dish.unbind (where);
    EXPECT_EQ (zmq_unbind (dish, where.c_str ()), -1);
    EXPECT_EQ (errno, ENOENT);
    // Its port is free again.
    socket next (own, ZMQ_DGRAM);
    next.bind (where);
    far.send (where, "after");
    EXPECT_EQ (next.receive_message ().back (), "after");
    dish.set (ZMQ_RCVTIMEO, 0);
    EXPECT_EQ (dish.receive_in (), std::nullopt);
}

// What was sent leaves before the socket does.
TEST_F (datagrams, leave_before_a_socket_that_lingers)
{
    raw_udp far;
    {
        socket radio (own, ZMQ_RADIO);
        radio.set (ZMQ_LINGER, watchdog_ms);
        radio.connect ("udp://" + far.where ());
        for (int i = 0; i < 50; ++i) {
            ASSERT_TRUE (radio.send_in ("g", std::to_string (i)));
        }
    }
    for (int i = 0; i < 50; ++i)
        EXPECT_EQ (far.receive (), in_group ("g", std::to_string (i)));
}

TEST_F (datagrams, are_sent_and_received_by_many_threads)
{
    socket dish = dish_of ({"g"});
    const std::string where = dish.bind ("udp://127.0.0.1:*");
    socket radio (own, ZMQ_RADIO);
    radio.connect (where);
    constexpr int senders = 3;
    constexpr int each_sends = 500;
    std::atomic<int> sending{senders};
    std::atomic<int> came{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < senders; ++i)
        threads.emplace_back ([&] {
            for (int k = 0; k < each_sends; ++k)
                EXPECT_TRUE (radio.send_in ("g", "body"));
            --sending;
        });
    for (int i = 0; i < 2; ++i)
        threads.emplace_back ([&] {
            for (;;) {
                const auto next = dish.receive_in ();
                if (!next || next->second == "end")
                    break;
                EXPECT_EQ (next->second, "body");
                ++came;
            }
        });
    ASSERT_TRUE (eventually ([&] { return sending.load () == 0; }));
    std::atomic<bool> over{false};
    std::thread ending ([&] {
        while (!over.load ())
            EXPECT_TRUE (radio.send_in ("g", "end"));
    });
    for (auto &each : threads)
        each.join ();
    over = true;
    ending.join ();
    EXPECT_GT (came.load (), 0);
}

}  // namespace
}  // namespace zlink::test
