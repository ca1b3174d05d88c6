// An owner in a process of its own that an etcd has granted a partition, and that stands
// still for longer than that holds, or is killed: another takes over, and what a subscriber
// is told has neither a hole nor a lower epoch.
#include <array>
#include <csignal>
#include <optional>
#include <string>
#include <string_view>

#include "service/partition_choice.hpp"
#include "services/etcds.hpp"
#include "zlink/zlink.h"

namespace zlink::service::test {
namespace {

constexpr int watchdog_ms = 60'000;
constexpr const char *topic = "prices";

// A node here with a subscriber, which looks at all that it is told.
struct etcd_owners : testing::Test
{
    etcd_owners ()
    {
        EXPECT_EQ (zlink_spot_node_add_grantor (node, etcd.url ().c_str ()), 0);
        EXPECT_EQ (zlink_spot_node_declare (node, topic, 1), 0);
        reader = zlink_spot_reader_new (node, topic, ZLINK_SPOT_FROM_SEQUENCE, 1);
        EXPECT_EQ (zlink_spot_node_bind (node, place.c_str ()), 0);
        EXPECT_EQ (zlink_spot_node_join (node, nullptr), 0);
    }
    ~etcd_owners () override
    {
        owner.reset ();
        EXPECT_EQ (zlink_spot_reader_destroy (&reader), 0);
        EXPECT_EQ (zlink_spot_pub_destroy (&pub), 0);
        EXPECT_EQ (zlink_spot_node_destroy (&node), 0);
        EXPECT_EQ (zlink_ctx_term_ms (context, watchdog_ms), 0);
    }

    // Who is chosen goes by numbers that nodes draw: until it is the other one.
    void let_another_own ()
    {
        do {
            owner.emplace (std::vector<std::string>{ZLINK_ETCD_OWNER, etcd.url (), place});
            until ("theirs");
        } while (!HasFailure ()
                 && choose_owner (topic, 0, std::array{state ().node, publisher}) != publisher);
        EXPECT_TRUE (zlink::test::eventually ([this] { return is_owned_there (); }));
    }
    [[nodiscard]] zlink_spot_partition_t state () const
    {
        zlink_spot_partition_t now{};
        now.size = sizeof now;
        EXPECT_EQ (zlink_spot_node_partition (node, topic, 0, &now), 0);
        return now;
    }
    [[nodiscard]] bool is_owned_there () const { return state ().owner == publisher; }
    void publish (std::string_view text)
    {
        ASSERT_EQ (
          zlink_spot_pub_send_key (pub, topic, "k", 1, text.data (), text.size (), nullptr, watchdog_ms), 0)
          << zlink_strerror (zlink_errno ());
    }
    // Reads up to that.
    void until (std::string_view text)
    {
        zlink_spot_event_t got{};
        got.size = sizeof got;
        bool found = false;
        while (!found && !HasFailure ()) {
            ASSERT_EQ (zlink_spot_reader_next (reader, &got, watchdog_ms), 0)
              << zlink_strerror (zlink_errno ());
            look_at (got);
            found = got.kind == ZLINK_SPOT_EVENT_MESSAGE
                    && std::string_view (static_cast<const char *> (got.body), got.body_size) == text;
        }
    }
    void look_at (const zlink_spot_event_t &got)
    {
        switch (got.kind) {
        case ZLINK_SPOT_EVENT_MESSAGE:
            EXPECT_TRUE (next == 0 || got.sequence == next) << "a hole, or a repetition";
            EXPECT_TRUE (epoch == 0 || got.epoch == epoch) << "an epoch that was not told";
            epoch = got.epoch;
            next = got.sequence + 1;
            publisher = got.node;
            break;
        case ZLINK_SPOT_EVENT_EPOCH:
            EXPECT_GT (got.epoch, epoch);
            EXPECT_TRUE (next == 0 || got.sequence == next
                         || (got.sequence < next && got.loss_possible != 0));
            epoch = got.epoch;
            next = got.sequence;
            break;
        case ZLINK_SPOT_EVENT_GAP:
            EXPECT_EQ (got.sequence, next);
            next = got.last + 1;
            break;
        case ZLINK_SPOT_EVENT_ANOTHER:
            ADD_FAILURE () << "two owners in one epoch";
            break;
        default:
            break;
        }
    }

    own_etcd etcd;
    const std::string place = zlink::test::tcp_place ();
    void *context = zlink_ctx_new (), *node = zlink_spot_node_new (context), *pub = zlink_spot_pub_new (node),
         *reader = nullptr;
    std::optional<zlink::test::child_process> owner;
    std::uint64_t epoch = 0, next = 0, publisher = 0;  // of what was read last
};

TEST_F (etcd_owners, that_stood_still_for_longer_than_their_grant_number_no_more)
{
    let_another_own ();
    for (int round = 0; round < 2; ++round) {
        const std::string text = "ours " + std::to_string (round);
        const std::uint64_t before = epoch;
        owner->stop ();
        publish (text);
        until (text);
        EXPECT_GT (epoch, before);
        owner->signal (SIGCONT);
        until ("theirs");
        EXPECT_TRUE (zlink::test::eventually ([this] { return is_owned_there (); }));
    }
}

TEST_F (etcd_owners, that_are_killed_are_replaced)
{
    let_another_own ();
    const std::uint64_t before = epoch;
    owner.reset ();
    publish ("ours");
    until ("ours");
    EXPECT_GT (epoch, before);
}

}  // namespace
}  // namespace zlink::service::test
