#include "api/timers.hpp"

#include <climits>
#include <vector>

#include <gtest/gtest.h>

namespace zlink::api {
namespace {

using base::errc;

class stopped_clock : public base::clock
{
  public:
    base::time_ns now_ns () noexcept override { return now; }
    std::uint64_t ticks () noexcept override { return static_cast<std::uint64_t> (now); }
    std::uint64_t ticks_per_us () const noexcept override { return 1000; }
    void pass_ms (std::int64_t ms) { now += ms * base::ns_per_ms; }

    base::time_ns now = 5 * base::ns_per_s;
};

struct timers_case : testing::Test
{
    static void note (int id, void *self) { static_cast<timers_case *> (self)->fired.push_back (id); }

    stopped_clock time;
    timers set{time};
    std::vector<int> fired;
};

TEST_F (timers_case, nothing_is_due_in_an_empty_set)
{
    EXPECT_FALSE (set.timeout_ms ().has_value ());
    set.execute ();
}

TEST_F (timers_case, fires_again_and_again)
{
    const int id = set.add (100, &timers_case::note, this);
    EXPECT_GT (id, 0);
    EXPECT_EQ (set.timeout_ms (), 100);
    set.execute ();
    EXPECT_TRUE (fired.empty ());
    for (std::size_t round = 1; round <= 3; ++round) {
        time.pass_ms (100);
        EXPECT_EQ (set.timeout_ms (), 0);
        set.execute ();
        EXPECT_EQ (fired.size (), round);
        EXPECT_EQ (set.timeout_ms (), 100);
    }
}

TEST_F (timers_case, a_late_call_fires_each_once_in_the_order_of_their_time)
{
    const int slow = set.add (20, &timers_case::note, this);
    const int fast = set.add (10, &timers_case::note, this);
    time.pass_ms (1000);
    set.execute ();
    EXPECT_EQ (fired, (std::vector<int>{fast, slow}));
}

TEST_F (timers_case, the_rest_of_a_millisecond_counts_as_one)
{
    set.add (10, &timers_case::note, this);
    time.now += 1;
    EXPECT_EQ (set.timeout_ms (), 10);
    time.pass_ms (9);
    EXPECT_EQ (set.timeout_ms (), 1);
    set.execute ();
    EXPECT_TRUE (fired.empty ());
}

TEST_F (timers_case, cancelled_ones_are_gone)
{
    const int id = set.add (10, &timers_case::note, this);
    EXPECT_TRUE (set.cancel (id).ok ());
    EXPECT_EQ (set.cancel (id).code (), errc::invalid_argument);
    EXPECT_EQ (set.reset (id).code (), errc::invalid_argument);
    EXPECT_EQ (set.set_interval (id, 5).code (), errc::invalid_argument);
    time.pass_ms (100);
    set.execute ();
    EXPECT_TRUE (fired.empty ());
    EXPECT_NE (set.add (10, &timers_case::note, this), id);
}

TEST_F (timers_case, reset_and_set_interval_start_again)
{
    const int id = set.add (100, &timers_case::note, this);
    time.pass_ms (60);
    ASSERT_TRUE (set.reset (id).ok ());
    EXPECT_EQ (set.timeout_ms (), 100);
    ASSERT_TRUE (set.set_interval (id, 30).ok ());
    EXPECT_EQ (set.timeout_ms (), 30);
}

TEST_F (timers_case, an_interval_of_zero_fires_once_per_call)
{
    set.add (0, &timers_case::note, this);
    set.execute ();
    set.execute ();
    EXPECT_EQ (fired.size (), 2U);
}

TEST_F (timers_case, huge_intervals_do_not_overflow)
{
    set.add (SIZE_MAX, &timers_case::note, this);
    EXPECT_GT (set.timeout_ms ().value_or (0), 1'000'000'000);
    set.execute ();
    EXPECT_TRUE (fired.empty ());
}

TEST_F (timers_case, handlers_may_change_the_set)
{
    struct killer
    {
        timers *set;
        int victim;
        int calls;

        static void run (int id, void *self)
        {
            auto *me = static_cast<killer *> (self);
            ++me->calls;
            EXPECT_TRUE (me->set->cancel (me->victim).ok ());
            EXPECT_TRUE (me->set->cancel (id).ok ());
            me->set->add (10, &killer::run, self);
        }
    };
    killer first{&set, 0, 0};
    set.add (10, &killer::run, &first);
    first.victim = set.add (20, &timers_case::note, this);
    time.pass_ms (50);
    set.execute ();
    EXPECT_EQ (first.calls, 1);
    EXPECT_TRUE (fired.empty ());
    EXPECT_EQ (set.timeout_ms (), 10);
}

}  // namespace
}  // namespace zlink::api
