// The lock of services, in every world.
#include "service/waiting_lock.hpp"
#include "services/provided.hpp"

namespace zlink::service::test {
namespace {

// Has no barrier.
class simple_waiter final : public base::waiter
{
  public:
    explicit simple_waiter (base::waiter &under) : under_ (under) {}
    base::wait_outcome
    wait (base::atomic<std::uint32_t> &word, std::uint32_t expected, base::time_ns deadline) noexcept override
    {
        return under_.wait (word, expected, deadline);
    }
    void wake (base::atomic<std::uint32_t> &word, int count) noexcept override { under_.wake (word, count); }
    bool barrier () noexcept override { return false; }
    void yield () noexcept override { under_.yield (); }
    void pause () noexcept override { under_.pause (); }
    [[nodiscard]] unsigned cores () const noexcept override { return under_.cores (); }

  private:
    base::waiter &under_;
};

// Threads count what nothing else guards, and let the others find the lock taken.
void count_together (base::world &world, base::waiter &sleep, waiting_lock::word *lasting)
{
    constexpr int threads = 4;
    constexpr int rounds = 500;
    waiting_lock lock (sleep, lasting);
    int count = 0;
    std::vector<std::unique_ptr<base::joinable>> all;
    for (int i = 0; i < threads; ++i)
        all.push_back (start_thread (world, [&] {
            for (int round = 0; round < rounds; ++round) {
                const holding here (lock);
                const int before = count;
                if (round % 10 == 0)
                    sleep.yield ();
                count = before + 1;
            }
        }));
    all.clear ();  // each is waited for
    EXPECT_EQ (count, threads * rounds);
}

TEST (WaitingLock, LetsInOneAtATime)
{
    in_every_world ([] (base::world &world) { count_together (world, world.sleep, nullptr); });
}

TEST (WaitingLock, LetsInOneAtATimeWhereItsWordLasts)
{
    in_every_world ([] (base::world &world) {
        waiting_lock::word word;
        count_together (world, world.sleep, &word);
        EXPECT_EQ (word.state.load (), 0U);
        EXPECT_EQ (word.waiting.load (), 0U);
    });
}

TEST (WaitingLock, DoesWithoutABarrier)
{
    in_every_world ([] (base::world &world) {
        simple_waiter sleep (world.sleep);
        waiting_lock::word word;
        count_together (world, sleep, &word);
        EXPECT_EQ (word.waiting.load (), 0U);
    });
}

}  // namespace
}  // namespace zlink::service::test
