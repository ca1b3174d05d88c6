#include "platform/socket_listener.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include "platform/host_lookup.hpp"
#include "platform/socket_setup.hpp"
#include "platform/socket_stream.hpp"
#include "platform/test_tools.hpp"

namespace zlink::platform {
namespace {

using base::errc;

socket_address loopback () { return numeric_address ("127.0.0.1", false).value (); }

TEST (socket_listener, nobody_waiting_would_block)
{
    const auto listener = listen_at (loopback (), "tcp", {});
    ASSERT_TRUE (listener);
    EXPECT_EQ (listener.value ()->accept ().code (), errc::would_block);
}

TEST (socket_listener, a_caller_that_has_left_is_no_failure)
{
    const auto listener = listen_at (loopback (), "tcp", {});
    ASSERT_TRUE (listener);
    const socket_address at = own_address (listener.value ()->handle ());
    {
        auto gone = socket_stream::dial ("tcp", at, {}, {});
        ASSERT_TRUE (gone);
        const linger reset{1, 0};
        ::setsockopt (gone.value ()->handle (), SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    }
    // Linux hands out the dead connection; elsewhere it is passed over.
    const auto answer = listener.value ()->accept ();
    EXPECT_TRUE (answer || answer.code () == errc::would_block);
    const auto client = socket_stream::dial ("tcp", at, {}, {});
    ASSERT_TRUE (client);
    EXPECT_TRUE (test_tools::accept (*listener.value ()));
}

TEST (socket_listener, a_taken_port_is_in_use)
{
    const auto first = listen_at (loopback (), "tcp", {});
    ASSERT_TRUE (first);
    EXPECT_EQ (listen_at (own_address (first.value ()->handle ()), "tcp", {}).code (), errc::address_in_use);
}

TEST (socket_listener, a_port_is_free_again_at_once)
{
    auto first = listen_at (loopback (), "tcp", {});
    ASSERT_TRUE (first);
    const socket_address at = own_address (first.value ()->handle ());
    auto client = socket_stream::dial ("tcp", at, {}, {});
    ASSERT_TRUE (client);
    auto server = test_tools::accept (*first.value ());
    ASSERT_TRUE (server);
    server.reset ();  // this side closes first and keeps the TIME_WAIT
    client = base::result<std::unique_ptr<base::stream>> (errc::ok);
    first = base::result<std::unique_ptr<base::listener>> (errc::ok);
    EXPECT_TRUE (listen_at (at, "tcp", {}));
}

// In a child, with no descriptor left: the listener answers, stays usable and
// takes the same caller once there is room.
int accept_without_descriptors ()
{
    const auto listener = listen_at (loopback (), "tcp", {});
    if (!listener)
        return 1;
    const auto client = socket_stream::dial ("tcp", own_address (listener.value ()->handle ()), {}, {});
    if (!client || !test_tools::wait_ready (listener.value ()->handle (), base::interest_read))
        return 2;
    std::vector<descriptor> hoard;
    const rlimit few{64, 64};
    if (::setrlimit (RLIMIT_NOFILE, &few) != 0)
        return 3;
    for (int number = ::dup (0); number >= 0; number = ::dup (0))
        hoard.emplace_back (number);
    for (int i = 0; i < 3; ++i)
        if (listener.value ()->accept ().code () != errc::too_many_files)
            return 4;
    if (socket_stream::dial ("tcp", loopback (), {}, {}).code () != errc::too_many_files)
        return 5;
    if (listen_at (loopback (), "tcp", {}).code () != errc::too_many_files)
        return 6;
    if (listen_local ("*", "ipc", {}).code () != errc::too_many_files)
        return 7;
    hoard.clear ();
    return listener.value ()->accept () ? 0 : 8;
}

TEST (socket_listener, survives_the_descriptor_limit)
{
    EXPECT_EQ (test_tools::in_child (accept_without_descriptors), 0);
}

TEST (socket_listener, adopts_a_listening_descriptor)
{
    auto socket = make_stream_socket (address_family::v4);
    ASSERT_TRUE (socket);
    ASSERT_TRUE (bind_socket (socket.value ().get (), loopback ()));
    base::stream_options options;
    options.use_handle = socket.value ().get ();
    EXPECT_EQ (adopt_listener ("tcp", address_family::v4, options).code (),
               errc::invalid_argument);  // does not listen
    ASSERT_EQ (::listen (socket.value ().get (), 5), 0);
    for (const address_family other : {address_family::local, address_family::machine})
        EXPECT_EQ (adopt_listener ("ipc", other, options).code (), errc::invalid_argument);
    const int flags = ::fcntl (options.use_handle, F_GETFL);
    ASSERT_EQ (::fcntl (options.use_handle, F_SETFL, flags & ~O_NONBLOCK), 0);

    const auto adopted = adopt_listener ("tcp", address_family::v4, options);
    ASSERT_TRUE (adopted);
    EXPECT_EQ (adopted.value ()->handle (), socket.value ().release ());
    EXPECT_EQ (adopted.value ()->local_endpoint (), endpoint_text ("tcp", own_address (options.use_handle)));
    EXPECT_EQ (adopted.value ()->accept ().code (), errc::would_block);
}

TEST (socket_listener, adopts_nothing_else)
{
    base::stream_options options;
    options.use_handle = 1'000'000;
    EXPECT_EQ (adopt_listener ("tcp", address_family::v4, options).code (), errc::not_a_socket);
    const descriptor file (::open ("/dev/null", O_RDONLY | O_CLOEXEC));
    options.use_handle = file.get ();
    EXPECT_EQ (adopt_listener ("tcp", address_family::v4, options).code (), errc::not_a_socket);
    EXPECT_GE (::fcntl (file.get (), F_GETFD), 0);  // still the caller's
}

}  // namespace
}  // namespace zlink::platform
