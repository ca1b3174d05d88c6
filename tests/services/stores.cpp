// Registries with a store, over a stand-in that several share: what each lists, what the
// loss of it does, and who may have what.
#include <algorithm>
#include <map>
#include <set>

#include "base/record_store.hpp"
#include "service/store_record.hpp"
#include "service/test_slots.hpp"
#include "services/workplaces.hpp"

namespace zlink::service::test {
namespace {

using base::store_outcome;

class stand_in_store;

// What all stores have, and who they are.
struct shared_records
{
    struct held
    {
        std::vector<std::byte> value;
        const stand_in_store *owner = nullptr;  // null: nobody's who is here
    };
    waiting_lock lock;  // whoever is told may wake others, and on fibres they run at once
    std::map<std::string, held, std::less<>> all;
    std::set<stand_in_store *> stores;
    shared_slots slots;
    bool away = false;

    explicit shared_records (base::world &world) : lock (world.sleep), slots (world.time) {}

    void change (const std::string &key, const wire::provider_view *provider);
    void garble (const std::string &key);
    void set_away (bool now);
    [[nodiscard]] std::size_t size ()
    {
        const base::locked guard (lock);
        return all.size ();
    }
};

// Tells within the call that changes something, which listeners allow: they only note it.
class stand_in_store final : public base::record_store
{
  public:
    stand_in_store (shared_records &in, base::record_listener &listener) : in_ (in), listener_ (listener)
    {
        const base::locked guard (in_.lock);
        in_.stores.insert (this);
        come ();
    }
    ~stand_in_store () override
    {
        const base::locked guard (in_.lock);
        in_.stores.erase (this);
        std::erase_if (in_.all, [this] (const auto &each) {
            if (each.second.owner != this)
                return false;
            for (stand_in_store *const other : in_.stores)
                (void)other->listener_.gone (each.first);
            return true;
        });
    }
    base::result<void>
    put (std::uint64_t ticket, std::string_view key, base::bytes_view value) noexcept override
    {
        const base::locked guard (in_.lock);
        waiting_[ticket] = {std::string (key), {value.begin (), value.end ()}};
        if (!in_.away)
            store_waiting ();
        return {};
    }
    void drop (std::string_view key) noexcept override
    {
        const base::locked guard (in_.lock);
        const auto found = in_.all.find (key);
        if (found == in_.all.end () || found->second.owner != this)
            return;
        in_.all.erase (found);
        for (stand_in_store *const each : in_.stores)
            (void)each->listener_.gone (key);
    }
    base::result<void> visit (std::string_view slot,
                              base::time_ns lease,
                              base::time_ns,
                              std::shared_ptr<base::slot_visitor> who) noexcept override
    {
        store_outcome outcome = store_outcome::uncertain;
        {
            const base::locked guard (in_.lock);
            if (!in_.away)
                outcome = in_.slots.visit (std::string (slot), lease, *who);
        }
        who->done (outcome);  // which wakes somebody: not under the lock
        return {};
    }

    // Under the lock.
    void come ()
    {
        if (in_.away)
            return;
        (void)listener_.reset ();
        for (const auto &[key, each] : in_.all)
            (void)listener_.put (key, each.value);
        (void)listener_.whole ("127.0.0.1");
        store_waiting ();
    }
    void go () { listener_.lost ("a test takes it away"); }
    base::record_listener &listener () { return listener_; }

  private:
    void store_waiting ()
    {
        for (auto &[ticket, what] : std::exchange (waiting_, {})) {
            const auto known = in_.all.find (what.first);
            if (known != in_.all.end () && !listener_.replaces (what.second, known->second.value)) {
                listener_.done (ticket, store_outcome::taken);
                continue;
            }
            in_.all[what.first] = {what.second, this};
            for (stand_in_store *const each : in_.stores)
                (void)each->listener_.put (what.first, what.second);
            listener_.done (ticket, store_outcome::stored);
        }
    }

