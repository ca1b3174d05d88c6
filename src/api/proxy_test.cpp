#include "api/proxy.hpp"

#include <array>
#include <cstdint>
#include <string>
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

    // Messages received and sent of the frontend, then of the backend.
    std::array<std::uint64_t, 4> ask_for_messages ()
    {
        EXPECT_TRUE (send_text (commander, "STATISTICS"));
        std::array<std::uint64_t, 4> answer{};
        for (std::uint64_t &each : answer) {
            each = receive_number ();
            receive_number ();
        }
        return answer;
    }

    // Until it has so many of the frontend's messages; the tests' watchdog ends it
    // otherwise.
    void wait_until_taken (std::uint64_t count)
    {
        while (ask_for_messages ()[0] < count)
            std::this_thread::yield ();
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
    void *narrow = open_narrow (push_type);
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

// What it took it has in hand when it ends: the first that had no room.
TEST_F (proxy_case, hands_over_what_it_has_in_hand_when_it_ends)
{
    backend = open_narrow (push_type);
    ASSERT_TRUE (socket::bind (backend, "inproc://narrow").ok ());
    void *slow = open_narrow (pull_type);
    ASSERT_TRUE (socket::connect (slow, "inproc://narrow").ok ());
    for (int i = 0; i < 10; ++i)
        ASSERT_TRUE (send_text (source, std::to_string (i)));
    start ();
    wait_until_taken (3);
    EXPECT_EQ (ask_for_messages (), (std::array<std::uint64_t, 4>{3, 0, 0, 2}));
    stop ();
    EXPECT_EQ (outcome, errc::ok);
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ (receive_text (slow), std::to_string (i));
    EXPECT_EQ (receive_text (frontend), "3") << "the rest is where it was";
}

TEST_F (proxy_case, a_capture_without_room_keeps_nobody_from_ending_it)
{
    void *capture = open_bound (push_type, "inproc://capture");
    start (capture);
    ASSERT_TRUE (send_text (source, "shown to nobody"));
    wait_until_taken (1);
    stop ();
    EXPECT_EQ (outcome, errc::ok);
    EXPECT_EQ (receive_text (sink), "shown to nobody");
}

TEST_F (proxy_case, goes_on_when_the_capture_has_room_again)
{
    void *capture = open_bound (push_type, "inproc://capture");
    start (capture);
    for (int i = 0; i < 10; ++i)
        ASSERT_TRUE (send_text (source, std::to_string (i)));
    wait_until_taken (1);
    void *witness = open_connected (pull_type, "inproc://capture");
    for (int i = 0; i < 10; ++i)
        for (void *reader : {sink, witness})
            EXPECT_EQ (receive_text (reader), std::to_string (i));
    stop ();
}

// Whoever asks and does not read the answers.
TEST_F (proxy_case, answers_that_nobody_reads_do_not_hold_it_up)
{
    control = open (pair_type);
    const int one = 1;
    ASSERT_TRUE (socket::set_option (control, socket::number_of_send_hwm, &one, sizeof (one)).ok ());
    ASSERT_TRUE (socket::bind (control, "inproc://asked").ok ());
    commander = open (pair_type);
    ASSERT_TRUE (socket::set_option (commander, socket::number_of_receive_hwm, &one, sizeof (one)).ok ());
    ASSERT_TRUE (socket::connect (commander, "inproc://asked").ok ());
    start ();
    constexpr int questions = 20;
    for (int i = 0; i < questions; ++i)
        ASSERT_TRUE (send_text (commander, "STATISTICS"));
    ASSERT_TRUE (send_text (source, "through"));
    EXPECT_EQ (receive_text (sink), "through");
    for (int i = 0; i < questions * 8; ++i)
        receive_number ();
    stop ();
    EXPECT_EQ (outcome, errc::ok);
}

TEST_F (proxy_case, obeys_over_any_transport)
{
    for (const std::string place : {"tcp://127.0.0.1:*", "ipc://*"}) {
        control = open_bound (pair_type, place);
        std::array<char, 256> where{};
        std::size_t size = where.size ();
        constexpr int last_endpoint = 32;
        ASSERT_TRUE (socket::get_option (control, last_endpoint, where.data (), &size).ok ());
        commander = open_connected (pair_type, where.data ());
        start ();
        ASSERT_TRUE (send_text (commander, "PAUSE"));
        const std::uint64_t before = ask_for_messages ()[0];
        ASSERT_TRUE (send_text (source, "held"));
        EXPECT_EQ (ask_for_messages ()[0], before);
        ASSERT_TRUE (send_text (commander, "RESUME"));
        EXPECT_EQ (receive_text (sink), "held");
        stop ();
        EXPECT_EQ (outcome, errc::ok);
    }
}

// A direction that the types do not have is left out, also where there is
// something to read.
TEST_F (proxy_case, forwards_from_a_sub_to_an_xpub)
{
    frontend = open_bound (xpub_type, "inproc://news");
    void *publisher = open_bound (pub_type, "inproc://wire");
    backend = open_connected (sub_type, "inproc://wire");
    constexpr int subscribe = 6;
    ASSERT_TRUE (socket::set_option (backend, subscribe, "", 0).ok ());
    void *reader = open_connected (sub_type, "inproc://news");
    ASSERT_TRUE (socket::set_option (reader, subscribe, "", 0).ok ());
    start ();
    ASSERT_TRUE (send_text (publisher, "news"));
    EXPECT_EQ (receive_text (reader), "news");
    stop ();
    EXPECT_EQ (outcome, errc::ok);
}

// Bodies travel by reference, also to the one who captures.
TEST_F (proxy_case, copies_no_body)
{
    void *capture = open_bound (push_type, "inproc://capture");
    void *witness = open_connected (pull_type, "inproc://capture");
    start (capture);
    static std::array<std::byte, 100'000> body;
    static int released;
    released = 0;
    base::message given;
    ASSERT_TRUE (given
                   .init_adopt (
                     body.data (), body.size (), [] (void *, void *) { ++released; }, nullptr)
                   .ok ());
    ASSERT_TRUE (socket::send (source, given, 0).ok ());
    for (void *reader : {sink, witness}) {
        base::message got;
        got.init ();
        ASSERT_TRUE (socket::receive (reader, got, 0).ok ());
        EXPECT_EQ (got.view ().data (), body.data ());
        EXPECT_EQ (released, 0);
        got.close ();
    }
    stop ();
    EXPECT_EQ (released, 1);
}

}  // namespace
}  // namespace zlink::api
