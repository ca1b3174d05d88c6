#include "base/atomic.hpp"
#include "sim/simulation.hpp"

#include <cerrno>

#include <gtest/gtest.h>

namespace zlink::sim {

namespace {

constexpr time_ns second = base::ns_per_s;

TEST (Simulation, TimeJumpsWhenEverybodyWaits)
{
    simulation sim (1, {});
    const time_ns start = sim.now ();
    sim.spawn ("a", [&] { sim.pass_time (3600 * second); });
    sim.spawn ("b", [&] { sim.pass_time (7200 * second); });
    sim.run ();
    EXPECT_EQ (sim.now () - start, 7200 * second);
}

TEST (Simulation, EventsHappenInOrder)
{
    simulation sim (1, {});
    std::string order;
    sim.after (2 * second, [&] { order += "b"; });
    sim.after (1 * second, [&] { order += "a"; });
    sim.after (2 * second, [&] { order += "c"; });
    sim.spawn ("waits", [&] { sim.pass_time (3 * second); });
    sim.run ();
    EXPECT_EQ (order, "abc");
}

TEST (Simulation, ACallMayLetOthersRun)
{
    schedule how;
    how.switch_per_mille = 500;
    simulation sim (7, how);
    std::string order;
    for (const char name : {'a', 'b'})
        sim.spawn (std::string (1, name), [&sim, &order, name] {
            for (int i = 0; i < 40; ++i) {
                order += name;
                sim.call ("test");
            }
        });
    sim.run ();
    EXPECT_NE (order.find ("aba"), std::string::npos);
    EXPECT_NE (order.find ("aa"), std::string::npos);
}

// It is late for what was due meanwhile, and so is what it has spawned.
TEST (Simulation, AProcessMayStandStill)
{
    simulation sim (1, {});
    const time_ns start = sim.now ();
    time_ns child = 0, parent = 0, other = 0;
    sim.spawn ("of it", [&] {
        sim.be_of_process (1);
        sim.spawn ("its child", [&] {
            sim.pass_time (2 * second);
            child = sim.now () - start;
        });
        for (int i = 0; i < 20; ++i)
            sim.pass_time (second / 10);
        parent = sim.now () - start;
    });
    sim.spawn ("of none", [&] {
        sim.pass_time (second);
        sim.stop_process (1, 5 * second);
        sim.pass_time (second);
        other = sim.now () - start;
    });
    sim.run ();
    EXPECT_GE (child, 6 * second);
    EXPECT_LT (child, 7 * second);
    EXPECT_GE (parent, 6 * second + second / 2) << "it goes on from where it was";
    EXPECT_LT (other, 3 * second);
}

TEST (Simulation, ASleeperOnAWordIsWoken)
{
    simulation sim (1, {});
    base::atomic<std::uint32_t> word{0};
    wait_end end = wait_end::timed_out;
    sim.spawn ("sleeps", [&] { end = sim.sleep_on (word, 0, base::never_ns); });
    sim.spawn ("wakes", [&] {
        sim.pass_time (second);
        word = 1;
        sim.wake_on (word, 1);
    });
    sim.run ();
    EXPECT_EQ (end, wait_end::ready);
}

TEST (Simulation, AWordThatChangedIsNotSleptOn)
{
    simulation sim (1, {});
    base::atomic<std::uint32_t> word{5};
    wait_end end = wait_end::timed_out;
    sim.spawn ("looks", [&] { end = sim.sleep_on (word, 4, base::never_ns); });
    sim.run ();
    EXPECT_EQ (end, wait_end::ready);
}

TEST (Simulation, ASleepOnAWordTimesOut)
{
    simulation sim (1, {});
    base::atomic<std::uint32_t> word{0};
    wait_end end = wait_end::ready;
    sim.spawn ("sleeps", [&] { end = sim.sleep_on (word, 0, sim.now () + second); });
    sim.run ();
    EXPECT_EQ (end, wait_end::timed_out);
}

TEST (Simulation, OneWakeWakesOne)
{
    simulation sim (1, {});
    base::atomic<std::uint32_t> word{0};
    int woken = 0;
    for (int i = 0; i < 3; ++i)
        sim.spawn ("sleeps",
                   [&] { woken += sim.sleep_on (word, 0, sim.now () + 2 * second) == wait_end::ready; });
    sim.spawn ("wakes", [&] {
        sim.pass_time (second);
        sim.wake_on (word, 1);
    });
    sim.run ();
    EXPECT_EQ (woken, 1);
}

TEST (Simulation, TheSameSeedIsTheSameRun)
{
    const auto run = [] (std::uint64_t seed) {
        simulation sim (seed, {});
        for (int fibre = 0; fibre < 3; ++fibre)
            sim.spawn ("rolls", [&sim] {
                for (int i = 0; i < 50; ++i) {
                    sim.call ("test");
                    sim.pass_time (static_cast<time_ns> (sim.roll_below (1000)));
                }
            });
        sim.run ();
        return sim.fingerprint ();
    };
    EXPECT_EQ (run (5), run (5));
    EXPECT_NE (run (5), run (6));
}

// What it finds, it says, with the seed.

// --- one that steps in ---------------------------------------------------------------

TEST (Simulation, WhoStepsInIsAFibreAmongOthers)
{
    simulation sim (1, {});
    const time_ns start = sim.now ();
    std::string order;
    sim.step_in ("guest");
    EXPECT_TRUE (sim.in_fibre ());
    const std::size_t other = sim.spawn ("other", [&] {
        order += 'a';
        sim.pass_time (2 * second);
        order += 'c';
    });
    sim.pass_time (second);
    order += 'b';
    sim.wait ("joins", base::never_ns, [&] { return sim.finished (other); });
    order += 'd';
    sim.step_out ();
    EXPECT_EQ (order, "abcd");
    EXPECT_EQ (sim.now () - start, 2 * second);
    EXPECT_FALSE (sim.in_fibre ());
}

TEST (Simulation, WhoStepsOutWaitsForTheOthersFirst)
{
    simulation sim (1, {});
    bool ended = false;
    sim.step_in ("guest");
    sim.spawn (
      "servant",
      [&] {
          sim.pass_time (second);
          ended = true;
      },
      true);
    sim.step_out ();
    EXPECT_TRUE (ended);
}

TEST (Simulation, SteppingInIsAsRepeatableAsAnyRun)
{
    const auto run = [] (std::uint64_t seed) {
        simulation sim (seed, {});
        sim.step_in ("guest");
        for (int i = 0; i < 3; ++i)
            sim.spawn ("other", [&] {
                for (int k = 0; k < 20; ++k)
                    sim.call ("test");
            });
        for (int k = 0; k < 20; ++k)
            sim.call ("test");
        sim.step_out ();
        return sim.fingerprint ();
    };
    EXPECT_EQ (run (1), run (1));
    EXPECT_NE (run (1), run (2));
}

TEST (Simulation, AnInterruptEndsOnlyASleepThatAllowsIt)
{
    simulation sim (1, {});
    const auto never = [] { return false; };
    wait_end deaf = wait_end::ready;
    wait_end listening = wait_end::ready;
    const std::size_t sleeper = sim.spawn ("sleeps", [&] {
        deaf = sim.wait ("deaf", sim.now () + 2 * second, never);
        listening = sim.wait ("listening", base::never_ns, never, true);
    });
    sim.spawn ("interrupts", [&] {
        sim.pass_time (second);
        sim.interrupt (sleeper);
        EXPECT_FALSE (sim.finished (sleeper));
        sim.pass_time (2 * second);
        sim.interrupt (sleeper);
    });
    sim.run ();
    EXPECT_EQ (deaf, wait_end::timed_out);
    EXPECT_EQ (listening, wait_end::interrupted);
}

TEST (Simulation, ErrnoIsAFibresOwn)
{
    simulation sim (1, {});
    for (const int own : {1, 2, 3})
        sim.spawn ("sets", [&sim, own] {
            errno = own;
            sim.give_way ();
            EXPECT_EQ (errno, own);
        });
    sim.run ();
}

TEST (SimulationDeathTest, EverybodyWaitsForEver)
{
    const auto run = [] {
        simulation sim (77, {});
        base::atomic<std::uint32_t> word{0};
        sim.spawn ("sleeps", [&] { sim.sleep_on (word, 0, base::never_ns); });
        sim.run ();
    };
    EXPECT_EXIT (run (), testing::ExitedWithCode (3), "FAILED seed 77: everybody waits");
}

TEST (SimulationDeathTest, ALockIsHeldAcrossACall)
{
    const auto run = [] {
        simulation sim (78, {});
        base::atomic<std::uint32_t> lock{1};
        sim.guard (lock);
        sim.spawn ("holds", [&] { sim.call ("write"); });
        sim.run ();
    };
    EXPECT_EXIT (run (), testing::ExitedWithCode (3),
                 "FAILED seed 78: a system call under a socket's lock: write");
}

TEST (SimulationDeathTest, NobodyComesToRest)
{
    const auto run = [] {
        schedule how;
        how.calls_max = 1000;
        simulation sim (79, how);
        sim.spawn ("spins", [&] {
            for (;;)
                sim.give_way ();
        });
        sim.run ();
    };
    EXPECT_EXIT (run (), testing::ExitedWithCode (3), "FAILED seed 79: it does not come to rest");
}

}  // namespace

}  // namespace zlink::sim
