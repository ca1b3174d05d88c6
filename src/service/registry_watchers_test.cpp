#include "service/registry_watchers.hpp"

#include <deque>
#include <map>
#include <memory>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "service/known_services.hpp"
#include "service/test_providers.hpp"

namespace zlink::service {
namespace {

using namespace test;
using lines = std::vector<std::string>;
using base::ns_per_s;

class watchers : public testing::Test
{
  protected:
    watchers () { (void)table_.open (0, 1, 10, token_of (10)); }
    void put (std::string_view service, std::string_view endpoint)
    {
        ASSERT_EQ (table_.put (0, 1, provider (service, endpoint, 10, ++version_)), wire::fault_none);
        watchers_.note (table_);
    }
    void watch (std::uint64_t peer, std::string_view service)
    {
        ASSERT_EQ (watchers_.watch (peer, family, service, 0, 0), wire::fault_none);
    }
    // The next page, "peer: entries"; empty: there is none.
    std::string page ()
    {
        const std::optional<watch_page> next = watchers_.next (0, table_);
        if (!next)
            return {};
        EXPECT_EQ (wire::decode_registry_message (next->octets, read_), wire::service_status::complete);
        same_ = next->same;
        std::string text = std::to_string (next->peer) + ':';
        for (const std::string &line : lines_of (read_.entries))
            text += ' ' + line;
        return text;
    }
    void seen (std::uint64_t peer) { watchers_.seen (peer, family, read_.service, read_.revision); }

