// Topics of the C++ interface: messages and their parts, ranges, and coroutines.
#include <array>
#include <chrono>
#include <condition_variable>
#include <coroutine>
#include <deque>
#include <mutex>
#include <stop_token>
#include <thread>

#include <gtest/gtest.h>

#include "support/waiting.hpp"
#include "zlink/spot.hpp"
#include "zlink/zlink.hpp"

namespace zlink {
namespace {

static_assert (std::ranges::input_range<spot_range> && std::ranges::view<spot_range>);

// Coroutines that go on where the test looks for them.
struct desk
{
    void post (std::coroutine_handle<> what)
    {
        const std::lock_guard here (lock);
        posted.push_back (what);
        news.notify_one ();
    }
    // Blocks until there is one, under the test's watchdog.
    void run_one ()
    {
        std::unique_lock here (lock);
        news.wait (here, [this] { return !posted.empty (); });
        const std::coroutine_handle<> what = posted.front ();
        posted.pop_front ();
        here.unlock ();
        what.resume ();
    }

    std::mutex lock;
    std::condition_variable news;
    std::deque<std::coroutine_handle<>> posted;
};

// Runs until it has to wait, at once.
struct started
{
    struct promise_type
    {
        started get_return_object () const noexcept { return {}; }
        std::suspend_never initial_suspend () const noexcept { return {}; }
        std::suspend_never final_suspend () const noexcept { return {}; }
        void return_void () const noexcept {}
        void unhandled_exception () const noexcept { std::terminate (); }
    };
};

struct seen
{
    std::string text;
    std::error_code bad;
    std::thread::id where;
    bool over = false;
};

template <class Executor>
started read_one (spot_subscriber &from, Executor &where, std::stop_token token, seen &to)
{
    const result<spot_message> got = co_await from.receive (std::nothrow, where, std::move (token));
    to.bad = got ? std::error_code () : got.error ();
    to.text = got ? std::string (got->text ()) : "";
    to.where = std::this_thread::get_id ();
    to.over = true;
}

struct spots : testing::Test
{
    spots () { from.subscribe ("room"); }

    context own;
    spot_node node{own};
    spot_publisher to{node};
    std::optional<spot_subscriber> kept{node};
    spot_subscriber &from = *kept;
    desk here;
};

TEST_F (spots, a_message_of_several_parts_has_them)
{
    std::array<message, 2> parts{message (std::string_view ("one")), message (std::string_view ("two"))};
    to.publish ("room", parts);
    to.publish ("room", "alone");
    std::optional<spot_message> got = from.receive ();
    ASSERT_TRUE (got);
    ASSERT_EQ (got->parts ().size (), 2u);
    EXPECT_EQ (got->parts ()[1].text (), "two");
    got = from.receive ();
    ASSERT_TRUE (got);
    EXPECT_EQ (got->text (), "alone");
    EXPECT_TRUE (got->parts ().empty ());
}

TEST_F (spots, messages_are_a_range_that_ends_with_the_time)
{
    for (const char *each : {"1", "2", "3"})
        to.publish ("room", each);
    std::string all;
    for (const spot_message &each : from.messages (std::chrono::milliseconds (1)))
        all += each.text ();
    EXPECT_EQ (all, "123");
}

TEST_F (spots, who_awaits_what_is_there_does_not_wait)
{
    to.publish ("room", "there");
    seen got;
    read_one (from, here, {}, got);
    EXPECT_TRUE (got.over);
    EXPECT_EQ (got.text, "there");
}

TEST_F (spots, who_waits_goes_on_where_the_executor_says)
{
    seen got;
    read_one (from, here, {}, got);
    EXPECT_FALSE (got.over);
    to.publish ("room", "later");
    here.run_one ();
    EXPECT_TRUE (got.over);
    EXPECT_EQ (got.text, "later");
    EXPECT_EQ (got.where, std::this_thread::get_id ());
}

TEST_F (spots, a_stop_loses_no_message)
{
    constexpr int rounds = 300;
    int next = 0;
    for (int i = 0; i < rounds; ++i) {
        std::stop_source stop;
        seen got;
        read_one (from, here, stop.get_token (), got);
        const std::string body = std::to_string (i);
        std::thread publisher ([&] { to.publish ("room", body); });
        stop.request_stop ();
        publisher.join ();
        while (!got.over)
            here.run_one ();
        EXPECT_TRUE (!got.bad || got.bad == make_error_code (errc::cancelled)) << got.bad.message ();
        if (!got.bad) {
            EXPECT_EQ (got.text, std::to_string (next++));
        }
    }
    for (; next < rounds; ++next) {
        seen got;
        read_one (from, here, {}, got);
        while (!got.over)
            here.run_one ();
        ASSERT_EQ (got.text, std::to_string (next));
    }
}

struct told_waiter : detail::spot_waiter
{
    void go_on () noexcept override {}
};

TEST_F (spots, what_comes_behind_a_stop_is_kept_for_the_next)
{
    const auto pump = std::make_shared<detail::spot_pump> (from.handle ());
    told_waiter stopped;
    told_waiter next;
    const auto is_receiving = [&] {
        const std::lock_guard guard (pump->lock ());
        return pump->is_receiving_locked ();
    };
    {
        const std::lock_guard guard (pump->lock ());
        ASSERT_TRUE (pump->wait_locked (stopped));
    }
    while (!is_receiving ())
        std::this_thread::yield ();
    {
        const std::lock_guard guard (pump->lock ());
        ASSERT_TRUE (pump->give_up_locked (stopped));
    }
    to.publish ("room", "kept");
    while (is_receiving ())
        std::this_thread::yield ();
    EXPECT_TRUE (pump->take (next));
    kept.reset ();
    pump->end ();
}

TEST_F (spots, who_was_stopped_before_is_told_at_once)
{
    std::stop_source stop;
    stop.request_stop ();
    seen got;
    read_one (from, here, stop.get_token (), got);
    EXPECT_TRUE (got.over);
    EXPECT_EQ (got.bad, make_error_code (errc::cancelled));
}

TEST_F (spots, the_end_of_a_subscriber_is_told_to_who_waits)
{
    seen got;
    read_one (from, here, {}, got);
    kept.reset ();
    here.run_one ();
    EXPECT_TRUE (got.over);
    EXPECT_TRUE (got.bad);
}

}  // namespace
}  // namespace zlink
