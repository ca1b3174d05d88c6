#include "service/known_services.hpp"

#include <array>
#include <memory>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "service/test_providers.hpp"

namespace zlink::service {
namespace {

using namespace test;
using lines = std::vector<std::string>;
using base::ns_per_s;

constexpr unsigned whole = wire::registry_flag_reset | wire::registry_flag_complete;
constexpr unsigned settled = wire::registry_flag_settled;
constexpr unsigned more = wire::registry_flag_complete | settled;  // of a registry that has settled

// One registry's pages, made by hand.
struct by_hand
{
    std::uint32_t source = 0;
    std::uint64_t of = incarnation;
    std::uint64_t revision = 0;

    page_status tell (known_services &known,
                      unsigned flags,
                      const std::vector<wire::provider_view> &there,
                      const std::vector<wire::removed_view> &gone = {})
    {
        std::vector<std::byte> octets;
        for (const wire::provider_view &each : there)
            wire::append_provider (each, octets);
        for (const wire::removed_view &each : gone)
            wire::append_removed (each, octets);
        wire::registry_message page;
        page.kind = wire::registry_kind::page;
        page.flags = flags;
        page.family = family;
        page.service = "calc";
        page.incarnation = of;
        page.since = (flags & wire::registry_flag_reset) != 0 ? 0 : revision;
        page.revision = revision += 1 + there.size () + gone.size ();
        page.entries = octets;
        return known.apply (source, page);
    }
};

wire::provider_view calc (std::string_view endpoint, std::uint64_t instance, std::uint64_t version = 1)
{
    return provider ("calc", endpoint, instance, version);
}
wire::removed_view calc_gone (std::string_view endpoint, std::uint64_t instance)
{
    return {.family = family,
            .why = wire::removal_lost,
            .service = "calc",
            .endpoint = endpoint,
            .instance = instance};
}

// "tcp://a:1*7.1", and "?" behind what is stale.
lines listed (const known_services &known, std::string_view service = "calc")
{
    lines all;
    known.for_each (family, service,
                    [&all] (std::string_view, std::string_view endpoint, const known_provider &each) {
                        all.push_back (std::string (endpoint) + '*' + std::to_string (each.instance) + '.'
                                       + std::to_string (each.version) + (each.stale ? "?" : ""));
                    });
    return all;
}

lines changed (known_services &known)
{
    lines all;
    for (const service_change &each : known.take_changes ())
        all.push_back (std::string (1, "+~-"[static_cast<int> (each.kind)]) + each.endpoint + '*'
                       + std::to_string (each.instance));
    return all;
}

class known : public testing::Test
{
  protected:
    known ()
    {
        known_.watch (family, "calc");
        known_.connected (0);
        known_.connected (1);
    }
    known_services known_;
    by_hand one_{.source = 0};
    by_hand other_{.source = 1, .of = incarnation + 1};
};

TEST_F (known, what_a_registry_tells)
{
    EXPECT_EQ (one_.tell (known_, whole | settled, {calc ("tcp://a:1", 7)}), page_status::applied);
    EXPECT_EQ (listed (known_), lines{"tcp://a:1*7.1"});
    EXPECT_EQ (changed (known_), lines{"+tcp://a:1*7"});
    EXPECT_EQ (changed (known_), lines{});
    one_.tell (known_, more, {calc ("tcp://a:1", 7, 2), calc ("tcp://b:1", 8)});
    EXPECT_EQ (listed (known_), (lines{"tcp://a:1*7.2", "tcp://b:1*8.1"}));
    EXPECT_EQ (changed (known_), (lines{"~tcp://a:1*7", "+tcp://b:1*8"}));
    one_.tell (known_, more, {}, {calc_gone ("tcp://a:1", 7)});
    EXPECT_EQ (listed (known_), lines{"tcp://b:1*8.1"});
    EXPECT_EQ (changed (known_), lines{"-tcp://a:1*7"});
    EXPECT_EQ (known_.count (family, "calc"), 1u);
    EXPECT_EQ (known_.count (family, "none"), 0u);
}

TEST_F (known, all_that_a_provider_says_of_itself)
{
    wire::provider_view told = calc ("tcp://a:1", 7, 3);
    told.weight = 5;
    told.host = "h";
    told.zone = "z";
    told.labels = std::string_view ("\1r\0\1x", 5);
    told.registered_at_ms = 1000;
    one_.tell (known_, whole | settled, {told});
    known_.for_each (family, "calc",
                     [] (std::string_view service, std::string_view endpoint, const known_provider &each) {
                         EXPECT_EQ (service, "calc");
                         EXPECT_EQ (endpoint, "tcp://a:1");
                         EXPECT_EQ (each, (known_provider{.instance = 7,
                                                          .version = 3,
                                                          .registered_at_ms = 1000,
                                                          .weight = 5,
                                                          .source = 0,
                                                          .stale = false,
                                                          .host = "h",
                                                          .zone = "z",
                                                          .labels = std::string ("\1r\0\1x", 5)}));
                     });
}

TEST_F (known, a_gap_is_seen)
{
    one_.tell (known_, whole | settled, {calc ("tcp://a:1", 7)});
    const registry_position at = known_.position (0, family, "calc");
    EXPECT_EQ (at.incarnation, incarnation);
    EXPECT_EQ (at.since, one_.revision);
    one_.revision += 5;
    EXPECT_EQ (one_.tell (known_, more, {}, {calc_gone ("tcp://a:1", 7)}), page_status::gap);
    EXPECT_EQ (listed (known_), lines{"tcp://a:1*7.1"}) << "nothing of it is taken";
    EXPECT_EQ (known_.position (0, family, "calc").since, at.since);
    one_.revision = at.since;
    one_.of += 1;
    EXPECT_EQ (one_.tell (known_, more, {}), page_status::gap) << "another incarnation, without a reset";
}

TEST_F (known, what_was_told_before_is_ignored)
{
    one_.tell (known_, whole | settled, {calc ("tcp://a:1", 7)});
    one_.tell (known_, more, {}, {calc_gone ("tcp://a:1", 7)});
    by_hand late{.source = 0, .revision = 0};
    EXPECT_EQ (late.tell (known_, more, {calc ("tcp://a:1", 7)}), page_status::ignored);
    EXPECT_EQ (listed (known_), lines{});
    wire::registry_message unwatched;
    unwatched.family = wire::family_spot;
    EXPECT_EQ (known_.apply (0, unwatched), page_status::ignored);
    EXPECT_EQ (by_hand{.source = 9}.tell (known_, whole, {}), page_status::ignored) << "nobody knows it";
}

TEST_F (known, what_was_not_asked_for_is_not_taken)
{
    EXPECT_EQ (one_.tell (known_, whole, {provider ("echo", "tcp://a:1", 7)}), page_status::malformed);
    wire::provider_view spot = calc ("tcp://a:1", 7);
    spot.family = wire::family_spot;
    EXPECT_EQ (one_.tell (known_, whole, {spot}), page_status::malformed);
    EXPECT_EQ (listed (known_), lines{});
}

// Nothing is gone because a registry is.
TEST_F (known, the_last_good_list_stays_and_is_stale)
{
    const auto facts = [this] (base::time_ns now) { return known_.facts (now, family, "calc"); };
    EXPECT_EQ (facts (0).age_ns, base::never_ns);
    one_.tell (known_, whole | settled, {calc ("tcp://a:1", 7)});
    EXPECT_EQ (facts (5 * ns_per_s).age_ns, 0);
    EXPECT_EQ (facts (5 * ns_per_s).fresh, 1u);
    EXPECT_TRUE (facts (0).settled);
    known_.lost (5 * ns_per_s, 0);
    EXPECT_EQ (listed (known_), lines{"tcp://a:1*7.1?"});
    EXPECT_EQ (facts (7 * ns_per_s).age_ns, 2 * ns_per_s);
    EXPECT_EQ (facts (7 * ns_per_s).fresh, 0u);
    EXPECT_FALSE (facts (0).settled);
    EXPECT_EQ (one_.tell (known_, more, {}), page_status::ignored) << "it is not connected";
}

TEST_F (known, a_registry_that_comes_back_goes_on_where_it_was)
{
    one_.tell (known_, whole | settled, {calc ("tcp://a:1", 7), calc ("tcp://b:1", 8)});
    known_.lost (0, 0);
    known_.connected (0);
    EXPECT_EQ (listed (known_), (lines{"tcp://a:1*7.1?", "tcp://b:1*8.1?"})) << "before it has said anything";
    one_.tell (known_, more, {}, {calc_gone ("tcp://b:1", 8)});
    EXPECT_EQ (listed (known_), lines{"tcp://a:1*7.1"});
}

TEST_F (known, a_restarted_registry_takes_nobody_away_before_it_has_settled)
{
    one_.tell (known_, whole | settled, {calc ("tcp://a:1", 7), calc ("tcp://b:1", 8)});
    known_.lost (0, 0);
    known_.connected (0);
    one_ = {.source = 0, .of = incarnation + 5};
    one_.tell (known_, whole, {calc ("tcp://a:1", 7)});
    EXPECT_EQ (listed (known_), (lines{"tcp://a:1*7.1", "tcp://b:1*8.1?"}));
    one_.tell (known_, wire::registry_flag_complete, {calc ("tcp://c:1", 9)});
    EXPECT_EQ (known_.count (family, "calc"), 3u);
    one_.tell (known_, more, {});
    EXPECT_EQ (listed (known_), (lines{"tcp://a:1*7.1", "tcp://c:1*9.1"}));
}

TEST_F (known, a_whole_list_in_pages_takes_nobody_away_before_its_end)
{
    one_.tell (known_, whole | settled,
               {calc ("tcp://a:1", 7), calc ("tcp://b:1", 8), calc ("tcp://c:1", 9)});
    one_.tell (known_, wire::registry_flag_reset | settled, {calc ("tcp://a:1", 7)});
    EXPECT_EQ (known_.count (family, "calc"), 3u);
    one_.tell (known_, more, {calc ("tcp://c:1", 9)});
    EXPECT_EQ (listed (known_), (lines{"tcp://a:1*7.1", "tcp://c:1*9.1"}));
}

// --- several registries -------------------------------------------------------------

TEST_F (known, several_are_united)
{
    one_.tell (known_, whole | settled, {calc ("tcp://a:1", 7), calc ("tcp://b:1", 8)});
    other_.tell (known_, whole | settled, {calc ("tcp://b:1", 8, 2), calc ("tcp://c:1", 9)});
    EXPECT_EQ (listed (known_), (lines{"tcp://a:1*7.1", "tcp://b:1*8.2", "tcp://c:1*9.1"}));
    one_.tell (known_, more, {}, {calc_gone ("tcp://b:1", 8)});
    EXPECT_EQ (known_.count (family, "calc"), 3u) << "the other one lists it";
    other_.tell (known_, more, {}, {calc_gone ("tcp://b:1", 8)});
    EXPECT_EQ (listed (known_), (lines{"tcp://a:1*7.1", "tcp://c:1*9.1"}));
    EXPECT_EQ (known_.facts (0, family, "calc").fresh, 2u);
}

TEST_F (known, the_later_version_of_one_instance_counts)
{
    other_.tell (known_, whole | settled, {calc ("tcp://a:1", 7, 5)});
    one_.tell (known_, whole | settled, {calc ("tcp://a:1", 7, 4)});
    EXPECT_EQ (listed (known_), lines{"tcp://a:1*7.5"});
    one_.tell (known_, more, {calc ("tcp://a:1", 9, 1)});
    EXPECT_EQ (listed (known_), lines{"tcp://a:1*9.1"}) << "of another instance the one told last";
}

TEST_F (known, one_registry_dies_and_nobody_with_it)
{
    one_.tell (known_, whole | settled, {calc ("tcp://a:1", 7)});
    other_.tell (known_, whole | settled, {calc ("tcp://a:1", 7)});
    (void)known_.take_changes ();
    known_.lost (0, 0);
    EXPECT_EQ (listed (known_), lines{"tcp://a:1*7.1"});
    for (const std::string &each : changed (known_))
        EXPECT_EQ (each[0], '~') << "who says so may change, nothing else";
}

TEST_F (known, who_is_fresh_and_settled_knows_better)
{
    one_.tell (known_, whole | settled, {calc ("tcp://a:1", 7), calc ("tcp://b:1", 8)});
    other_.tell (known_, whole | settled, {calc ("tcp://a:1", 7)});
    known_.lost (0, 0);
    EXPECT_EQ (listed (known_), lines{"tcp://a:1*7.1"}) << "b is known to a registry that is gone";
    known_.lost (0, 1);
    EXPECT_EQ (listed (known_), lines{"tcp://a:1*7.1?"}) << "and does not come back when nobody is left";
    known_.connected (0);
    one_.tell (known_, more, {});
    EXPECT_EQ (listed (known_), (lines{"tcp://a:1*7.1", "tcp://b:1*8.1"}))
      << "it has been there all the time";
}

TEST_F (known, who_says_that_it_is_gone_is_believed_before_who_is_stale)
{
    one_.tell (known_, whole | settled, {calc ("tcp://a:1", 7), calc ("tcp://b:1", 8)});
    other_.tell (known_, whole, {calc ("tcp://a:1", 7), calc ("tcp://b:1", 8)});
    known_.lost (0, 0);
    other_.tell (known_, wire::registry_flag_complete, {}, {calc_gone ("tcp://b:1", 8)});
    EXPECT_EQ (listed (known_), lines{"tcp://a:1*7.1"}) << "though the other one has not settled";
    known_.lost (0, 1);
    EXPECT_EQ (listed (known_), lines{"tcp://a:1*7.1?"});
}

TEST_F (known, who_lists_it_again_is_believed_before_who_said_that_it_was_gone)
{
    one_.tell (known_, whole, {calc ("tcp://a:1", 7)});
    other_.tell (known_, whole, {calc ("tcp://a:1", 7)});
    one_.tell (known_, wire::registry_flag_complete, {}, {calc_gone ("tcp://a:1", 7)});
    other_.tell (known_, wire::registry_flag_complete, {calc ("tcp://a:1", 7, 2)});
    known_.lost (0, 1);
    EXPECT_EQ (listed (known_), lines{"tcp://a:1*7.2?"});
}

TEST_F (known, a_source_that_is_forgotten_has_no_say)
{
    one_.tell (known_, whole | settled, {calc ("tcp://a:1", 7)});
    other_.tell (known_, whole | settled, {calc ("tcp://b:1", 8)});
    known_.forget (0);
    EXPECT_EQ (listed (known_), lines{"tcp://b:1*8.1"});
    EXPECT_EQ (one_.tell (known_, more, {}), page_status::ignored);
}

TEST_F (known, watches_have_lists_of_their_own)
{
    known_.watch (family, "");
    one_.tell (known_, whole | settled, {calc ("tcp://a:1", 7)});
    std::vector<std::byte> octets;
    wire::append_provider (calc ("tcp://a:1", 7), octets);
    wire::append_provider (provider ("echo", "tcp://a:1", 7), octets);
    wire::registry_message page;
    page.kind = wire::registry_kind::page;
    page.flags = whole | settled;
    page.family = family;
    page.incarnation = incarnation;
    page.revision = 4;
    page.entries = octets;
    EXPECT_EQ (known_.apply (0, page), page_status::applied);
    EXPECT_EQ (listed (known_, "echo"), lines{"tcp://a:1*7.1"});
    EXPECT_EQ (known_.count (family, ""), 2u);
    known_.unwatch (family, "calc");
    EXPECT_EQ (listed (known_), lines{"tcp://a:1*7.1"}) << "from the watch of all";
    known_.unwatch (family, "");
    EXPECT_EQ (listed (known_), lines{});
    known_.unwatch (family, "");
}

TEST_F (known, there_is_a_limit)
{
    known_services small (2);
    small.watch (family, "calc");
    small.connected (0);
    EXPECT_EQ (one_.tell (small, whole | settled, {calc ("tcp://a:1", 7), calc ("tcp://b:1", 7)}),
               page_status::applied);
    EXPECT_EQ (one_.tell (small, more, {calc ("tcp://c:1", 7)}), page_status::too_many);
    EXPECT_EQ (small.count (family, "calc"), 2u);
}

// --- properties --------------------------------------------------------------------

// Registries that restart, links that break, providers that come and go: one of the
// providers is always there and registers wherever it can.
class known_runs : public testing::TestWithParam<unsigned>
{
  protected:
    static constexpr std::uint64_t healthy = 1;
    struct registry
    {
        std::unique_ptr<registry_table> table;
        registry_position told{};  // as the registry has it, of the one watcher
        bool connected = false;
    };

