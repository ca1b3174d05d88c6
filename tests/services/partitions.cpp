// Partitioned topics whole, over nodes, a registry that grants and the loop: in the real
// world and in the simulator.
#include <map>
#include <set>

#include "services/workplaces.hpp"

namespace zlink::service::test {
namespace {

// The next message, what is told between left out.
std::string next_body (spot_ordered &from)
{
    ordered_event got;
    while (from.receive (got, base::never_ns).ok ())
        if (got.event.what == reader_event::kind::message)
            return std::string (got.body ());
    return "(ended)";
}

TEST (Partitions, EverybodyGetsTheSameOrderAndLateComersWhatTheyAskFor)
{
    in_every_world ([] (base::world &world) {
        town in (world);
        const auto books = in.open_registry (place (world, "books"), granting (short_lease));
        place_of_work one (in, {in.address}, {.partitions = 1}), two (in, {in.address}, {.partitions = 1});
        ASSERT_TRUE (one.node->join ("").ok ());
        ASSERT_TRUE (two.node->join (one.endpoint).ok ());
        ASSERT_TRUE (one.node->wait_nodes (1, base::never_ns).ok ());
        ASSERT_TRUE (two.node->wait_nodes (1, base::never_ns).ok ());
        ASSERT_EQ (one.publish ("k", "first").what, publish_result::numbered);
        // Both know where it stands before anything is published that both are to get.
        const auto here = one.subscribe (read_from::last, 1), there = two.subscribe (read_from::last, 1);
        EXPECT_EQ (next_body (*here), "first");
        EXPECT_EQ (next_body (*there), "first");
        std::vector<std::string> expected;
        for (int i = 0; i < 10; ++i) {
            place_of_work &by = i % 2 == 0 ? one : two;
            expected.push_back (std::to_string (i));
            const publish_outcome outcome = by.publish ("k", expected.back ());
            EXPECT_EQ (outcome.what, publish_result::numbered);
            EXPECT_EQ (outcome.sequence, static_cast<std::uint64_t> (i) + 2);
        }
        for (const std::string &each : expected) {
            EXPECT_EQ (next_body (*here), each);
            EXPECT_EQ (next_body (*there), each);
        }
        const auto late = two.subscribe (read_from::last, 2), all = one.subscribe (read_from::sequence, 1);
        EXPECT_EQ (next_body (*late), "8");
        EXPECT_EQ (next_body (*all), "first");
        EXPECT_EQ (next_body (*all), "0");
    });
}

TEST (Partitions, WithoutAGrantorNothingIsNumberedAndItIsSaid)
{
    in_every_world ([] (base::world &world) {
        town in (world);
        const auto books = in.open_registry (place (world, "books"), granting (3600 * ns_per_s));
        place_of_work alone (in, {in.address}, {});
        const publish_outcome outcome = alone.publish ("k", "x", world.time.now_ns () + 50 * ns_per_ms);
        EXPECT_EQ (outcome.what, publish_result::unowned) << "the grantor has just started";
        EXPECT_EQ (alone.parts->publish ("other", "k", {}, 0).code (), errc::invalid_argument);
        EXPECT_EQ (alone.parts->declare (parted_topic, {.partitions = 2}).code (), errc::invalid_argument);
        EXPECT_EQ (alone.parts->add_grantor (in.address).code (), errc::wrong_state);
        EXPECT_FALSE (alone.parts->state (parted_topic, 0).value ().owned_here);
        EXPECT_EQ (alone.parts->state (parted_topic, 1).code (), errc::no_such_endpoint);
    });
}

TEST (Partitions, AnOwnerThatLeavesHandsOverWithoutLoss)
{
    in_every_world ([] (base::world &world) {
        town in (world);
        const auto books = in.open_registry (place (world, "books"), granting (short_lease));
        place_of_work stays (in, {in.address}, {});
        auto leaves = std::make_unique<place_of_work> (in, std::vector{in.address}, partitioned_topic{});
        ASSERT_TRUE (stays.node->join ("").ok ());
        ASSERT_TRUE (leaves->node->join (stays.endpoint).ok ());
        ASSERT_TRUE (stays.node->wait_nodes (1, base::never_ns).ok ());
        ASSERT_TRUE (leaves->node->wait_nodes (1, base::never_ns).ok ());
        ASSERT_EQ (stays.publish ("k", "0").what, publish_result::numbered);
        const auto reader = stays.subscribe (read_from::last, 1);
        EXPECT_EQ (next_body (*reader), "0");
        ASSERT_EQ (leaves->publish ("k", "1").what, publish_result::numbered);
        EXPECT_EQ (next_body (*reader), "1");
        leaves.reset ();
        const publish_outcome outcome = stays.publish ("k", "2");
        ASSERT_EQ (outcome.what, publish_result::numbered);
        EXPECT_EQ (outcome.sequence, 3u);
        ordered_event got;
        for (;;) {
            ASSERT_TRUE (reader->receive (got, base::never_ns).ok ());
            if (got.event.what == reader_event::kind::message)
                break;
            if (got.event.what == reader_event::kind::owner)
                continue;
            ASSERT_EQ (got.event.what, reader_event::kind::epoch);
            EXPECT_EQ (got.event.last, 2u);
            EXPECT_FALSE (got.event.loss_possible) << "it said how far it came";
        }
        EXPECT_EQ (got.body (), "2");
        EXPECT_EQ (got.key (), "k");
    });
}

// A topic that all nodes but one may not own is that one's, and nobody's when it is gone.
TEST (Partitions, ATopicMayBePinnedToANode)
{
    in_every_world ([] (base::world &world) {
        town in (world);
        constexpr std::uint32_t partitions = 4;
        const auto books = in.open_registry (place (world, "books"), granting (short_lease));
        const partitioned_topic elsewhere{.partitions = partitions, .may_own = false};
        place_of_work one (in, {in.address}, elsewhere), two (in, {in.address}, elsewhere);
        place_of_work owner (in, {in.address}, {.partitions = partitions});
        ASSERT_TRUE (one.node->join ("").ok ());
        for (place_of_work *const each : {&two, &owner})
            ASSERT_TRUE (each->node->join (one.endpoint).ok ());
        for (place_of_work *const each : {&one, &two, &owner})
            ASSERT_TRUE (each->node->wait_nodes (2, base::never_ns).ok ());
        for (int i = 0; i < 12; ++i)
            ASSERT_EQ ((i % 2 == 0 ? one : two).publish (std::to_string (i), "text").what,
                       publish_result::numbered);
        for (std::uint32_t i = 0; i < partitions; ++i) {
            const auto state = owner.parts->state (parted_topic, i);
            ASSERT_TRUE (state.ok ());
            EXPECT_TRUE (state.value ().owned_here) << i;
        }
        owner.close ();
        // What was on its way when it went is in doubt.
        const auto late = [&] { return one.publish ("k", "late", world.time.now_ns () + short_lease).what; };
        EXPECT_NE (late (), publish_result::numbered);
        EXPECT_EQ (late (), publish_result::unowned);
    });
}

TEST (Partitions, KeysSpreadOverPartitionsOfSeveralOwners)
{
    in_every_world ([] (base::world &world) {
        town in (world);
        const auto books = in.open_registry (place (world, "books"), granting (short_lease));
        place_of_work one (in, {in.address}, {.partitions = 8}), two (in, {in.address}, {.partitions = 8});
        ASSERT_TRUE (one.node->join ("").ok ());
        ASSERT_TRUE (two.node->join (one.endpoint).ok ());
        const auto reader = one.subscribe (read_from::sequence, 1);
        std::map<std::string, std::set<std::uint32_t>> parts_of;
        for (int i = 0; i < 24; ++i)
            ASSERT_EQ (two.publish (std::to_string (i % 12), std::to_string (i)).what,
                       publish_result::numbered);
        for (int got = 0; got < 24;) {
            ordered_event event;
            ASSERT_TRUE (reader->receive (event, base::never_ns).ok ());
            if (event.event.what != reader_event::kind::message)
                continue;
            parts_of[std::string (event.key ())].insert (event.partition);
            ++got;
        }
        std::set<std::uint32_t> all;
        for (const auto &[key, parts] : parts_of) {
            EXPECT_EQ (parts.size (), 1u) << "a key has one partition";
            all.insert (parts.begin (), parts.end ());
        }
        EXPECT_GT (all.size (), 3u);
    });
}

TEST (Partitions, WhoReadsSlowlyCatchesUpFromTheRingOrIsToldWhatIsGone)
{
    // In the real world all may still be on its way to the reader when it begins to read.
    std::uint64_t missing_anywhere = 0;
    in_every_world ([&missing_anywhere] (base::world &world) {
        town in (world);
        const auto books = in.open_registry (place (world, "books"), granting (short_lease));
        place_of_work one (in, {in.address}, {.bounds = {.entries_max = 8}});
        ASSERT_EQ (one.publish ("k", "first").what, publish_result::numbered);
        const auto slow = std::move (one.parts->subscribe (parted_topic, read_from::last, 1, 4).value ());
        EXPECT_EQ (next_body (*slow), "first");
        for (int i = 2; i <= 30; ++i)
            ASSERT_EQ (one.publish ("k", std::to_string (i)).sequence, static_cast<std::uint64_t> (i));
        std::uint64_t missing = 0, messages = 0, last = 1;
        while (last < 30) {
            ordered_event got;
            ASSERT_TRUE (slow->receive (got, base::never_ns).ok ());
            if (got.event.what == reader_event::kind::gap) {
                EXPECT_EQ (got.event.from, last + 1);
                missing += got.event.to - got.event.from + 1;
                last = got.event.to;
            } else if (got.event.what == reader_event::kind::message) {
                EXPECT_EQ (got.event.entry.sequence, last + 1);
                ++messages;
                last = got.event.entry.sequence;
            }
        }
        EXPECT_EQ (missing + messages, 29u);
        EXPECT_GE (messages, 8u);
        missing_anywhere += missing;
    });
    EXPECT_GT (missing_anywhere, 0u);
}

}  // namespace
}  // namespace zlink::service::test
