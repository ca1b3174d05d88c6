// Endpoints that only tcp has: addresses of both families, names, wildcard
// ports, source addresses.
#include <netinet/tcp.h>

#include "support/places.hpp"
#include "support/raw_peer.hpp"
#include "support/sockets.hpp"

namespace zlink::test {
namespace {

struct tcp_endpoints : testing::Test
{
    context own;

    void talk (socket &push, socket &pull)
    {
        ASSERT_TRUE (push.send ("hello"));
        EXPECT_EQ (pull.receive (), "hello");
    }
    [[nodiscard]] static std::string port_of (const std::string &endpoint)
    {
        return endpoint.substr (endpoint.rfind (':') + 1);
    }
};

TEST_F (tcp_endpoints, wildcard_ports_become_real_ones)
{
    for (const char *asked :
         {"tcp://127.0.0.1:*", "tcp://127.0.0.1:0", "tcp://*:*", "tcp://0.0.0.0:*", "tcp://lo:*"}) {
        socket pull (own, ZMQ_PULL);
        socket push (own, ZMQ_PUSH);
        const std::string where = pull.bind (asked);
        EXPECT_EQ (where.find ('*'), std::string::npos) << where;
        EXPECT_GT (std::stoi (port_of (where)), 0) << where;
        push.connect ("tcp://127.0.0.1:" + port_of (where));
        talk (push, pull);
        pull.unbind (where);
    }
}

TEST_F (tcp_endpoints, a_wildcard_host_is_shown_as_all_addresses)
{
    socket pull (own, ZMQ_PULL);
    EXPECT_TRUE (pull.bind ("tcp://*:*").starts_with ("tcp://0.0.0.0:"));
    EXPECT_TRUE (pull.bind ("tcp://127.0.0.1:*").starts_with ("tcp://127.0.0.1:"));
}

TEST_F (tcp_endpoints, what_last_endpoint_says_can_be_connected_to)
{
    socket pull (own, ZMQ_PULL);
    socket push (own, ZMQ_PUSH);
    push.connect (pull.bind ("tcp://*:*"));
    talk (push, pull);
}

TEST_F (tcp_endpoints, a_wildcard_can_be_unbound_as_it_became)
{
    socket pull (own, ZMQ_PULL);
    const std::string where = pull.bind ("tcp://127.0.0.1:*");
    EXPECT_EQ (zmq_unbind (pull, "tcp://127.0.0.1:9"), -1);
    EXPECT_EQ (errno, ENOENT);
    pull.unbind (where);
    EXPECT_FALSE (raw_peer::connect_to (where).valid ());
}

TEST_F (tcp_endpoints, two_wildcards_are_two_ports)
{
    socket pull (own, ZMQ_PULL);
    EXPECT_NE (pull.bind ("tcp://127.0.0.1:*"), pull.bind ("tcp://127.0.0.1:*"));
}

TEST_F (tcp_endpoints, version_six)
{
    if (!raw_peer (::socket (AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0)).valid ())
        GTEST_SKIP () << "this machine has no IPv6";
    socket pull (own, ZMQ_PULL);
    socket push (own, ZMQ_PUSH);
    pull.set (ZMQ_IPV6, 1);
    push.set (ZMQ_IPV6, 1);
    const std::string where = pull.bind ("tcp://[::1]:*");
    EXPECT_TRUE (where.starts_with ("tcp://[::1]:")) << where;
    push.connect (where);
    talk (push, pull);
    socket both (own, ZMQ_PULL);
    both.set (ZMQ_IPV6, 1);
    const std::string port = port_of (both.bind ("tcp://*:*"));
    for (const char *host : {"[::1]:", "127.0.0.1:"}) {
        socket dialler (own, ZMQ_PUSH);
        dialler.set (ZMQ_IPV6, 1);
        dialler.connect ("tcp://" + (host + port));
        talk (dialler, both);
    }
}

TEST_F (tcp_endpoints, names)
{
    socket pull (own, ZMQ_PULL);
    socket push (own, ZMQ_PUSH);
    push.connect ("tcp://localhost:" + port_of (pull.bind ("tcp://127.0.0.1:*")));
    talk (push, pull);
}

// Whether this answers now or later depends on the resolver; it never blocks
// the socket.
TEST_F (tcp_endpoints, a_name_that_does_not_exist_stops_nobody_else)
{
    socket pull (own, ZMQ_PULL);
    socket push (own, ZMQ_PUSH);
    const char *const nowhere = "tcp://no-such-host.invalid:5555";
    const bool accepted = zmq_connect (push, nowhere) == 0;
    if (!accepted) {
        EXPECT_EQ (errno, EINVAL);
    }
    push.set (ZMQ_IMMEDIATE, 1);
    socket other (own, ZMQ_PUSH);
    other.connect (pull.bind ("tcp://127.0.0.1:*"));
    talk (other, pull);
    if (accepted) {
        ASSERT_TRUE (eventually ([&] { return push.status (nowhere).last_reason != 0; }));
        EXPECT_STREQ (push.status (nowhere).reason_text, "resolve-failed");
        push.disconnect (nowhere);
    }
}

TEST_F (tcp_endpoints, a_source_address_is_where_we_come_from)
{
    socket pull (own, ZMQ_PULL);
    const std::string where = pull.bind ("tcp://127.0.0.1:*");
    socket push (own, ZMQ_PUSH);
    const std::string source = own_loopback ();
    push.connect ("tcp://" + source + ":0;" + where.substr (6));
    ASSERT_TRUE (push.send ("hello"));
    part got;
    ASSERT_GE (zmq_msg_recv (got.raw (), pull, 0), 0);
    EXPECT_STREQ (zmq_msg_gets (got.raw (), "Peer-Address"), source.c_str ());
    EXPECT_STREQ (zmq_msg_gets (got.raw (), "Socket-Type"), "PUSH");
}

TEST_F (tcp_endpoints, a_source_port_that_is_taken_is_a_failed_attempt)
{
    socket pull (own, ZMQ_PULL);
    const std::string where = pull.bind ("tcp://127.0.0.1:*");
    const std::string taken = tcp_place ();
    const raw_peer holder = raw_peer::listen_at (taken);
    ASSERT_TRUE (holder.valid ());
    socket push (own, ZMQ_PUSH);
    const std::string endpoint = taken + ';' + where.substr (6);
    push.connect (endpoint);
    ASSERT_TRUE (eventually ([&] { return push.status (endpoint).last_reason != 0; }));
    EXPECT_EQ (push.status (endpoint).last_os_error, EADDRINUSE);
}

TEST_F (tcp_endpoints, that_cannot_be_are_refused)
{
    socket one (own, ZMQ_PULL);
    for (const char *bad :
         {"tcp://", "tcp://127.0.0.1", "tcp://127.0.0.1:", "tcp://127.0.0.1:x", "tcp://127.0.0.1:70000",
          "tcp://:", "tcp://[::1:5", "tcp://127.0.0.1:-1", "tcp://127.0.0.1: 80"}) {
        EXPECT_EQ (zmq_bind (one, bad), -1) << bad;
        EXPECT_EQ (zmq_connect (one, bad), -1) << bad;
        EXPECT_TRUE (errno == EINVAL || errno == ENODEV) << bad << ": " << zmq_strerror (errno);
    }
    EXPECT_EQ (zmq_connect (one, "tcp://127.0.0.1:*"), -1);
    EXPECT_EQ (errno, EINVAL);
    EXPECT_EQ (zmq_connect (one, "tcp://127.0.0.1:0"), -1);
    EXPECT_EQ (errno, EINVAL);
    EXPECT_EQ (zmq_bind (one, "tcp://192.0.2.1:5555"), -1);
    EXPECT_TRUE (errno == EADDRNOTAVAIL || errno == ENODEV) << zmq_strerror (errno);
    EXPECT_EQ (zmq_bind (one, "tcp://no-such-device:5555"), -1);
    EXPECT_EQ (errno, ENODEV);
}

TEST_F (tcp_endpoints, a_port_of_another_program_is_eaddrinuse)
{
    const std::string where = tcp_place ();
    const raw_peer holder = raw_peer::listen_at (where);
    ASSERT_TRUE (holder.valid ());
    socket pull (own, ZMQ_PULL);
    EXPECT_EQ (zmq_bind (pull, where.c_str ()), -1);
    EXPECT_EQ (errno, EADDRINUSE);
}

TEST_F (tcp_endpoints, buffer_and_keepalive_options_reach_the_descriptor)
{
    socket pull (own, ZMQ_PULL);
    const std::string where = pull.bind ("tcp://127.0.0.1:*");
    socket push (own, ZMQ_PUSH);
    push.set (ZMQ_TCP_KEEPALIVE, 1);
    push.set (ZMQ_TCP_KEEPALIVE_IDLE, 77);
    push.set (ZMQ_SNDBUF, 30'000);
    push.set (ZMQ_TOS, 0x10);
    push.connect (where);
    talk (push, pull);
    // Ours is the one descriptor of this process that has these values.
    bool found = false;
    for (int each = 3; each < 200 && !found; ++each) {
        int idle = 0;
        socklen_t size = sizeof idle;
        constexpr int keepidle = 4;
        found = ::getsockopt (each, IPPROTO_TCP, keepidle, &idle, &size) == 0 && idle == 77;
        if (!found)
            continue;
        int value = 0;
        size = sizeof value;
        EXPECT_EQ (::getsockopt (each, SOL_SOCKET, SO_KEEPALIVE, &value, &size), 0);
        EXPECT_EQ (value, 1);
        EXPECT_EQ (::getsockopt (each, SOL_SOCKET, SO_SNDBUF, &value, &size), 0);
        EXPECT_EQ (value, 60'000);
        EXPECT_EQ (::getsockopt (each, IPPROTO_IP, IP_TOS, &value, &size), 0);
        EXPECT_EQ (value, 0x10);
        EXPECT_EQ (::fcntl (each, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    }
    EXPECT_TRUE (found);
}

// Ours are the descriptors of this process that have this time-out.
TEST_F (tcp_endpoints, packet_options_reach_the_descriptors_of_both_ends)
{
    socket pull (own, ZMQ_PULL);
    socket push (own, ZMQ_PUSH);
    for (socket *each : {&pull, &push}) {
        each->set (ZMQ_TCP_MAXRT, 54'321);
        each->set (ZMQ_PRIORITY, 5);
        each->set (ZMQ_TOS, 0x08);
        each->set (ZMQ_RCVBUF, 40'000);
        each->set (ZMQ_TCP_KEEPALIVE, 1);
        each->set (ZMQ_TCP_KEEPALIVE_CNT, 3);
        each->set (ZMQ_TCP_KEEPALIVE_INTVL, 7);
    }
    push.connect (pull.bind ("tcp://127.0.0.1:*"));
    talk (push, pull);
    const auto read = [] (int descriptor, int level, int name) {
        int value = -1;
        socklen_t size = sizeof value;
        return ::getsockopt (descriptor, level, name, &value, &size) == 0 ? value : -1;
    };
    constexpr int user_timeout = 18;
    constexpr int keep_interval = 5;
    constexpr int keep_count = 6;
    int found = 0;
    for (int each = 3; each < 200; ++each) {
        if (read (each, IPPROTO_TCP, user_timeout) != 54'321 || read (each, SOL_SOCKET, SO_ACCEPTCONN) != 0)
            continue;
        ++found;
        EXPECT_EQ (read (each, SOL_SOCKET, SO_PRIORITY), 5);
        EXPECT_EQ (read (each, IPPROTO_IP, IP_TOS), 0x08);
        EXPECT_EQ (read (each, SOL_SOCKET, SO_RCVBUF), 80'000);
        EXPECT_EQ (read (each, IPPROTO_TCP, keep_count), 3);
        EXPECT_EQ (read (each, IPPROTO_TCP, keep_interval), 7);
    }
    EXPECT_EQ (found, 2);
}

// The system may refuse it to us: then nothing changes but the speed.
TEST_F (tcp_endpoints, busy_polling_is_a_wish)
{
    const raw_peer listener = raw_peer::listen_at (tcp_place ());
    const int wish = 50;
    const bool allowed =
      ::setsockopt (listener.descriptor (), SOL_SOCKET, SO_BUSY_POLL, &wish, sizeof wish) == 0;
    socket pull (own, ZMQ_PULL);
    socket push (own, ZMQ_PUSH);
    push.set (ZMQ_BUSY_POLL, 53);
    push.connect (pull.bind ("tcp://127.0.0.1:*"));
    talk (push, pull);
    bool found = false;
    for (int each = 3; each < 200 && !found; ++each) {
        int value = 0;
        socklen_t size = sizeof value;
        found = ::getsockopt (each, SOL_SOCKET, SO_BUSY_POLL, &value, &size) == 0 && value == 53;
    }
    EXPECT_EQ (found, allowed);
}

TEST_F (tcp_endpoints, a_device_may_be_chosen)
{
    socket pull (own, ZMQ_PULL);
    ASSERT_EQ (zmq_setsockopt (pull, ZMQ_BINDTODEVICE, "no-such-nic", 11), 0);
    EXPECT_EQ (zmq_bind (pull, "tcp://127.0.0.1:*"), -1);
    EXPECT_TRUE (errno == ENODEV || errno == EPERM) << zmq_strerror (errno);
    ASSERT_EQ (zmq_setsockopt (pull, ZMQ_BINDTODEVICE, "lo", 2), 0);
    if (zmq_bind (pull, "tcp://127.0.0.1:*") != 0) {
        EXPECT_EQ (errno, EPERM);  // where the system lets only some do so
        return;
    }
    socket push (own, ZMQ_PUSH);
    ASSERT_EQ (zmq_setsockopt (push, ZMQ_BINDTODEVICE, "lo", 2), 0);
    push.connect (pull.last_endpoint ());
    talk (push, pull);
}

TEST_F (tcp_endpoints, a_backlog_reaches_the_listener)
{
    socket pull (own, ZMQ_PULL);
    pull.set (ZMQ_BACKLOG, 37);
    pull.bind ("tcp://127.0.0.1:*");
    bool found = false;
    for (int each = 3; each < 200 && !found; ++each) {
        int listens = 0;
        socklen_t size = sizeof listens;
        if (::getsockopt (each, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || listens == 0)
            continue;
        tcp_info info{};
        size = sizeof info;
        found = ::getsockopt (each, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 && info.tcpi_sacked == 37;
    }
    EXPECT_TRUE (found);
}

// A listener whose queue is full does not answer.
TEST_F (tcp_endpoints, connecting_is_given_up_after_its_time_out)
{
    const std::string where = tcp_place ();
    const raw_peer listener = raw_peer::listen_at (where, 0);
    const raw_peer fills_it = raw_peer::connect_to (where);
    socket push (own, ZMQ_PUSH);
    push.set (ZMQ_CONNECT_TIMEOUT, 1);
    push.set (ZMQ_RECONNECT_IVL, 1);
    push.connect (where);
    EXPECT_TRUE (eventually ([&] {
        return push.status (where).attempts > 2
               && std::string (push.status (where).reason_text) == "connect-timeout";
    }));
}

TEST_F (tcp_endpoints, a_listening_descriptor_can_be_handed_over)
{
    const std::string where = tcp_place ();
    const raw_peer listener = raw_peer::listen_at (where);
    socket pull (own, ZMQ_PULL);
    pull.set (ZMQ_USE_FD, ::dup (listener.descriptor ()));
    ASSERT_EQ (zmq_bind (pull, where.c_str ()), 0) << zmq_strerror (errno);
    socket push (own, ZMQ_PUSH);
    push.connect (where);
    talk (push, pull);
}

}  // namespace
}  // namespace zlink::test
