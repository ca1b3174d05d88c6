// What the C ABI answers to bad arguments, and that the good ones arrive.
#include "zmq.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace {

struct zmq_case : testing::Test
{
    void SetUp () override
    {
        context = zmq_ctx_new ();
        ASSERT_NE (context, nullptr);
    }
    void TearDown () override
    {
        for (void *each : opened)
            zmq_close (each);
        EXPECT_EQ (zmq_ctx_term (context), 0);
    }

    void *open (int type)
    {
        void *socket = zmq_socket (context, type);
        EXPECT_NE (socket, nullptr);
        const int no_linger = 0;
        EXPECT_EQ (zmq_setsockopt (socket, ZMQ_LINGER, &no_linger, sizeof (no_linger)), 0);
        opened.push_back (socket);
        return socket;
    }

    void *dead_socket ()
    {
        void *socket = zmq_socket (context, ZMQ_PAIR);
        EXPECT_EQ (zmq_close (socket), 0);
        return socket;
    }

    // Two sockets that are connected inside the process.
    void connected (int bound_type, int connected_type, const char *endpoint)
    {
        bound = open (bound_type);
        peer = open (connected_type);
        ASSERT_EQ (zmq_bind (bound, endpoint), 0);
        ASSERT_EQ (zmq_connect (peer, endpoint), 0);
    }

    void *context = nullptr;
    void *bound = nullptr;
    void *peer = nullptr;
    std::vector<void *> opened;
};

struct named_call
{
    const char *name;
    std::function<int (void *)> call;
};

// Every function that takes a socket, with arguments that are fine but for it.
std::vector<named_call> socket_calls ()
{
    static zmq_msg_t msg;
    zmq_msg_init (&msg);
    static std::array<char, 8> buffer{};
    static int number = 0;
    static std::size_t size = sizeof (number);
    static std::size_t count = 1;
    static struct
    {
        void *base;
        std::size_t size;
    } slice{buffer.data (), 1};
    auto *slices = reinterpret_cast<struct iovec *> (&slice);
    return {
      {"close", [] (void *s) { return zmq_close (s); }},
      {"setsockopt", [] (void *s) { return zmq_setsockopt (s, ZMQ_LINGER, &number, sizeof (number)); }},
      {"getsockopt", [] (void *s) { return zmq_getsockopt (s, ZMQ_LINGER, &number, &size); }},
      {"bind", [] (void *s) { return zmq_bind (s, "inproc://bad"); }},
      {"connect", [] (void *s) { return zmq_connect (s, "inproc://bad"); }},
      {"unbind", [] (void *s) { return zmq_unbind (s, "inproc://bad"); }},
      {"disconnect", [] (void *s) { return zmq_disconnect (s, "inproc://bad"); }},
      {"send", [] (void *s) { return zmq_send (s, "x", 1, ZMQ_DONTWAIT); }},
      {"send_const", [] (void *s) { return zmq_send_const (s, "x", 1, ZMQ_DONTWAIT); }},
      {"recv", [] (void *s) { return zmq_recv (s, buffer.data (), buffer.size (), ZMQ_DONTWAIT); }},
      {"msg_send", [] (void *s) { return zmq_msg_send (&msg, s, ZMQ_DONTWAIT); }},
      {"msg_recv", [] (void *s) { return zmq_msg_recv (&msg, s, ZMQ_DONTWAIT); }},
      {"sendmsg", [] (void *s) { return zmq_sendmsg (s, &msg, ZMQ_DONTWAIT); }},
      {"recvmsg", [] (void *s) { return zmq_recvmsg (s, &msg, ZMQ_DONTWAIT); }},
      {"sendiov", [slices] (void *s) { return zmq_sendiov (s, slices, 1, ZMQ_DONTWAIT); }},
      {"recviov", [slices] (void *s) { return zmq_recviov (s, slices, &count, ZMQ_DONTWAIT); }},
      {"join", [] (void *s) { return zmq_join (s, "group"); }},
      {"leave", [] (void *s) { return zmq_leave (s, "group"); }},
      {"connect_peer", [] (void *s) { return zmq_connect_peer (s, "inproc://bad") == 0 ? -1 : 0; }},
      {"disconnect_peer", [] (void *s) { return zmq_disconnect_peer (s, 1); }},
      {"get_peer_state", [] (void *s) { return zmq_socket_get_peer_state (s, "x", 1); }},
      {"monitor", [] (void *s) { return zmq_socket_monitor (s, "inproc://bad", ZMQ_EVENT_ALL); }},
      {"monitor_versioned",
       [] (void *s) { return zmq_socket_monitor_versioned (s, "inproc://bad", 1, 2, 0); }},
      {"pipes_stats", [] (void *s) { return zmq_socket_monitor_pipes_stats (s); }},
      {"proxy", [] (void *s) { return s == nullptr ? -1 : zmq_proxy (s, s, nullptr); }},
    };
}

