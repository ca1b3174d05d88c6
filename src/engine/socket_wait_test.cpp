// How a receiver waits on the only core, and for how long it looks where there are two.
// The rest is tested whole: tests/conformance, tests/sim.
#include <array>
#include <gtest/gtest.h>
#include <string>
#include <thread>

#include "engine/scripted_world.hpp"

namespace zlink::engine {
namespace {

struct one_core : testing::Test
{
    test::scripted_world around;
    std::shared_ptr<context> of = std::make_shared<context> (around.world (), nullptr);
    socket_ref here = open (1);
    socket_ref there = open (2);

    one_core ()
    {
        EXPECT_TRUE (here.slot->bind (here.generation, "inproc://waits").ok ());
        EXPECT_TRUE (there.slot->connect (there.generation, "inproc://waits").ok ());
    }
    ~one_core () override
    {
        around.sleep ().meanwhile = around.sleep ().given_away = nullptr;
        EXPECT_TRUE (here.slot->close (here.generation).ok ());
        EXPECT_TRUE (there.slot->close (there.generation).ok ());
        around.settle (*of);
    }
    socket_ref open (unsigned number)
    {
        const socket_ref made = socket_core::create (of, test::pair_traits (), {}).value ();
        EXPECT_TRUE (of->admit (made, number).ok ());
        return made;
    }
    void send () { EXPECT_TRUE (there.slot->send (there.generation, base::as_bytes ("x"), 0).ok ()); }
    errc receive ()
    {
        std::array<std::byte, 8> got{};
        return here.slot->receive (here.generation, std::span (got), 0).code ();
    }
    int yields_of_a_wait ()
    {
        const int before = around.sleep ().yields;
        EXPECT_EQ (receive (), errc::interrupted);
        return around.sleep ().yields - before;
    }
};

TEST_F (one_core, is_given_away_before_a_sleep_and_that_may_do)
{
    bool slept = false;
    const int wakes = around.sleep ().wakes;
    around.sleep ().meanwhile = [&] { slept = true; };
    around.sleep ().given_away = [&] { send (); };
    EXPECT_EQ (receive (), errc::ok);
    EXPECT_EQ (around.sleep ().yields, 1);
    EXPECT_FALSE (slept);
    EXPECT_EQ (around.sleep ().wakes, wakes) << "nobody slept who would have to be woken";
}

TEST_F (one_core, is_given_away_ever_more_rarely_in_vain)
{
    EXPECT_EQ (yields_of_a_wait (), 2);
    EXPECT_EQ (yields_of_a_wait (), 0) << "two waits are left out";
    EXPECT_EQ (yields_of_a_wait (), 0);
    EXPECT_EQ (yields_of_a_wait (), 2);
    EXPECT_EQ (yields_of_a_wait (), 0) << "four";
}

// Others had it for longer than a wake would have taken.
TEST_F (one_core, is_not_soon_given_to_those_who_keep_it)
{
    around.sleep ().given_away = [&] {
        around.time ().now.fetch_add (base::ns_per_ms);
        send ();
    };
    EXPECT_EQ (receive (), errc::ok);
    around.sleep ().given_away = nullptr;
    EXPECT_EQ (yields_of_a_wait (), 0);
    around.time ().now.fetch_add (base::ns_per_ms * 300);
    around.sleep ().given_away = [&] { send (); };
    const auto comes_awake = [this] { return receive () == errc::ok; };
    EXPECT_TRUE (comes_awake () || comes_awake () || comes_awake ()) << "but later; two waits are left out";
}

struct two_cores : one_core
{
    two_cores () { around.sleep ().core_count = 2; }

    // By another thread, which has its own memory of what it has sent.
    void peer_sends (const std::string &body)
    {
        std::thread ([&] {
            EXPECT_TRUE (there.slot->send (there.generation, base::as_bytes (body), 0).ok ());
        }).join ();
    }
    // Is one of the size of the last one that comes after so long seen without a sleep?
    bool sees_awake (time_ns after, std::size_t bytes, bool answers)
    {
        const std::string body (bytes, 'x');
        peer_sends (body);
        EXPECT_EQ (receive (), errc::ok);
        EXPECT_TRUE (!answers || here.slot->send (here.generation, base::as_bytes (body), 0).ok ());
        const time_ns from = around.time ().now.load ();
        bool slept = false;
        bool sent = false;
        around.sleep ().meanwhile = [&] {
            slept = true;
            peer_sends (body);
        };
        around.sleep ().given_away = [&] {
            around.time ().now.fetch_add (5 * base::ns_per_us);
            if (!sent && around.time ().now.load () - from >= after)
                peer_sends (body);
            sent = sent || around.time ().now.load () - from >= after;
        };
        EXPECT_EQ (receive (), errc::ok);
        return !slept;
    }
};

constexpr std::size_t small_bytes = 64;
constexpr std::size_t large_bytes = 256 * 1024;

TEST_F (two_cores, a_small_one_is_waited_for_awake_for_a_short_time)
{
    EXPECT_TRUE (sees_awake (spin_ns - 10 * base::ns_per_us, small_bytes, false));
    EXPECT_FALSE (sees_awake (spin_ns + 10 * base::ns_per_us, small_bytes, false));
}

TEST_F (two_cores, a_large_one_is_waited_for_longer_by_who_answers)
{
    EXPECT_TRUE (sees_awake (5 * spin_ns, large_bytes, true));
    EXPECT_FALSE (sees_awake (spin_long_ns + 10 * base::ns_per_us, large_bytes, true));
}

TEST_F (two_cores, a_large_one_is_waited_for_like_a_small_one_by_who_only_reads)
{
    EXPECT_TRUE (sees_awake (5 * base::ns_per_us, small_bytes, false)) << "from when on it only reads";
    EXPECT_FALSE (sees_awake (5 * spin_ns, large_bytes, false));
}

TEST_F (two_cores, a_small_answer_is_waited_for_like_any_small_one)
{
    EXPECT_FALSE (sees_awake (5 * spin_ns, small_bytes, true));
}

}  // namespace
}  // namespace zlink::engine
