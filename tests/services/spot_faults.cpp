// Nodes of SPOT while connections break, half-close and stall, in the simulator under many
// seeds: whatever comes keeps its order, comes once, and what does not come is reported.
#include <climits>

#include "service/option_numbers.hpp"
#include "services/spot_history.hpp"
#include "services/spots.hpp"

namespace zlink::service::test {
namespace {

constexpr std::uint64_t spot_fault_seeds = 300;
constexpr int stations = 3;
constexpr int published_each = 60;
constexpr base::time_ns noticed_ns = 2 * spot_heartbeat_ms * ns_per_ms;  // silence

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
                to.gap (got.missing);
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
        for (int i = 0; i < stations; ++i) {
            EXPECT_TRUE (wait_heard (nodes[i], stations).ok ());
            for (int who = 0; who < stations; ++who)
                histories[i].wanted ("t." + std::to_string (who), 0);
        }
        const auto trouble = start_thread (world.seams, [this] { disturb (world, over); });
        for (int i = 0; i < stations; ++i) {
            listening.push_back (start_thread (world.seams, [&, i] { listen (*radios[i], histories[i]); }));
            speaking.push_back (start_thread (world.seams, [&, i] { speak (*nodes[i].share (), i); }));
        }
        speaking.clear ();
        over = true;
        sim.pass_time (3 * noticed_ns);
        for (const auto &each : radios)
            each->close ();
        listening.clear ();
        for (spot_history &each : histories)
            for (int who = 0; who < stations; ++who)
                each.ended ("t." + std::to_string (who), published_each);
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
    std::uint64_t messages = 0, with_gaps = 0;
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
                with_gaps += each.had_gaps ();
            }
        });
        sim.run ();
        if (testing::Test::HasFailure ())
            break;
    }
    EXPECT_GT (messages, spot_fault_seeds * stations * published_each) << "more than each hears of itself";
    EXPECT_GT (with_gaps, spot_fault_seeds / 10) << "the storm broke something";
}

// --- silence -----------------------------------------------------------------------------

// Nothing comes of what goes there, or of what comes back, for so long.
void cut (sim::virtual_world &world, const station &there, base::time_ns length)
{
    world.net.cut (there.endpoint.substr (std::string_view ("sim://").size ()), true, true, length);
}

std::string next_within (spot_subscription &from, const sim::virtual_world &world, base::time_ns span)
{
    return next_of (from, world.seams.time.now_ns () + span);
}

TEST (SpotFaults, APeerThatIsSilentIsNoticedByBothEndsAndComesBack)
{
    for (std::uint64_t seed = 1; seed <= seeds; ++seed)
        in_virtual_world (
          [] (sim::virtual_world &world) {
              town in (world.seams);
              station here (in, "t", place_in (world.seams)), there (in, "never", place_in (world.seams));
              ASSERT_TRUE (here.node->add_peer (there.endpoint).ok ());
              wait_nodes (there.node, 1);
              ASSERT_TRUE (wait_heard (here.node).ok ());
              publish (*there.node.share (), "t", "1");
              EXPECT_EQ (next_of (here.radio), "t=1");
              world.sim.pass_time (noticed_ns);  // who is read knows by the first question
              const base::time_ns begun = world.seams.time.now_ns ();
              cut (world, there, 10 * noticed_ns);
              publish (*there.node.share (), "t", "lost");
              EXPECT_EQ (next_within (here.radio, world, noticed_ns + ns_per_s), connection_gap ());
              while (there.node->nodes () != 0)
                  world.sim.pass_time (ns_per_s);
              EXPECT_LE (world.seams.time.now_ns () - begun, noticed_ns + 2 * ns_per_s);
              EXPECT_EQ (here.node->counters ().broken, 1U);
              wait_nodes (there.node, 1);
              publish (*there.node.share (), "t", "2");
              EXPECT_EQ (next_of (here.radio), connection_gap ()) << "one is missing in front of it";
              EXPECT_EQ (next_of (here.radio), "t=2");
          },
          seed);
}

TEST (SpotFaults, AHostThatVanishedIsHeardAgainOnceItIsBack)
{
    for (std::uint64_t seed = 1; seed <= seeds; ++seed)
        in_virtual_world (
          [] (sim::virtual_world &world) {
              town in (world.seams);
              station here (in, "t", place_in (world.seams));
              auto there = std::make_unique<station> (in, "never", place_in (world.seams));
              const std::string endpoint = there->endpoint;
              ASSERT_TRUE (here.node->join ({}).ok ());
              ASSERT_TRUE (there->node->join (here.endpoint).ok ());
              for (const station *const each : {&here, there.get ()})
                  wait_nodes (each->node, 1);
              world.sim.pass_time (noticed_ns);
              cut (world, here, noticed_ns / 2);
              cut (world, *there, 3 * noticed_ns);
              there.reset ();  // nobody hears its farewell
              EXPECT_EQ (next_within (here.radio, world, noticed_ns + ns_per_s), connection_gap ());
              there = std::make_unique<station> (in, "never", endpoint);
              wait_nodes (there->node, 1);
              publish (*there->node.share (), "t", "back");
              EXPECT_EQ (next_of (here.radio), "t=back");
          },
          seed);
}