TEST_F (zmq_case, what_is_no_socket_is_enotsock)
{
    alignas (64) static std::array<unsigned char, 256> foreign{};
    const std::vector<void *> bad = {nullptr, dead_socket (), context, foreign.data (), foreign.data () + 1};
    for (const named_call &each : socket_calls ())
        for (void *socket : bad) {
            errno = ENOTSOCK;  // proxies check NULL before anything is a socket
            EXPECT_EQ (each.call (socket), -1) << each.name;
            EXPECT_EQ (zmq_errno (), ENOTSOCK) << each.name;
        }
}

TEST_F (zmq_case, a_stale_handle_stays_dead_while_others_are_opened)
{
    void *stale = dead_socket ();
    for (int i = 0; i < 100; ++i)
        EXPECT_NE (dead_socket (), stale);
    EXPECT_EQ (zmq_send (stale, "x", 1, 0), -1);
    EXPECT_EQ (errno, ENOTSOCK);
}

TEST_F (zmq_case, what_is_no_context_is_efault)
{
    void *gone = zmq_ctx_new ();
    ASSERT_EQ (zmq_ctx_term (gone), 0);
    void *socket = open (ZMQ_PAIR);
    alignas (64) static std::array<unsigned char, 256> foreign{};
    int number = 0;
    std::size_t size = sizeof (number);
    for (void *bad : std::vector<void *>{nullptr, gone, socket, foreign.data ()}) {
        for (const int outcome :
             {zmq_ctx_term (bad), zmq_term (bad), zmq_ctx_destroy (bad), zmq_ctx_shutdown (bad),
              zmq_ctx_set (bad, ZMQ_IO_THREADS, 1), zmq_ctx_get (bad, ZMQ_IO_THREADS),
              zmq_ctx_set_ext (bad, ZMQ_IO_THREADS, &number, size),
              zmq_ctx_get_ext (bad, ZMQ_IO_THREADS, &number, &size)}) {
            EXPECT_EQ (outcome, -1);
            EXPECT_EQ (errno, EFAULT);
        }
        EXPECT_EQ (zmq_socket (bad, ZMQ_PAIR), nullptr);
        EXPECT_EQ (errno, EFAULT);
    }
}

TEST_F (zmq_case, context_options_have_zmq_defaults)
{
    EXPECT_EQ (zmq_ctx_get (context, ZMQ_IO_THREADS), 1);
    EXPECT_EQ (zmq_ctx_get (context, ZMQ_MAX_SOCKETS), 1023);
    EXPECT_EQ (zmq_ctx_get (context, ZMQ_MSG_T_SIZE), static_cast<int> (sizeof (zmq_msg_t)));
    EXPECT_EQ (zmq_ctx_set (context, ZMQ_IO_THREADS, -1), -1);
    EXPECT_EQ (errno, EINVAL);
    EXPECT_EQ (zmq_ctx_set (context, 4711, 1), -1);
    EXPECT_EQ (errno, EINVAL);
    EXPECT_EQ (zmq_ctx_get (context, ZMQ_THREAD_NAME_PREFIX), 0);
    EXPECT_EQ (zmq_ctx_set (context, ZMQ_THREAD_NAME_PREFIX, 42), 0);
    EXPECT_EQ (zmq_ctx_get (context, ZMQ_THREAD_NAME_PREFIX), 42);
    EXPECT_EQ (zmq_ctx_set_ext (context, ZMQ_THREAD_NAME_PREFIX, "name", 4), 0);
    std::array<char, 17> name{};
    std::size_t size = name.size ();
    EXPECT_EQ (zmq_ctx_get_ext (context, ZMQ_THREAD_NAME_PREFIX, name.data (), &size), 0);
    EXPECT_EQ (zmq_ctx_set_ext (context, ZMQ_IO_THREADS, nullptr, 4), -1);
    EXPECT_EQ (zmq_ctx_get_ext (context, ZMQ_IO_THREADS, nullptr, nullptr), -1);
    EXPECT_EQ (zmq_init (-1), nullptr);
    EXPECT_EQ (errno, EINVAL);
    void *old = zmq_init (3);
    EXPECT_EQ (zmq_ctx_get (old, ZMQ_IO_THREADS), 3);
    EXPECT_EQ (zmq_term (old), 0);
}

