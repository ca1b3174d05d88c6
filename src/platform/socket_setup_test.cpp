#include "platform/socket_setup.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "platform/host_lookup.hpp"
#include "platform/socket_listener.hpp"
#include "platform/socket_stream.hpp"
#include "platform/test_tools.hpp"

namespace zlink::platform {
namespace {

using base::errc;

int option (int socket, int level, int name)
{
    int value = -1;
    socklen_t size = sizeof value;
    EXPECT_EQ (::getsockopt (socket, level, name, &value, &size), 0);
    return value;
}

void expect_everything (int socket)
{
    EXPECT_EQ (option (socket, IPPROTO_TCP, TCP_NODELAY), 1);
    EXPECT_EQ (option (socket, SOL_SOCKET, SO_KEEPALIVE), 1);
    EXPECT_EQ (option (socket, IPPROTO_TCP, TCP_KEEPCNT), 3);
    EXPECT_EQ (option (socket, IPPROTO_TCP, TCP_KEEPIDLE), 11);
    EXPECT_EQ (option (socket, IPPROTO_TCP, TCP_KEEPINTVL), 7);
    EXPECT_EQ (option (socket, IPPROTO_TCP, TCP_USER_TIMEOUT), 4321);
    EXPECT_EQ (option (socket, IPPROTO_IP, IP_TOS), 0x10);
    EXPECT_EQ (option (socket, SOL_SOCKET, SO_PRIORITY), 5);
    EXPECT_EQ (option (socket, SOL_SOCKET, SO_SNDBUF), 2 * 20'000);  // the kernel doubles it
    EXPECT_EQ (option (socket, SOL_SOCKET, SO_RCVBUF), 2 * 30'000);
    EXPECT_NE (::fcntl (socket, F_GETFD) & FD_CLOEXEC, 0);
    EXPECT_NE (::fcntl (socket, F_GETFL) & O_NONBLOCK, 0);
}

TEST (socket_setup, options_reach_both_ends_of_a_connection)
{
    base::stream_options options;
    options.keepalive = 1;
    options.keepalive_count = 3;
    options.keepalive_idle_s = 11;
    options.keepalive_interval_s = 7;
    options.max_retransmit_ms = 4321;
    options.type_of_service = 0x10;
    options.priority = 5;
    options.send_buffer_bytes = 20'000;
    options.receive_buffer_bytes = 30'000;
    socket_address at = numeric_address ("127.0.0.1", false).value ();
    const auto listener = listen_at (at, "tcp", options);
    ASSERT_TRUE (listener);
    at = own_address (listener.value ()->handle ());
    const auto client = socket_stream::dial ("tcp", at, {}, options);
    ASSERT_TRUE (client);
    const auto server = test_tools::accept (*listener.value ());
    ASSERT_TRUE (server);
    expect_everything (client.value ()->handle ());
    expect_everything (server->handle ());
}

TEST (socket_setup, defaults_leave_the_system_alone)
{
    const auto plain = make_stream_socket (address_family::v4);
    const auto set = make_stream_socket (address_family::v4);
    ASSERT_TRUE (plain && set);
    ASSERT_TRUE (apply_options (set.value ().get (), address_family::v4, {}));
    for (const int name : {SO_SNDBUF, SO_RCVBUF, SO_KEEPALIVE, SO_PRIORITY})
        EXPECT_EQ (option (plain.value ().get (), SOL_SOCKET, name),
                   option (set.value ().get (), SOL_SOCKET, name));
}

TEST (socket_setup, local_sockets_of_both_ends_have_their_buffers)
{
    base::stream_options asked;
    asked.send_buffer_bytes = 20'000;
    asked.receive_buffer_bytes = 30'000;
    const auto listener = listen_local ("*", "ipc", asked);
    ASSERT_TRUE (listener);
    const socket_address at = own_address (listener.value ()->handle ());
    const auto client = socket_stream::dial ("ipc", at, {}, asked);
    ASSERT_TRUE (client);
    const auto server = test_tools::accept (*listener.value ());
    ASSERT_TRUE (server);
    for (const int socket : {client.value ()->handle (), server->handle ()}) {
        EXPECT_EQ (option (socket, SOL_SOCKET, SO_SNDBUF), 2 * 20'000);
        EXPECT_EQ (option (socket, SOL_SOCKET, SO_RCVBUF), 2 * 30'000);
    }
}

TEST (socket_setup, local_sockets_have_a_send_buffer_of_ours)
{
    const auto plain = make_stream_socket (address_family::local);
    const auto set = make_stream_socket (address_family::local);
    ASSERT_TRUE (plain && set);
    ::setsockopt (plain.value ().get (), SOL_SOCKET, SO_SNDBUF, &local_send_buffer_bytes,
                  sizeof local_send_buffer_bytes);
    ASSERT_TRUE (apply_options (set.value ().get (), address_family::local, {}));
    EXPECT_EQ (option (set.value ().get (), SOL_SOCKET, SO_SNDBUF),
               option (plain.value ().get (), SOL_SOCKET, SO_SNDBUF));
}

TEST (socket_setup, tuning_that_is_refused_is_no_failure)
{
    base::stream_options options;
    options.priority = 1 << 20;
    options.keepalive = 1;
    options.keepalive_count = 1 << 30;
    options.send_buffer_bytes = 1;
    options.type_of_service = 1 << 20;
    for (const auto family : {address_family::v4, address_family::local}) {
        const auto made = make_stream_socket (family);
        ASSERT_TRUE (made);
        EXPECT_TRUE (apply_options (made.value ().get (), family, options));
    }
}

TEST (socket_setup, a_device_that_is_not_there_is_a_failure)
{
    const auto made = make_stream_socket (address_family::v4);
    ASSERT_TRUE (made);
    base::stream_options options;
    options.bind_to_device = "no-such-nic";
    EXPECT_FALSE (apply_options (made.value ().get (), address_family::v4, options));
}

TEST (socket_setup, addresses_of_what_is_no_socket)
{
    EXPECT_EQ (own_address (-1).family (), address_family::none);
    EXPECT_EQ (far_address (0).family (), address_family::none);
    EXPECT_EQ (bind_socket (-1, socket_address::any_v4 (0)).code (), errc::not_a_socket);
}

}  // namespace
}  // namespace zlink::platform
