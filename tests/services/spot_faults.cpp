// Nodes of SPOT while connections break, half-close and stall, in the simulator under many
// seeds: whatever comes keeps its order, comes once, and what does not come is reported.
#include "services/spot_history.hpp"
#include "services/spots.hpp"

namespace zlink::service::test {
namespace {

constexpr std::uint64_t spot_fault_seeds = 300;
constexpr int stations = 3;
constexpr int published_each = 60;

// One run of the simulator.
struct spot_storm
{
    spot_storm (sim::simulation &to, sim::virtual_world &on) : sim (to), world (on), in (on.seams) {}

    void speak (spot_node &by, int who)
    {
        for (int i = 0; i < published_each; ++i) {
            publish (by, "t." + std::to_string (who), std::to_string (i));
            if (sim.chance (300))
                publish (by, "unwanted", "x");
            if (sim.chance (200))
                sim.pass_time (sim.roll_time (20 * ns_per_ms));
        }
    }
    static void listen (spot_subscription &by, spot_history &to)
    {
        spot_item got;
        while (by.receive (got, base::never_ns).ok ()) {
            if (got.gap != spot_gap::none)
                to.gap ();
            else
                to.came (std::string (got.topic), std::stoull (std::string (base::as_text (got.body))));
        }
    }
    void run ()
    {
        std::vector<closing<spot_node>> nodes;
        std::vector<std::unique_ptr<spot_subscription>> radios;
        std::vector<std::unique_ptr<base::joinable>> listening, speaking;
        std::string seed;
        for (int i = 0; i < stations; ++i) {
            nodes.push_back (open_node (in));
            const std::string endpoint = nodes[i]->bind (place_in (world.seams)).value ();
            seed = seed.empty () ? endpoint : seed;
            EXPECT_TRUE (nodes[i]->join (seed).ok ());
            radios.push_back (std::make_unique<spot_subscription> (nodes[i].share (), spot_bounds{}));
            EXPECT_TRUE (radios[i]->subscribe (spot_match::glob, "t.*").ok ());
        }
        for (const auto &each : nodes)
            EXPECT_TRUE (each->wait_nodes (stations - 1, base::never_ns).ok ());
        const auto trouble = start_thread (world.seams, [this] { disturb (world, over); });
        for (int i = 0; i < stations; ++i) {
            listening.push_back (start_thread (world.seams, [&, i] { listen (*radios[i], histories[i]); }));
            speaking.push_back (start_thread (world.seams, [&, i] { speak (*nodes[i].share (), i); }));
        }
        speaking.clear ();
        over = true;
        sim.pass_time (ns_per_s);
        for (const auto &each : radios)
            each->close ();
        listening.clear ();
        for (auto &each : nodes)
            each.close ();
    }

    sim::simulation &sim;
    sim::virtual_world &world;
    town in;
    spot_history histories[stations];
    bool over = false;
};

TEST (SpotFaults, BreakNoPromiseOfMessages)
{
    std::uint64_t messages = 0, gaps = 0;
    for (std::uint64_t seed = 1; seed <= spot_fault_seeds; ++seed) {
        SCOPED_TRACE (testing::Message () << "seed " << seed);
        sim::simulation sim (seed, sim::schedule{});
        sim.spawn ("test", [&] {
            sim::virtual_world world (sim, {});
            spot_storm storm (sim, world);
            storm.run ();
            for (const spot_history &each : storm.histories) {
                for (const std::string &violation : each.violations ())
                    ADD_FAILURE () << violation;
                messages += each.messages ();
                gaps += each.gaps ();
            }
        });
        sim.run ();
        if (testing::Test::HasFailure ())
            break;
    }
    EXPECT_GT (messages, spot_fault_seeds * stations * published_each) << "more than each hears of itself";
    EXPECT_GT (gaps, 0u) << "the storm broke something";
}

// --- the checker finds what it is for ---------------------------------------------------

TEST (SpotHistory, IsCleanWhereAllCameOrWasReported)
{
    spot_history history;
    history.came ("a", 1);
    history.came ("b", 7);
    history.came ("a", 2);
    history.gap ();
    history.came ("a", 9);
    history.came ("b", 9);
    EXPECT_TRUE (history.violations ().empty ());
}

TEST (SpotHistory, SeesEachViolation)
{
    for (const std::uint64_t second : {3u, 2u, 5u}) {
        spot_history history;
        history.gap ();
        history.came ("a", 3);
        history.came ("a", second);
        EXPECT_EQ (history.violations ().size (), 1u) << second;
    }
}

}  // namespace
}  // namespace zlink::service::test
