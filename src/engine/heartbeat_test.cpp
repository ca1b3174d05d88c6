#include "engine/heartbeat.hpp"

#include <gtest/gtest.h>

namespace zlink::engine {
namespace {

using base::never_ns;

// One whose PINGs go at common times.
constexpr base::time_ns interval = 64 * 50 * base::ns_per_ms;
constexpr base::time_ns apart = interval / 64;

TEST (heartbeat, without_an_interval_nothing_is_ever_due)
{
    heartbeat beat;
    beat.start (1000, 0, 0, false);
    EXPECT_EQ (beat.next (), never_ns);
    EXPECT_FALSE (beat.ping_due (1'000'000));
    EXPECT_FALSE (beat.silent (1'000'000));
}

TEST (heartbeat, pings_at_its_interval)
{
    heartbeat beat;
    beat.start (1000, 100, 500, false);
    EXPECT_EQ (beat.next (), 1100);
    EXPECT_FALSE (beat.ping_due (1099));
    EXPECT_TRUE (beat.ping_due (1100));
    EXPECT_FALSE (beat.ping_due (1100));
    EXPECT_EQ (beat.next (), 1200);
}

TEST (heartbeat, those_of_one_interval_ping_at_common_times)
{
    heartbeat one;
    heartbeat another;
    one.start (7 * apart + 1, interval, interval, false);
    another.start (8 * apart - 1, interval, interval, false);
    EXPECT_EQ (one.next (), 7 * apart + interval);
    EXPECT_EQ (another.next (), one.next ());
    // Served late, it is back with the others: never later than asked for, and less than a 64th earlier.
    const base::time_ns late = one.next () + apart - 1;
    EXPECT_TRUE (one.ping_due (late));
    EXPECT_EQ (one.next (), late - (apart - 1) + interval);
}

TEST (heartbeat, who_connected_is_a_common_time_earlier_and_the_other_goes_with_its_answer)
{
    heartbeat connected;
    heartbeat accepted;
    connected.start (7 * apart + 1, interval, interval, true);
    accepted.start (7 * apart + 1, interval, interval, false);
    EXPECT_EQ (connected.next (), 6 * apart + interval);
    EXPECT_EQ (accepted.next (), 7 * apart + interval);
    const base::time_ns heard = connected.next () + 1;
    EXPECT_FALSE (accepted.ping_due (heard));
    EXPECT_TRUE (accepted.ping_due_soon (heard));
    EXPECT_FALSE (accepted.ping_due_soon (heard));
    EXPECT_EQ (accepted.next (), 6 * apart + 2 * interval);
    EXPECT_TRUE (accepted.silent (heard + interval));
}

TEST (heartbeat, goes_with_an_answer_only_when_it_is_due_soon)
{
    heartbeat beat;
    beat.start (0, interval, interval, false);
    EXPECT_FALSE (beat.ping_due_soon (interval - interval / 32 - 1));
    EXPECT_TRUE (beat.ping_due_soon (interval - interval / 32));
    heartbeat without;
    without.start (0, 0, 0, false);
    EXPECT_FALSE (without.ping_due_soon (interval));
}

TEST (heartbeat, a_short_interval_is_kept_to_the_letter)
{
    constexpr base::time_ns brief = 63 * base::ns_per_ms;
    heartbeat beat;
    beat.start (1, brief, 500, true);
    EXPECT_EQ (beat.next (), 1 + brief);
    EXPECT_FALSE (beat.ping_due_soon (brief));
    EXPECT_TRUE (beat.ping_due_soon (1 + brief));
}

TEST (heartbeat, silence_counts_from_the_first_ping_that_nobody_answered)
{
    heartbeat beat;
    beat.start (0, 100, 250, false);
    EXPECT_TRUE (beat.ping_due (100));
    EXPECT_TRUE (beat.ping_due (200));
    EXPECT_TRUE (beat.ping_due (300));
    EXPECT_FALSE (beat.silent (349));
    EXPECT_TRUE (beat.silent (350));
}

TEST (heartbeat, any_byte_is_life)
{
    heartbeat beat;
    beat.start (0, 100, 150, false);
    EXPECT_TRUE (beat.ping_due (100));
    beat.heard ();
    EXPECT_FALSE (beat.silent (250));
    EXPECT_TRUE (beat.ping_due (250));
    EXPECT_FALSE (beat.silent (399));
    EXPECT_TRUE (beat.silent (400));
}

// What came before a PING does not answer it.
TEST (heartbeat, life_before_a_ping_is_no_answer_to_it)
{
    heartbeat beat;
    beat.start (0, 100, 150, false);
    beat.heard ();
    EXPECT_FALSE (beat.silent (100));
    EXPECT_TRUE (beat.ping_due (100));
    EXPECT_TRUE (beat.silent (250));
}

TEST (heartbeat, bears_silence_for_as_long_as_the_peer_asked)
{
    heartbeat beat;
    beat.start (0, 0, 0, false);
    beat.bear (1000, 300);
    EXPECT_EQ (beat.next (), 1300);
    EXPECT_FALSE (beat.silent (1299));
    EXPECT_TRUE (beat.silent (1300));
    beat.heard ();
    EXPECT_FALSE (beat.silent (1300));
    EXPECT_EQ (beat.next (), 1600);
    beat.bear (1300, 0);
    EXPECT_EQ (beat.next (), never_ns);
}

// Its octets were heard before it was read, and do not count once more when the time is over.
TEST (heartbeat, a_ping_is_life_at_its_own_time)
{
    heartbeat beat;
    beat.start (0, 1000, 100, false);
    EXPECT_TRUE (beat.ping_due (1000));
    beat.heard ();
    beat.bear (1050, 300);
    EXPECT_FALSE (beat.silent (1100)) << "it came behind our own";
    EXPECT_EQ (beat.next (), 1350);
    EXPECT_TRUE (beat.silent (1350));
}

TEST (heartbeat, is_forgiven_when_nobody_could_read)
{
    heartbeat beat;
    beat.start (0, 1000, 100, false);
    EXPECT_TRUE (beat.ping_due (1000));
    EXPECT_TRUE (beat.silent (1100));
    beat.forgive (1100);
    EXPECT_FALSE (beat.silent (1100));
    EXPECT_EQ (beat.next (), 2000);
}

}  // namespace
}  // namespace zlink::engine