TEST (SpotFaults, WhoSetsHeartbeatsHasThemAsTheyAreSet)
{
    for (std::uint64_t seed = 1; seed <= seeds; ++seed)
        in_virtual_world (
          [] (sim::virtual_world &world) {
              town in (world.seams);
              for (const int interval_ms : {0, 60'000}) {
                  station here (in, "t", place_in (world.seams)), there (in, "never", place_in (world.seams));
                  ASSERT_TRUE (
                    here.node
                      ->set_subscriber_option (number_of_heartbeat_ivl, &interval_ms, sizeof interval_ms)
                      .ok ());
                  ASSERT_TRUE (here.node->add_peer (there.endpoint).ok ());
                  ASSERT_TRUE (wait_heard (here.node).ok ());
                  world.sim.pass_time (200 * ns_per_s);
                  EXPECT_EQ (here.node->counters ().broken, 0U) << "who is read bears the longer silence";
                  const auto sent =
                    socket::statistics (here.node->subscriber ()).value ().total.heartbeats_sent;
                  EXPECT_EQ (sent, interval_ms == 0 ? 0U : 3U);
              }
          },
          seed);
}

TEST (SpotFaults, HowLongSilenceIsBorneFollowsTheIntervalUntilItIsSet)
{
    in_the_real_world ([] (base::world &world) {
        town in (world);
        const auto node = open_node (in);
        const auto set = [&node] (int number, int value) {
            return node->set_subscriber_option (number, &value, sizeof value).code ();
        };
        const auto ttl_ms = [&node] {
            int value = 0;
            std::size_t size = sizeof value;
            EXPECT_TRUE (
              socket::get_option (node->subscriber (), number_of_heartbeat_ttl, &value, &size).ok ());
            return value;
        };
        EXPECT_EQ (ttl_ms (), 2 * spot_heartbeat_ms);
        EXPECT_EQ (set (number_of_heartbeat_ivl, -1), errc::invalid_argument);
        EXPECT_EQ (ttl_ms (), 2 * spot_heartbeat_ms);
        EXPECT_EQ (set (number_of_heartbeat_ivl, 300), errc::ok);
        EXPECT_EQ (ttl_ms (), 600);
        EXPECT_EQ (set (number_of_heartbeat_ivl, INT_MAX), errc::ok);
        EXPECT_EQ (ttl_ms (), 6'553'500);
        EXPECT_EQ (set (number_of_heartbeat_ttl, 700), errc::ok);
        EXPECT_EQ (set (number_of_heartbeat_ivl, 300), errc::ok);
        EXPECT_EQ (ttl_ms (), 700) << "it was said";
    });
}

// --- the checker finds what it is for ---------------------------------------------------

TEST (SpotHistory, IsCleanWhereAllCameOrWasReported)
{
    spot_history history;
    history.wanted ("a", 1);
    history.came ("a", 1);
    history.came ("b", 7);
    history.came ("a", 2);
    history.gap (0);
    history.came ("a", 9);
    history.came ("b", 9);
    history.ended ("a", 10);
    history.gap (3);
    history.ended ("b", 13);
    EXPECT_TRUE (history.violations ().empty ());
}

TEST (SpotHistory, SeesEachViolation)
{
    for (const std::uint64_t second : {3u, 2u, 5u}) {
        spot_history history;
        history.gap (0);
        history.came ("a", 3);
        history.came ("a", second);
        EXPECT_EQ (history.violations ().size (), 1u) << second;
    }
}

TEST (SpotHistory, SeesWhatIsMissingInFrontAndAtTheEnd)
{
    spot_history front, end, all;
    front.wanted ("a", 1);
    front.came ("a", 2);
    EXPECT_EQ (front.violations (), texts{"a.2: missing before it, and no gap"});
    end.came ("a", 2);
    end.ended ("a", 4);
    EXPECT_EQ (end.violations (), texts{"a.4: missing at the end, and no gap"});
    all.ended ("a", 1);
    EXPECT_EQ (all.violations (), texts{"a.1: never heard"});
}

TEST (SpotHistory, SeesThatMoreIsMissingThanWasTold)
{
    spot_history history;
    history.came ("a", 1);
    history.gap (2);
    history.came ("a", 4);
    EXPECT_TRUE (history.violations ().empty ());
    history.gap (2);
    history.came ("a", 8);
    EXPECT_EQ (history.violations (), texts{"a.8: missing before it, and no gap"});
}

}  // namespace
}  // namespace zlink::service::test
