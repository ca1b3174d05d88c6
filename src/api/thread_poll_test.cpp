#include "api/thread_poll.hpp"

#include <array>
#include <thread>

#include <gtest/gtest.h>

#include "api/test_sockets.hpp"

namespace zlink::api {
namespace {

struct thread_poll_case : testing::Test, test_sockets
{
    void *pull = open_bound (pull_type, "inproc://thread_poll");
    void *push = open_connected (push_type, "inproc://thread_poll");

    ~thread_poll_case () override { thread_poll::end_mine (); }

    static std::size_t poll_for (void *of, unsigned interest)
    {
        std::array items{socket::poll_item{of, base::no_handle, interest, 0}};
        return thread_poll::mine ()->wait_for (items, 0).value ();
    }
    static std::size_t kept () { return thread_poll::mine ()->kept ().size (); }
};

TEST_F (thread_poll_case, keeps_what_is_asked_for_twice_in_a_row)
{
    EXPECT_EQ (poll_for (pull, socket::event_in), 0U);
    EXPECT_EQ (kept (), 0U);
    EXPECT_EQ (poll_for (push, socket::event_out), 1U);
    EXPECT_EQ (poll_for (pull, socket::event_in), 0U);
    EXPECT_EQ (kept (), 0U);
    EXPECT_EQ (poll_for (pull, socket::event_in), 0U);
    ASSERT_EQ (kept (), 1U);
    EXPECT_EQ (thread_poll::mine ()->kept ()[0].socket, pull);
    // One call for something else leaves it.
    EXPECT_EQ (poll_for (push, socket::event_out), 1U);
    EXPECT_EQ (thread_poll::mine ()->kept ()[0].socket, pull);
    EXPECT_EQ (poll_for (push, socket::event_out), 1U);
    EXPECT_EQ (thread_poll::mine ()->kept ()[0].socket, push);
}

TEST_F (thread_poll_case, waits_for_what_it_keeps)
{
    for (int i = 0; i < 2; ++i)
        EXPECT_EQ (poll_for (pull, socket::event_in), 0U);
    ASSERT_TRUE (send_text (push, "x"));
    EXPECT_EQ (thread_poll::mine ()->wait (-1).value (), 1U);
    EXPECT_EQ (thread_poll::mine ()->kept ()[0].ready, socket::event_in);
    EXPECT_EQ (receive_text (pull), "x");
    EXPECT_EQ (thread_poll::mine ()->wait (0).value (), 0U);
}

TEST_F (thread_poll_case, each_thread_has_its_own)
{
    thread_poll *const here = thread_poll::mine ();
    std::thread ([here] { EXPECT_NE (thread_poll::mine (), here); }).join ();
    EXPECT_EQ (thread_poll::mine (), here);
    thread_poll::end_mine ();
    thread_poll::end_mine ();
    EXPECT_NE (thread_poll::mine (), nullptr);
}

TEST_F (thread_poll_case, what_has_failed_is_not_kept)
{
    for (int i = 0; i < 2; ++i)
        EXPECT_EQ (poll_for (pull, socket::event_in), 0U);
    EXPECT_EQ (kept (), 1U);
    EXPECT_TRUE (socket::close (pull).ok ());
    EXPECT_EQ (thread_poll::mine ()->wait (0).code (), base::errc::not_a_socket);
    EXPECT_EQ (kept (), 0U);
}

TEST (same_wish, looks_at_the_socket_or_the_descriptor)
{
    int one = 0;
    int two = 0;
    EXPECT_TRUE (same_wish ({&one, 3, 1, 0}, {&one, 4, 1, 7}));
    EXPECT_FALSE (same_wish ({&one, 3, 1, 0}, {&two, 3, 1, 0}));
    EXPECT_FALSE (same_wish ({&one, 3, 1, 0}, {&one, 3, 2, 0}));
    EXPECT_TRUE (same_wish ({nullptr, 3, 1, 0}, {nullptr, 3, 1, 0}));
    EXPECT_FALSE (same_wish ({nullptr, 3, 1, 0}, {nullptr, 4, 1, 0}));
}

}  // namespace
}  // namespace zlink::api
