// Nodes of SPOT that find one another in a real etcd: they speak to it themselves, or
// through registries that keep all in it.
#include <optional>

#include "services/etcds.hpp"
#include "services/listed_spots.hpp"

namespace zlink::service::test {
namespace {

constexpr const char *folder = "zlink/test/providers";
constexpr const char *parted = "prices";

struct etcd_spots : testing::Test
{
    ~etcd_spots () override
    {
        all.clear ();
        for (void *const each : {context, elsewhere})
            EXPECT_EQ (zlink_ctx_term_ms (each, listed_watchdog_ms), 0);
    }
    // A node that is told of that one alone, if it is not to look elsewhere.
    void come (void *in, const std::string &registry, const std::string &looks_at = {})
    {
        all.push_back (std::make_unique<listed_spot> (in, std::vector{registry},
                                                      std::vector{looks_at.empty () ? registry : looks_at}));
    }

    own_etcd etcd;
    void *context = zlink_ctx_new (), *elsewhere = zlink_ctx_new ();  // nothing is shared but etcd
    listed_spots all;
};

TEST_F (etcd_spots, meet_without_a_registry)
{
    come (context, etcd.url ());
    come (elsewhere, etcd.url ());
    meet (all, "two");
    const std::vector<etcd::record> records = etcd.under (folder);
    ASSERT_EQ (records.size (), 2U);
    for (const etcd::record &each : records) {
        EXPECT_TRUE (each.key.starts_with (std::string (folder) + "/2/spots/tcp://127.0.0.1:")) << each.key;
        EXPECT_NE (each.lease, 0);
    }
    come (elsewhere, etcd.url ());
    meet (all, "three");
    all.erase (all.begin ());
    EXPECT_EQ (etcd.under (folder).size (), 2U) << "it has said farewell";
    meet (all, "one has left");
}

TEST_F (etcd_spots, go_on_without_it_and_meet_newcomers_when_it_is_back)
{
    come (context, etcd.url ());
    come (elsewhere, etcd.url ());
    meet (all, "two");
    etcd.kill ();
    EXPECT_TRUE (zlink::test::eventually ([&] { return all[0]->watcher ().age_ms () > 0; }));
    meet (all, "without etcd");
    come (context, etcd.url ());
    etcd.start ();
    meet (all, "etcd is back");
}

TEST_F (etcd_spots, meet_through_registries_of_which_one_is_killed)
{
    std::array<std::string, 2> places;
    std::array<std::optional<zlink::test::child_process>, 2> registries;
    for (std::size_t i = 0; i < places.size (); ++i) {
        places[i] = zlink::test::tcp_place ();
        registries[i].emplace (std::vector<std::string>{ZLINK_ETCD_REGISTRY, etcd.url (), places[i]});
    }
    const std::vector<std::string> both (places.begin (), places.end ());
    all.push_back (std::make_unique<listed_spot> (context, both, both));
    come (elsewhere, places[0], etcd.url ());
    come (context, etcd.url (), places[1]);
    meet (all, "all ways");
    all.erase (all.begin () + 1);
    registries[0].reset ();
    meet (all, "without one registry");
    come (elsewhere, places[1]);
    meet (all, "a newcomer");
}

TEST_F (etcd_spots, number_what_is_partitioned_with_nothing_but_an_etcd)
{
    come (context, etcd.url ());
    come (elsewhere, etcd.url ());
    std::array<void *, 2> readers{};
    for (std::size_t i = 0; i < all.size (); ++i) {
        ASSERT_EQ (zlink_spot_node_add_grantor (all[i]->node (), etcd.url ().c_str ()), 0);
        ASSERT_EQ (zlink_spot_node_declare (all[i]->node (), parted, 1), 0);
        readers[i] = zlink_spot_reader_new (all[i]->node (), parted, ZLINK_SPOT_FROM_SEQUENCE, 1);
    }
    meet (all, "two");
    for (std::size_t i = 0; i < all.size (); ++i)
        ASSERT_EQ (
          zlink_spot_pub_send_key (all[i]->publisher (), parted, "k", 1, "x", 1, nullptr, listed_watchdog_ms),
          0)
          << zlink_strerror (errno);
    for (void *each : readers) {
        std::uint64_t read = 0;
        zlink_spot_event_t got{};
        got.size = sizeof got;
        while (read < all.size () && zlink_spot_reader_next (each, &got, listed_watchdog_ms) == 0)
            if (got.kind == ZLINK_SPOT_EVENT_MESSAGE) {
                EXPECT_EQ (got.sequence, ++read);
            }
        EXPECT_EQ (read, all.size ());
        EXPECT_EQ (zlink_spot_reader_destroy (&each), 0);
    }
}

}  // namespace
}  // namespace zlink::service::test