    registry_table table_{{.incarnation = incarnation}};
    registry_watchers watchers_;
    wire::registry_message read_;
    std::uint64_t version_ = 0;
    bool same_ = false;
};

TEST_F (watchers, get_the_whole_and_then_what_changes)
{
    put ("calc", "tcp://a:1");
    put ("echo", "tcp://a:1");
    watch (5, "calc");
    EXPECT_EQ (page (), "5: +calc@tcp://a:1*10.1");
    EXPECT_EQ (read_.flags, wire::registry_flag_reset | wire::registry_flag_complete);
    EXPECT_EQ (page (), "");
    seen (5);
    put ("echo", "tcp://a:2");
    EXPECT_EQ (page (), "") << "of another service";
    put ("calc", "tcp://a:2");
    EXPECT_EQ (page (), "5: +calc@tcp://a:2*10.4");
    EXPECT_EQ (read_.flags, wire::registry_flag_complete);
}

TEST_F (watchers, of_nothing_get_an_empty_page)
{
    watch (5, "calc");
    EXPECT_EQ (page (), "5:");
    EXPECT_EQ (page (), "");
}

TEST_F (watchers, that_have_not_seen_a_page_get_no_other)
{
    watch (5, "calc");
    EXPECT_EQ (page (), "5:");
    put ("calc", "tcp://a:1");
    put ("calc", "tcp://a:1");
    EXPECT_EQ (page (), "");
    watchers_.seen (5, family, "calc", read_.revision + 9);
    watchers_.seen (5, family, "echo", read_.revision);
    watchers_.seen (6, family, "calc", read_.revision);
    EXPECT_EQ (page (), "") << "none of these was under way";
    seen (5);
    EXPECT_EQ (page (), "5: +calc@tcp://a:1*10.2") << "states in between are not told";
}

TEST_F (watchers, share_pages)
{
    put ("calc", "tcp://a:1");
    for (std::uint64_t peer = 1; peer <= 100; ++peer)
        watch (peer, "calc");
    for (std::uint64_t peer = 1; peer <= 100; ++peer) {
        EXPECT_EQ (page (), std::to_string (peer) + ": +calc@tcp://a:1*10.1");
        EXPECT_EQ (same_, peer > 1);
        seen (peer);
    }
    EXPECT_EQ (watchers_.written (), 1u);
    put ("calc", "tcp://a:2");
    while (!page ().empty ()) {}
    EXPECT_EQ (watchers_.written (), 2u);
}

TEST_F (watchers, of_all_services)
{
    put ("calc", "tcp://a:1");
    watch (5, "");
    EXPECT_EQ (page (), "5: +calc@tcp://a:1*10.1");
    seen (5);
    put ("echo", "tcp://a:1");
    EXPECT_EQ (page (), "5: +echo@tcp://a:1*10.2");
}

TEST_F (watchers, go_on_where_they_were)
{
    put ("calc", "tcp://a:1");
    const std::uint64_t revision = table_.revision ();
    put ("calc", "tcp://a:2");
    ASSERT_EQ (watchers_.watch (5, family, "calc", incarnation, revision), wire::fault_none);
    EXPECT_EQ (page (), "5: +calc@tcp://a:2*10.2");
    EXPECT_EQ (read_.since, revision);
    ASSERT_EQ (watchers_.watch (5, family, "calc", incarnation, table_.revision ()), wire::fault_none);
    EXPECT_EQ (page (), "5:") << "so that it knows that it is fresh";
    watch (5, "calc");
    EXPECT_EQ (page (), "5: +calc@tcp://a:1*10.1 +calc@tcp://a:2*10.2") << "asked for anew";
    EXPECT_EQ (watchers_.size (), 1u);
}

TEST_F (watchers, are_told_when_it_has_settled)
{
    watch (5, "calc");
    EXPECT_EQ (page (), "5:");
    watchers_.tell_all ();
    EXPECT_EQ (page (), "") << "not before the page under way is seen";
    seen (5);
    const std::optional<watch_page> next = watchers_.next (table_.settles_at (), table_);
    ASSERT_TRUE (next.has_value ());
    ASSERT_EQ (wire::decode_registry_message (next->octets, read_), wire::service_status::complete);
    EXPECT_NE (read_.flags & wire::registry_flag_settled, 0u);
}

TEST_F (watchers, that_leave_get_nothing)
{
    watch (5, "calc");
    watch (5, "echo");
    watch (6, "calc");
    EXPECT_EQ (watchers_.unwatch (5, family, "none"), wire::fault_not_found);
    EXPECT_EQ (watchers_.unwatch (5, family, "echo"), wire::fault_none);
    EXPECT_EQ (watchers_.unwatch (5, family, "echo"), wire::fault_not_found);
    watchers_.peer_gone (5);
    watchers_.peer_gone (5);
    EXPECT_EQ (watchers_.size (), 1u);
    EXPECT_EQ (page (), "6:");
    seen (6);
    put ("calc", "tcp://a:1");
    EXPECT_EQ (page (), "6: +calc@tcp://a:1*10.1");
    EXPECT_EQ (page (), "");
}

// What takes the place of a service in memory is another one.
TEST_F (watchers, pages_are_not_those_of_a_service_that_nobody_watches_any_more)
{
    put ("calc", "tcp://a:1");
    watch (5, "calc");
    EXPECT_EQ (page (), "5: +calc@tcp://a:1*10.1");
    EXPECT_EQ (watchers_.unwatch (5, family, "calc"), wire::fault_none);
    watch (5, "echo");
    EXPECT_EQ (page (), "5:");
    EXPECT_EQ (read_.service, "echo");
}

TEST_F (watchers, are_limited)
{
    registry_watchers few ({.per_peer = 2, .all = 3});
    EXPECT_EQ (few.watch (5, family, "a", 0, 0), wire::fault_none);
    EXPECT_EQ (few.watch (5, family, "b", 0, 0), wire::fault_none);
    EXPECT_EQ (few.watch (5, family, "c", 0, 0), wire::fault_too_many);
    EXPECT_EQ (few.watch (5, family, "a", 0, 0), wire::fault_none) << "it watches that already";
    EXPECT_EQ (few.watch (6, family, "a", 0, 0), wire::fault_none);
    EXPECT_EQ (few.watch (7, family, "a", 0, 0), wire::fault_too_many);
    few.peer_gone (5);
    EXPECT_EQ (few.watch (7, family, "a", 0, 0), wire::fault_none);
}

// A hundred watchers of ten thousand providers, and one change: what has to be written.
TEST_F (watchers, a_hundred_of_ten_thousand_providers)
{
    for (int i = 0; i < 10'000; ++i)
        ASSERT_EQ (
          table_.put (0, 1, provider ("s" + std::to_string (i % 1000), "tcp://a:" + std::to_string (i), 10)),
          wire::fault_none);
    watchers_.note (table_);
    for (std::uint64_t peer = 1; peer <= 100; ++peer)
        watch (peer, "");
    std::size_t pages = 0;
    for (std::optional<watch_page> next = watchers_.next (0, table_); next;
         next = watchers_.next (0, table_)) {
        ASSERT_EQ (wire::decode_registry_message (next->octets, read_), wire::service_status::complete);
        seen (next->peer);
        ++pages;
    }
    EXPECT_EQ (pages % 100, 0u);
    EXPECT_EQ (watchers_.written (), pages / 100);
    version_ = 1;
    put ("s7", "tcp://a:7");
    std::size_t octets = 0;
    for (std::optional<watch_page> next = watchers_.next (0, table_); next; next = watchers_.next (0, table_))
        octets += next->octets.size ();
    EXPECT_EQ (watchers_.written (), pages / 100 + 1);
    EXPECT_LT (octets, 100u * 300u);
}

// --- properties --------------------------------------------------------------------

// Watchers of any speed, that come and go, behind one registry.
class watcher_runs : public testing::TestWithParam<unsigned>
{
  protected:
    struct watcher
    {
        known_services known;
        std::deque<std::vector<std::byte>> on_the_way;
        bool connected = false;
    };

    void connect (std::uint64_t peer)
    {
        watcher &of = all_[peer];
        if (of.connected)
            return;
        of.connected = true;
        of.known.connected (0);
        for (const char *const service : {"", "a"}) {
            const registry_position at = of.known.position (0, family, service);
            ASSERT_EQ (watchers_.watch (peer, family, service, at.incarnation, at.since), wire::fault_none);
        }
    }
    void disconnect (std::uint64_t peer)
    {
        watcher &of = all_[peer];
        of.connected = false;
        of.on_the_way.clear ();
        of.known.lost (now_, 0);
        watchers_.peer_gone (peer);
    }
    void send ()
    {
        watchers_.note (table_);
        for (std::optional<watch_page> next = watchers_.next (now_, table_); next;
             next = watchers_.next (now_, table_)) {
            ASSERT_TRUE (all_[next->peer].connected);
            all_[next->peer].on_the_way.emplace_back (next->octets.begin (), next->octets.end ());
            ASSERT_LE (all_[next->peer].on_the_way.size (), 2u) << "one of each watch";
        }
    }
    // False: there was nothing to read.
    bool receive (std::uint64_t peer)
    {
        watcher &of = all_[peer];
        if (of.on_the_way.empty ())
            return false;
        const std::vector<std::byte> octets = of.on_the_way.front ();
        of.on_the_way.pop_front ();
        wire::registry_message page;
        EXPECT_EQ (wire::decode_registry_message (octets, page), wire::service_status::complete);
        EXPECT_EQ (of.known.apply (0, page), page_status::applied);
        watchers_.seen (peer, page.family, page.service, page.revision);
        return true;
    }
    void change ()
    {
        const std::uint64_t instance = 1 + dice_ () % 4;
        const std::string service (1, static_cast<char> ('a' + dice_ () % 3));
        const std::string endpoint = "tcp://h:" + std::to_string (dice_ () % 10);
        (void)table_.open (now_, instance, instance, token_of (instance));
        if (dice_ () % 3 == 0)
            (void)table_.drop (instance, family, service, endpoint);
        else
            (void)table_.put (now_, instance, provider (service, endpoint, instance, ++version_));
    }

    std::mt19937 dice_{GetParam ()};
    base::time_ns now_ = 20 * ns_per_s;
    std::uint64_t version_ = 0;
    registry_table table_{{.incarnation = incarnation, .gone_max = 1 + dice_ () % 10}};
    registry_watchers watchers_{{.page_bytes = 1 + dice_ () % 500}};
    std::map<std::uint64_t, watcher> all_;
};

TEST_P (watcher_runs, end_with_what_there_is)
{
    for (std::uint64_t peer = 1; peer <= 5; ++peer)
        for (const char *const service : {"", "a"})
            all_[peer].known.watch (family, service);
    for (int round = 0; round < 2000; ++round) {
        const std::uint64_t peer = 1 + dice_ () % 5;
        switch (dice_ () % 8) {
        case 0:
            connect (peer);
            break;
        case 1:
            dice_ () % 3 == 0 ? disconnect (peer) : send ();
            break;
        case 2:
        case 3:
            change ();
            break;
        case 4:
            send ();
            break;
        default:
            (void)receive (peer);
        }
    }
    for (std::uint64_t peer = 1; peer <= 5; ++peer)
        connect (peer);
    for (bool busy = true; busy;) {
        busy = false;
        send ();
        for (std::uint64_t peer = 1; peer <= 5; ++peer)
            busy |= receive (peer);
    }
    for (const char *const service : {"a", "b", "c"})
        for (const auto &[peer, each] : all_)
            EXPECT_EQ (each.known.count (family, service), table_.providers_of (family, service))
              << service << ' ' << peer;
}
INSTANTIATE_TEST_SUITE_P (seeds, watcher_runs, testing::Range (1u, 41u));

}  // namespace
}  // namespace zlink::service
