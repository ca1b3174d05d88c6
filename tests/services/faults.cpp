// Requests while connections break, half-close and stall, in the simulator under many
// seeds: each ends once with a reply or a typed error, none is done twice unless it is
// idempotent, and what is said to be undone is undone.
#include "services/deeds.hpp"
#include "services/provided.hpp"

namespace zlink::service::test {
namespace {

constexpr std::uint64_t fault_seeds = 1000;
constexpr int askers = 3;
constexpr int requests_each = 25;

// One run of the simulator.
struct storm
{
    storm (sim::simulation &in, sim::virtual_world &on) : sim (in), world (on), context (on.seams) {}

    void serve (receiver &by, inquiry &what)
    {
        const std::string text = text_of (what.parts);
        ledger.done (text);
        if (sim.chance (300))
            sim.pass_time (sim.roll_time (20 * ns_per_ms));
        if (sim.chance (100))
            (void)by.fail (what, {.code = wire::failure_handler});
        else
            (void)by.reply (what, what.parts.all ());
    }
    void ask_many (gateway &by, int who)
    {
        for (int i = 0; i < requests_each; ++i) {
            const std::string text = std::to_string (who) + '.' + std::to_string (i);
            call_options options = within (world.seams, sim.roll_time (2 * ns_per_s));
            options.idempotent = sim.chance (500);
            if (sim.chance (300))
                options.hedge_at_ns = sim.now () + sim.roll_time (10 * ns_per_ms);
            ledger.asked (text, options.idempotent);
            call_outcome got = ask (by, world.seams, text, options);
            ledger.told (text, got, text_of (got.parts));
        }
    }
    void run ()
    {
        const auto answers = [this] (receiver &by, inquiry &what) { serve (by, what); };
        std::vector<std::unique_ptr<serving>> providers;
        std::vector<listed_provider> rows;
        for (int i = 0; i < 3; ++i) {
            providers.push_back (std::make_unique<serving> (
              world.seams, context.handle (), std::to_string (i), place_in (world.seams), answers));
            rows.push_back (providers.back ()->listed ());
        }
        const auto by = gateway::open (world.seams, context.handle (), {}).value ();
        list (*by, rows);
        const auto trouble = start_thread (world.seams, [this] { disturb (world, over); });
        {
            std::vector<std::unique_ptr<base::joinable>> asking;
            for (int i = 0; i < askers; ++i)
                asking.push_back (start_thread (world.seams, [this, &by, i] { ask_many (*by, i); }));
        }
        over = true;
        by->close ();
    }

    sim::simulation &sim;
    sim::virtual_world &world;
    const own_context context;
    deeds ledger;
    bool over = false;
};

TEST (Faults, BreakNoPromiseOfRequests)
{
    std::size_t replied = 0, asked = 0;
    for (std::uint64_t seed = 1; seed <= fault_seeds; ++seed) {
        SCOPED_TRACE (testing::Message () << "seed " << seed);
        sim::simulation sim (seed, sim::schedule{});
        sim.spawn ("test", [&] {
            sim::world_choice choice;
            choice.sky.refuse_per_mille = 50;
            choice.sky.silent_per_mille = 20;
            sim::virtual_world world (sim, choice);
            storm run (sim, world);
            run.run ();
            for (const std::string &each : run.ledger.violations ())
                ADD_FAILURE () << each;
            replied += run.ledger.replied ();
            asked += run.ledger.size ();
        });
        sim.run ();
        if (testing::Test::HasFailure ())
            break;
    }
    EXPECT_EQ (asked, fault_seeds * askers * requests_each);
    EXPECT_GT (replied, asked / 2) << "the storm leaves something to look at";
    EXPECT_LT (replied, asked) << "and there is one";
}

// --- the checker finds what it is for ------------------------------------------------

call_outcome ended (call_status how, bool maybe_done)
{
    call_outcome made;
    made.status = how;
    made.maybe_done = maybe_done;
    return made;
}

std::vector<std::string> found (const std::function<void (deeds &)> &story)
{
    deeds ledger;
    story (ledger);
    return ledger.violations ();
}

TEST (Deeds, ViolationsAreFound)
{
    using lines = std::vector<std::string>;
    const call_outcome reply = ended (call_status::replied, false);
    EXPECT_EQ (found ([&] (deeds &of) {
                   of.asked ("a", false);
                   of.done ("a");
                   of.told ("a", reply, "a");
               }),
               lines{});
    EXPECT_EQ (found ([] (deeds &of) { of.asked ("a", false); }), lines{"a: lost without a word"});
    EXPECT_EQ (found ([&] (deeds &of) {
                   of.asked ("a", true);
                   of.done ("a");
                   of.told ("a", reply, "a");
                   of.told ("a", reply, "a");
               }),
               lines{"a: answered twice"});
    EXPECT_EQ (found ([&] (deeds &of) {
                   of.asked ("a", false);
                   of.done ("a");
                   of.done ("a");
                   of.told ("a", reply, "a");
               }),
               lines{"a: done twice, and not idempotent"});
    EXPECT_EQ (found ([&] (deeds &of) {
                   of.asked ("a", true);
                   of.told ("a", reply, "a");
               }),
               lines{"a: replied to, and not done"});
    EXPECT_EQ (found ([&] (deeds &of) {
                   of.asked ("a", true);
                   of.done ("a");
                   of.told ("a", reply, "b");
               }),
               lines{"a: has another one's reply"});
    EXPECT_EQ (found ([] (deeds &of) {
                   of.asked ("a", true);
                   of.done ("a");
                   of.told ("a", ended (call_status::lost, false), {});
               }),
               lines{"a: said to be undone, and done"});
}

}  // namespace
}  // namespace zlink::service::test
