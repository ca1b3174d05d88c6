// How requests of a gateway are spread over providers, and that one with trouble gets
// fewer. In the simulator and in the real world, over real connections.
#include <cmath>

#include "services/provided.hpp"

namespace zlink::service::test {
namespace {

constexpr int requests = 10'000;
constexpr int providers = 4;

struct crowd
{
    crowd (base::world &world, void *context, balancing policy, const serving::answer &of_the_first = {})
    {
        gateway_settings settings;
        settings.balancing.policy = policy;
        settings.host = "here";
        by = gateway::open (world, context, settings).value ();
        for (int i = 0; i < providers; ++i)
            all.push_back (std::make_unique<serving> (world, context, std::to_string (i),
                                                      "inproc://p" + std::to_string (i),
                                                      i == 0 ? of_the_first : serving::answer{}));
    }
    void know (base::world &world, const std::vector<listed_provider> &rows)
    {
        list (*by, rows);
        wait_connected (*by, world, providers);
    }
    [[nodiscard]] std::vector<listed_provider> rows () const
    {
        std::vector<listed_provider> made;
        for (const auto &each : all)
            made.push_back (each->listed ());
        return made;
    }
    std::vector<std::unique_ptr<serving>> all;
    std::shared_ptr<gateway> by;
};

// Asks `requests` times from `threads` threads; key: of each.
void ask_often (base::world &world,
                gateway &by,
                int threads,
                const std::function<std::string (int)> &key = {})
{
    std::vector<std::unique_ptr<base::joinable>> at_once;
    base::atomic<int> next{0}, bad{0};
    for (int t = 0; t < threads; ++t)
        at_once.push_back (start_thread (world, [&] {
            for (int i = next++; i < requests; i = next++) {
                const std::string text = key ? key (i) : std::string ();
                call_options options;
                options.key = text;
                bad += ask (by, world, "x", options).status != call_status::replied;
            }
        }));
    at_once.clear ();
    EXPECT_EQ (bad, 0);
}

// Once in the real world, and under one seed: there are many requests.
void in_two_worlds (const world_body &body)
{
    {
        SCOPED_TRACE ("the real world");
        const std::shared_ptr<transport::real_world> real = transport::make_real_world ();
        body (real->world ());
    }
    in_simulation (body, 1);
}

TEST (Balancing, RoundRobinGivesEachTheSame)
{
    in_two_worlds ([] (base::world &world) {
        const own_context context (world);
        crowd of (world, context.handle (), balancing::round_robin);
        of.know (world, of.rows ());
        ask_often (world, *of.by, 2);
        for (const auto &each : of.all)
            EXPECT_NEAR (each->received (), requests / providers, 4);
    });
}

TEST (Balancing, WeightedGivesByWeightSpreadOut)
{
    in_two_worlds ([] (base::world &world) {
        const own_context context (world);
        crowd of (world, context.handle (), balancing::weighted);
        std::vector<listed_provider> rows = of.rows ();
        for (std::size_t i = 0; i < rows.size (); ++i)
            rows[i].weight = static_cast<std::uint32_t> (i + 1);
        of.know (world, rows);
        ask_often (world, *of.by, 2);
        for (int i = 0; i < providers; ++i)
            EXPECT_NEAR (of.all[static_cast<std::size_t> (i)]->received (), requests * (i + 1) / 10, 10);
    });
}

// Two at random, the less loaded one: within a tenth where all are alike. One request at
// a time, as how long others take is the machine's.
TEST (Balancing, LeastOutstandingSpreadsWhereAllAreAlike)
{
    in_two_worlds ([] (base::world &world) {
        const own_context context (world);
        crowd of (world, context.handle (), balancing::least_outstanding);
        of.know (world, of.rows ());
        ask_often (world, *of.by, 1);
        for (const auto &each : of.all)
            EXPECT_NEAR (each->received (), requests / providers, requests / providers / 10);
    });
}

TEST (Balancing, ByKeySendsEqualKeysToTheSameAndSpreadsKeys)
{
    in_two_worlds ([] (base::world &world) {
        const own_context context (world);
        std::vector<int> got (providers);
        crowd of (world, context.handle (), balancing::by_key);
        of.know (world, of.rows ());
        ask_often (world, *of.by, 2, [] (int) { return std::string ("the same"); });
        int with_any = 0;
        for (const auto &each : of.all)
            with_any += each->received () > 0;
        EXPECT_EQ (with_any, 1);
        for (std::size_t i = 0; i < of.all.size (); ++i)
            got[i] = of.all[i]->received ();
        ask_often (world, *of.by, 2, [] (int i) { return "key " + std::to_string (i); });
        for (std::size_t i = 0; i < of.all.size (); ++i)
            EXPECT_NEAR (of.all[i]->received () - got[i], requests / providers, requests / providers / 5);
    });
}

TEST (Balancing, NearestStaysOnTheHost)
{
    in_two_worlds ([] (base::world &world) {
        const own_context context (world);
        crowd of (world, context.handle (), balancing::nearest);
        std::vector<listed_provider> rows = of.rows ();
        rows[1].host = rows[2].host = "here";
        rows[3].host = "there";
        of.know (world, rows);
        ask_often (world, *of.by, 1);
        EXPECT_EQ (of.all[0]->received () + of.all[3]->received (), 0);
        EXPECT_NEAR (of.all[1]->received (), requests / 2, requests / 20);
    });
}

// One that keeps each request until two others have come in elsewhere.
TEST (Balancing, LeastOutstandingGivesLessToASlowOne)
{
    in_two_worlds ([] (base::world &world) {
        const own_context context (world);
        bell others (world.sleep);
        base::atomic<int> *elsewhere = nullptr;
        base::atomic<int> count{0};
        elsewhere = &count;
        const auto slow = [&] (receiver &by, inquiry &what) {
            const int until = count + 20;
            const base::time_ns end = world.time.now_ns () + 2 * ns_per_ms;
            for (std::uint32_t heard = others.heard (); *elsewhere < until; heard = others.heard ())
                if (others.wait (heard, end) == base::wait_outcome::timed_out)
                    break;
            (void)by.reply (what, what.parts.all ());
        };
        gateway_settings settings;
        settings.balancing.policy = balancing::least_outstanding;
        const auto by = gateway::open (world, context.handle (), settings).value ();
        const auto quick = [&] (receiver &r, inquiry &what) {
            ++count;
            others.ring ();
            (void)r.reply (what, what.parts.all ());
        };
        serving lazy (world, context.handle (), "slow", "inproc://slow", slow);
        serving one (world, context.handle (), "one", "inproc://one", quick);
        serving two (world, context.handle (), "two", "inproc://two", quick);
        list (*by, {lazy.listed (), one.listed (), two.listed ()});
        wait_connected (*by, world, 3);
        ask_often (world, *by, 4);
        EXPECT_LT (lazy.received (), requests / 5) << "a third is the fair share";
        EXPECT_EQ (lazy.received () + one.received () + two.received (), requests);
    });
}

// One that says that it has too much is left aside, probed, and comes back.
TEST (Balancing, WhoFailsIsLeftAsideAndComesBack)
{
    in_two_worlds ([] (base::world &world) {
        const own_context context (world);
        base::atomic<bool> sick{true};
        const auto moody = [&] (receiver &by, inquiry &what) {
            if (sick)
                (void)by.fail (what, {.code = wire::failure_overloaded});
            else
                (void)by.reply (what, what.parts.all ());
        };
        crowd of (world, context.handle (), balancing::round_robin, moody);
        of.know (world, of.rows ());
        ask_often (world, *of.by, 2);
        EXPECT_LT (of.all[0]->received (), requests / 40) << "a quarter is the fair share";
        sick = false;
        const int before = of.all[0]->received ();
        const base::time_ns end = world.time.now_ns () + 60 * ns_per_s;
        while (of.all[0]->received () < before + 100) {
            ASSERT_EQ (ask (*of.by, world, "x").status, call_status::replied);
            ASSERT_LT (world.time.now_ns (), end) << "it does not come back";
        }
    });
}

}  // namespace
}  // namespace zlink::service::test
