// Nodes of SPOT that two registries tell of one another, each in a process that is killed.
#include <array>
#include <optional>

#include "services/listed_spots.hpp"
#include "support/child_process.hpp"
#include "support/places.hpp"
#include "support/waiting.hpp"

namespace zlink::service::test {
namespace {

struct spot_registries : testing::Test
{
    spot_registries ()
    {
        for (std::string &each : places)
            each = zlink::test::tcp_place ();
        for (const std::size_t each : {0u, 1u})
            start (each);
    }
    ~spot_registries () override
    {
        all.clear ();
        EXPECT_EQ (zlink_ctx_term_ms (context, listed_watchdog_ms), 0);
    }
    // It knows of the other.
    void start (std::size_t which)
    {
        registries[which].emplace (
          std::vector<std::string>{ZLINK_REGISTRY_PROCESS, places[which], places[1 - which]});
    }
    void kill (std::size_t which) { registries[which].reset (); }
    void come (const std::vector<std::string> &registers_at, const std::vector<std::string> &looks_at)
    {
        all.push_back (std::make_unique<listed_spot> (context, registers_at, looks_at));
    }

    void *context = zlink_ctx_new ();
    std::array<std::string, 2> places;
    std::array<std::optional<zlink::test::child_process>, 2> registries;
    listed_spots all;
};

TEST_F (spot_registries, lose_the_one_through_which_all_have_registered)
{
    for (int i = 0; i < 2; ++i)
        come ({places[0]}, {places[0], places[1]});
    meet (all, "two");
    const spot_watcher second (context, {places[1]});
    second.wait (2);  // the first has told them of it
    kill (0);
    meet (all, "without the first registry");
    come ({places[1]}, {places[0], places[1]});
    meet (all, "a newcomer");
    all.erase (all.begin () + 1);
    EXPECT_TRUE (zlink::test::eventually ([&] { return second.count () == 2; }));
    meet (all, "one has left");

    // It comes back empty, and is filled again; then the other dies.
    start (0);
    const spot_watcher first (context, {places[0]});
    first.wait (2);
    kill (1);
    come ({places[0]}, {places[0], places[1]});
    meet (all, "without the second registry");
}

TEST_F (spot_registries, both_die_and_come_back_and_nobody_is_forgotten)
{
    const std::vector<std::string> both (places.begin (), places.end ());
    for (int i = 0; i < 2; ++i)
        come (both, both);
    meet (all, "two");
    kill (0);
    kill (1);
    EXPECT_TRUE (zlink::test::eventually ([&] { return all[0]->watcher ().age_ms () > 0; }));
    meet (all, "without a registry");
    come (both, both);
    start (1);
    meet (all, "a newcomer");
    start (0);
    const spot_watcher first (context, {places[0]});
    first.wait (3);
    meet (all, "all are there");
}

}  // namespace
}  // namespace zlink::service::test
