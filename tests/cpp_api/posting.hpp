// Coroutines of tests: they begin at once, and go on where the test looks for them.
// Thread rule: post() from any thread; the rest is the test's. run_one() blocks.
#pragma once

#include <condition_variable>
#include <coroutine>
#include <deque>
#include <exception>
#include <mutex>

namespace zlink {

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

}  // namespace zlink
