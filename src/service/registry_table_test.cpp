#include "service/registry_table.hpp"

#include <random>
#include <set>

#include <gtest/gtest.h>

#include "service/test_providers.hpp"

namespace zlink::service {
namespace {

using namespace test;
using lines = std::vector<std::string>;
using base::ns_per_ms;
using base::ns_per_s;

class registry_tables : public testing::Test
{
  protected:
    void remake (const registry_settings &settings) { table_ = std::make_unique<registry_table> (settings); }
    void open (std::uint64_t peer, std::uint64_t instance)
    {
        ASSERT_EQ (table ().open (now_, peer, instance, token_of (instance)), wire::fault_none);
    }
    wire::registry_fault put (std::uint64_t peer,
                              std::uint64_t instance,
                              std::string_view service,
                              std::string_view endpoint,
                              std::uint64_t version = 1)
    {
        return table ().put (now_, peer, provider (service, endpoint, instance, version));
    }
    registry_table &table () { return *table_; }

    std::unique_ptr<registry_table> table_ =
      std::make_unique<registry_table> (registry_settings{.incarnation = incarnation});
    base::time_ns now_ = ns_per_s;
};

TEST_F (registry_tables, what_is_registered_is_told)
{
    open (1, 10);
    EXPECT_EQ (put (1, 10, "calc", "tcp://a:1"), wire::fault_none);
    EXPECT_EQ (put (1, 10, "echo", "tcp://a:1"), wire::fault_none);
    const held_page page = read (table (), "calc", 0);
    EXPECT_TRUE (page.reset ());
    EXPECT_TRUE (page.complete ());
    EXPECT_EQ (page.head.revision, 2u);
    EXPECT_EQ (page.lines (), lines{"+calc@tcp://a:1*10.1"});
    EXPECT_EQ (read (table (), "", 0).lines (), (lines{"+calc@tcp://a:1*10.1", "+echo@tcp://a:1*10.1"}));
    EXPECT_EQ (read (table (), "none", 0).lines (), lines{});
    EXPECT_EQ (table ().providers (), 2u);
    EXPECT_EQ (table ().providers_of (family, "calc"), 1u);
    EXPECT_EQ (table ().providers_of (wire::family_spot, "calc"), 0u);
}

TEST_F (registry_tables, only_what_has_changed_is_told_again)
{
    open (1, 10);
    put (1, 10, "calc", "tcp://a:1");
    put (1, 10, "calc", "tcp://a:2");
    const std::uint64_t seen = table ().revision ();
    EXPECT_EQ (read (table (), "calc", seen).lines (), lines{});
    put (1, 10, "calc", "tcp://a:1", 2);
    table ().drop (1, family, "calc", "tcp://a:2");
    const held_page page = read (table (), "calc", seen);
    EXPECT_FALSE (page.reset ());
    EXPECT_EQ (page.head.since, seen);
    EXPECT_EQ (page.lines (), (lines{"+calc@tcp://a:1*10.2", "-calc@tcp://a:2*10 unregistered"}));
    EXPECT_EQ (read (table (), "calc", 0).lines (), lines{"+calc@tcp://a:1*10.2"})
      << "who knows nothing is not told of what is gone";
}

TEST_F (registry_tables, another_incarnation_or_a_bogus_revision_gets_the_whole)
{
    open (1, 10);
    put (1, 10, "calc", "tcp://a:1");
    EXPECT_TRUE (read (table (), "calc", {.incarnation = incarnation + 1, .since = 1}).reset ());
    EXPECT_TRUE (read (table (), "calc", 2).reset ()) << "a revision that has not been";
    EXPECT_FALSE (read (table (), "calc", 1).reset ());
}

TEST_F (registry_tables, sessions_come_first)
{
    EXPECT_EQ (put (1, 10, "calc", "tcp://a:1"), wire::fault_no_session);
    EXPECT_EQ (table ().renew (now_, 1), wire::fault_no_session);
    EXPECT_EQ (table ().drop (1, family, "calc", "tcp://a:1"), wire::fault_no_session);
    EXPECT_EQ (table ().close (1), wire::fault_no_session);
    EXPECT_EQ (table ().open (now_, 1, 10, "short"), wire::fault_malformed);
    open (1, 10);
    EXPECT_EQ (put (1, 11, "calc", "tcp://a:1"), wire::fault_not_yours);
    EXPECT_EQ (table ().open (now_, 1, 11, token_of (11)), wire::fault_taken) << "one instance a peer";
    EXPECT_EQ (table ().open (now_, 2, 10, token_of (11)), wire::fault_taken) << "with another token";
    EXPECT_EQ (table ().instances (), 1u);
}

TEST_F (registry_tables, nobody_touches_what_is_anothers)
{
    open (1, 10);
    open (2, 20);
    put (1, 10, "calc", "tcp://a:1");
    EXPECT_EQ (put (2, 20, "calc", "tcp://a:1"), wire::fault_taken);
    EXPECT_EQ (table ().drop (2, family, "calc", "tcp://a:1"), wire::fault_not_yours);
    EXPECT_EQ (table ().drop (2, family, "calc", "tcp://a:9"), wire::fault_not_found);
    EXPECT_EQ (read (table (), "calc", 0).lines (), lines{"+calc@tcp://a:1*10.1"});
}

TEST_F (registry_tables, a_lease_that_is_not_renewed_runs_out)
{
    open (1, 10);
    open (2, 20);
    put (1, 10, "calc", "tcp://a:1");
    put (2, 20, "calc", "tcp://b:1");
    const std::uint64_t seen = table ().revision ();
    const base::time_ns first = now_ + lease_ns;
    EXPECT_EQ (table ().next_due (), first);
    now_ += lease_ns / 2;
    EXPECT_EQ (table ().renew (now_, 2), wire::fault_none);
    EXPECT_EQ (table ().expire (first - 1), 0u);
    EXPECT_EQ (table ().expire (first), 1u);
    EXPECT_EQ (read (table (), "calc", seen).lines (), lines{"-calc@tcp://a:1*10 expired"});
    EXPECT_EQ (table ().next_due (), now_ + lease_ns);
    EXPECT_EQ (put (1, 10, "calc", "tcp://a:1"), wire::fault_no_session);
}

TEST_F (registry_tables, a_broken_connection_leaves_the_grace)
{
    open (1, 10);
    put (1, 10, "calc", "tcp://a:1");
    const std::uint64_t seen = table ().revision ();
    table ().peer_gone (now_, 1);
    EXPECT_EQ (table ().next_due (), now_ + lost_grace_ns);
    EXPECT_EQ (table ().expire (now_ + lost_grace_ns), 1u);
    EXPECT_EQ (read (table (), "calc", seen).lines (), lines{"-calc@tcp://a:1*10 lost"});
}

TEST_F (registry_tables, who_comes_back_in_time_loses_nothing)
{
    open (1, 10);
    put (1, 10, "calc", "tcp://a:1");
    const std::uint64_t seen = table ().revision ();
    table ().peer_gone (now_, 1);
    open (2, 10);
    EXPECT_EQ (table ().expire (now_ + lost_grace_ns), 0u);
    EXPECT_EQ (put (2, 10, "calc", "tcp://a:1", 2), wire::fault_none);
    EXPECT_EQ (read (table (), "calc", seen).lines (), lines{"+calc@tcp://a:1*10.2"});
    EXPECT_EQ (table ().renew (now_, 1), wire::fault_no_session);
}

// The old connection is half open: its end has not been noticed.
TEST_F (registry_tables, a_new_connection_takes_over_from_one_that_seems_to_live)
{
    open (1, 10);
    put (1, 10, "calc", "tcp://a:1");
    open (2, 10);
    EXPECT_EQ (table ().renew (now_, 1), wire::fault_no_session);
    table ().peer_gone (now_, 1);
    EXPECT_EQ (table ().next_due (), now_ + lease_ns) << "its end is no longer this instance's";
    EXPECT_EQ (table ().providers (), 1u);
}

TEST_F (registry_tables, a_restarted_provider_takes_its_endpoint_again)
{
    open (1, 10);
    put (1, 10, "calc", "tcp://a:1", 5);
    table ().peer_gone (now_, 1);
    open (2, 20);
    const std::uint64_t seen = table ().revision ();
    EXPECT_EQ (put (2, 20, "calc", "tcp://a:1"), wire::fault_none);
    EXPECT_EQ (read (table (), "calc", seen).lines (), lines{"+calc@tcp://a:1*20.1"});
    EXPECT_EQ (table ().expire (now_ + lost_grace_ns), 1u) << "the old instance, which has nothing left";
    EXPECT_EQ (read (table (), "calc", 0).lines (), lines{"+calc@tcp://a:1*20.1"});
    EXPECT_EQ (table ().providers (), 1u);
}

TEST_F (registry_tables, what_is_older_than_what_is_known_changes_nothing)
{
    open (1, 10);
    put (1, 10, "calc", "tcp://a:1", 5);
    const std::uint64_t seen = table ().revision ();
    EXPECT_EQ (put (1, 10, "calc", "tcp://a:1", 4), wire::fault_none);
    EXPECT_EQ (put (1, 10, "calc", "tcp://a:1", 5), wire::fault_none) << "nor does the same again";
    EXPECT_EQ (table ().revision (), seen);
}

TEST_F (registry_tables, when_it_was_registered_stays)
{
    open (1, 10);
    wire::provider_view told = provider ("calc", "tcp://a:1", 10);
    told.registered_at_ms = 1000;
    table ().put (now_, 1, told);
    told.registered_at_ms = 2000;
    told.version = 2;
    table ().put (now_, 1, told);
    const held_page page = read (table (), "calc", 0);
    wire::registry_entries entries (page.octets);
    wire::registry_entry entry;
    ASSERT_TRUE (entries.next (entry));
    EXPECT_EQ (entry.provider.registered_at_ms, 1000u);
    EXPECT_EQ (entry.provider.version, 2u);
}

TEST_F (registry_tables, who_leaves_takes_all_along)
{
    open (1, 10);
    put (1, 10, "calc", "tcp://a:1");
    put (1, 10, "echo", "tcp://a:1");
    const std::uint64_t seen = table ().revision ();
    EXPECT_EQ (table ().close (1), wire::fault_none);
    EXPECT_EQ (read (table (), "", seen).lines (),
               (lines{"-calc@tcp://a:1*10 unregistered", "-echo@tcp://a:1*10 unregistered"}));
    EXPECT_EQ (table ().next_due (), base::never_ns);
    EXPECT_EQ (table ().instances (), 0u);
}

TEST_F (registry_tables, who_runs_it_may_put_one_out)
{
    open (1, 10);
    put (1, 10, "calc", "tcp://a:1");
    const std::uint64_t seen = table ().revision ();
    EXPECT_EQ (table ().force_out (family, "calc", "tcp://a:2"), wire::fault_not_found);
    EXPECT_EQ (table ().force_out (family, "calc", "tcp://a:1"), wire::fault_none);
    EXPECT_EQ (table ().force_out (family, "calc", "tcp://a:1"), wire::fault_not_found);
    EXPECT_EQ (read (table (), "calc", seen).lines (), lines{"-calc@tcp://a:1*10 forced"});
}

TEST_F (registry_tables, it_settles_when_all_leases_of_before_have_run_out)
{
    remake ({.incarnation = incarnation, .started_ns = 5 * ns_per_s});
    EXPECT_FALSE (table ().settled (5 * ns_per_s));
    EXPECT_FALSE (table ().settled (table ().settles_at () - 1));
    EXPECT_TRUE (table ().settled (table ().settles_at ()));
    EXPECT_GE (table ().settles_at (), 5 * ns_per_s + lease_ns);
}

TEST_F (registry_tables, who_was_there_before_is_remembered_until_it_settles)
{
    EXPECT_EQ (table ().remember (provider ("calc", "tcp://a:1", 10, 7)), wire::fault_none);
    EXPECT_EQ (table ().remember (provider ("calc", "tcp://a:2", 20)), wire::fault_none);
    EXPECT_EQ (table ().remember (provider ("calc", "tcp://a:3", 10)), wire::fault_none);
    EXPECT_EQ (table ().remember (provider ("calc", "tcp://a:1", 30)), wire::fault_taken);
    EXPECT_EQ (table ().providers (), 3u);
    EXPECT_EQ (table ().instances (), 0u) << "nobody has come yet";
    EXPECT_EQ (read (table (), "calc", 0).lines (),
               (lines{"+calc@tcp://a:1*10.0", "+calc@tcp://a:2*20.0", "+calc@tcp://a:3*10.0"}));
    EXPECT_EQ (table ().next_due (), table ().settles_at ());
    open (1, 10);
    EXPECT_EQ (put (1, 10, "calc", "tcp://a:1"), wire::fault_none) << "that comes back";
    open (2, 40);
    EXPECT_EQ (put (2, 40, "calc", "tcp://a:2"), wire::fault_none) << "another process is there now";
    now_ = table ().settles_at () - 1;
    table ().renew (now_, 1);
    table ().renew (now_, 2);
    EXPECT_EQ (table ().expire (now_), 0u);
    const std::uint64_t seen = table ().revision ();
    EXPECT_EQ (table ().expire (++now_), 1u);
    EXPECT_EQ (read (table (), "calc", seen).lines (), lines{"-calc@tcp://a:3*10 expired"})
      << "an instance that has come has not brought it";
    EXPECT_EQ (table ().providers (), 2u);
}

TEST_F (registry_tables, what_is_remembered_has_a_limit_and_follows_the_lease)
{
    remake ({.incarnation = incarnation});
    table ().set_limit (registry_limit::providers, 1);
    EXPECT_EQ (table ().remember (provider ("calc", "tcp://a:1", 10)), wire::fault_none);
    EXPECT_EQ (table ().remember (provider ("calc", "tcp://a:2", 10)), wire::fault_too_many);
    table ().set_lease (ns_per_s);
    EXPECT_EQ (table ().expire (table ().settles_at ()), 1u);
    EXPECT_EQ (table ().remember (provider ("calc", "tcp://a:1", 10)), wire::fault_none) << "and again";
}

TEST_F (registry_tables, limits_are_faults_of_who_wants_more)
{
    remake ({.incarnation = incarnation, .instances_max = 2, .providers_max = 3, .per_instance_max = 2});
    open (1, 10);
    open (2, 20);
    EXPECT_EQ (table ().open (now_, 3, 30, token_of (30)), wire::fault_too_many);
    EXPECT_EQ (put (1, 10, "a", "tcp://a:1"), wire::fault_none);
    EXPECT_EQ (put (1, 10, "b", "tcp://a:1"), wire::fault_none);
    EXPECT_EQ (put (1, 10, "c", "tcp://a:1"), wire::fault_too_many) << "of one instance";
    EXPECT_EQ (put (1, 10, "a", "tcp://a:1", 2), wire::fault_none) << "what is there may change";
    EXPECT_EQ (put (2, 20, "c", "tcp://b:1"), wire::fault_none);
    EXPECT_EQ (put (2, 20, "d", "tcp://b:1"), wire::fault_too_many) << "of all";
    table ().drop (1, family, "a", "tcp://a:1");
    EXPECT_EQ (put (2, 20, "d", "tcp://b:1"), wire::fault_none);
    remake ({.incarnation = incarnation, .bytes_max = 2000});
    open (1, 10);
    unsigned well = 0;
    while (put (1, 10, "a", "tcp://a:" + std::to_string (well)) == wire::fault_none)
        ++well;
    EXPECT_GE (well, 1u);
    EXPECT_LE (well, 4u);
}

TEST_F (registry_tables, who_was_away_too_long_gets_the_whole)
{
    remake ({.incarnation = incarnation, .gone_max = 2});
    open (1, 10);
    put (1, 10, "calc", "tcp://a:0");
    put (1, 10, "calm", "tcp://a:0");
    const std::uint64_t seen = table ().revision ();
    for (int i = 1; i <= 3; ++i) {
        put (1, 10, "calc", "tcp://a:" + std::to_string (i));
        table ().drop (1, family, "calc", "tcp://a:" + std::to_string (i));
    }
    EXPECT_TRUE (read (table (), "calc", seen).reset ());
    EXPECT_EQ (read (table (), "calc", seen).lines (), lines{"+calc@tcp://a:0*10.1"});
    EXPECT_TRUE (read (table (), "", seen).reset ());
    EXPECT_FALSE (read (table (), "calm", seen).reset ()) << "nothing of this one is forgotten";
    EXPECT_EQ (read (table (), "calc", table ().revision () - 1).lines (),
               lines{"-calc@tcp://a:3*10 unregistered"});
}

// The whole is read in pages though its oldest part is older than what is remembered.
TEST_F (registry_tables, the_whole_in_pages_comes_to_an_end)
{
    remake ({.incarnation = incarnation, .gone_max = 1});
    open (1, 10);
    for (const char *const endpoint : {"tcp://a:1", "tcp://a:2", "tcp://a:3"})
        put (1, 10, "calc", endpoint);
    for (int i = 0; i < 3; ++i) {
        put (1, 10, "calc", "tcp://b:1");
        table ().drop (1, family, "calc", "tcp://b:1");
        put (1, 10, "calc", "tcp://b:2");
        table ().drop (1, family, "calc", "tcp://b:2");
    }
    registry_position behind;
    lines all;
    for (int pages = 0; pages < 5; ++pages) {
        const held_page page = read (table (), "calc", behind, 1);
        EXPECT_EQ (page.reset (), pages == 0);
        for (const std::string &line : page.lines ())
            all.push_back (line);
        behind.pass (page.head, table ().revision ());
        if (page.complete ())
            break;
    }
    EXPECT_EQ (behind.since, table ().revision ());
    EXPECT_EQ (behind.base, 0u);
    EXPECT_EQ (all, (lines{"+calc@tcp://a:1*10.1", "+calc@tcp://a:2*10.1", "+calc@tcp://a:3*10.1",
                           "-calc@tcp://b:2*10 unregistered"}));
    // What goes and is forgotten meanwhile begins it anew.
    behind = {};
    behind.pass (read (table (), "calc", behind, 1).head, table ().revision ());
    for (const char *const endpoint : {"tcp://a:1", "tcp://a:2"})
        table ().drop (1, family, "calc", endpoint);
    EXPECT_TRUE (read (table (), "calc", behind, 1).reset ());
}

// A service whose last provider is forgotten leaves nothing, and does not come back
// as if nothing had been.
TEST_F (registry_tables, a_forgotten_service_leaves_nothing)
{
    remake ({.incarnation = incarnation, .gone_max = 1});
    open (1, 10);
    put (1, 10, "a", "tcp://a:1");
    const std::uint64_t seen = table ().revision ();
    table ().drop (1, family, "a", "tcp://a:1");
    put (1, 10, "b", "tcp://a:1");
    table ().drop (1, family, "b", "tcp://a:1");
    EXPECT_EQ (table ().services (), 1u);
    EXPECT_TRUE (read (table (), "a", seen).reset ());
    put (1, 10, "a", "tcp://a:2");
    EXPECT_TRUE (read (table (), "a", seen).reset ()) << "tcp://a:1 is gone, and nothing says so";
    EXPECT_EQ (read (table (), "a", seen).lines (), lines{"+a@tcp://a:2*10.1"});
}

TEST_F (registry_tables, what_is_forgotten_costs_nothing)
{
    remake ({.incarnation = incarnation, .gone_max = 0});
    for (std::uint64_t round = 1; round <= 3; ++round) {
        open (1, round);
        for (int i = 0; i < 20; ++i)
            put (1, round, "calc", "tcp://a:" + std::to_string (i));
        put (1, round, "calc", "tcp://a:1", 2);
        EXPECT_GT (table ().bytes (), 20u * 100u);
        table ().close (1);
        EXPECT_EQ (table ().bytes (), 0u);
        EXPECT_EQ (table ().services (), 0u);
    }
}

TEST_F (registry_tables, changes_are_called_out)
{
    open (1, 10);
    put (1, 10, "a", "tcp://a:1");
    const std::uint64_t seen = table ().revision ();
    put (1, 10, "b", "tcp://a:1");
    table ().drop (1, family, "a", "tcp://a:1");
    std::string heard;
    table ().for_each_since (seen, [&heard] (std::uint16_t, std::string_view service) { heard += service; });
    EXPECT_EQ (heard, "ab");
}

TEST_F (registry_tables, ten_thousand_providers_are_small)
{
    const base::time_ns now = now_;
    for (std::uint64_t instance = 1; instance <= 100; ++instance) {
        open (instance, instance);
        for (int i = 0; i < 100; ++i)
            ASSERT_EQ (
              table ().put (now, instance,
                            provider ("service-" + std::to_string (i + (instance % 10) * 100),
                                      "tcp://10.0.0." + std::to_string (instance) + ":5555", instance)),
              wire::fault_none);
    }
    EXPECT_EQ (table ().providers (), 10'000u);
    EXPECT_EQ (table ().services (), 1'000u);
    EXPECT_LT (table ().bytes (), std::size_t{16} << 20);
    std::size_t pages = 0, entries = 0;
    registry_position behind;
    for (held_page page; !page.complete (); ++pages) {
        page = read (table (), "", behind);
        behind.pass (page.head, table ().revision ());
        ASSERT_EQ (page.reset (), pages == 0);
        entries += page.lines ().size ();
        ASSERT_LT (page.octets.size (), wire::registry_message_bytes_max / 2 + 8192);
    }
    EXPECT_EQ (entries, 10'000u);
    EXPECT_GT (pages, 5u);
}

// --- properties --------------------------------------------------------------------

// Applies pages as the protocol says, and asks for the next.
struct plain_watcher
{
    std::string service;
    registry_position behind{};
    std::set<std::string> there{};
    std::set<std::string> doubted{};
    bool complete = false;

    static std::string key_of (const wire::registry_entry &entry)
    {
        return entry.gone
                 ? std::string (entry.removed.service) + '@' + std::string (entry.removed.endpoint)
                 : std::string (entry.provider.service) + '@' + std::string (entry.provider.endpoint);
    }
    void turn (const registry_table &table, std::size_t bytes_max)
    {
        const held_page page = read (table, service, behind, bytes_max);
        if (page.reset ())
            doubted = there;
        wire::registry_entries entries (page.octets);
        for (wire::registry_entry entry; entries.next (entry);) {
            doubted.erase (key_of (entry));
            if (entry.gone)
                there.erase (key_of (entry));
            else
                there.insert (key_of (entry));
        }
        complete = page.complete ();
        if (complete) {
            for (const std::string &each : doubted)
                there.erase (each);
            doubted.clear ();
        }
        behind.pass (page.head, table.revision ());
    }
};

// Providers that come, go, are killed and come back, as the table has to have it; a
// peer has the number of its instance.
class registry_runs : public testing::TestWithParam<unsigned>
{
  protected:
    void forget (std::uint64_t instance)
    {
        lease_.erase (instance);
        connected_.erase (instance);
        std::erase_if (owner_, [instance] (const auto &each) { return each.second == instance; });
    }
    void expire ()
    {
        table_.expire (now_);
        const std::map<std::uint64_t, base::time_ns> leases = lease_;
        for (const auto &[instance, end] : leases)
            if (end <= now_)
                forget (instance);
    }
    void open (std::uint64_t instance)
    {
        ASSERT_EQ (table_.open (now_, instance, instance, token_of (instance)), wire::fault_none);
        lease_[instance] = now_ + settings_.lease_ns;
        connected_.insert (instance);
    }
    void lose (std::uint64_t instance)
    {
        table_.peer_gone (now_, instance);
        if (connected_.erase (instance) != 0)
            lease_[instance] = std::min (lease_[instance], now_ + settings_.grace_ns);
    }
    void close (std::uint64_t instance)
    {
        const bool good = connected_.contains (instance);
        ASSERT_EQ (table_.close (instance) == wire::fault_none, good);
        if (good)
            forget (instance);
    }
    void drop (std::uint64_t instance, const std::string &service, const std::string &endpoint)
    {
        const auto held = owner_.find (service + '@' + endpoint);
        const bool good = connected_.contains (instance) && held != owner_.end () && held->second == instance;
        ASSERT_EQ (table_.drop (instance, family, service, endpoint) == wire::fault_none, good);
        if (good)
            owner_.erase (held);
    }
    void put (std::uint64_t instance, const std::string &service, const std::string &endpoint)
    {
        const auto held = owner_.find (service + '@' + endpoint);
        const bool free =
          held == owner_.end () || held->second == instance || !connected_.contains (held->second);
        const bool good = connected_.contains (instance) && free;
        const wire::provider_view told = provider (service, endpoint, instance, ++version_);
        ASSERT_EQ (table_.put (now_, instance, told) == wire::fault_none, good);
        if (good)
            owner_[service + '@' + endpoint] = instance;
        if (connected_.contains (instance))
            lease_[instance] = now_ + settings_.lease_ns;
    }
    void turn ()
    {
        now_ += static_cast<base::time_ns> (dice_ () % (ns_per_s / 2));
        expire ();
        const std::uint64_t instance = 1 + dice_ () % 6;
        const std::string service (1, static_cast<char> ('a' + dice_ () % 3));
        const std::string endpoint = "tcp://h:" + std::to_string (1 + dice_ () % 8);
        switch (dice_ () % 8) {
        case 0:
            return open (instance);
        case 1:
            return lose (instance);
        case 2:
            return close (instance);
        case 3:
            return drop (instance, service, endpoint);
        default:
            return put (instance, service, endpoint);
        }
    }
    [[nodiscard]] std::set<std::string> providers_of (const std::string &service) const
    {
        std::set<std::string> keys;
        for (const auto &[key, instance] : owner_)
            if (service.empty () || key.starts_with (service + '@'))
                keys.insert (key);
        return keys;
    }

    std::mt19937 dice_{GetParam ()};
    registry_settings settings_{.incarnation = incarnation, .gone_max = 1 + dice_ () % 20};
    registry_table table_{settings_};
    base::time_ns now_ = 0;
    std::uint64_t version_ = 0;
    std::map<std::string, std::uint64_t> owner_;    // by service and endpoint
    std::map<std::uint64_t, base::time_ns> lease_;  // of instances that are there
    std::set<std::uint64_t> connected_;
};

TEST_P (registry_runs, watchers_of_any_speed_end_with_what_there_is)
{
    std::vector<plain_watcher> watchers;
    for (const char *const service : {"", "a", "b", "c"})
        watchers.push_back ({.service = service});
    for (int round = 0; round < 3000; ++round) {
        turn ();
        if (dice_ () % 4 == 0)
            watchers[dice_ () % watchers.size ()].turn (table_, 1 + dice_ () % 200);
        ASSERT_EQ (table_.providers (), owner_.size ()) << round;
        ASSERT_EQ (table_.instances (), lease_.size ()) << round;
    }
    for (plain_watcher &each : watchers) {
        for (int turns = 0; turns < 1000 && (turns == 0 || !each.complete); ++turns)
            each.turn (table_, 100);
        EXPECT_TRUE (each.complete);
        EXPECT_EQ (each.there, providers_of (each.service)) << each.service;
    }
}
INSTANTIATE_TEST_SUITE_P (seeds, registry_runs, testing::Range (1u, 41u));

TEST_F (registry_tables, what_a_store_has_is_there_until_it_is_disowned)
{
    EXPECT_EQ (table ().adopt (provider ("calc", "tcp://a:1", 10)), wire::fault_none);
    EXPECT_EQ (read (table (), "calc", 0).lines (), lines{"+calc@tcp://a:1*10.1"});
    const std::uint64_t seen = table ().revision ();
    EXPECT_EQ (table ().adopt (provider ("calc", "tcp://a:1", 10)), wire::fault_none);
    EXPECT_EQ (table ().revision (), seen) << "it is known";
    EXPECT_EQ (table ().expire (1000 * ns_per_s), 0u);
    EXPECT_EQ (table ().instances (), 0u);
    table ().disown (family, "calc", "tcp://a:1", wire::removal_expired);
    table ().disown (family, "calc", "tcp://a:1", wire::removal_expired);
    EXPECT_EQ (read (table (), "calc", seen).lines (), lines{"-calc@tcp://a:1*10 expired"});
}

TEST_F (registry_tables, a_provider_here_keeps_what_is_its_own_and_loses_what_a_store_gives_to_another)
{
    table ().adopt (provider ("calc", "tcp://a:1", 10));
    open (1, 10);
    EXPECT_EQ (table ().instance_of (1), 10u);
    EXPECT_EQ (put (1, 10, "calc", "tcp://a:1", 2), wire::fault_none);
    table ().adopt (provider ("calc", "tcp://a:1", 10, 1));
    table ().disown (family, "calc", "tcp://a:1", wire::removal_expired);
    EXPECT_EQ (read (table (), "calc", 0).lines (), lines{"+calc@tcp://a:1*10.2"});
    table ().adopt (provider ("calc", "tcp://a:1", 11));
    EXPECT_EQ (read (table (), "calc", 0).lines (), lines{"+calc@tcp://a:1*11.1"});
    EXPECT_EQ (table ().drop (1, family, "calc", "tcp://a:1"), wire::fault_not_yours);
    EXPECT_FALSE (table ().settled (now_));
    table ().settle ();
    EXPECT_TRUE (table ().settled (0));
}

}  // namespace
}  // namespace zlink::service