TEST_F (zmq_case, socket_types_that_do_not_exist_are_einval)
{
    for (const int type : {-1, 21, 4711}) {
        EXPECT_EQ (zmq_socket (context, type), nullptr) << type;
        EXPECT_EQ (errno, EINVAL) << type;
    }
}

TEST_F (zmq_case, the_sockets_limit_is_emfile)
{
    ASSERT_EQ (zmq_ctx_set (context, ZMQ_MAX_SOCKETS, 2), 0);
    open (ZMQ_PAIR);
    open (ZMQ_PAIR);
    EXPECT_EQ (zmq_socket (context, ZMQ_PAIR), nullptr);
    EXPECT_EQ (errno, EMFILE);
}

TEST_F (zmq_case, bad_endpoints)
{
    void *socket = open (ZMQ_PAIR);
    const std::vector<std::pair<const char *, int>> endpoints = {
      {nullptr, EINVAL},
      {"", EINVAL},
      {"tcp:", EINVAL},
      {"://", EINVAL},
      {"nothing", EINVAL},
      {"foo://x", EPROTONOSUPPORT},
      {"tcp://", EINVAL},
      {"tcp://127.0.0.1", EINVAL},
      {"tcp://127.0.0.1:99999", EINVAL},
    };
    for (const auto &[endpoint, expected] : endpoints) {
        EXPECT_EQ (zmq_connect (socket, endpoint), -1) << (endpoint == nullptr ? "NULL" : endpoint);
        EXPECT_EQ (errno, expected) << (endpoint == nullptr ? "NULL" : endpoint);
        EXPECT_EQ (zmq_bind (socket, endpoint), -1) << (endpoint == nullptr ? "NULL" : endpoint);
        EXPECT_EQ (errno, expected) << (endpoint == nullptr ? "NULL" : endpoint);
    }
    EXPECT_EQ (zmq_unbind (socket, nullptr), -1);
    EXPECT_EQ (errno, EINVAL);
    EXPECT_EQ (zmq_disconnect (socket, "inproc://never"), -1);
    EXPECT_EQ (errno, ENOENT);
}

TEST_F (zmq_case, null_buffers_are_efault)
{
    void *socket = open (ZMQ_PAIR);
    EXPECT_EQ (zmq_send (socket, nullptr, 1, ZMQ_DONTWAIT), -1);
    EXPECT_EQ (errno, EFAULT);
    EXPECT_EQ (zmq_send_const (socket, nullptr, 1, ZMQ_DONTWAIT), -1);
    EXPECT_EQ (errno, EFAULT);
    EXPECT_EQ (zmq_recv (socket, nullptr, 1, ZMQ_DONTWAIT), -1);
    EXPECT_EQ (errno, EFAULT);
    EXPECT_EQ (zmq_msg_send (nullptr, socket, 0), -1);
    EXPECT_EQ (errno, EFAULT);
    EXPECT_EQ (zmq_msg_recv (nullptr, socket, 0), -1);
    EXPECT_EQ (errno, EFAULT);
    zmq_msg_t closed;
    zmq_msg_init (&closed);
    ASSERT_EQ (zmq_msg_close (&closed), 0);
    EXPECT_EQ (zmq_msg_send (&closed, socket, 0), -1);
    EXPECT_EQ (errno, EFAULT);
    EXPECT_EQ (zmq_msg_close (&closed), -1);
    EXPECT_EQ (errno, EFAULT);
}

TEST_F (zmq_case, bad_options)
{
    void *socket = open (ZMQ_PAIR);
    const int value = 1;
    EXPECT_EQ (zmq_setsockopt (socket, 4711, &value, sizeof (value)), -1);
    EXPECT_EQ (errno, EINVAL);
    EXPECT_EQ (zmq_setsockopt (socket, ZMQ_SNDHWM, nullptr, sizeof (value)), -1);
    EXPECT_EQ (errno, EINVAL);
    EXPECT_EQ (zmq_setsockopt (socket, ZMQ_SNDHWM, &value, 3), -1);
    EXPECT_EQ (errno, EINVAL);
    EXPECT_EQ (zmq_setsockopt (socket, ZMQ_GSSAPI_SERVER, &value, sizeof (value)), -1);
    EXPECT_EQ (errno, EINVAL);
    EXPECT_EQ (zmq_getsockopt (socket, ZMQ_SNDHWM, nullptr, nullptr), -1);
    EXPECT_EQ (errno, EINVAL);
}