    shared_records &in_;
    base::record_listener &listener_;
    std::map<std::uint64_t, std::pair<std::string, std::vector<std::byte>>> waiting_;
};

void shared_records::change (const std::string &key, const wire::provider_view *provider)
{
    const base::locked guard (lock);
    if (provider == nullptr)
        all.erase (key);
    else
        all[key] = {store_value (*provider), nullptr};
    for (stand_in_store *const each : stores)
        (void)(provider == nullptr ? each->listener ().gone (key)
                                   : each->listener ().put (key, all[key].value));
}

void shared_records::garble (const std::string &key)
{
    const base::locked guard (lock);
    all[key] = {std::vector<std::byte> (9, std::byte{0xFF}), nullptr};
    for (stand_in_store *const each : stores)
        (void)each->listener ().put (key, all[key].value);
}

void shared_records::set_away (bool now)
{
    const base::locked guard (lock);
    away = now;
    for (stand_in_store *const each : stores)
        away ? each->go () : each->come ();
}

struct stored_town : town
{
    explicit stored_town (base::world &in) : town (in) {}
    closing<registry> open_stored (std::string_view name, base::time_ns grant_lease = grant_lease_ns)
    {
        closing<registry> made (registry::open (world, context.handle (), loop,
                                                {.grant_lease_ns = grant_lease, .observer = &observer}));
        EXPECT_TRUE (made
                       ->set_store ([this] (base::record_listener &whom, base::time_ns) {
                           return base::result<std::unique_ptr<base::record_store>> (
                             std::make_unique<stand_in_store> (records, whom));
                       })
                       .ok ());
        address = made->bind (place (world, name)).value ();
        return made;
    }
    void wait_count (const closing<discovery> &by, std::size_t wanted)
    {
        listener->wait_until ([&] { return by->count (family, "calc") == wanted; });
    }
    void wait_fresh (const closing<discovery> &by, bool wanted)
    {
        listener->wait_until ([&] { return (by->facts (family, "calc").fresh != 0) == wanted; });
    }
    offer_outcome wait_offer (const closing<registration> &by, std::string_view endpoint)
    {
        return by->wait (family, "calc", endpoint, base::never_ns).value ();
    }
    shared_records records{world};
};

constexpr const char *somewhere = "tcp://10.1.0.7:7001";
constexpr const char *elsewhere = "tcp://10.1.0.7:7002";

TEST (Stores, RegistriesThatShareOneListTheSameAndADepartureIsToldAtBoth)
{
    in_every_world ([] (base::world &world) {
        stored_town at (world);
        const closing<registry> first = at.open_stored ("first");
        const std::string first_address = at.address;
        const closing<registry> second = at.open_stored ("second");
        const closing<discovery> by = at.open_watcher (at.address, "calc");
        {
            closing<registration> provider_here = at.open_provider (first_address);
            EXPECT_TRUE (provider_here->put (provider ("calc", somewhere)).ok ());
            at.wait_count (by, 1);
            EXPECT_EQ (at.wait_offer (provider_here, somewhere).state, offer_state::registered);
            EXPECT_EQ (at.records.size (), 1U);
            EXPECT_TRUE (by->facts (family, "calc").settled);
        }
        at.wait_count (by, 0);
        EXPECT_EQ (at.records.size (), 0U);
    });
}

TEST (Stores, WhoWatchesIsToldOfALossAndWhoRegistersMeanwhileIsRegisteredBehindIt)
{
    in_every_world ([] (base::world &world) {
        stored_town at (world);
        const closing<registry> only = at.open_stored ("only");
        const closing<discovery> by = at.open_watcher (at.address, "calc");
        closing<registration> here = at.open_provider (at.address);
        EXPECT_TRUE (here->put (provider ("calc", somewhere)).ok ());
        at.wait_count (by, 1);
        at.records.set_away (true);
        at.wait_fresh (by, false);
        EXPECT_EQ (by->count (family, "calc"), 1U);
        EXPECT_TRUE (here->put (provider ("calc", elsewhere)).ok ());
        // Somebody's record comes and ours goes while nobody looks.
        const wire::provider_view theirs{
          .family = family, .service = "calc", .endpoint = "tcp://10.0.0.9:1", .instance = 9};
        at.records.change (store_key (family, "calc", "tcp://10.0.0.9:1"), &theirs);
        at.records.set_away (false);
        at.wait_fresh (by, true);
        at.wait_count (by, 3);
        EXPECT_EQ (at.wait_offer (here, elsewhere).state, offer_state::registered);
    });
}

TEST (Stores, WhatSomebodyElseHasIsTakenUntilItIsGone)
{
    in_every_world ([] (base::world &world) {
        stored_town at (world);
        const closing<registry> only = at.open_stored ("only");
        const closing<discovery> by = at.open_watcher (at.address, "calc");
        const std::string key = store_key (family, "calc", somewhere);
        const wire::provider_view theirs{
          .family = family, .service = "calc", .endpoint = somewhere, .instance = 9};
        at.records.change (key, &theirs);
        at.wait_count (by, 1);
        closing<registration> here = at.open_provider (at.address);
        EXPECT_TRUE (here->put (provider ("calc", somewhere)).ok ());
        const offer_outcome refused = at.wait_offer (here, somewhere);
        EXPECT_EQ (refused.state, offer_state::refused);
        EXPECT_EQ (refused.fault, wire::fault_taken);
        at.records.change (key, nullptr);
        at.wait_count (by, 0);
        at.wait_count (by, 1);  // it asks again with the next renewal
        EXPECT_EQ (by->providers (family, "calc").value ().at (0).details.instance, here->instance ());
    });
}

TEST (Stores, ARecordThatCannotBeReadCostsItselfAndAnEndpointHasToBeReachableForAll)
{
    in_every_world ([] (base::world &world) {
        stored_town at (world);
        const closing<registry> only = at.open_stored ("only");
        const closing<discovery> by = at.open_watcher (at.address, "calc");
        at.records.garble ("1/calc/tcp://127.0.0.1:7009");
        closing<registration> here = at.open_provider (at.address);
        EXPECT_TRUE (here->put (provider ("calc", somewhere)).ok ());
        at.wait_count (by, 1);
        at.records.garble (store_key (family, "calc", somewhere));
        at.wait_count (by, 1);
        EXPECT_TRUE (here->put (provider ("calc", "inproc://mine")).ok ());
        const offer_outcome refused = at.wait_offer (here, "inproc://mine");
        EXPECT_EQ (refused.state, offer_state::refused);
        EXPECT_EQ (refused.fault, wire::fault_endpoint);
    });
}

// Nodes that know one registry each, or all, which share a store: partitions have one owner
// in each epoch, whichever registry granted it.
TEST (Stores, RegistriesThatShareOneGrantOneEpochToOneNode)
{
    in_every_world ([] (base::world &world) {
        stored_town at (world);
        const closing<registry> first = at.open_stored ("first", short_lease);
        const std::string first_address = at.address;
        const closing<registry> second = at.open_stored ("second", short_lease);
        // The two do not know each other: only the store stands between them.
        auto one = std::make_unique<place_of_work> (at, std::vector{first_address}, partitioned_topic{});
        const publish_outcome mine = one->publish ("k", "x");
        ASSERT_EQ (mine.what, publish_result::numbered);
        place_of_work two (at, {at.address}, {});
        // Unless the first did not get to run for as long as its lease.
        const publish_outcome early = two.publish ("k", "x", world.time.now_ns () + short_lease / 4);
        EXPECT_TRUE (early.what == publish_result::unowned || early.of.number > mine.of.number);
        one.reset ();
        const publish_outcome theirs = two.publish ("k", "x");
        ASSERT_EQ (theirs.what, publish_result::numbered);
        EXPECT_GT (theirs.of.number, mine.of.number);
    });
}

// In virtual time alone, as it takes several leases.
TEST (Stores, AnyRegistryOfOneStoreIsEnoughAndWithoutTheStoreNothingIsNumbered)
{
    const auto body = [] (base::world &world) {
        stored_town at (world);
        auto first = std::make_unique<closing<registry>> (at.open_stored ("first", short_lease));
        const std::string first_address = at.address;
        const closing<registry> second = at.open_stored ("second", short_lease);
        place_of_work one (at, {first_address, at.address}, {});
        place_of_work idle (at, {}, {});  // nobody grants it anything: its publishing takes time
        const auto pass_time = [&] { (void)idle.publish ("k", "x", world.time.now_ns () + short_lease / 8); };
        const publish_outcome before = one.publish ("k", "x");
        ASSERT_EQ (before.what, publish_result::numbered);
        first.reset ();
        // For longer than a grant, under one epoch.
        for (const base::time_ns since = world.time.now_ns ();
             world.time.now_ns () < since + 3 * short_lease;) {
            pass_time ();
            const publish_outcome next = one.publish ("k", "x");
            ASSERT_EQ (next.what, publish_result::numbered);
            ASSERT_EQ (next.of, before.of);
        }
        at.records.set_away (true);
        while (one.publish ("k", "x", world.time.now_ns () + short_lease / 8).what
               == publish_result::numbered)
            pass_time ();
        EXPECT_FALSE (one.parts->state (parted_topic, 0).value ().owned_here);
        at.records.set_away (false);
        const publish_outcome after = one.publish ("k", "x");
        ASSERT_EQ (after.what, publish_result::numbered);
        EXPECT_GT (after.of.number, before.of.number);
    };
    for (std::uint64_t seed = 1; seed <= seeds; ++seed)
        in_simulation (body, seed);
}

}  // namespace
}  // namespace zlink::service::test
