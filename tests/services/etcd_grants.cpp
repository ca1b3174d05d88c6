// Partitions that are granted by transactions of a real etcd: several registries on it, or
// nodes that use it themselves, are one grantor.
#include <array>
#include <cerrno>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/etcds.hpp"
#include "zlink/zlink.h"

namespace zlink::service::test {
namespace {

constexpr int watchdog_ms = 60'000;
constexpr int short_ms = 300;
constexpr const char *topic = "prices";

// Who numbered under which epoch.
using owners = std::map<std::uint64_t, std::uint64_t>;

struct registry_process : zlink::test::child_process
{
    registry_process (const std::string &url, const std::string &endpoint)
      : child_process ({ZLINK_ETCD_REGISTRY, url, endpoint})
    {
    }
};

// A node that may own the one partition, and is joined with nobody.
class owner
{
  public:
    owner (void *context, const std::vector<std::string> &grantors)
      : node_ (zlink_spot_node_new (context)), pub_ (zlink_spot_pub_new (node_))
    {
        for (const std::string &each : grantors)
            EXPECT_EQ (zlink_spot_node_add_grantor (node_, each.c_str ()), 0) << zlink_strerror (errno);
        EXPECT_EQ (zlink_spot_node_declare (node_, topic, 1), 0);
    }
    ~owner ()
    {
        EXPECT_EQ (zlink_spot_pub_destroy (&pub_), 0);
        EXPECT_EQ (zlink_spot_node_destroy (&node_), 0);
    }
    owner (const owner &) = delete;
    owner &operator= (const owner &) = delete;

    // The epoch under which it numbered something; 0: nothing in that time.
    std::uint64_t publish (owners &all, int timeout_ms = watchdog_ms)
    {
        zlink_spot_place_t at{};
        at.size = sizeof at;
        if (zlink_spot_pub_send_key (pub_, topic, "k", 1, "x", 1, &at, timeout_ms) != 0)
            return 0;
        EXPECT_EQ (all.emplace (at.epoch, state ().node).first->second, state ().node)
          << "two have numbered under " << at.epoch;
        return at.epoch;
    }
    [[nodiscard]] zlink_spot_partition_t state () const
    {
        zlink_spot_partition_t now{};
        now.size = sizeof now;
        EXPECT_EQ (zlink_spot_node_partition (node_, topic, 0, &now), 0);
        return now;
    }
    [[nodiscard]] bool ends () const
    {
        return zlink::test::eventually ([this] { return state ().owned_here == 0; });
    }

  private:
    void *node_, *pub_;
};

struct etcd_grants : testing::Test
{
    etcd_grants ()
    {
        for (std::size_t i = 0; i < registries.size (); ++i) {
            registries[i] = zlink_registry_new (context);
            EXPECT_EQ (zlink_registry_set_store (registries[i], etcd.url ().c_str ()), 0);
            EXPECT_EQ (zlink_registry_bind (registries[i], "tcp://127.0.0.1:*"), 0);
            std::array<char, 256> text{};
            size_t size = text.size ();
            EXPECT_EQ (zlink_registry_endpoint (registries[i], text.data (), &size), 0);
            places[i] = text.data ();
        }
    }
    ~etcd_grants () override
    {
        for (void *&each : registries)
            if (each != nullptr) {
                EXPECT_EQ (zlink_registry_destroy (&each), 0);
            }
        EXPECT_EQ (zlink_ctx_term_ms (context, watchdog_ms), 0);
    }

    // It gets nothing while somebody else has that epoch: a later one only if the machine stood
    // still for as long as a lease.
    [[nodiscard]] bool is_kept_from (owner &which, std::uint64_t epoch)
    {
        const std::uint64_t got = which.publish (all, short_ms);
        return got == 0 ? errno == EHOSTUNREACH : got > epoch;
    }

