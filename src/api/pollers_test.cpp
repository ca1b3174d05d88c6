#include "api/pollers.hpp"

#include <array>
#include <cerrno>

#include <gtest/gtest.h>

#include "api/test_sockets.hpp"
#include "zlink/zlink.h"

namespace zlink::api {
namespace {

struct pollers_case : testing::Test, test_sockets
{
};

TEST_F (pollers_case, bad_pollers_are_efault)
{
    void *stale = poller_new ();
    void *copy = stale;
    ASSERT_EQ (poller_destroy (&copy), 0);
    EXPECT_EQ (copy, nullptr);
    void *socket = open (pull_type);
    zlink_poller_event_t event{};
    int descriptor = 0;
    for (void *bad : {static_cast<void *> (nullptr), stale, socket}) {
        for (const int outcome : {poller_size (bad), poller_add_socket (bad, socket, nullptr, 1),
                                  poller_modify_socket (bad, socket, 1), poller_remove_socket (bad, socket),
                                  poller_add_handle (bad, 0, nullptr, 1), poller_modify_handle (bad, 0, 1),
                                  poller_remove_handle (bad, 0), poller_wait_one (bad, &event, 0),
                                  poller_wait_all (bad, &event, 1, 0), poller_descriptor (bad, &descriptor),
                                  poller_destroy (&bad)}) {
            EXPECT_EQ (outcome, -1);
            EXPECT_EQ (errno, EFAULT);
        }
    }
    EXPECT_EQ (poller_destroy (nullptr), -1);
}

TEST_F (pollers_case, bad_members_are_refused)
{
    void *poller = poller_new ();
    void *closed = open_closed ();
    for (void *bad : {static_cast<void *> (nullptr), closed, context}) {
        for (const int outcome :
             {poller_add_socket (poller, bad, nullptr, 1), poller_modify_socket (poller, bad, 1),
              poller_remove_socket (poller, bad)}) {
            EXPECT_EQ (outcome, -1);
            EXPECT_EQ (errno, ENOTSOCK);
        }
    }
    for (const int outcome : {poller_add_handle (poller, -1, nullptr, 1),
                              poller_modify_handle (poller, -1, 1), poller_remove_handle (poller, -1)}) {
        EXPECT_EQ (outcome, -1);
        EXPECT_EQ (errno, EBADF);
    }
    void *socket = open (pull_type);
    EXPECT_EQ (poller_add_socket (poller, socket, nullptr, 0x100), -1);
    EXPECT_EQ (errno, EINVAL);
    EXPECT_EQ (poller_remove_socket (poller, socket), -1);
    EXPECT_EQ (errno, EINVAL);
    int descriptor = 0;
    EXPECT_EQ (poller_descriptor (poller, &descriptor), -1);
    EXPECT_EQ (errno, EINVAL);
    EXPECT_EQ (poller_descriptor (poller, static_cast<int *> (nullptr)), -1);
    EXPECT_EQ (errno, EFAULT);
    EXPECT_EQ (poller_destroy (&poller), 0);
}

TEST_F (pollers_case, waiting_tells_who_and_what)
{
    void *poller = poller_new ();
    void *pull = open_bound (pull_type, "inproc://poller");
    void *push = open_connected (push_type, "inproc://poller");
    int mark = 0;
    ASSERT_EQ (poller_add_socket (poller, pull, &mark, ZLINK_POLLIN), 0);
    EXPECT_EQ (poller_size (poller), 1);
    zlink_poller_event_t event = {pull, 5, &mark, 7};
    EXPECT_EQ (poller_wait_one (poller, &event, 0), -1);
    EXPECT_EQ (errno, EAGAIN);
    EXPECT_EQ (event.socket, nullptr);
    EXPECT_EQ (event.events, 0);
    ASSERT_TRUE (send_text (push, "x"));
    ASSERT_EQ (poller_wait_one (poller, &event, -1), 0);
    EXPECT_EQ (event.socket, pull);
    EXPECT_EQ (event.user_data, &mark);
    EXPECT_EQ (event.events, ZLINK_POLLIN);
    std::array<zlink_poller_event_t, 20> events{};
    EXPECT_EQ (poller_wait_all (poller, events.data (), 20, -1), 1);
    EXPECT_EQ (poller_wait_all (poller, events.data (), 0, 0), -1);
    EXPECT_EQ (errno, EINVAL);
    EXPECT_EQ (poller_wait_all (poller, static_cast<zlink_poller_event_t *> (nullptr), 1, 0), -1);
    EXPECT_EQ (errno, EFAULT);
    ASSERT_EQ (poller_modify_socket (poller, pull, 0), 0);
    EXPECT_EQ (poller_wait_one (poller, &event, 0), -1);
    EXPECT_EQ (poller_destroy (&poller), 0);
}

}  // namespace
}  // namespace zlink::api
