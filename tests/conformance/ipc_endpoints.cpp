// Endpoints that only ipc has: paths, stale files, abstract names.
#include <sys/stat.h>

#include "support/places.hpp"
#include "support/raw_peer.hpp"
#include "support/sockets.hpp"

namespace zlink::test {
namespace {

struct ipc_endpoints : testing::Test
{
    context own;

    void talk (socket &push, socket &pull)
    {
        ASSERT_TRUE (push.send ("hello"));
        EXPECT_EQ (pull.receive (), "hello");
    }
    [[nodiscard]] static bool exists (const std::string &path)
    {
        struct stat found = {};
        return ::stat (path.c_str (), &found) == 0;
    }
};

TEST_F (ipc_endpoints, a_wildcard_becomes_a_path)
{
    socket pull (own, ZMQ_PULL);
    const std::string where = pull.bind ("ipc://*");
    EXPECT_TRUE (where.starts_with ("ipc://")) << where;
    EXPECT_EQ (where.find ('*'), std::string::npos) << where;
    socket push (own, ZMQ_PUSH);
    push.connect (where);
    talk (push, pull);
    EXPECT_NE (pull.bind ("ipc://*"), where);
    pull.unbind (where);
    EXPECT_FALSE (exists (where.substr (6)));
}

TEST_F (ipc_endpoints, the_file_goes_with_unbind_and_with_close)
{
    const std::string path = ipc_path ();
    socket pull (own, ZMQ_PULL);
    pull.bind ("ipc://" + path);
    EXPECT_TRUE (exists (path));
    pull.unbind ("ipc://" + path);
    EXPECT_FALSE (exists (path));
    pull.bind ("ipc://" + path);
    EXPECT_TRUE (exists (path));
    pull.close ();
    EXPECT_TRUE (eventually ([&] { return !exists (path); }));
}

// What a program that died left behind.
TEST_F (ipc_endpoints, a_stale_file_is_taken_over)
{
    const std::string path = ipc_path ();
    raw_peer::listen_at ("ipc://" + path).close ();
    ASSERT_TRUE (exists (path));
    socket pull (own, ZMQ_PULL);
    pull.bind ("ipc://" + path);
    socket push (own, ZMQ_PUSH);
    push.connect ("ipc://" + path);
    talk (push, pull);
}

TEST_F (ipc_endpoints, a_live_listener_is_eaddrinuse_and_goes_on)
{
    const std::string path = ipc_path ();
    const raw_peer listener = raw_peer::listen_at ("ipc://" + path);
    socket pull (own, ZMQ_PULL);
    EXPECT_EQ (zmq_bind (pull, ("ipc://" + path).c_str ()), -1);
    EXPECT_EQ (errno, EADDRINUSE);
    const raw_peer caller = raw_peer::connect_to ("ipc://" + path);
    EXPECT_TRUE (caller.valid ());
}

TEST_F (ipc_endpoints, what_is_no_socket_is_left_alone)
{
    const std::string path = ipc_path ();
    const int file = ::open (path.c_str (), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    ASSERT_GE (file, 0);
    ::close (file);
    socket pull (own, ZMQ_PULL);
    EXPECT_EQ (zmq_bind (pull, ("ipc://" + path).c_str ()), -1);
    EXPECT_TRUE (exists (path));
}

TEST_F (ipc_endpoints, abstract_names_have_no_file)
{
    const std::string name = "@zlink-test-" + std::to_string (::getpid ());
    socket pull (own, ZMQ_PULL);
    EXPECT_EQ (pull.bind ("ipc://" + name), "ipc://" + name);
    EXPECT_FALSE (exists (name));
    socket push (own, ZMQ_PUSH);
    push.connect ("ipc://" + name);
    talk (push, pull);
    socket second (own, ZMQ_PULL);
    EXPECT_EQ (zmq_bind (second, ("ipc://" + name).c_str ()), -1);
    EXPECT_EQ (errno, EADDRINUSE);
    pull.unbind ("ipc://" + name);
    second.bind ("ipc://" + name);
}

TEST_F (ipc_endpoints, that_cannot_be_are_refused)
{
    socket one (own, ZMQ_PULL);
    EXPECT_EQ (zmq_bind (one, "ipc://"), -1);
    EXPECT_EQ (errno, EINVAL);
    const std::string long_path = "ipc://" + own_folder () + '/' + std::string (200, 'x');
    EXPECT_EQ (zmq_bind (one, long_path.c_str ()), -1);
    EXPECT_EQ (errno, ENAMETOOLONG);
    EXPECT_EQ (zmq_connect (one, long_path.c_str ()), -1);
    EXPECT_EQ (errno, ENAMETOOLONG);
    EXPECT_EQ (zmq_bind (one, "ipc:///no/such/folder/at/all"), -1);
    EXPECT_EQ (errno, ENOENT);
}

TEST_F (ipc_endpoints, connecting_to_a_path_that_comes_later)
{
    const std::string where = ipc_place ();
    socket push (own, ZMQ_PUSH);
    push.set (ZMQ_RECONNECT_IVL, 5);
    push.connect (where);
    ASSERT_TRUE (eventually ([&] { return push.status (where).last_reason != 0; }));
    EXPECT_STREQ (push.status (where).reason_text, "connect-refused");
    socket pull (own, ZMQ_PULL);
    pull.bind (where);
    talk (push, pull);
}

}  // namespace
}  // namespace zlink::test
