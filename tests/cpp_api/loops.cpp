// Coroutines that await sends, receives and readiness.
#include <atomic>
#include <chrono>
#include <coroutine>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <zlink/zlink.hpp>

#include "support/waiting.hpp"

namespace zlink::test {
namespace {

using namespace std::chrono_literals;

constexpr const char *places[] = {"tcp://127.0.0.1:*", "inproc://awaited"};

task<> echo (loop<> &in, rep_socket &rep, int times)
{
    for (int i = 0; i < times; ++i) {
        message asked = co_await in.receive (rep);
        co_await in.send (rep, std::move (asked));
    }
}

task<> ask (loop<> &in, req_socket &req, int times, int &answered)
{
    for (int i = 0; i < times; ++i) {
        co_await in.send (req, message (std::to_string (i)));
        const message answer = co_await in.receive (req);
        answered += answer.text () == std::to_string (i);
    }
}

TEST (cpp_loops, run_two_that_talk_in_one_thread)
{
    for (const char *const place : places) {
        context own;
        rep_socket rep (own);
        req_socket req (own);
        req.connect (rep.bind (place));
        loop<> in;
        int answered = 0;
        in.spawn (echo (in, rep, 200));
        in.spawn (ask (in, req, 200, answered));
        in.run_until_done ();
        EXPECT_EQ (answered, 200);
    }
}

task<int> sum (loop<> &in, pull_socket &pull, int count)
{
    int total = 0;
    for (int i = 0; i < count; ++i)
        total += std::stoi (std::string ((co_await in.receive (pull)).text ()));
    co_return total;
}

task<> keep_sum (loop<> &in, pull_socket &pull, int &found) { found = co_await sum (in, pull, 100); }

TEST (cpp_loops, run_tasks_that_answer_others)
{
    context own;
    pull_socket pull (own);
    push_socket push (own);
    push.connect (pull.bind ("inproc://sums"));
    loop<> in;
    int found = 0;
    in.spawn (keep_sum (in, pull, found));
    const worker sends ([&] {
        for (int i = 0; i < 100; ++i)
            push.send (std::to_string (i));
    });
    in.run_until_done ();
    EXPECT_EQ (found, 4950);
}

task<> throw_mine ()
{
    throw std::runtime_error ("mine");
    co_return;
}

task<> receive_of_closed (loop<> &in)
{
    context own;
    pair_socket pair (own);
    pair.close ();
    static_cast<void> (co_await in.receive (pair));
}

TEST (cpp_loops, let_exceptions_of_tasks_out)
{
    loop<> in;
    in.spawn (throw_mine ());
    EXPECT_THROW (in.run_until_done (), std::runtime_error);
    in.spawn (receive_of_closed (in));
    EXPECT_THROW (in.run_until_done (), failure);
}

task<> send_fifty (loop<> &in, push_socket &push)
{
    for (int i = 0; i < 50; ++i)
        co_await in.send (push, message (std::to_string (i)));
}

TEST (cpp_loops, await_room)
{
    context own;
    push_socket push (own);
    pull_socket pull (own);
    push.set (options::sndhwm, 1);
    pull.set (options::rcvhwm, 1);
    push.connect (pull.bind ("inproc://room"));
    loop<> in;
    in.spawn (send_fifty (in, push));
    const worker reads ([&] {
        for (int i = 0; i < 50; ++i)
            EXPECT_EQ (pull.receive ().text (), std::to_string (i));
    });
    in.run_until_done ();
}

task<> pass_stages (loop<> &in, pair_socket &one, int &stage)
{
    co_await in.writable (one);
    stage = 1;
    co_await in.readable (one);
    stage = 2;
}

TEST (cpp_loops, await_readiness)
{
    context own;
    pair_socket one (own), other (own);
    other.connect (one.bind ("inproc://ready"));
    loop<> in;
    int stage = 0;
    in.spawn (pass_stages (in, one, stage));
    in.run_once (0ms);
    EXPECT_EQ (stage, 1);
    other.send ("x");
    in.run_until_done ();
    EXPECT_EQ (stage, 2);
    EXPECT_EQ (one.receive ().text (), "x");
}

task<> note_answer (loop<> &in, pair_socket &one, std::stop_token token, std::error_code &why)
{
    const result<message> got = co_await in.receive (std::nothrow, one, token);
    why = got.error ();
}

TEST (cpp_loops, cancel_what_waits_and_lose_nothing)
{
    context own;
    pair_socket one (own), other (own);
    other.connect (one.bind ("inproc://cancelled"));
    loop<> in;
    std::stop_source stop;
    std::error_code why;
    in.spawn (note_answer (in, one, stop.get_token (), why));
    const worker stops ([&] { stop.request_stop (); });
    in.run_until_done ();
    EXPECT_EQ (why, errc::cancelled);
    other.send ("still there");
    EXPECT_EQ (one.receive ().text (), "still there");
    // Stopped before it began.
    other.send ("and this");
    in.spawn (note_answer (in, one, stop.get_token (), why));
    in.run_until_done ();
    EXPECT_EQ (why, errc::cancelled);
    EXPECT_EQ (one.receive ().text (), "and this");
}

task<> count_answer (loop<> &in, pull_socket &pull, std::stop_token token, int &received)
{
    received += (co_await in.receive (std::nothrow, pull, token)).has_value ();
}

// At any moment: what was sent is what was received and what is still there.
TEST (cpp_loops, cancel_at_any_moment_and_lose_nothing)
{
    context own;
    pull_socket pull (own);
    push_socket push (own);
    push.connect (pull.bind ("inproc://raced"));
    loop<> in;
    int received = 0;
    constexpr int rounds = 300;
    for (int i = 0; i < rounds; ++i) {
        std::stop_source stop;
        in.spawn (count_answer (in, pull, stop.get_token (), received));
        const worker sends ([&] { push.send ("x"); });
        const worker stops ([&] { stop.request_stop (); });
        in.run_until_done ();
    }
    while (received < rounds) {
        static_cast<void> (pull.receive ());
        ++received;
    }
    EXPECT_FALSE (pull.try_receive ());
}

TEST (cpp_loops, tell_who_waits_that_the_socket_was_closed)
{
    for (const char *const place : places) {
        context own;
        pair_socket one (own), other (own);
        one.bind (place);
        loop<> in;
        std::error_code why;
        in.spawn (note_answer (in, one, {}, why));
        in.run_once (0ms);
        one.close ();
        in.run_until_done ();
        EXPECT_EQ (why, errc::not_a_socket);
    }
}

TEST (cpp_loops, tell_who_waits_that_the_context_ends)
{
    context own;
    pair_socket one (own);
    one.bind ("tcp://127.0.0.1:*");
    loop<> in;
    std::error_code why;
    in.spawn (note_answer (in, one, {}, why));
    const worker ends ([&] { own.shutdown (); });
    in.run_until_done ();
    EXPECT_EQ (why, errc::terminated);
}

task<> note_two (loop<> &in, pair_socket &one, std::error_code &why)
{
    why = (co_await in.receive (std::nothrow, one)).error ();
    why = (co_await in.receive (std::nothrow, one)).error ();
}

TEST (cpp_loops, cancel_what_waits_when_they_end)
{
    context own;
    pair_socket one (own);
    std::error_code why;
    {
        loop<> in;
        in.spawn (note_two (in, one, why));
        in.run_once (0ms);
        EXPECT_FALSE (why);
    }
    EXPECT_EQ (why, errc::cancelled);
}

// Somebody else's threads, which take what is posted in order.
class two_threads
{
  public:
    two_threads ()
    {
        for (int i = 0; i < 2; ++i)
            all_.emplace_back ([this] { work (); });
    }
    ~two_threads ()
    {
        for (std::size_t i = 0; i < all_.size (); ++i)
            post (nullptr);
        all_.clear ();
    }
    two_threads (const two_threads &) = delete;
    two_threads &operator= (const two_threads &) = delete;
    void post (std::coroutine_handle<> what)
    {
        {
            const std::lock_guard hold (lock_);
            queue_.push_back (what);
        }
        posted_.fetch_add (1);
        posted_.notify_all ();
    }
    [[nodiscard]] int resumed () const { return resumed_; }

