#include "engine/burst.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace zlink::engine {
namespace {

// Time stands still until a test moves it; counts how often it is read.
class set_clock : public base::clock
{
  public:
    base::time_ns now_ns () noexcept override { return static_cast<base::time_ns> (now_us * 1000); }
    std::uint64_t ticks () noexcept override
    {
        ++reads;
        return now_us * ticks_per_us ();
    }
    [[nodiscard]] std::uint64_t ticks_per_us () const noexcept override { return 2'500; }

    std::uint64_t now_us = 1'000'000;
    int reads = 0;
};

struct burst : testing::Test
{
    set_clock time;
    burst_rule rule;
    burst_thread thread;

    burst () { rule.reset (time); }

    // Appends behind unwritten bytes until one is only appended.
    int writes_until_one_waits (int at_most = 1000)
    {
        int writes = 0;
        while (writes < at_most && rule.append (false, thread))
            ++writes;
        return writes;
    }
    void data_arrived ()
    {
        rule.data_arrived ();
        thread.data_arrived ();
    }
    void use_up_tokens ()
    {
        ASSERT_TRUE (rule.append (true, thread));
        writes_until_one_waits ();
    }
};

TEST_F (burst, a_lone_message_leaves_at_once) { EXPECT_TRUE (rule.append (true, thread)); }

TEST_F (burst, a_burst_has_so_many_writes_of_its_own)
{
    ASSERT_TRUE (rule.append (true, thread));
    EXPECT_EQ (writes_until_one_waits (), static_cast<int> (burst_tokens_max) - 1);
    for (int i = 0; i < 1000; ++i)
        ASSERT_FALSE (rule.append (false, thread)) << "time stands still, nothing gets old";
}

// Appends so many, each written in no time when it may be.
struct back_to_back : burst
{
    int written_of (int messages, bool reads)
    {
        int writes = 0;
        bool unwritten = false;
        for (int i = 0; i < messages; ++i) {
            if (reads)
                thread.data_arrived ();
            const bool now = rule.append (!unwritten, thread);
            unwritten = !now;
            writes += now;
            if (!now)
                continue;
            rule.wrote ();
            thread.wrote (rule.wrote_at ());
        }
        return writes;
    }
};

TEST_F (back_to_back, messages_leave_in_a_handful_of_writes) { EXPECT_EQ (written_of (64, false), 4); }

TEST_F (back_to_back, messages_behind_a_read_each_leave_at_once)
{
    EXPECT_EQ (written_of (static_cast<int> (burst_tokens_max), true), static_cast<int> (burst_tokens_max));
}

// Of a thread that has just read what it answers now.
TEST_F (burst, what_more_follows_behind_waits_as_long_as_a_write_takes)
{
    data_arrived ();
    EXPECT_FALSE (rule.append_among (true, thread));
    time.now_us += among_age_us_max;
    EXPECT_FALSE (rule.append_among (false, thread));
    time.now_us += 1;
    EXPECT_TRUE (rule.append_among (false, thread));
}

TEST_F (burst, what_more_follows_behind_spends_no_token)
{
    data_arrived ();
    for (int i = 0; i < 100; ++i)
        ASSERT_FALSE (rule.append_among (i == 0, thread));
    EXPECT_EQ (writes_until_one_waits (), static_cast<int> (burst_tokens_max));
}

TEST_F (burst, who_was_away_for_long_does_not_wait_for_what_follows)
{
    data_arrived ();
    ASSERT_FALSE (rule.append_among (true, thread));
    rule.wrote ();
    time.now_us += among_age_us_max;
    EXPECT_FALSE (rule.append_among (true, thread));
    rule.wrote ();
    time.now_us += among_age_us_max + 1;
    EXPECT_TRUE (rule.append_among (true, thread));
}

TEST_F (burst, time_with_something_unwritten_earns_nothing)
{
    use_up_tokens ();
    time.now_us += 1000;
    rule.wrote ();
    EXPECT_FALSE (rule.append (true, thread));
}

TEST_F (burst, idle_time_earns_tokens)
{
    use_up_tokens ();
    rule.wrote ();
    time.now_us += 3 * burst_token_us + burst_token_us / 2;
    EXPECT_TRUE (rule.append (true, thread));
    EXPECT_EQ (writes_until_one_waits (), 2);
}

TEST_F (burst, idle_time_earns_no_more_than_there_were)
{
    use_up_tokens ();
    rule.wrote ();
    time.now_us += 1'000'000'000;
    EXPECT_TRUE (rule.append (true, thread));
    EXPECT_EQ (writes_until_one_waits (), static_cast<int> (burst_tokens_max) - 1);
}

// A sender that empties its arena again and again and goes on at once.
TEST_F (burst, streaming_earns_nothing)
{
    use_up_tokens ();
    for (int i = 0; i < 10'000; ++i) {
        time.now_us += burst_token_us;
        rule.wrote ();
        ASSERT_FALSE (rule.append (true, thread));
    }
}

// A stream first, then one message in ten microseconds: none lies for longer
// than the age limit and one more message.
TEST_F (burst, a_slow_sender_behind_a_fast_one_looks_at_the_time_at_once)
{
    use_up_tokens ();
    for (int i = 0; i < 1000; ++i)
        (void)rule.append (false, thread);
    for (int turn = 0; turn < 20; ++turn) {
        rule.wrote ();
        if (turn % 2 == 1)
            time.now_us += 1000;  // the socket has tokens again, the thread none
        burst_thread none;
        burst_rule other;
        do
            other.reset (time);
        while (other.append (true, none));
        ASSERT_FALSE (rule.append (true, none));
        int behind = 0;
        do
            time.now_us += 10;
        while (!rule.append (false, none) && ++behind < 100);
        EXPECT_LE (behind, static_cast<int> (tail_age_us_max / 10 + 1));
    }
}

TEST_F (burst, idle_time_adds_up)
{
    use_up_tokens ();
    int writes = 0;
    for (std::uint64_t i = 0; i < 4 * burst_token_us; ++i) {
        rule.wrote ();
        time.now_us += burst_token_us / 2;
        burst_thread fresh;
        writes += rule.append (true, fresh);
    }
    EXPECT_EQ (writes, static_cast<int> (4 * burst_token_us / 2));
}

TEST_F (burst, a_read_that_brought_data_earns_one)
{
    use_up_tokens ();
    for (int turn = 0; turn < 100; ++turn) {
        data_arrived ();
        ASSERT_TRUE (rule.append (false, thread));
        ASSERT_FALSE (rule.append (false, thread));
    }
    for (int i = 0; i < 100; ++i)
        data_arrived ();
    EXPECT_EQ (writes_until_one_waits (), static_cast<int> (burst_tokens_max));
}

TEST_F (burst, an_old_tail_is_written_by_the_append_that_notices)
{
    use_up_tokens ();
    rule.wrote ();
    ASSERT_FALSE (rule.append (true, thread));
    time.now_us += tail_age_us_max + 1;
    int appends = 1;
    while (!rule.append (false, thread) && appends < 1000)
        ++appends;
    EXPECT_LE (appends, static_cast<int> (age_check_interval_max));
}

// Who writes to many has tails that may be as old as it takes to write them, and as old again,
// up to a limit; and no less old than others'.
TEST_F (burst, tails_that_take_long_to_write_may_be_older)
{
    const auto age_after_a_round_of = [&] (std::uint64_t us) {
        const std::uint64_t began = time.ticks ();
        time.now_us += us;
        rule.wrote ();
        rule.wrote_to_many (began);
        EXPECT_FALSE (rule.append (true, thread));
        std::uint64_t age = 0;
        for (; !rule.append (false, thread); ++age)
            time.now_us += paced_gap_us_min - 1;
        return age * (paced_gap_us_min - 1);
    };
    // What it looks at the time for is a quarter of the age.
    const auto is_about = [] (std::uint64_t age, std::uint64_t wanted) {
        return age >= wanted - 1 && age <= wanted + wanted / 4 + 1;
    };
    constexpr std::uint64_t long_round_us = tail_age_us_max;
    use_up_tokens ();
    (void)age_after_a_round_of (0);
    EXPECT_TRUE (is_about (age_after_a_round_of (1), tail_age_us_max));
    EXPECT_TRUE (is_about (age_after_a_round_of (long_round_us), round_rests * long_round_us));
    EXPECT_TRUE (is_about (age_after_a_round_of (1000), tails_age_us_max));
}

// Just too close together to be paced: the age limit is what bounds them.
TEST_F (burst, slow_appends_look_at_the_time_every_time)
{
    use_up_tokens ();
    rule.wrote ();
    ASSERT_FALSE (rule.append (true, thread));
    for (std::uint64_t us = paced_gap_us_min - 1; us <= tail_age_us_max; us += paced_gap_us_min - 1) {
        time.now_us += paced_gap_us_min - 1;
        ASSERT_FALSE (rule.append (false, thread)) << us;
    }
    int appends = 1;
    while (time.now_us += paced_gap_us_min - 1, !rule.append (false, thread))
        ++appends;
    EXPECT_LE (appends, static_cast<int> (tail_age_us_max / 4 + 1));
}

TEST_F (burst, fast_appends_look_at_the_time_now_and_then)
{
    use_up_tokens ();
    rule.wrote ();
    (void)rule.append (true, thread);
    for (int i = 0; i < 200; ++i)
        (void)rule.append (false, thread);
    time.reads = 0;
    for (unsigned i = 0; i < 10 * age_check_interval_max; ++i)
        (void)rule.append (false, thread);
    EXPECT_EQ (time.reads, 10);
}

TEST_F (burst, reset_begins_anew)
{
    use_up_tokens ();
    rule.reset (time);
    thread = {};
    ASSERT_TRUE (rule.append (true, thread));
    EXPECT_EQ (writes_until_one_waits (), static_cast<int> (burst_tokens_max) - 1);
}

// --- paced senders ---------------------------------------------------------------

// Sends so many messages so far apart, each written in no time; the longest
// run of messages that waited for another.
struct paced : burst
{
    bool unwritten = false;
    int longest_wait = 0;
    int waiting = 0;

