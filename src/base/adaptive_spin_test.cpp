#include "base/adaptive_spin.hpp"

#include <gtest/gtest.h>

namespace zlink::base {
namespace {

int waits_skipped (adaptive_spin &rule)
{
    int skipped = 0;
    while (!rule.should_spin ())
        ++skipped;
    return skipped;
}

TEST (spin, looks_at_first)
{
    adaptive_spin rule;
    EXPECT_TRUE (rule.should_spin ());
    EXPECT_TRUE (rule.should_spin ()) << "asking costs nothing";
}

TEST (spin, looks_again_and_again_while_it_helps)
{
    adaptive_spin rule;
    for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE (rule.should_spin ());
        rule.succeeded ();
    }
}

TEST (spin, skips_twice_as_many_waits_after_each_failure_up_to_a_bound)
{
    adaptive_spin rule;
    for (unsigned failures = 1; failures < spin_backoff_max + 4; ++failures) {
        ASSERT_TRUE (rule.should_spin ());
        rule.failed ();
        EXPECT_EQ (waits_skipped (rule), 1 << std::min (failures, spin_backoff_max));
    }
}

TEST (spin, one_success_forgives_all_failures)
{
    adaptive_spin rule;
    for (int i = 0; i < 20; ++i)
        rule.failed ();
    (void)waits_skipped (rule);
    rule.succeeded ();
    EXPECT_TRUE (rule.should_spin ());
    rule.failed ();
    EXPECT_EQ (waits_skipped (rule), 2);
}

TEST (spin, skips_up_to_half_of_them_fewer_when_it_is_given_a_number)
{
    adaptive_spin rule;
    for (unsigned number = 0; number < 1'000; number += 7) {
        rule.failed (number);
        const int all = 1 << rule.failures ();
        const int skipped = waits_skipped (rule);
        EXPECT_EQ (skipped, all - static_cast<int> (number % (static_cast<unsigned> (all) / 2)));
    }
}

TEST (spin, reset_begins_anew)
{
    adaptive_spin rule;
    for (int i = 0; i < 20; ++i)
        rule.failed ();
    rule.reset ();
    EXPECT_TRUE (rule.should_spin ());
    rule.failed ();
    EXPECT_EQ (waits_skipped (rule), 2);
}

}  // namespace
}  // namespace zlink::base
