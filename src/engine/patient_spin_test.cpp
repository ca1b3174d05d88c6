#include "engine/patient_spin.hpp"

#include <array>

#include <gtest/gtest.h>

namespace zlink::engine {
namespace {

using base::ns_per_us;
using base::time_ns;

// Two who answer each other in turn, each awake or asleep behind a rule of its own.
struct ping_pong
{
    time_ns wake_ns = 0;
    time_ns work_ns = 3 * ns_per_us;  // of who is awake, until its answer is there
    std::array<patient_spin, 2> rules{};
    std::array<bool, 2> asleep{};
    std::uint64_t turns = 0;
    std::uint64_t slept = 0;

    // One waits while the other works. False: who waits has been caught asleep.
    bool turn (time_ns more_work_ns = 0)
    {
        const std::size_t waits = turns++ % 2;
        patient_spin &rule = rules[waits];
        // Some noise: no two waits are of one length.
        const time_ns takes = (asleep[1 - waits] ? wake_ns : 0) + work_ns + more_work_ns
                              + static_cast<time_ns> (turns * 37 % 101);
        const time_ns patience = rule.begin (0, false);
        asleep[waits] = patience < takes;
        if (patience > 0)
            asleep[waits] ? rule.failed_after (patience + static_cast<time_ns> (turns * 53 % 997))
                          : rule.seen_after (takes);
        slept += asleep[waits];
        return !asleep[waits];
    }

    // Turns until nobody has been asleep for ten in a row.
    std::uint64_t until_awake (std::uint64_t turns_max)
    {
        std::uint64_t taken = 0;
        for (unsigned in_a_row = 0; in_a_row < 10 && taken < turns_max; ++taken)
            in_a_row = turn () ? in_a_row + 1 : 0;
        return taken;
    }
};

constexpr time_ns slow_wake_ns = 190 * ns_per_us;

time_ns begin_after_skips (patient_spin &rule)
{
    time_ns patience = 0;
    while ((patience = rule.begin (0, false)) == 0)
        ;
    return patience;
}

TEST (patient_spin, looks_shortly_for_small_messages_and_longer_for_large_ones)
{
    patient_spin rule;
    EXPECT_EQ (rule.begin (0, false), spin_ns);
    EXPECT_EQ (rule.begin (0, true), spin_ns);
    EXPECT_EQ (rule.begin (65'536, true), spin_ns + 65'536 / static_cast<time_ns> (spin_bytes_per_ns));
    EXPECT_EQ (rule.begin (std::size_t{1} << 40, true), spin_long_ns);
}

TEST (patient_spin, looks_shortly_for_the_next_of_a_stream_of_large_ones)
{
    patient_spin rule;
    for (unsigned i = 0; i < 2 * spin_failures_min; ++i) {
        time_ns patience = 0;
        while ((patience = rule.begin (65'536, false)) == 0)
            ;
        EXPECT_EQ (patience, spin_ns);
        rule.failed_after (patience);
    }
}

TEST (patient_spin, looks_longer_than_a_slow_wake_takes_after_failures)
{
    patient_spin rule;
    for (unsigned i = 0; i < spin_failures_min; ++i) {
        EXPECT_EQ (begin_after_skips (rule), spin_ns);
        rule.failed_after (spin_ns);
    }
    EXPECT_EQ (begin_after_skips (rule), spin_long_ns);
    EXPECT_GT (spin_long_ns, slow_wake_ns);
    rule.seen_after (spin_ns);
    EXPECT_EQ (rule.begin (0, false), spin_ns) << "forgiven";
}

TEST (patient_spin, what_comes_late_a_few_times_is_a_failure)
{
    patient_spin rule;
    for (unsigned i = 0; i < spin_failures_min; ++i) {
        (void)begin_after_skips (rule);
        rule.failed_after (spin_ns);
    }
    (void)begin_after_skips (rule);
    for (unsigned i = 1; i < spin_late_max; ++i) {
        rule.seen_after (slow_wake_ns);
        EXPECT_EQ (rule.begin (0, false), spin_long_ns);
    }
    rule.seen_after (slow_wake_ns);
    EXPECT_EQ (rule.begin (0, false), 0);
}

TEST (patient_spin, two_who_are_caught_asleep_once_are_awake_again_at_once)
{
    for (std::uint64_t first = 0; first < 2; ++first) {
        ping_pong both{.wake_ns = slow_wake_ns};
        for (std::uint64_t i = 0; i < 10 + first; ++i)
            ASSERT_TRUE (both.turn ());
        EXPECT_FALSE (both.turn (5 * base::ns_per_ms));
        EXPECT_LT (both.until_awake (1'000), 60U);
    }
}

TEST (patient_spin, two_who_have_slept_for_long_find_each_other)
{
    ping_pong both{.wake_ns = 2 * spin_long_ns};  // too slow for anybody
    for (int i = 0; i < 10'000; ++i)
        (void)both.turn (i < 20 ? base::ns_per_ms : 0);
    EXPECT_GT (both.slept, 9'000U);
    both.wake_ns = slow_wake_ns;
    EXPECT_LT (both.until_awake (50'000), 50'000U);
}

TEST (patient_spin, does_not_burn_a_core_for_a_peer_that_works_for_long)
{
    constexpr int waits = 100'000;
    patient_spin rule;
    time_ns looked_ns = 0;
    for (int i = 0; i < waits; ++i) {
        const time_ns patience = rule.begin (0, false);
        if (patience == 0)
            continue;
        const bool seen = patience > slow_wake_ns;
        looked_ns += std::min (patience, slow_wake_ns);
        seen ? rule.seen_after (slow_wake_ns) : rule.failed_after (patience + i * 31 % 997);
    }
    EXPECT_LT (looked_ns * 16, slow_wake_ns * waits);
    EXPECT_GT (looked_ns, 0);
}

}  // namespace
}  // namespace zlink::engine