TEST_F (zmq_case, options_are_zmqs)
{
    void *socket = open (ZMQ_PUSH);
    int value = 0;
    std::size_t size = sizeof (value);
    ASSERT_EQ (zmq_getsockopt (socket, ZMQ_SNDHWM, &value, &size), 0);
    EXPECT_EQ (value, 1000);
    ASSERT_EQ (zmq_getsockopt (socket, ZMQ_TYPE, &value, &size), 0);
    EXPECT_EQ (value, ZMQ_PUSH);
    ASSERT_EQ (zmq_getsockopt (socket, ZMQ_RCVMORE, &value, &size), 0);
    EXPECT_EQ (value, 0);
}

TEST_F (zmq_case, directions_a_type_lacks_are_enotsup)
{
    void *push = open (ZMQ_PUSH);
    void *pull = open (ZMQ_PULL);
    char byte = 0;
    EXPECT_EQ (zmq_recv (push, &byte, 1, ZMQ_DONTWAIT), -1);
    EXPECT_EQ (errno, ENOTSUP);
    EXPECT_EQ (zmq_send (pull, &byte, 1, ZMQ_DONTWAIT), -1);
    EXPECT_EQ (errno, ENOTSUP);
    EXPECT_EQ (zmq_join (pull, "group"), -1);
    EXPECT_EQ (errno, ENOTSUP);
}

TEST_F (zmq_case, nobody_there_is_eagain)
{
    void *push = open (ZMQ_PUSH);
    EXPECT_EQ (zmq_send (push, "x", 1, ZMQ_DONTWAIT), -1);
    EXPECT_EQ (errno, EAGAIN);
    const int timeout_ms = 1;
    ASSERT_EQ (zmq_setsockopt (push, ZMQ_SNDTIMEO, &timeout_ms, sizeof (timeout_ms)), 0);
    EXPECT_EQ (zmq_send (push, "x", 1, 0), -1);
    EXPECT_EQ (errno, EAGAIN);
    void *pull = open (ZMQ_PULL);
    ASSERT_EQ (zmq_setsockopt (pull, ZMQ_RCVTIMEO, &timeout_ms, sizeof (timeout_ms)), 0);
    char byte = 0;
    EXPECT_EQ (zmq_recv (pull, &byte, 1, 0), -1);
    EXPECT_EQ (errno, EAGAIN);
}

TEST_F (zmq_case, shutdown_makes_everything_eterm)
{
    void *socket = open (ZMQ_PAIR);
    ASSERT_EQ (zmq_ctx_shutdown (context), 0);
    char byte = 0;
    EXPECT_EQ (zmq_send (socket, "x", 1, 0), -1);
    EXPECT_EQ (errno, ETERM);
    EXPECT_EQ (zmq_recv (socket, &byte, 1, 0), -1);
    EXPECT_EQ (errno, ETERM);
    EXPECT_EQ (zmq_socket (context, ZMQ_PAIR), nullptr);
    EXPECT_EQ (errno, ETERM);
}

TEST_F (zmq_case, parts_travel_with_their_flags)
{
    connected (ZMQ_PULL, ZMQ_PUSH, "inproc://parts");
    ASSERT_EQ (zmq_send (peer, "ab", 2, ZMQ_SNDMORE), 2);
    ASSERT_EQ (zmq_send_const (peer, "", 0, ZMQ_SNDMORE), 0);
    zmq_msg_t msg;
    ASSERT_EQ (zmq_msg_init_buffer (&msg, "cde", 3), 0);
    ASSERT_EQ (zmq_msg_send (&msg, peer, 0), 3);
    EXPECT_EQ (zmq_msg_size (&msg), 0U);
    char byte = 0;
    EXPECT_EQ (zmq_recv (bound, &byte, 1, 0), 2);  // cut off
    EXPECT_EQ (byte, 'a');
    ASSERT_EQ (zmq_msg_recv (&msg, bound, 0), 0);
    EXPECT_EQ (zmq_msg_more (&msg), 1);
    ASSERT_EQ (zmq_msg_recv (&msg, bound, 0), 3);
    EXPECT_EQ (zmq_msg_more (&msg), 0);
    EXPECT_EQ (std::memcmp (zmq_msg_data (&msg), "cde", 3), 0);
    ASSERT_EQ (zmq_msg_close (&msg), 0);
}