    void restart (std::uint32_t which)
    {
        cut (which);
        registry &of = registries_[which];
        of.table = std::make_unique<registry_table> (
          registry_settings{.incarnation = ++drawn_, .started_ns = now_, .gone_max = 1 + dice_ () % 4});
    }
    void cut (std::uint32_t which)
    {
        registries_[which].connected = false;
        known_.lost (now_, which);
    }
    void join (std::uint32_t which)
    {
        known_.connected (which);
        registries_[which].connected = true;
        registries_[which].told = known_.position (which, family, "calc");
    }
    void put (registry &at, std::uint64_t instance)
    {
        ASSERT_EQ (at.table->open (now_, instance, instance, token_of (instance)), wire::fault_none);
        const std::string endpoint = "tcp://h:" + std::to_string (instance);
        ASSERT_EQ (at.table->put (now_, instance, provider ("calc", endpoint, instance, ++version_)),
                   wire::fault_none);
    }
    // The registry tells one page more.
    bool tell (std::uint32_t which, std::size_t bytes_max)
    {
        registry &of = registries_[which];
        held_page page = read (*of.table, "calc", of.told, bytes_max);
        page.head.flags |= of.table->settled (now_) ? settled : 0;
        of.told.pass (page.head, of.table->revision ());
        const page_status status = known_.apply (which, page.whole ());
        EXPECT_EQ (status, page_status::applied);
        return page.complete ();
    }
    void turn ()
    {
        now_ += static_cast<base::time_ns> (dice_ () % ns_per_s);
        const auto which = static_cast<std::uint32_t> (dice_ () % registries_.size ());
        registry &of = registries_[which];
        for (registry &each : registries_) {
            if (dice_ () % 2 == 0)  // so that it is a while before a restarted one has it
                put (each, healthy);
            each.table->expire (now_);
        }
        const std::uint64_t instance = 2 + dice_ () % 6;
        switch (dice_ () % 10) {
        case 0:
            return dice_ () % 4 == 0 ? restart (which) : cut (which);
        case 1:
        case 2:
            return join (which);
        case 3:
        case 4:
            for (registry &each : registries_)
                put (each, instance);
            return;
        case 5:
            for (registry &each : registries_)
                each.table->close (instance);
            return;
        default:
            if (of.connected)
                tell (which, 1 + dice_ () % 300);
        }
    }
    [[nodiscard]] std::set<std::string> endpoints () const
    {
        std::set<std::string> all;
        known_.for_each (family, "calc",
                         [&all] (auto, std::string_view endpoint, auto &) { all.emplace (endpoint); });
        return all;
    }

