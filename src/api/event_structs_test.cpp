#include "api/event_structs.hpp"

#include <array>
#include <cerrno>
#include <string>

#include <gtest/gtest.h>

#include "api/monitor_formats.hpp"
#include "api/test_sockets.hpp"

namespace zlink::api {
namespace {

struct event_structs : testing::Test
{
    test_sockets all;
    void *pull = all.open_bound (test_sockets::pull_type, "inproc://one");
};

TEST_F (event_structs, a_stream_fills_the_struct)
{
    void *const events = open_events (pull, ZLINK_EVENT_ALL, 0);
    ASSERT_NE (events, nullptr);
    ASSERT_NE (all.open_connected (test_sockets::push_type, "inproc://one"), nullptr);
    zlink_event_t event;
    ASSERT_EQ (receive_event (events, &event, 0), 0);
    EXPECT_EQ (event.event, unsigned{ZLINK_EVENT_CONNECTION_READY});
    EXPECT_EQ (event.number, 1u);
    EXPECT_EQ (event.connection_id, 1u);
    EXPECT_EQ (event.is_listener, 1);
    EXPECT_EQ (event.reason, 0);
    EXPECT_EQ (event.os_error, 0);
    EXPECT_STREQ (event.reason_text, "none");
    EXPECT_STREQ (event.endpoint, "inproc://one");
    EXPECT_STREQ (event.local_addr, "inproc://one");
    EXPECT_STREQ (event.remote_addr, "");
    EXPECT_EQ (event.routing_id.size, 0);
    EXPECT_GT (event.time_ns, 0);
    EXPECT_EQ (receive_event (events, &event, 0), -1);
    EXPECT_EQ (errno, EAGAIN);
    EXPECT_EQ (close_events (events), 0);
}

TEST_F (event_structs, bad_arguments_are_told)
{
    EXPECT_EQ (open_events (all.context, ZLINK_EVENT_ALL, 0), nullptr);
    EXPECT_EQ (errno, ENOTSOCK);
    zlink_event_t event;
    EXPECT_EQ (receive_event (pull, &event, 0), -1);
    EXPECT_EQ (errno, EFAULT);
    void *const events = open_events (pull, ZLINK_EVENT_ALL, 0);
    EXPECT_EQ (receive_event (events, nullptr, 0), -1);
    EXPECT_EQ (errno, EFAULT);
    EXPECT_EQ (close_events (events), 0);
    EXPECT_EQ (close_events (events), -1);
    EXPECT_EQ (errno, EFAULT);
    zlink_monitor_event_t said;
    EXPECT_EQ (receive_monitor_event (pull, nullptr, 0), -1);
    EXPECT_EQ (errno, EFAULT);
    EXPECT_EQ (receive_monitor_event (all.context, &said, 0), -1);
    EXPECT_EQ (errno, ENOTSOCK);
    EXPECT_EQ (receive_monitor_event (pull, &said, socket::io_dont_wait), -1);
    EXPECT_EQ (errno, EAGAIN);
}

TEST_F (event_structs, a_message_that_is_no_event_is_refused)
{
    void *const push = all.open_connected (test_sockets::push_type, "inproc://one");
    ASSERT_TRUE (test_sockets::send_text (push, "nonsense"));
    zlink_monitor_event_t said;
    EXPECT_EQ (receive_monitor_event (pull, &said, 0), -1);
    EXPECT_EQ (errno, EINVAL);
}

TEST_F (event_structs, a_monitors_message_fills_the_struct)
{
    constexpr std::uint64_t mask = ZLINK_EVENT_ALL;
    const auto monitor = socket::monitor_open (pull, mask, zlink_monitor);
    ASSERT_TRUE (monitor.ok ());
    ASSERT_FALSE (socket::bind (pull, "ipc:///no/such/folder/at/all").ok ());
    zlink_monitor_event_t said;
    ASSERT_EQ (receive_monitor_event (monitor.value (), &said, 0), 0);
    EXPECT_EQ (said.event, unsigned{ZLINK_EVENT_BIND_FAILED});
    EXPECT_EQ (said.value, unsigned{ENOENT});
    EXPECT_STREQ (said.local_addr, "ipc:///no/such/folder/at/all");
    EXPECT_STREQ (said.remote_addr, "");
    EXPECT_EQ (said.routing_id.size, 0);
    EXPECT_TRUE (socket::close (monitor.value ()).ok ());
}

TEST_F (event_structs, peers_are_counted_and_listed)
{
    EXPECT_EQ (count_peers (pull), 0);
    (void)all.open_connected (test_sockets::push_type, "inproc://one");
    (void)all.open_connected (test_sockets::push_type, "inproc://one");
    EXPECT_EQ (count_peers (pull), 2);
    std::array<zlink_peer_info_t, 3> found;
    std::size_t room = 1;
    EXPECT_EQ (list_peers (pull, found.data (), &room), 0);
    EXPECT_EQ (room, 1u);
    room = found.size ();
    EXPECT_EQ (list_peers (pull, found.data (), &room), 0);
    EXPECT_EQ (room, 2u);
    EXPECT_STREQ (found[0].remote_addr, "inproc://one");
    EXPECT_EQ (found[0].routing_id.size, 0);
    zlink_routing_id_t id{3, {1, 2, 3}};
    EXPECT_EQ (peer_at (pull, 1, &id), 0);
    EXPECT_EQ (id.size, 0);
    EXPECT_EQ (peer_at (pull, 2, &id), -1);
    EXPECT_EQ (errno, EINVAL);
    EXPECT_EQ (peer_at (pull, -1, &id), -1);
    EXPECT_EQ (find_peer (pull, &id, found.data ()), -1);
    EXPECT_EQ (errno, EHOSTUNREACH);
}

TEST_F (event_structs, peers_of_nothing_are_refused)
{
    std::size_t room = 1;
    zlink_routing_id_t id{};
    zlink_peer_info_t info;
    EXPECT_EQ (count_peers (all.context), -1);
    EXPECT_EQ (errno, ENOTSOCK);
    EXPECT_EQ (list_peers (nullptr, &info, &room), -1);
    EXPECT_EQ (list_peers (pull, nullptr, &room), -1);
    EXPECT_EQ (errno, EFAULT);
    EXPECT_EQ (list_peers (pull, &info, nullptr), -1);
    EXPECT_EQ (peer_at (nullptr, 0, &id), -1);
    EXPECT_EQ (peer_at (pull, 0, nullptr), -1);
    EXPECT_EQ (find_peer (nullptr, &id, &info), -1);
    EXPECT_EQ (find_peer (pull, nullptr, &info), -1);
    EXPECT_EQ (find_peer (pull, &id, nullptr), -1);
}

}  // namespace
}  // namespace zlink::api