    own_etcd etcd;
    void *context = zlink_ctx_new ();
    std::array<void *, 2> registries{};
    std::array<std::string, 2> places;
    owners all;
};

TEST_F (etcd_grants, of_two_registries_one_grants_an_epoch_to_one_node)
{
    auto one = std::make_unique<owner> (context, std::vector{places[0]});
    const std::uint64_t first = one->publish (all);
    EXPECT_GT (first, 0U);
    owner two (context, {places[1]});
    EXPECT_TRUE (is_kept_from (two, first));
    one.reset ();  // it gives back
    EXPECT_GT (two.publish (all), first);
}

TEST_F (etcd_grants, who_cannot_renew_ends_by_itself_and_the_next_epoch_is_anothers)
{
    owner one (context, {places[0]});
    const std::uint64_t first = one.publish (all);
    ASSERT_GT (first, 0U);
    owner two (context, {places[1]});
    EXPECT_EQ (zlink_registry_destroy (&registries[0]), 0);
    EXPECT_TRUE (one.ends ());
    EXPECT_GT (two.publish (all), first);
    EXPECT_EQ (one.publish (all, short_ms), 0U);
}

TEST_F (etcd_grants, a_killed_registry_is_not_missed_where_another_is_on_the_same_etcd)
{
    const std::string place = zlink::test::tcp_place ();
    std::optional<registry_process> gone (std::in_place, etcd.url (), place);
    owner one (context, {place, places[0]});
    const std::uint64_t first = one.publish (all);
    ASSERT_GT (first, 0U);
    gone.reset ();
    // It goes on under one epoch for longer than a grant lasts.
    owner idle (context, {});
    std::uint64_t last = first;
    for (int rounds = 0; rounds < 10;) {
        EXPECT_EQ (idle.publish (all, short_ms), 0U);
        const std::uint64_t now = one.publish (all);
        rounds = now == last ? rounds + 1 : 0;
        last = now;
    }
}

TEST_F (etcd_grants, an_etcd_that_is_killed_and_comes_back_knows_what_it_granted)
{
    owner one (context, {places[0]});
    const std::uint64_t first = one.publish (all);
    ASSERT_GT (first, 0U);
    owner two (context, {places[1]});
    etcd.kill ();
    etcd.start ();
    for (int i = 0; i < 10; ++i) {
        (void)two.publish (all, short_ms);
        (void)one.publish (all, short_ms);
    }
    // It is away until the owner has ended by itself.
    etcd.kill ();
    EXPECT_TRUE (one.ends ());
    EXPECT_TRUE (two.ends ());
    EXPECT_EQ (one.publish (all, short_ms), 0U);
    EXPECT_EQ (two.publish (all, short_ms), 0U);
    const std::uint64_t highest = all.rbegin ()->first;
    etcd.start ();
    while (all.rbegin ()->first == highest) {
        (void)one.publish (all, short_ms);
        (void)two.publish (all, short_ms);
    }
    EXPECT_GT (all.rbegin ()->first, highest);
}

TEST_F (etcd_grants, nodes_that_name_an_etcd_need_no_registry)
{
    void *const elsewhere = zlink_ctx_new ();
    {
        auto one = std::make_unique<owner> (elsewhere, std::vector{etcd.url ()});
        const std::uint64_t first = one->publish (all);
        EXPECT_GT (first, 0U);
        owner two (context, {places[0]});
        EXPECT_TRUE (is_kept_from (two, first));
        const std::vector<etcd::record> records = etcd.under ("zlink/test/grants/prices/0");
        ASSERT_EQ (records.size (), 2U);
        EXPECT_EQ (records[0].lease, 0) << "the record stays";
        EXPECT_NE (records[1].lease, 0);
        one.reset ();
        EXPECT_GT (two.publish (all), first);
    }
    EXPECT_EQ (zlink_ctx_term_ms (elsewhere, watchdog_ms), 0);
}

}  // namespace
}  // namespace zlink::service::test
