// The tables of the services, with the n-th request for memory refused, for every n:
// a call that throws has changed nothing, and called again it does what it does.
#include <functional>
#include <new>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "failures/faults.hpp"
#include "service/balancer.hpp"
#include "service/known_services.hpp"
#include "service/provider_link.hpp"
#include "service/registry_watchers.hpp"
#include "service/request_table.hpp"
#include "service/test_providers.hpp"

namespace zlink::service {
namespace {

using namespace test;

// Has it called until nothing is refused any more. What can be seen stays as it was
// meanwhile. Answers how often it failed.
unsigned refuse_each (const std::function<void ()> &call, const std::function<std::string ()> &seen)
{
    zlink::test::count_library_calls_only ();
    for (unsigned n = 1;; ++n) {
        const std::string before = seen ();
        bool failed = false;
        zlink::test::start_faults ({.of = zlink::test::resource::memory, .first = n, .width = 1});
        try {
            const zlink::test::library_call counted;
            call ();
        } catch (const std::bad_alloc &) {
            failed = true;
        }
        const bool refused = zlink::test::faults_so_far () != 0;
        zlink::test::stop_faults ();
        EXPECT_EQ (failed, refused) << "nobody hides a refusal";
        if (!failed)
            return n - 1;
        EXPECT_EQ (seen (), before) << "request " << n;
    }
}

std::string all_of (const registry_table &table)
{
    const held_page page = read (table, "", 0);
    std::string text = std::to_string (table.revision ()) + ' ' + std::to_string (table.instances ()) + ' '
                       + std::to_string (table.providers ()) + ' ' + std::to_string (table.services ()) + ' '
                       + std::to_string (table.bytes ());
    for (const std::string &line : page.lines ())
        text += ' ' + line;
    return text;
}

TEST (table_failures, of_a_registry)
{
    registry_table table ({.incarnation = incarnation});
    const std::string token = token_of (10);
    const auto seen = [&table] { return all_of (table); };
    EXPECT_GT (refuse_each ([&] { EXPECT_EQ (table.open (0, 1, 10, token), wire::fault_none); }, seen), 2u);
    const auto put = [&] (std::string_view service, std::string_view endpoint, std::uint64_t version) {
        const wire::provider_view told = provider (service, endpoint, 10, version);
        return refuse_each ([&] { EXPECT_EQ (table.put (0, 1, told), wire::fault_none); }, seen);
    };
    EXPECT_GT (put ("calc, whose name is a long one", "tcp://a-long-endpoint:1", 1), 5u);
    EXPECT_GT (put ("calc, whose name is a long one", "tcp://a-long-endpoint:2", 1), 4u);
    EXPECT_GT (put ("calc, whose name is a long one", "tcp://a-long-endpoint:1", 2), 0u);
    ASSERT_EQ (table.drop (1, family, "calc, whose name is a long one", "tcp://a-long-endpoint:1"),
               wire::fault_none);
    EXPECT_GT (put ("calc, whose name is a long one", "tcp://a-long-endpoint:1", 3), 0u);
    EXPECT_EQ (table.providers (), 2u);
}

TEST (table_failures, of_watchers)
{
    registry_table table ({.incarnation = incarnation});
    ASSERT_EQ (table.open (0, 1, 10, token_of (10)), wire::fault_none);
    ASSERT_EQ (table.put (0, 1, provider ("calc", "tcp://a:1", 10)), wire::fault_none);
    registry_watchers watchers;
    const auto seen = [&watchers] { return std::to_string (watchers.size ()); };
    for (const std::uint64_t peer : {1, 2})
        for (const char *const service : {"a service with a long name", "calc"})
            EXPECT_GT (refuse_each ([&] { (void)watchers.watch (peer, family, service, 0, 0); }, seen), 2u);
    EXPECT_EQ (watchers.size (), 4u);
    std::string told;
    for (bool more = true; more;)
        refuse_each (
          [&] {
              const std::optional<watch_page> page = watchers.next (0, table);
              more = page.has_value ();
              if (!more)
                  return;
              wire::registry_message read;
              EXPECT_EQ (wire::decode_registry_message (page->octets, read), wire::service_status::complete);
              wire::registry_entries entries (read.entries);
              wire::registry_entry entry;
              told += static_cast<char> ('0' + page->peer);
              told += entries.next (entry) ? '+' : '-';
          },
          seen);
    EXPECT_EQ (told, "1-1+2-2+");
}

TEST (table_failures, of_discovery)
{
    std::vector<std::byte> entries;
    for (const char *const endpoint : {"tcp://a-long-endpoint:1", "tcp://a-long-endpoint:2"})
        wire::append_provider (provider ("calc", endpoint, 7), entries);
    wire::registry_message page;
    page.kind = wire::registry_kind::page;
    page.flags = wire::registry_flag_reset | wire::registry_flag_complete;
    page.family = family;
    page.service = "calc";
    page.incarnation = incarnation;
    page.revision = 9;
    page.entries = entries;
    known_services known;
    const auto seen = [&known] { return std::to_string (known.position (0, family, "calc").since); };
    EXPECT_GT (refuse_each ([&] { known.connected (0); }, seen), 0u);
    EXPECT_GT (refuse_each ([&] { known.watch (family, "calc"); }, seen), 0u);
    EXPECT_GT (refuse_each ([&] { EXPECT_EQ (known.apply (0, page), page_status::applied); }, seen), 8u);
    EXPECT_EQ (known.count (family, "calc"), 2u);
    EXPECT_EQ (seen (), "9");
    EXPECT_GT (refuse_each ([&] { known.lost (5, 0); }, seen), 2u);
    known.for_each (family, "calc", [] (auto, auto, const known_provider &each) {
        EXPECT_TRUE (each.stale);
        EXPECT_EQ (each.instance, 7u);
    });
    EXPECT_EQ (known.facts (8, family, "calc").age_ns, 3)
      << "since it was lost, however often that was tried";
}

TEST (table_failures, of_a_provider)
{
    provider_link link (7, token_of (7));
    const wire::provider_view told =
      provider ("calc, whose name is a long one", "tcp://a-long-endpoint:1", 7);
    const auto seen = [&link, &told] {
        return std::to_string (static_cast<int> (link.state_of (family, told.service, told.endpoint)));
    };
    EXPECT_GT (refuse_each ([&] { link.set (told); }, [] { return std::string (); }), 4u);
    link.connected ();
    std::vector<std::byte> said;
    const auto say = [&said, &link] {
        said.clear ();
        said.shrink_to_fit ();
        EXPECT_TRUE (link.next (0, said));
    };
    EXPECT_GT (refuse_each (say, seen), 0u);
    wire::registry_message message;
    ASSERT_EQ (wire::decode_registry_message (said, message), wire::service_status::complete);
    EXPECT_EQ (message.kind, wire::registry_kind::open);
    message.kind = wire::registry_kind::opened;
    message.lease_ms = message.renew_ms = 1000;
    link.receive (message);
    EXPECT_GT (refuse_each (say, seen), 1u);
    ASSERT_EQ (wire::decode_registry_message (said, message), wire::service_status::complete);
    EXPECT_EQ (message.provider, told);
    std::vector<std::byte> nothing;
    EXPECT_FALSE (link.next (0, nothing)) << "it was told once";
}

TEST (table_failures, of_a_gateway)
{
    request_table requests;
    std::size_t expected = 0;
    const auto seen = [&requests] { return std::to_string (requests.size ()); };
    for (; expected < 20; ++expected)
        refuse_each ([&] { EXPECT_TRUE (requests.start (0, {}).has_value ()); }, seen);
    EXPECT_EQ (requests.size (), expected);
    for (std::size_t i = 0; i < expected; ++i)
        EXPECT_EQ (requests.take_step ().kind, step_kind::send);
    EXPECT_EQ (requests.take_step ().kind, step_kind::none);

    balancer of ({});
    for (balancer::member_number each = 0; each < 20; ++each)
        refuse_each ([&] { of.add (each, "tcp://a:1", 1, distance::elsewhere); },
                     [&of] { return std::to_string (of.size ()); });
    EXPECT_EQ (of.size (), 20u);
}

}  // namespace
}  // namespace zlink::service