TEST_F (zmq_case, memory_of_the_caller_is_released_once)
{
    connected (ZMQ_PULL, ZMQ_PUSH, "inproc://adopted");
    static int released;
    released = 0;
    static std::array<char, 50'000> memory{};
    zmq_msg_t msg;
    const auto count = [] (void *, void *hint) { ++*static_cast<int *> (hint); };
    ASSERT_EQ (zmq_msg_init_data (&msg, memory.data (), memory.size (), count, &released), 0);
    ASSERT_EQ (zmq_msg_send (&msg, peer, 0), static_cast<int> (memory.size ()));
    ASSERT_EQ (zmq_msg_close (&msg), 0);
    ASSERT_EQ (zmq_msg_init (&msg), 0);
    ASSERT_EQ (zmq_msg_recv (&msg, bound, 0), static_cast<int> (memory.size ()));
    ASSERT_EQ (zmq_msg_close (&msg), 0);
    EXPECT_EQ (released, 1);
}

TEST_F (zmq_case, vectors_are_one_message_with_sndmore_and_many_without)
{
    connected (ZMQ_PULL, ZMQ_PUSH, "inproc://vectors");
    struct slice
    {
        void *base;
        std::size_t size;
    };
    std::array<char, 6> text = {'a', 'b', 'c', 'd', 'e', 'f'};
    std::array<slice, 3> out = {{{&text[0], 1}, {&text[1], 2}, {&text[3], 3}}};
    std::array<slice, 3> in{};
    auto *sent = reinterpret_cast<struct iovec *> (out.data ());
    auto *got = reinterpret_cast<struct iovec *> (in.data ());
    ASSERT_EQ (zmq_sendiov (peer, sent, 3, ZMQ_SNDMORE), 3);
    std::size_t count = 3;
    ASSERT_EQ (zmq_recviov (bound, got, &count, 0), 3);
    EXPECT_EQ (count, 3U);
    EXPECT_EQ (in[2].size, 3U);
    EXPECT_EQ (std::memcmp (in[2].base, "def", 3), 0);
    for (const slice &each : in)
        std::free (each.base);
    ASSERT_EQ (zmq_sendiov (peer, sent, 2, 0), 2);
    count = 3;
    ASSERT_EQ (zmq_recviov (bound, got, &count, 0), 1);
    std::free (in[0].base);
    EXPECT_EQ (zmq_sendiov (peer, nullptr, 1, 0), -1);
    EXPECT_EQ (errno, EINVAL);
    EXPECT_EQ (zmq_sendiov (peer, sent, 0, 0), -1);
    EXPECT_EQ (errno, EINVAL);
    EXPECT_EQ (zmq_recviov (bound, got, nullptr, 0), -1);
    EXPECT_EQ (errno, EINVAL);
}

TEST_F (zmq_case, poll_checks_its_arguments)
{
    zmq_pollitem_t item = {nullptr, -1, ZMQ_POLLIN, 0};
    EXPECT_EQ (zmq_poll (nullptr, 0, 0), 0);
    EXPECT_EQ (zmq_poll (nullptr, 1, 0), -1);
    EXPECT_EQ (errno, EFAULT);
    EXPECT_EQ (zmq_poll (&item, -1, 0), -1);
    EXPECT_EQ (errno, EINVAL);
    item.socket = dead_socket ();
    EXPECT_EQ (zmq_poll (&item, 1, 0), -1);
    EXPECT_EQ (errno, ENOTSOCK);
}

TEST_F (zmq_case, poll_sees_what_is_ready)
{
    connected (ZMQ_PULL, ZMQ_PUSH, "inproc://poll");
    std::array<zmq_pollitem_t, 2> items = {{{bound, 0, ZMQ_POLLIN, 7}, {peer, 0, ZMQ_POLLOUT, 7}}};
    EXPECT_EQ (zmq_poll (items.data (), 2, -1), 1);
    EXPECT_EQ (items[0].revents, 0);
    EXPECT_EQ (items[1].revents, ZMQ_POLLOUT);
    ASSERT_EQ (zmq_send (peer, "x", 1, 0), 1);
    EXPECT_EQ (zmq_poll (items.data (), 1, -1), 1);
    EXPECT_EQ (items[0].revents, ZMQ_POLLIN);
    EXPECT_EQ (zmq_ppoll (items.data (), 1, -1, nullptr), 1);
}

