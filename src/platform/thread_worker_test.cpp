#include "platform/thread_worker.hpp"

#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <thread>
#include <vector>

#include "platform/system_threads.hpp"
#include "platform/test_tools.hpp"

namespace zlink::platform {
namespace {

TEST (thread_worker, does_pieces_in_order_on_one_other_thread)
{
    system_threads threads;
    thread_worker worker (threads, "zlink-test");
    std::vector<int> done;
    std::vector<std::thread::id> by;
    std::atomic<bool> open{false};
    std::atomic<int> count{0};
    for (int i = 0; i < 3; ++i)
        ASSERT_TRUE (worker
                       .submit ([&, i] {
                           EXPECT_TRUE (test_tools::eventually ([&] { return open.load (); }));
                           done.push_back (i);
                           by.push_back (std::this_thread::get_id ());
                           ++count;
                       })
                       .ok ());
    EXPECT_EQ (count, 0);  // submit has waited for none
    open = true;
    ASSERT_TRUE (test_tools::eventually ([&] { return count == 3; }));
    EXPECT_EQ (done, (std::vector<int>{0, 1, 2}));
    EXPECT_EQ (by[0], by[2]);
    EXPECT_NE (by[0], std::this_thread::get_id ());
}

// What a piece holds goes with it, done or dropped.
TEST (thread_worker, waits_for_the_one_that_runs_and_drops_the_rest)
{
    const auto held = std::make_shared<int> (0);
    std::atomic<bool> begun{false};
    std::atomic<int> finished{0};
    system_threads threads;
    {
        thread_worker worker (threads, "zlink-test");
        std::atomic<bool> ending{false};
        ASSERT_TRUE (worker
                       .submit ([&, held] {
                           begun = true;
                           EXPECT_TRUE (test_tools::eventually ([&] { return ending.load (); }));
                           ++finished;
                       })
                       .ok ());
        ASSERT_TRUE (test_tools::eventually ([&] { return begun.load (); }));
        // Destroyed with the worker, when it begins to end.
        struct herald
        {
            std::atomic<bool> &ending;
            ~herald () { ending = true; }
        };
        const auto last = std::make_shared<herald> (ending);
        ASSERT_TRUE (worker.submit ([held, last, &finished] { ++finished; }).ok ());
    }
    EXPECT_EQ (finished, 1);
    EXPECT_EQ (held.use_count (), 1);
}

// As the last who knows it may be inside one.
TEST (thread_worker, may_end_inside_a_piece)
{
    system_threads threads;
    auto worker = std::make_unique<thread_worker> (threads, "zlink-test");
    std::atomic<bool> open{false};
    std::atomic<int> done{0};
    // What a piece holds goes behind it: when that is gone, so is the thread.
    const auto held = std::make_shared<int> (0);
    ASSERT_TRUE (worker
                   ->submit ([&, held] {
                       EXPECT_TRUE (test_tools::eventually ([&] { return open.load (); }));
                       worker.reset ();
                       ++done;
                   })
                   .ok ());
    ASSERT_TRUE (worker->submit ([&done] { done += 100; }).ok ());
    open = true;
    ASSERT_TRUE (test_tools::eventually ([&] { return held.use_count () == 1; }));
    EXPECT_EQ (done, 1);
}

class no_threads final : public base::thread_factory
{
  public:
    base::result<std::unique_ptr<base::joinable>> start (const base::thread_options &,
                                                         std::function<void ()>) noexcept override
    {
        return base::errc::no_memory;
    }
};

TEST (thread_worker, says_when_there_is_no_thread)
{
    no_threads none;
    thread_worker worker (none, "zlink-test");
    bool done = false;
    EXPECT_EQ (worker.submit ([&] { done = true; }).code (), base::errc::no_memory);
    EXPECT_FALSE (done);
}

}  // namespace
}  // namespace zlink::platform
