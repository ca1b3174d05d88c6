// Registries and discovery of the C++ interface.
#include <algorithm>
#include <atomic>
#include <mutex>

#include <gtest/gtest.h>

#include "support/waiting.hpp"
#include "zlink/discovery.hpp"
#include "zlink/gateway.hpp"
#include "zlink/receiver.hpp"
#include "zlink/registry.hpp"
#include "zlink/zlink.hpp"

namespace zlink {
namespace {

constexpr const char *elsewhere = "tcp://10.1.0.7:5555";

registered_provider earlier ()
{
    registered_provider made;
    made.service = "calc";
    made.endpoint = elsewhere;
    made.instance = 7;
    made.weight = 3;
    made.host = "there";
    made.registered_at =
      std::chrono::system_clock::time_point (std::chrono::milliseconds (1'700'000'000'123));
    return made;
}

struct cpp_registries : testing::Test
{
    void begin ()
    {
        place = knows.bind ("tcp://127.0.0.1:*");
        looks.connect_registry (place.c_str ());
        looks.watch ("calc");
    }
    service_receiver provider ()
    {
        service_receiver made (own);
        where = made.bind ("tcp://127.0.0.1:*");
        made.connect_registry (place.c_str ());
        made.offer ("calc");
        return made;
    }

    context own;
    registry knows{own};
    discovery looks{own};
    std::string place, where;
};

TEST_F (cpp_registries, find_who_is_there)
{
    knows.set (options::backlog, 10);
    knows.set_lease (std::chrono::seconds (20), std::chrono::seconds (5));
    knows.set_limit (registry_limit::providers, 10);
    knows.add_peer ("tcp://127.0.0.1:1");
    looks.set (options::reconnect_ivl, std::chrono::milliseconds (5));
    EXPECT_EQ (looks.status ("calc").age, std::nullopt);
    EXPECT_FALSE (looks.wait ("calc", 1, std::chrono::milliseconds (1)));
    begin ();
    const service_receiver by = provider ();
    ASSERT_TRUE (looks.wait ("calc", 1));
    const std::vector<provider_info> found = looks.providers ("calc");
    ASSERT_EQ (found.size (), 1u);
    EXPECT_EQ (found[0].service, "calc");
    EXPECT_EQ (found[0].endpoint, where);
    EXPECT_EQ (found[0].weight, 1u);
    EXPECT_NE (found[0].instance, 0u);
    EXPECT_GT (found[0].registered_at.time_since_epoch ().count (), 0);
    EXPECT_EQ (looks.count ("calc"), 1u);
    EXPECT_TRUE (looks.providers ("other").empty ());
    EXPECT_EQ (looks.status ("calc").age, std::chrono::milliseconds (0));
    EXPECT_EQ (looks.status ("calc").registries, 1u);
    const std::vector<registered_provider> all = knows.providers ();
    ASSERT_EQ (all.size (), 1u);
    EXPECT_EQ (all[0].instance, found[0].instance);
    EXPECT_TRUE (all[0].confirmed);
    EXPECT_EQ (knows.info ().providers, 1u);
    EXPECT_FALSE (knows.remove ("calc", elsewhere));
    EXPECT_TRUE (knows.remove ("calc", where.c_str ()));
    EXPECT_TRUE (looks.unwatch ("calc"));
    EXPECT_FALSE (looks.unwatch ("calc"));
}

TEST_F (cpp_registries, refuse_what_is_wrong)
{
    const auto why = [] (auto call) {
        try {
            call ();
        } catch (const failure &failed) {
            return failed.why ();
        }
        return errc{};
    };
    EXPECT_EQ (why ([&] { knows.set_lease (std::chrono::seconds (1), std::chrono::seconds (1)); }),
               errc::invalid_argument);
    EXPECT_EQ (why ([&] { knows.add_peer ("nowhere"); }), errc::invalid_argument);
    EXPECT_EQ (why ([&] { (void)knows.bind ("nowhere"); }), errc::invalid_argument);
    knows.remember (earlier ());
    EXPECT_EQ (why ([&] { knows.remember (earlier ()); }), errc::address_in_use);
    begin ();
    EXPECT_EQ (why ([&] { knows.on_event ([] (const registry_event &) {}); }), errc::wrong_state);
    EXPECT_EQ (why ([&] { knows.set_limit (registry_limit::bytes, 1); }), errc::wrong_state);
    EXPECT_EQ (looks.watch (std::nothrow, std::string (256, 'x').c_str ()).error (), errc::invalid_argument);
    EXPECT_FALSE (looks.connect_registry (std::nothrow, "nowhere"));
}

TEST_F (cpp_registries, tell_what_happens_and_what_an_earlier_one_knew)
{
    std::mutex lock;
    std::vector<registry_event> heard;
    const auto has = [&] (registry_event_kind kind, const std::string &endpoint, bool confirmed) {
        const std::lock_guard guard (lock);
        return std::ranges::any_of (heard, [&] (const registry_event &each) {
            return each.kind == kind && each.about.endpoint == endpoint && each.about.confirmed == confirmed;
        });
    };
    knows.on_event ([&] (const registry_event &what) {
        const std::lock_guard guard (lock);
        heard.push_back (what);
    });
    knows.remember (earlier ());
    begin ();
    ASSERT_TRUE (looks.wait ("calc", 1)) << "also who is only remembered";
    EXPECT_TRUE (test::eventually ([&] { return has (registry_event_kind::provider, elsewhere, false); }));
    const std::vector<registered_provider> all = knows.providers ();
    ASSERT_EQ (all.size (), 1u);
    EXPECT_FALSE (all[0].confirmed);
    EXPECT_EQ (all[0].host, "there");
    EXPECT_EQ (all[0].instance, 7u);
    EXPECT_EQ (all[0].weight, 3u);
    EXPECT_EQ (all[0].registered_at, earlier ().registered_at);
    {
        const service_receiver by = provider ();
        EXPECT_TRUE (test::eventually ([&] { return has (registry_event_kind::provider, where, true); }));
    }
    EXPECT_TRUE (test::eventually ([&] {
        const std::lock_guard guard (lock);
        return std::ranges::any_of (heard, [] (const registry_event &each) {
            return each.kind == registry_event_kind::gone && each.reason == ZLINK_GONE_UNREGISTERED
                   && each.reason_text == "unregistered";
        });
    }));
    // The handler's end is the registry's, which is before what it writes to.
    knows = registry (own);
}

TEST_F (cpp_registries, changes_are_told_to_handlers)
{
    std::atomic<int> came{0}, gone{0};
    looks.on_change ([&] (provider_change &&what) {
        EXPECT_EQ (what.service, "calc");
        (what.what == provider_event::gone ? gone : came) += 1;
    });
    begin ();
    {
        const service_receiver by = provider ();
        EXPECT_TRUE (test::eventually ([&] { return came > 0; }));
    }
    EXPECT_TRUE (test::eventually ([&] { return gone == 1; }));
    looks.on_change ({});
}

TEST_F (cpp_registries, changes_are_awaited)
{
    inline_executor here;
    provider_changes changes (looks, here);
    std::atomic<int> came{0}, gone{0};
    const auto watches = [&] () -> task<> {
        while (const std::optional<provider_change> each = co_await changes.next ())
            (each->what == provider_event::gone ? gone : came) += 1;
    };
    loop<> runs;
    runs.spawn (watches ());
    begin ();
    {
        const service_receiver by = provider ();
        EXPECT_TRUE (test::eventually ([&] { return came > 0; }));
    }
    EXPECT_TRUE (test::eventually ([&] { return gone == 1; }));
    changes.stop ();
    runs.run_until_done ();
}

TEST_F (cpp_registries, changes_that_nobody_awaits_come_to_one_for_each_provider)
{
    inline_executor here;
    provider_changes changes (looks, here);
    begin ();
    for (int round = 0; round < 3; ++round) {
        const service_receiver by = provider ();
        ASSERT_TRUE (looks.wait ("calc", 1));
    }
    const service_receiver last = provider ();
    // The last of them is the last to be told.
    std::vector<provider_change> told;
    const auto reads = [&] () -> task<> {
        while (told.empty () || told.back ().endpoint != where)
            told.push_back (*co_await changes.next ());
    };
    loop<> runs;
    runs.spawn (reads ());
    runs.run_until_done ();
    EXPECT_EQ (told.back ().what, provider_event::came);
    EXPECT_LE (told.size (), 4u + 3u);
    changes.stop ();
    EXPECT_TRUE (test::eventually ([&] { return looks.count ("calc") >= 1; }));
}

TEST_F (cpp_registries, gateways_ask_who_was_found)
{
    begin ();
    service_receiver by = provider ();
    gateway asks (own, looks.handle ());
    std::vector<message> parts = parts_of (std::string_view ("a word"));
    asks.send ("calc", parts);
    const std::optional<request> got = by.receive ();
    ASSERT_TRUE (got);
    EXPECT_TRUE (got->one_way ());
}

}  // namespace
}  // namespace zlink
