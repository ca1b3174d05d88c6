#include "engine/lull.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "engine/test_world.hpp"

namespace zlink::engine {
namespace {

constexpr base::time_ns pause_ns = 40;

// A pause takes its time.
class pausing final : public base::waiter
{
  public:
    explicit pausing (test::moved_clock &time) noexcept : time_ (time) {}
    base::wait_outcome wait (base::atomic<std::uint32_t> &, std::uint32_t, base::time_ns) noexcept override
    {
        return base::wait_outcome::interrupted;
    }
    void wake (base::atomic<std::uint32_t> &, int) noexcept override {}
    bool barrier () noexcept override { return true; }
    void yield () noexcept override {}
    void pause () noexcept override { time_.now.store (time_.now.load () + pause_ns); }
    [[nodiscard]] unsigned cores () const noexcept override { return 2; }

  private:
    test::moved_clock &time_;
};

struct Lull : ::testing::Test
{
    base::time_ns passed (lull &by)
    {
        const base::time_ns before = time.now.load ();
        by.pass (world);
        return time.now.load () - before;
    }

    test::moved_clock time;
    pausing sleep{time};
    test::quiet_world quiet;
    base::world world{time,          sleep, quiet.pollers, quiet.world ().dice, quiet.world ().names,
                      quiet.threads, {}};
};

TEST_F (Lull, GrowsWithEachLookInVain)
{
    lull one (120);
    std::vector<base::time_ns> lengths;
    for (int i = 0; i < 4; ++i)
        lengths.push_back (passed (one));
    EXPECT_EQ (lengths, (std::vector<base::time_ns>{120, 360, 1'080, 3'240}));
}

TEST_F (Lull, IsNotShorterThanItSays)
{
    lull one (50);
    EXPECT_EQ (passed (one), 2 * pause_ns);
}

TEST_F (Lull, OfWhoIsPatientGoesByWhatItWaitsFor)
{
    lull some = lull::patient (40 * patient_bytes_per_ns * pause_ns);
    EXPECT_EQ (passed (some), 40 * pause_ns);
    EXPECT_EQ (passed (some), 120 * pause_ns);
    lull much = lull::patient (std::size_t{1} << 40);
    EXPECT_EQ (passed (much), static_cast<base::time_ns> (patient_lull_max_ns));
}

}  // namespace
}  // namespace zlink::engine