  private:
    void work ()
    {
        for (;;) {
            const unsigned seen = posted_;
            std::unique_lock hold (lock_);
            if (queue_.empty ()) {
                hold.unlock ();
                posted_.wait (seen);
                continue;
            }
            const std::coroutine_handle<> what = queue_.front ();
            queue_.pop_front ();
            hold.unlock ();
            if (!what)
                return;
            ++resumed_;
            what.resume ();
        }
    }

    std::mutex lock_;
    std::deque<std::coroutine_handle<>> queue_;
    std::atomic<unsigned> posted_{0};
    std::atomic<int> resumed_{0};
    std::vector<worker> all_;
};

static_assert (executor<two_threads> && executor<inline_executor> && !executor<int>);

task<> take (loop<two_threads> &in, pull_socket &pull, std::atomic<int> &got, int times)
{
    for (int i = 0; i < times; ++i) {
        static_cast<void> (co_await in.receive (pull));
        ++got;
    }
}

TEST (cpp_loops, go_on_where_the_executor_says)
{
    context own;
    pull_socket pull (own);
    push_socket push (own);
    push.connect (pull.bind ("tcp://127.0.0.1:*"));
    two_threads where;
    loop<two_threads> in (where);
    std::atomic<int> got{0};
    for (int i = 0; i < 4; ++i)
        in.spawn (take (in, pull, got, 100));
    const worker sends ([&] {
        for (int i = 0; i < 400; ++i)
            push.send ("x");
    });
    in.run_until_done ();
    EXPECT_EQ (got, 400);
    EXPECT_GT (where.resumed (), 0);
}

TEST (cpp_loops, stop_when_told_from_anywhere)
{
    loop<> in;
    const worker stops ([&] { in.stop (); });
    in.run ();
}

// --- looks before a sleep ---

TEST (cpp_loop_looks, become_few_where_they_fail_and_many_where_they_help)
{
    detail::looking_on several (true);
    int looks = 0;
    for (int wait = 0; wait < 1000; ++wait)
        if (several.worth_it ()) {
            ++looks;
            several.failed ();
        }
    EXPECT_GT (looks, 8);
    EXPECT_LT (looks, 16);
    while (!several.worth_it ()) {}
    several.succeeded ();
    for (int wait = 0; wait < 10; ++wait)
        EXPECT_TRUE (several.worth_it ());
}

TEST (cpp_loop_looks, are_none_on_one_processor)
{
    detail::looking_on one (false);
    for (int wait = 0; wait < 10; ++wait)
        EXPECT_FALSE (one.worth_it ());
}

// Whether it looks or sleeps, what was sent meanwhile ends the wait.
TEST (cpp_loop_looks, may_be_switched_off)
{
    for (const bool spins : {true, false}) {
        context own;
        pair_socket here (own), there (own);
        for (pair_socket *const each : {&here, &there})
            each->set (options::spin, spins);
        there.connect (here.bind ("inproc://looks"));
        loop<> in;
        int taken = 0;
        in.spawn ([] (loop<> &on, pair_socket &from, int &count) -> task<> {
            for (; count < 300; ++count)
                static_cast<void> (co_await on.receive (from));
        }(in, here, taken));
        const worker sends ([&] {
            for (int i = 0; i < 300; ++i) {
                there.send ("x");
                if (i % 3 == 0)
                    std::this_thread::yield ();
            }
        });
        in.run_until_done ();
        EXPECT_EQ (taken, 300);
    }
}

}  // namespace
}  // namespace zlink::test