    void send (burst_rule &over)
    {
        const bool written = over.append (!unwritten, thread);
        unwritten = !written;
        waiting = written ? 0 : waiting + 1;
        longest_wait = std::max (longest_wait, waiting);
        if (!written)
            return;
        over.wrote ();
        thread.wrote (over.wrote_at ());
    }
    void send_apart (int messages, std::uint64_t us)
    {
        for (int i = 0; i < messages; ++i) {
            time.now_us += us;
            send (rule);
        }
    }
};

TEST_F (paced, who_rests_between_its_messages_writes_each)
{
    use_up_tokens ();
    rule.wrote ();
    send_apart (1000, std::max (paced_gap_us_min, paced_rest_us_min));
    EXPECT_EQ (longest_wait, 0);
}

TEST_F (paced, who_rests_less_writes_a_few_together)
{
    use_up_tokens ();
    rule.wrote ();
    send_apart (1000, paced_gap_us_min);
    EXPECT_EQ (longest_wait, static_cast<int> (paced_rest_us_min / paced_gap_us_min) - 1);
}

TEST_F (paced, who_has_to_catch_up_is_not_taken_for_a_burst)
{
    use_up_tokens ();
    rule.wrote ();
    constexpr int late = 8;
    for (int turn = 0; turn < 100; ++turn) {
        send_apart (20, 5);
        send_apart (late, 0);
    }
    EXPECT_LE (longest_wait, 3 * late);
}

TEST_F (paced, a_thread_that_goes_from_socket_to_socket_is_not)
{
    std::vector<burst_rule> many (100);
    for (burst_rule &each : many)
        each.reset (time);
    for (burst_rule &each : many)  // uses up the thread's tokens and the sockets' first
        (void)each.append (true, thread);
    int written = 0;
    for (int turn = 0; turn < 1000; ++turn) {
        for (std::size_t i = 0; i < many.size (); ++i) {
            time.now_us += i % 10 == 0 ? paced_gap_us_min - 1 : 0;
            written += many[i].append (turn == 0, thread);
        }
    }
    EXPECT_EQ (written, 0) << "a tail that is old at each turn is not written at each";
}

// Each write empties one connection of many; the time that it takes is no gap of the sender's.
TEST_F (paced, who_answers_many_by_turns_is_not)
{
    constexpr std::uint64_t write_us = paced_gap_us_min + paced_rest_us_min;
    use_up_tokens ();
    int written = 0;
    for (int i = 0; i < 1000; ++i) {
        time.now_us += paced_gap_us_min - 1;
        if (!rule.append (false, thread))
            continue;
        ++written;
        time.now_us += write_us;
        rule.wrote ();
        thread.wrote (rule.wrote_at ());
    }
    EXPECT_GT (written, 0) << "their age is still bounded";
    EXPECT_LE (written, 250);
}

// --- a thread's part -------------------------------------------------------------

TEST_F (burst, a_thread_with_many_sockets_sends_a_burst_that_none_of_them_sees)
{
    std::vector<burst_rule> many (100);
    int written = 0;
    for (burst_rule &each : many) {
        each.reset (time);
        written += each.append (true, thread);
    }
    EXPECT_EQ (written, static_cast<int> (burst_tokens_max));
}

TEST_F (burst, a_thread_earns_for_the_time_between_its_writes)
{
    use_up_tokens ();
    rule.wrote ();
    time.now_us += 1000;
    burst_rule other;
    other.reset (time);
    thread.wrote (rule.wrote_at ());
    EXPECT_TRUE (other.append (true, thread));
    thread.wrote (time.ticks ());
    for (unsigned i = 1; i < burst_tokens_max; ++i)
        ASSERT_TRUE (other.append (false, thread)) << i;
    time.now_us += burst_token_us - 1;
    burst_rule third;
    third.reset (time);
    EXPECT_FALSE (third.append (true, thread));
}

TEST_F (burst, another_thread_has_a_bucket_of_its_own)
{
    use_up_tokens ();
    burst_thread fresh;
    burst_rule other;
    other.reset (time);
    EXPECT_FALSE (other.append (true, thread));
    other.reset (time);
    EXPECT_TRUE (other.append (true, fresh));
}

}  // namespace
}  // namespace zlink::engine
