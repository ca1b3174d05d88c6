#include "api/proxy.hpp"

#include <array>
#include <thread>

#include <gtest/gtest.h>

#include "api/real_world_access.hpp"
#include "api/test_sockets.hpp"

namespace zlink::api {
namespace {

using base::errc;

struct proxy_case : testing::Test, test_sockets
{
    void SetUp () override
    {
        frontend = open_bound (pull_type, "inproc://front");
        backend = open_bound (push_type, "inproc://back");
        source = open_connected (push_type, "inproc://front");
        sink = open_connected (pull_type, "inproc://back");
        control = open_bound (pair_type, "inproc://control");
        commander = open_connected (pair_type, "inproc://control");
    }

    void start (void *capture = nullptr)
    {
        runner = std::thread ([this, capture] {
            outcome = proxy (*process_world (), frontend, backend, capture, control).run ().code ();
        });
    }

    void stop ()
    {
        EXPECT_TRUE (send_text (commander, "TERMINATE"));
        runner.join ();
    }

    std::uint64_t receive_number ()
    {
        std::uint64_t number = 0;
        EXPECT_EQ (receive_bytes (commander, &number, sizeof (number), 0),
                   static_cast<int> (sizeof (number)));
        return number;
    }

    void *frontend = nullptr;
    void *backend = nullptr;
    void *source = nullptr;
    void *sink = nullptr;
    void *control = nullptr;
    void *commander = nullptr;
    std::thread runner;
    errc outcome = errc::ok;
};

TEST_F (proxy_case, forwards_whole_messages_in_order)
{
    start ();
    for (int i = 0; i < 3000; ++i) {
        ASSERT_TRUE (send_text (source, std::to_string (i), socket::io_send_more));
        ASSERT_TRUE (send_text (source, "end"));
    }
    for (int i = 0; i < 3000; ++i) {
        ASSERT_EQ (receive_text (sink), std::to_string (i));
        ASSERT_EQ (receive_text (sink), "end");
    }
    stop ();
    EXPECT_EQ (outcome, errc::ok);
}

TEST_F (proxy_case, captures_copies)
{
    void *capture = open_bound (push_type, "inproc://capture");
    void *witness = open_connected (pull_type, "inproc://capture");
    start (capture);
    ASSERT_TRUE (send_text (source, "seen", socket::io_send_more));
    ASSERT_TRUE (send_text (source, "twice"));
    for (void *reader : {sink, witness}) {
        EXPECT_EQ (receive_text (reader), "seen");
        EXPECT_EQ (receive_text (reader), "twice");
    }
    stop ();
}

TEST_F (proxy_case, counts_what_it_moves)
{
    start ();
    ASSERT_TRUE (send_text (source, "12345"));
    EXPECT_EQ (receive_text (sink), "12345");
    ASSERT_TRUE (send_text (commander, "STATISTICS"));
    // Received and sent of the frontend, then of the backend.
    const std::array<std::uint64_t, 8> expected = {1, 5, 0, 0, 0, 0, 1, 5};
    for (const std::uint64_t figure : expected)
        EXPECT_EQ (receive_number (), figure);
    stop ();
}

TEST_F (proxy_case, pauses_and_resumes)
{
    start ();
    ASSERT_TRUE (send_text (commander, "PAUSE"));
    ASSERT_TRUE (send_text (commander, "STATISTICS"));
    for (int i = 0; i < 8; ++i)
        EXPECT_EQ (receive_number (), 0U);
    ASSERT_TRUE (send_text (source, "held"));
    ASSERT_TRUE (send_text (commander, "STATISTICS"));
    EXPECT_EQ (receive_number (), 0U);  // nothing was taken while paused
    for (int i = 1; i < 8; ++i)
        receive_number ();
    ASSERT_TRUE (send_text (commander, "RESUME"));
    EXPECT_EQ (receive_text (sink), "held");
    stop ();
}

TEST_F (proxy_case, ends_with_its_context)
{
    start ();
    ASSERT_TRUE (send_text (source, "x"));
    EXPECT_EQ (receive_text (sink), "x");
    ASSERT_TRUE (socket::context_shutdown (context).ok ());
    runner.join ();
    EXPECT_EQ (outcome, errc::terminated);
}

TEST_F (proxy_case, a_message_waits_for_room_and_is_not_lost)
{
    const int one = 1;
    void *narrow = open (push_type);
    ASSERT_TRUE (socket::set_option (narrow, socket::number_of_send_hwm, &one, sizeof (one)).ok ());
    ASSERT_TRUE (socket::bind (narrow, "inproc://narrow").ok ());
    backend = narrow;
    start ();
    for (int i = 0; i < 100; ++i)
        ASSERT_TRUE (send_text (source, std::to_string (i)));
    void *late = open_connected (pull_type, "inproc://narrow");
    for (int i = 0; i < 100; ++i)
        ASSERT_EQ (receive_text (late), std::to_string (i));
    stop ();
}

}  // namespace
}  // namespace zlink::api