TEST_F (zmq_case, versions_capabilities_and_keys)
{
    int major = 0;
    int minor = 0;
    int patch = 0;
    zmq_version (&major, &minor, &patch);
    EXPECT_EQ (ZMQ_MAKE_VERSION (major, minor, patch), 40305);
    zmq_version (nullptr, nullptr, nullptr);
    EXPECT_EQ (zmq_has (nullptr), 0);
    EXPECT_EQ (zmq_has ("ipc"), 1);
    EXPECT_EQ (zmq_has ("vsock"), 1);
    EXPECT_EQ (zmq_has ("tcp"), 0);
    EXPECT_EQ (zmq_has ("curve"), 1);
    for (const char *absent : {"gssapi", "pgm", "norm", "vmci", "tipc"})
        EXPECT_EQ (zmq_has (absent), 0) << absent;
    std::array<char, 41> text{};
    std::array<std::uint8_t, 32> bytes{};
    EXPECT_EQ (zmq_z85_encode (text.data (), bytes.data (), 32), text.data ());
    EXPECT_EQ (zmq_z85_decode (bytes.data (), text.data ()), bytes.data ());
    EXPECT_EQ (zmq_z85_encode (text.data (), bytes.data (), 31), nullptr);
    EXPECT_EQ (errno, EINVAL);
    EXPECT_EQ (zmq_z85_decode (bytes.data (), "abc"), nullptr);
    EXPECT_EQ (errno, EINVAL);
    EXPECT_EQ (zmq_z85_encode (nullptr, bytes.data (), 4), nullptr);
    EXPECT_EQ (zmq_z85_decode (nullptr, "abcde"), nullptr);
    std::array<char, 41> secret{};
    std::array<char, 41> again{};
    ASSERT_EQ (zmq_curve_keypair (text.data (), secret.data ()), 0);
    EXPECT_STRNE (text.data (), secret.data ());
    EXPECT_EQ (std::strlen (text.data ()) + std::strlen (secret.data ()), 80u);
    EXPECT_EQ (zmq_curve_public (again.data (), secret.data ()), 0);
    EXPECT_STREQ (again.data (), text.data ());
    // As zmq_curve.3 has it.
    EXPECT_EQ (zmq_curve_public (again.data (), "D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs"), 0);
    EXPECT_STREQ (again.data (), "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID");
    EXPECT_EQ (zmq_curve_public (again.data (), "short"), -1);
    EXPECT_EQ (errno, EINVAL);
    EXPECT_EQ (zmq_curve_keypair (nullptr, text.data ()), -1);
    EXPECT_EQ (errno, EFAULT);
    EXPECT_EQ (zmq_curve_public (nullptr, nullptr), -1);
    EXPECT_EQ (errno, EFAULT);
    EXPECT_STREQ (zmq_strerror (ETERM), "Context was terminated");
}

TEST_F (zmq_case, messages_move_and_copy)
{
    zmq_msg_t first;
    zmq_msg_t second;
    ASSERT_EQ (zmq_msg_init_size (&first, 100), 0);
    ASSERT_EQ (zmq_msg_init (&second), 0);
    ASSERT_EQ (zmq_msg_copy (&second, &first), 0);
    EXPECT_EQ (zmq_msg_data (&first), zmq_msg_data (&second));
    EXPECT_EQ (zmq_msg_get (&first, ZMQ_SHARED), 1);
    ASSERT_EQ (zmq_msg_move (&first, &second), 0);
    EXPECT_EQ (zmq_msg_size (&second), 0U);
    EXPECT_EQ (zmq_msg_set (&first, ZMQ_MORE, 1), -1);
    EXPECT_EQ (errno, EINVAL);
    ASSERT_EQ (zmq_msg_set_group (&first, "g"), 0);
    EXPECT_STREQ (zmq_msg_group (&first), "g");
    ASSERT_EQ (zmq_msg_set_routing_id (&first, 9), 0);
    EXPECT_EQ (zmq_msg_routing_id (&first), 9U);
    EXPECT_EQ (zmq_msg_gets (&first, "User-Id"), nullptr);
    ASSERT_EQ (zmq_msg_close (&first), 0);
    ASSERT_EQ (zmq_msg_close (&second), 0);
}

}  // namespace
