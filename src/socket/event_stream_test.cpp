#include "socket/event_stream.hpp"

#include <gtest/gtest.h>

#include "engine/test_world.hpp"

namespace zlink::socket {
namespace {

using base::errc;
using engine::event_kind;
using engine::event_record;

std::uint64_t by_kind (const event_record &what) noexcept
{
    return std::uint64_t{1} << static_cast<unsigned> (what.kind);
}

constexpr std::uint64_t everything = UINT64_MAX;

event_record of_kind (event_kind kind)
{
    event_record made;
    made.kind = kind;
    return made;
}

struct event_stream_case : testing::Test
{
    engine::test::moved_clock time;
    engine::test::lone_waiter sleep{time};
};

TEST_F (event_stream_case, hands_out_what_the_mask_lets_in)
{
    event_stream stream (sleep, 10, by_kind, by_kind (of_kind (event_kind::ready)));
    EXPECT_TRUE (stream.take (of_kind (event_kind::accepted)));
    EXPECT_TRUE (stream.take (of_kind (event_kind::ready)));
    event_record next;
    ASSERT_TRUE (stream.receive (next, 0).ok ());
    EXPECT_EQ (next.kind, event_kind::ready);
    EXPECT_EQ (stream.receive (next, 0).code (), errc::would_block);
}

TEST_F (event_stream_case, waits_until_its_deadline)
{
    event_stream stream (sleep, 10, by_kind, everything);
    event_record next;
    const base::time_ns deadline = time.now.load () + base::ns_per_ms;
    EXPECT_EQ (stream.receive (next, deadline).code (), errc::would_block);
    EXPECT_EQ (time.now.load (), deadline);
    EXPECT_EQ (stream.receive (next, base::never_ns).code (), errc::interrupted);
}

TEST_F (event_stream_case, wakes_whoever_waits)
{
    event_stream stream (sleep, 10, by_kind, everything);
    stream.deliver ();
    EXPECT_EQ (sleep.wakes.load (), 1);
    stream.close ();
    EXPECT_EQ (sleep.wakes.load (), 2);
}

TEST_F (event_stream_case, says_when_the_socket_has_ended_and_all_is_read)
{
    event_stream stream (sleep, 1, by_kind, 0);
    EXPECT_TRUE (stream.take (of_kind (event_kind::stopped)));  // asked for or not
    event_record next;
    ASSERT_TRUE (stream.receive (next, base::never_ns).ok ());
    EXPECT_EQ (next.kind, event_kind::stopped);
    EXPECT_EQ (stream.receive (next, base::never_ns).code (), errc::terminated);
}

TEST_F (event_stream_case, hands_out_what_is_there_when_the_context_ends_but_does_not_wait)
{
    event_stream stream (sleep, 10, by_kind, everything);
    EXPECT_TRUE (stream.take (of_kind (event_kind::accepted)));
    stream.context_ends ();
    event_record next;
    ASSERT_TRUE (stream.receive (next, base::never_ns).ok ());
    EXPECT_EQ (stream.receive (next, base::never_ns).code (), errc::terminated);
    EXPECT_TRUE (stream.take (of_kind (event_kind::lost)));  // the socket is still to be closed
    ASSERT_TRUE (stream.receive (next, base::never_ns).ok ());
    EXPECT_EQ (next.kind, event_kind::lost);
    EXPECT_EQ (stream.receive (next, 0).code (), errc::terminated);
}

TEST_F (event_stream_case, is_dead_once_it_is_closed)
{
    event_stream stream (sleep, 1, by_kind, everything);
    EXPECT_TRUE (stream.take (of_kind (event_kind::ready)));
    stream.close ();
    event_record next;
    EXPECT_EQ (stream.receive (next, base::never_ns).code (), errc::not_a_socket);
}

TEST_F (event_stream_case, tells_what_it_could_not_take)
{
    event_stream stream (sleep, 1, by_kind, everything);
    EXPECT_TRUE (stream.take (of_kind (event_kind::accepted)));
    EXPECT_FALSE (stream.take (of_kind (event_kind::ready)));
}

}  // namespace
}  // namespace zlink::socket
