// Registries with providers and watchers: who is told what, and when.
#include "services/registries.hpp"

namespace zlink::service::test {
namespace {

using base::errc;
using base::never_ns;
using base::ns_per_ms;
using base::ns_per_s;

constexpr std::string_view there = "tcp://10.1.0.7:5555";
constexpr std::string_view there_too = "tcp://10.1.0.8:5555";

void expect_registered (closing<registration> &by, std::string_view service, std::string_view endpoint)
{
    const base::result<offer_outcome> outcome = by->wait (family, service, endpoint, never_ns);
    ASSERT_TRUE (outcome.ok ());
    EXPECT_EQ (outcome.value ().state, offer_state::registered) << wire::fault_name (outcome.value ().fault);
}

TEST (Registries, AWatcherLearnsWhoComesChangesAndGoes)
{
    in_every_world ([] (base::world &world) {
        town in (world);
        closing<registry> books = in.open_registry (place (world, "books"));
        closing<discovery> watcher = in.open_watcher (in.address, "calc");
        closing<registration> by = in.open_provider (in.address);
        ASSERT_TRUE (by->put (provider ("calc", there)).ok ());
        expect_registered (by, "calc", there);
        ASSERT_TRUE (watcher->wait (family, "calc", 1, never_ns).ok ());
        std::vector<found_provider> found = watcher->providers (family, "calc").value ();
        ASSERT_EQ (found.size (), 1U);
        EXPECT_EQ (found[0].endpoint, there);
        EXPECT_EQ (found[0].details.instance, by->instance ());
        EXPECT_FALSE (found[0].details.stale);

        ASSERT_TRUE (by->put (provider ("calc", there, 7)).ok ());
        expect_registered (by, "calc", there);
        in.listener->wait_until ([&] {
            found = watcher->providers (family, "calc").value ();
            return found.at (0).details.weight == 7;
        });
        EXPECT_EQ (watcher->facts (family, "calc").age_ns, 0);

        ASSERT_TRUE (by->drop (family, "calc", there).ok ());
        EXPECT_EQ (by->drop (family, "calc", there).code (), errc::invalid_argument);
        in.listener->wait_until ([&] { return watcher->count (family, "calc") == 0; });
        in.observer.wait_for ("calc - unregistered");
        EXPECT_TRUE (in.observer.has ("calc + 1"));
        EXPECT_TRUE (in.observer.has ("calc + 7"));
    });
}

TEST (Registries, WhoLeavesIsGoneAtOnceAndWhoIsKilledWithinTheGrace)
{
    in_every_world ([] (base::world &world) {
        town in (world);
        closing<registry> books = in.open_registry (place (world, "books"));
        closing<discovery> watcher = in.open_watcher (in.address, {});
        {
            closing<registration> by = in.open_provider (in.address);
            ASSERT_TRUE (by->put (provider ("leaves", there)).ok ());
            raw_peer killed (in.context.handle (), in.address);
            killed.open (9);
            EXPECT_EQ (killed.put (9, "killed", there_too), wire::fault_none);
            ASSERT_TRUE (watcher->wait (family, {}, 2, never_ns).ok ());
        }
        in.listener->wait_until ([&] { return watcher->count (family, {}) == 0; });
        in.observer.wait_for ("leaves - unregistered");
        in.observer.wait_for ("killed - lost");
    });
}

TEST (Registries, ALeaseRunsOutAndIsRenewed)
{
    in_every_world ([] (base::world &world) {
        town in (world);
        const registry_options soon{.lease_ns = 200 * ns_per_ms};
        closing<registry> books = in.open_registry (place (world, "books"), soon);
        closing<registration> lives = in.open_provider (in.address);
        ASSERT_TRUE (lives->put (provider ("lives", there)).ok ());
        expect_registered (lives, "lives", there);
        raw_peer silent (in.context.handle (), in.address);
        silent.open (9);
        EXPECT_EQ (silent.put (9, "silent", there_too), wire::fault_none);
        in.observer.wait_for ("silent - expired");
        EXPECT_FALSE (in.observer.has ("lives - expired"));
        EXPECT_EQ (books->facts ().providers, 1U);
        EXPECT_EQ (silent.put (9, "silent", there_too), wire::fault_no_session);
    });
}

// A registry that comes back is another one: providers register again by themselves,
// and a watcher that knew them does not lose them meanwhile.
TEST (Registries, OneThatComesBackIsFilledAgainAndNobodyIsLostMeanwhile)
{
    in_every_world ([] (base::world &world) {
        town in (world);
        closing<registry> first = in.open_registry (place (world, "books"));
        const std::string where = in.address;
        closing<registration> by = in.open_provider (where);
        ASSERT_TRUE (by->put (provider ("calc", there)).ok ());
        closing<discovery> watcher = in.open_watcher (where, "calc");
        ASSERT_TRUE (watcher->wait (family, "calc", 1, never_ns).ok ());
        const std::uint64_t before = first->facts ().incarnation;
        first.close ();
        bool ever_lost = false;
        const auto note = [&] { ever_lost = ever_lost || watcher->count (family, "calc") != 1; };
        in.listener->wait_until ([&] {
            note ();
            return watcher->facts (family, "calc").fresh == 0;
        });
        EXPECT_TRUE (watcher->providers (family, "calc").value ().at (0).details.stale);
        EXPECT_NE (watcher->facts (family, "calc").age_ns, 0);

        closing<registry> second = in.open_registry (where);
        EXPECT_NE (second->facts ().incarnation, before);
        in.listener->wait_until ([&] {
            note ();
            return !watcher->providers (family, "calc").value ().at (0).details.stale;
        });
        EXPECT_EQ (second->facts ().providers, 1U);
        EXPECT_FALSE (ever_lost);
    });
}

TEST (Registries, OneOfTwoMayDie)
{
    in_every_world ([] (base::world &world) {
        town in (world);
        closing<registry> one = in.open_registry (place (world, "one"));
        closing<registration> by = in.open_provider (in.address);
        closing<discovery> watcher = in.open_watcher (in.address, "calc");
        closing<registry> two = in.open_registry (place (world, "two"));
        ASSERT_TRUE (by->connect_registry (in.address).ok ());
        ASSERT_TRUE (watcher->connect_registry (in.address).ok ());
        ASSERT_TRUE (by->put (provider ("calc", there)).ok ());
        in.listener->wait_until ([&] { return watcher->facts (family, "calc").fresh == 2; });
        ASSERT_TRUE (watcher->wait (family, "calc", 1, never_ns).ok ());
        in.listener->wait_until (
          [&] { return two->facts ().providers == 1 || one->facts ().providers == 1; });
        one.close ();
        in.listener->wait_until ([&] {
            const std::vector<found_provider> found = watcher->providers (family, "calc").value ();
            return watcher->facts (family, "calc").fresh == 1 && found.size () == 1
                   && !found[0].details.stale;
        });
        ASSERT_TRUE (by->drop (family, "calc", there).ok ());
        // The other has not settled, so what it does not list is kept, marked stale; but it
        // says that this one has gone.
        in.listener->wait_until ([&] { return watcher->count (family, "calc") == 0; });
    });
}

TEST (Registries, AWildcardIsRegisteredAsTheRouteHasIt)
{
    in_the_real_world ([] (base::world &world) {
        town in (world);
        closing<registry> books = in.open_registry (place (world, "books"));
        closing<registration> by = in.open_provider (in.address);
        ASSERT_TRUE (by->put (provider ("calc", "tcp://*:5555")).ok ());
        expect_registered (by, "calc", "tcp://*:5555");
        EXPECT_EQ (by->outcome (family, "calc", "tcp://*:5555").value ().endpoint, "tcp://127.0.0.1:5555");
        EXPECT_EQ (by->put (provider ("calc", "tcp://*:*")).code (), errc::invalid_argument);
        EXPECT_EQ (by->put (provider ("calc", "nonsense")).code (), errc::invalid_argument);
        EXPECT_EQ (by->put (provider ("", there)).code (), errc::invalid_argument);
        EXPECT_EQ (by->wait (family, "other", there, 0).code (), errc::invalid_argument);
    });
}

// Of 100,000 services that one makes up it has as many as one may have; the others are
// refused, who is honest is served meanwhile, and with the peer all are gone.
TEST (Registries, AFloodOfServicesCostsItsSender)
{
    in_the_real_world ([] (base::world &world) {
        town in (world);
        closing<registry> books = in.open_registry (place (world, "books"));
        closing<discovery> watcher = in.open_watcher (in.address, "calc");
        constexpr std::size_t waves = 100, per_wave = 1000;
        std::size_t refused = 0;
        {
            raw_peer greedy (in.context.handle (), in.address);
            greedy.open (9);
            for (std::size_t wave = 0; wave < waves; ++wave) {
                for (std::size_t i = 0; i < per_wave; ++i)
                    greedy.say_put (9, "made-up-" + std::to_string (wave * per_wave + i), there_too);
                for (std::size_t i = 0; i < per_wave; ++i) {
                    const std::uint16_t fault = greedy.hear (wire::registry_kind::answer).fault;
                    ASSERT_TRUE (fault == wire::fault_none || fault == wire::fault_too_many)
                      << wire::fault_name (fault);
                    refused += fault != wire::fault_none;
                }
                if (wave == waves / 2) {
                    closing<registration> honest = in.open_provider (in.address);
                    ASSERT_TRUE (honest->put (provider ("calc", there)).ok ());
                    expect_registered (honest, "calc", there);
                    ASSERT_TRUE (watcher->wait (family, "calc", 1, never_ns).ok ());
                    EXPECT_EQ (books->facts ().providers, providers_per_instance_max + 1);
                }
            }
        }
        EXPECT_EQ (refused, waves * per_wave - providers_per_instance_max);
        bell &change = in.observer.change;
        for (std::uint32_t heard = change.heard (); books->facts ().providers > 0; heard = change.heard ())
            (void)change.wait (heard, never_ns);
    });
}

TEST (Registries, WhatIsTakenIsRefusedAndComesWhenItIsFree)
{
    in_every_world ([] (base::world &world) {
        town in (world);
        closing<registry> books = in.open_registry (place (world, "books"), {.lease_ns = 400 * ns_per_ms});
        closing<registration> second = in.open_provider (in.address);
        {
            closing<registration> first = in.open_provider (in.address);
            ASSERT_TRUE (first->put (provider ("calc", there)).ok ());
            expect_registered (first, "calc", there);
            ASSERT_TRUE (second->put (provider ("calc", there)).ok ());
            const offer_outcome outcome = second->wait (family, "calc", there, never_ns).value ();
            EXPECT_EQ (outcome.state, offer_state::refused);
            EXPECT_EQ (outcome.fault, wire::fault_taken);
        }
        in.observer.wait_for ("refused taken");
        in.observer.wait_for ("calc + 1", 2);
    });
}

// What is hostile or broken costs its sender.
TEST (Registries, WhoSpeaksNonsenseIsRefusedAndNobodyElse)
{
    in_every_world ([] (base::world &world) {
        town in (world);
        closing<registry> books = in.open_registry (place (world, "books"));
        closing<registration> by = in.open_provider (in.address);
        ASSERT_TRUE (by->put (provider ("calc", there)).ok ());
        expect_registered (by, "calc", there);
        const std::array<std::pair<std::string_view, std::uint16_t>, 3> nonsense{
          {{"hello", wire::fault_malformed},
           {std::string_view ("R\1\310\0", 4), wire::fault_version},
           {std::string_view ("R\1\5\0", 4), wire::fault_malformed}}};
        for (const auto &[octets, fault] : nonsense) {
            raw_peer hostile (in.context.handle (), in.address);
            hostile.open (11);
            hostile.say (base::as_bytes (octets));
            EXPECT_EQ (hostile.hear (wire::registry_kind::refused).fault, fault) << octets;
        }
        // Somebody else's registration.
        raw_peer thief (in.context.handle (), in.address);
        thief.open (12);
        EXPECT_EQ (thief.put (by->instance (), "calc", there), wire::fault_not_yours);
        EXPECT_EQ (thief.put (12, "calc", there), wire::fault_taken);
        EXPECT_EQ (thief.put (12, "calc", "tcp://0.0.0.0:5555"), wire::fault_endpoint);
        EXPECT_EQ (books->facts ().providers, 1U);
        std::vector<std::byte> entries;
        EXPECT_TRUE (books->list (family, entries).ok ());
        EXPECT_FALSE (entries.empty ());
        EXPECT_TRUE (books->force_out (family, "calc", there).ok ());
        EXPECT_EQ (books->force_out (family, "calc", there).code (), errc::no_such_endpoint);
        in.observer.wait_for ("calc - forced");
    });
}

// Whoever is refused makes the connection anew, after a while.
TEST (Registries, WhoIsRefusedAsksAgain)
{
    in_every_world ([] (base::world &world) {
        for (const std::string &where : {place (world, "mock"), std::string ("inproc://mock")}) {
            town in (world);
            raw_registry mock (in.context.handle (), where);
            closing<discovery> watcher = in.open_watcher (mock.address (), "calc");
            closing<registration> by = in.open_provider (mock.address ());
            ASSERT_TRUE (by->put (provider ("calc", there)).ok ());
            for (int refusals = 0; refusals < 3; ++refusals) {
                bool watches = false;
                bool opens = false;
                while (!watches || !opens) {
                    std::string from;
                    const wire::registry_kind kind = mock.hear (from);
                    watches = watches || kind == wire::registry_kind::watch;
                    opens = opens || kind == wire::registry_kind::open;
                    mock.refuse (from, wire::fault_out_of_memory);
                }
            }
        }
    });
}

TEST (Registries, WaitsEndWithTheirTimeAndWithTheContext)
{
    in_every_world ([] (base::world &world) {
        town in (world);
        closing<registry> books = in.open_registry (place (world, "books"));
        closing<discovery> watcher = in.open_watcher (in.address, "calc");
        const base::time_ns soon = world.time.now_ns () + 5 * ns_per_ms;
        EXPECT_EQ (watcher->wait (family, "calc", 1, soon).code (), errc::timed_out);
        closing<registration> nowhere (registration::open (world, in.context.handle (), in.loop));
        ASSERT_TRUE (nowhere->put (provider ("calc", there)).ok ());
        EXPECT_EQ (nowhere->wait (family, "calc", there, soon).code (), errc::timed_out);
        EXPECT_EQ (watcher->unwatch (family, "other").code (), errc::invalid_argument);
        EXPECT_TRUE (watcher->unwatch (family, "calc").ok ());
        EXPECT_TRUE (socket::context_shutdown (in.context.handle ()).ok ());
        EXPECT_EQ (watcher->wait (family, "calc", 1, never_ns).code (), errc::terminated);
        EXPECT_EQ (nowhere->wait (family, "calc", there, never_ns).code (), errc::terminated);
    });
}

// Many providers reach a watcher in pages.
TEST (Registries, AThousandRegistrationsArriveInPages)
{
    in_every_world ([] (base::world &world) {
        town in (world);
        closing<registry> books = in.open_registry (place (world, "books"));
        closing<registration> by = in.open_provider (in.address);
        constexpr std::size_t count = 1000;
        for (std::size_t i = 0; i < count; ++i)
            ASSERT_TRUE (by->put (provider ("service" + std::to_string (i), there)).ok ());
        closing<discovery> watcher = in.open_watcher (in.address, {});
        ASSERT_TRUE (watcher->wait (family, {}, count, never_ns).ok ());
        by.close ();
        in.listener->wait_until ([&] { return watcher->count (family, {}) == 0; });
    });
}

}  // namespace
}  // namespace zlink::service::test
