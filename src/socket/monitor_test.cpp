#include "socket/monitor.hpp"

#include <string>

#include <gtest/gtest.h>

#include "engine/test_world.hpp"
#include "socket/facade.hpp"

namespace zlink::socket {
namespace {

using base::errc;
using engine::event_kind;

std::uint64_t any (const event &) noexcept { return 1; }

// As many parts as the event's number says.
std::size_t as_parts (const event &what, std::span<base::message> parts) noexcept
{
    for (std::size_t i = 0; i < what.number; ++i)
        EXPECT_TRUE (parts[i].init_copy (base::as_bytes (std::to_string (i))).ok ());
    return what.number;
}

struct monitor_case : testing::Test
{
    engine::test::quiet_world around;
    void *context = context_open (around.world (), header::zlink, nullptr).value ();
    void *speaker = open (context, 0).value ();
    void *ear = open (context, 0).value ();
    std::shared_ptr<monitor> made = std::make_shared<monitor> (speaker, monitor_format{any, as_parts}, 1);

    monitor_case ()
    {
        EXPECT_TRUE (bind (speaker, "inproc://m").ok ());
        EXPECT_TRUE (connect (ear, "inproc://m").ok ());
    }
    ~monitor_case () override
    {
        (void)close (speaker);
        (void)close (ear);
        EXPECT_TRUE (context_terminate (context, 0).ok ());
    }
    void tell (std::uint64_t parts, event_kind kind = event_kind::ready)
    {
        event what;
        what.kind = kind;
        what.number = parts;
        EXPECT_TRUE (made->take (what));
        made->deliver ();
    }
    // How many parts the next message has; 0: there is none.
    std::size_t heard ()
    {
        std::array<base::message, monitor_parts_max> parts;
        for (base::message &each : parts)
            each.init ();
        std::size_t needed = 0;
        const io_count got = receive_parts (ear, parts, io_dont_wait, &needed);
        for (base::message &each : parts)
            each.close ();
        return got.ok () ? got.size () : 0;
    }
};

TEST_F (monitor_case, an_event_is_one_message_of_all_its_parts)
{
    tell (1);
    tell (monitor_parts_max);
    EXPECT_EQ (heard (), 1u);
    EXPECT_EQ (heard (), monitor_parts_max);
    EXPECT_EQ (heard (), 0u);
}

TEST_F (monitor_case, what_cannot_be_encoded_is_passed_over)
{
    tell (0);
    tell (2);
    EXPECT_EQ (heard (), 2u);
}

TEST_F (monitor_case, closes_its_socket_behind_the_last_event)
{
    tell (3, event_kind::stopped);
    EXPECT_EQ (heard (), 3u);
    EXPECT_EQ (close (speaker).code (), errc::not_a_socket);
    made->deliver ();
    EXPECT_EQ (heard (), 0u);
}

TEST_F (monitor_case, sends_the_last_event_through_a_link_that_is_full)
{
    constexpr unsigned more_than_fit = 100;
    const int one = 1;
    EXPECT_TRUE (disconnect (ear, "inproc://m").ok ());
    EXPECT_TRUE (set_option (speaker, number_of_send_hwm, &one, sizeof one).ok ());
    EXPECT_TRUE (set_option (ear, number_of_receive_hwm, &one, sizeof one).ok ());
    EXPECT_TRUE (connect (ear, "inproc://m").ok ());
    for (unsigned i = 0; i < more_than_fit; ++i)
        tell (1);
    tell (3, event_kind::stopped);
    for (unsigned i = 0; i < more_than_fit; ++i)
        ASSERT_EQ (heard (), 1u) << i;
    EXPECT_EQ (heard (), 3u);
}

TEST_F (monitor_case, a_socket_that_somebody_closed_swallows_everything)
{
    EXPECT_TRUE (close (speaker).ok ());
    tell (1);
    tell (1, event_kind::stopped);
    EXPECT_EQ (heard (), 0u);
}

TEST_F (monitor_case, one_that_nobody_listens_to_waits_for_somebody)
{
    EXPECT_TRUE (disconnect (ear, "inproc://m").ok ());
    tell (2);
    EXPECT_EQ (made.use_count (), 2) << "the socket will wake it";
    EXPECT_TRUE (connect (ear, "inproc://m").ok ());
    EXPECT_EQ (heard (), 2u);
}

}  // namespace
}  // namespace zlink::socket