    std::mt19937 dice_{GetParam ()};
    base::time_ns now_ = 0;
    std::uint64_t drawn_ = 100;
    std::uint64_t version_ = 0;
    std::array<registry, 3> registries_;
    known_services known_;
};

TEST_P (known_runs, the_healthy_are_never_gone_and_all_agree_in_the_end)
{
    known_.watch (family, "calc");
    for (std::uint32_t i = 0; i < registries_.size (); ++i)
        restart (i);
    bool seen = false;
    for (int round = 0; round < 2000; ++round) {
        turn ();
        seen |= endpoints ().contains ("tcp://h:1");
        ASSERT_EQ (endpoints ().contains ("tcp://h:1"), seen) << round;
    }
    ASSERT_TRUE (seen);
    now_ += 2 * lease_ns;
    for (std::uint32_t i = 0; i < registries_.size (); ++i) {
        registries_[i].table->expire (now_);
        put (registries_[i], healthy);
        put (registries_[i], 5);
        join (i);
        while (!tell (i, 100)) {}
    }
    EXPECT_EQ (endpoints (), (std::set<std::string>{"tcp://h:1", "tcp://h:5"}));
    EXPECT_EQ (known_.facts (now_, family, "calc").fresh, registries_.size ());
    for (const std::string &each : listed (known_))
        EXPECT_NE (each.back (), '?');
}
INSTANTIATE_TEST_SUITE_P (seeds, known_runs, testing::Range (1u, 61u));

}  // namespace
}  // namespace zlink::service
