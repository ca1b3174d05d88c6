// zlink.h: what it has beyond zmq.h, and its own numbers and defaults.
#include "zlink/zlink.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace {

struct zlink_case : testing::Test
{
    void SetUp () override
    {
        context = zlink_ctx_new ();
        ASSERT_NE (context, nullptr);
        pull = open (ZLINK_PULL);
        push = open (ZLINK_PUSH);
    }
    void TearDown () override
    {
        for (void *each : opened)
            zlink_close (each);
        EXPECT_EQ (zlink_ctx_term (context), 0);
    }
    void *open (int type)
    {
        void *socket = zlink_socket (context, type);
        EXPECT_NE (socket, nullptr);
        const int no_linger = 0;
        EXPECT_EQ (zlink_setsockopt (socket, ZLINK_LINGER, &no_linger, sizeof (no_linger)), 0);
        opened.push_back (socket);
        return socket;
    }
    void connect ()
    {
        ASSERT_EQ (zlink_bind (pull, "tcp://127.0.0.1:*"), 0);
        std::size_t size = endpoint.size ();
        ASSERT_EQ (zlink_getsockopt (pull, ZLINK_LAST_ENDPOINT, endpoint.data (), &size), 0);
        ASSERT_EQ (zlink_connect (push, endpoint.data ()), 0);
        ASSERT_EQ (zlink_wait_peers (push, 1, 30'000), 0);
        ASSERT_EQ (zlink_wait_peers (pull, 1, 30'000), 0);
    }
    template <class T> T option (void *socket, int number)
    {
        T value{};
        std::size_t size = sizeof (value);
        EXPECT_EQ (zlink_getsockopt (socket, number, &value, &size), 0) << number;
        return value;
    }

    void *context = nullptr;
    void *pull = nullptr;
    void *push = nullptr;
    std::array<char, 100> endpoint{};
    std::vector<void *> opened;
};

TEST_F (zlink_case, has_its_own_defaults)
{
    EXPECT_EQ (zlink_ctx_get (context, ZLINK_IO_THREADS), ZLINK_IO_THREADS_DFLT);
    EXPECT_EQ (option<int> (push, ZLINK_SNDHWM), 300'000);
    EXPECT_EQ (option<std::int64_t> (push, ZLINK_SNDHWM_BYTES), 64 << 20);
    EXPECT_EQ (option<int> (push, ZLINK_RECONNECT_IVL_MAX), 5000);
    EXPECT_EQ (option<int> (push, ZLINK_IN_BATCH_SIZE), 8192);
    int value = 0;
    EXPECT_EQ (zlink_setsockopt (push, 118, &value, sizeof (value)), -1);  // NORM_UNICAST_NACK
    EXPECT_EQ (errno, EINVAL);
}

TEST_F (zlink_case, tells_how_a_connection_goes)
{
    connect ();
    zlink_endpoint_status_t status;
    std::memset (&status, 0xFF, sizeof (status));
    ASSERT_EQ (zlink_connect_status (push, endpoint.data (), &status), 0);
    EXPECT_EQ (status.is_listener, 0);
    EXPECT_EQ (status.connected, 1U);
    EXPECT_GE (status.attempts, 1U);
    EXPECT_EQ (status.last_reason, 0);
    EXPECT_STREQ (status.reason_text, "none");
    EXPECT_EQ (status.reserved[7], 0U);
    ASSERT_EQ (zlink_connect_status (pull, endpoint.data (), &status), 0);
    EXPECT_EQ (status.is_listener, 1);
    EXPECT_EQ (zlink_connect_status (push, "tcp://127.0.0.1:1", &status), -1);
    EXPECT_EQ (errno, ENOENT);
    EXPECT_EQ (zlink_connect_status (push, nullptr, &status), -1);
    EXPECT_EQ (errno, EINVAL);
    EXPECT_EQ (zlink_connect_status (push, endpoint.data (), nullptr), -1);
    EXPECT_EQ (errno, EFAULT);
    EXPECT_EQ (zlink_connect_status (nullptr, endpoint.data (), &status), -1);
    EXPECT_EQ (errno, ENOTSOCK);
}

TEST_F (zlink_case, waits_for_peers)
{
    EXPECT_EQ (zlink_wait_peers (push, 1, 0), -1);
    EXPECT_EQ (errno, ETIMEDOUT);
    EXPECT_EQ (zlink_wait_peers (push, 0, -1), 0);
    EXPECT_EQ (zlink_wait_peers (nullptr, 1, 0), -1);
    EXPECT_EQ (errno, ENOTSOCK);
}

TEST_F (zlink_case, counts)
{
    connect ();
    ASSERT_EQ (zlink_send (push, "12345", 5, 0), 5);
    char byte = 0;
    ASSERT_EQ (zlink_recv (pull, &byte, 1, 0), 5);
    zlink_statistics_t figures;
    ASSERT_EQ (zlink_statistics (push, &figures), 0);
    EXPECT_EQ (figures.messages_sent, 1U);
    EXPECT_EQ (figures.bytes_sent, 5U);
    EXPECT_EQ (figures.connections_made, 1U);
    EXPECT_GE (figures.write_calls, 1U);
    ASSERT_EQ (zlink_statistics (pull, &figures), 0);
    EXPECT_EQ (figures.messages_received, 1U);
    EXPECT_EQ (zlink_statistics (push, nullptr), -1);
    EXPECT_EQ (errno, EFAULT);
    EXPECT_EQ (zlink_statistics (nullptr, &figures), -1);
    EXPECT_EQ (errno, ENOTSOCK);
}

TEST_F (zlink_case, whole_messages_over_tcp)
{
    connect ();
    std::array<zlink_msg_t, 3> parts;
    for (zlink_msg_t &part : parts)
        ASSERT_EQ (zlink_msg_init_buffer (&part, "part", 4), 0);
    ASSERT_EQ (zlink_sendv (push, parts.data (), parts.size (), 0), 3);
    std::size_t count = parts.size ();
    ASSERT_EQ (zlink_recvv (pull, parts.data (), &count, 0), 3);
    EXPECT_EQ (zlink_msg_more (&parts[1]), 1);
    ASSERT_EQ (zlink_sendn (push, &parts[2], 1, 0), 1);
    ASSERT_EQ (zlink_recvn (pull, &parts[2], 1, 0), 1);
    EXPECT_EQ (zlink_msg_size (&parts[2]), 4U);
    const std::array<std::uint32_t, 2> sizes = {2, 1};
    ASSERT_EQ (zlink_send_packed (push, "abc", 3, sizes.data (), 2, 0), 2);
    std::array<char, 10> buffer{};
    std::uint32_t size = 0;
    ASSERT_EQ (zlink_recv_packed (pull, buffer.data (), buffer.size (), &size, 1, 0), 1);
    EXPECT_EQ (size, 2U);
    ASSERT_EQ (zlink_recv_packed (pull, buffer.data (), buffer.size (), &size, 1, 0), 1);
    EXPECT_EQ (buffer[0], 'c');
    for (zlink_msg_t &part : parts)
        EXPECT_EQ (zlink_msg_close (&part), 0);
}

TEST_F (zlink_case, whole_message_calls_check_their_socket)
{
    zlink_msg_t part;
    ASSERT_EQ (zlink_msg_init (&part), 0);
    std::size_t count = 1;
    std::uint32_t size = 1;
    char byte = 0;
    for (const int outcome : {zlink_sendv (context, &part, 1, 0), zlink_recvv (context, &part, &count, 0),
                              zlink_sendn (context, &part, 1, 0), zlink_recvn (context, &part, 1, 0),
                              zlink_send_packed (context, &byte, 1, &size, 1, 0),
                              zlink_recv_packed (context, &byte, 1, &size, 1, 0)}) {
        EXPECT_EQ (outcome, -1);
        EXPECT_EQ (errno, ENOTSOCK);
    }
    EXPECT_EQ (zlink_msg_close (&part), 0);
}

TEST_F (zlink_case, closes_arrays_of_parts)
{
    auto *parts = static_cast<zlink_msg_t *> (std::malloc (2 * sizeof (zlink_msg_t)));
    ASSERT_EQ (zlink_msg_init_size (&parts[0], 1000), 0);
    ASSERT_EQ (zlink_msg_init (&parts[1]), 0);
    ASSERT_EQ (zlink_msg_close (&parts[1]), 0);
    zlink_msgv_close (parts, 2);
    zlink_msgv_close (nullptr, 2);
}

TEST_F (zlink_case, knows_itself)
{
    int major = 0;
    int minor = 0;
    int patch = 0;
    zlink_version (&major, &minor, &patch);
    EXPECT_EQ (ZLINK_MAKE_VERSION (major, minor, patch), ZLINK_VERSION);
    EXPECT_EQ (zlink_has ("inproc"), 1);
    EXPECT_EQ (zlink_has ("tcp"), 1);
    EXPECT_EQ (zlink_has ("tls"), 1);
    EXPECT_EQ (zlink_has ("vsock"), 1);
    for (const char *absent : {"gssapi", "pgm", "norm", "vmci", "tipc"})
        EXPECT_EQ (zlink_has (absent), 0) << absent;
    EXPECT_EQ (zlink_has (nullptr), 0);
    EXPECT_STREQ (zlink_strerror (EMTHREAD), "No thread available");
}

TEST_F (zlink_case, bounded_termination)
{
    EXPECT_EQ (zlink_ctx_term_ms (nullptr, 0), -1);
    EXPECT_EQ (errno, EFAULT);
    std::size_t size = 0;
    EXPECT_EQ (zlink_ctx_holders (nullptr, nullptr, &size), -1);
    EXPECT_EQ (errno, EFAULT);
}

}  // namespace
