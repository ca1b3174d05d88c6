#include "service/spot_queue.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace zlink::service {
namespace {

spot_item item (std::string_view topic, std::uint64_t number, std::string_view body)
{
    spot_item made;
    made.topic = topic;
    made.publisher = 1;
    made.number = number;
    made.body = base::as_bytes (body);
    return made;
}

// All that waits, as text: "topic=body", "gap:missing".
std::vector<std::string> all_of (spot_queue &from)
{
    std::vector<std::string> all;
    spot_block hand;
    spot_item got;
    while (hand.next (got) || (from.take (hand) && hand.next (got)))
        all.push_back (got.gap != spot_gap::none
                         ? "gap:" + std::to_string (got.missing)
                         : std::string (got.topic) + "=" + std::string (base::as_text (got.body)));
    return all;
}

using texts = std::vector<std::string>;

TEST (SpotQueue, GivesWhatCameInOrder)
{
    spot_queue queue ({});
    EXPECT_TRUE (queue.empty ());
    texts expected;
    for (std::uint64_t i = 0; i < 5000; ++i) {
        const std::string body (i % 100, 'b');
        ASSERT_EQ (queue.push (item ("t", i, body)), spot_queue::outcome::queued);
        expected.push_back ("t=" + body);
    }
    EXPECT_EQ (queue.size (), 5000u);
    EXPECT_EQ (all_of (queue), expected);
    EXPECT_TRUE (queue.empty ());
    EXPECT_EQ (queue.size (), 0u);
    EXPECT_EQ (queue.bytes (), 0u);
}

TEST (SpotQueue, KeepsPublisherAndNumber)
{
    spot_queue queue ({});
    (void)queue.push (item ("topic", 77, "x"));
    spot_block hand;
    spot_item got;
    ASSERT_TRUE (queue.take (hand));
    ASSERT_TRUE (hand.next (got));
    EXPECT_EQ (got.publisher, 1u);
    EXPECT_EQ (got.number, 77u);
    EXPECT_EQ (got.missing, 0u);
}

TEST (SpotQueue, SharesTheBodiesOfParts)
{
    spot_queue queue ({});
    base::message parts[3];
    for (base::message &each : parts)
        ASSERT_TRUE (each.init_copy (std::vector<std::byte> (1000)).ok ());
    spot_item with = item ("t", 1, "");
    with.parts = parts;
    (void)queue.push (with);
    (void)queue.push (with);
    EXPECT_EQ (parts[0].shared_body ()->references, 3u);
    {
        spot_block hand;
        spot_item got;
        ASSERT_TRUE (queue.take (hand) && hand.next (got));
        ASSERT_EQ (got.parts.size (), 3u);
        EXPECT_EQ (got.parts[2].data (), parts[2].data ());
        ASSERT_TRUE (hand.next (got));
        EXPECT_EQ (parts[0].shared_body ()->references, 2u);
        EXPECT_FALSE (hand.next (got));
        EXPECT_EQ (parts[0].shared_body ()->references, 1u);
    }
    (void)queue.push (with);
    {
        spot_block hand;
        ASSERT_TRUE (queue.take (hand));
    }
    EXPECT_EQ (parts[0].shared_body ()->references, 1u);
    for (base::message &each : parts)
        each.close ();
}

TEST (SpotQueue, DropsTheNewestAndSaysHowMany)
{
    spot_queue queue ({.policy = spot_policy::drop_newest, .messages_max = 2});
    for (std::uint64_t i = 0; i < 5; ++i)
        (void)queue.push (item ("t", i, std::to_string (i)));
    EXPECT_EQ (queue.counters ().dropped, 3u);
    spot_block hand;
    spot_item got;
    ASSERT_TRUE (queue.take (hand));
    (void)queue.push (item ("t", 5, "5"));
    texts all;
    while (hand.next (got))
        all.push_back (std::string (base::as_text (got.body)));
    EXPECT_EQ (all, (texts{"0", "1"}));
    EXPECT_EQ (all_of (queue), (texts{"gap:3", "t=5"}));
    for (std::uint64_t i = 0; i < 3; ++i)
        (void)queue.push (item ("t", i, "x"));
    EXPECT_EQ (all_of (queue), (texts{"t=x", "t=x", "gap:1"})) << "a gap at the end is told, too";
    EXPECT_TRUE (queue.empty ());
}

TEST (SpotQueue, CountsWhatPassesByItAsIfItWaited)
{
    spot_queue queue ({.policy = spot_policy::block, .messages_max = 2});
    EXPECT_TRUE (queue.pass (item ("t", 1, "1").plain ()));
    EXPECT_TRUE (queue.pass (item ("t", 2, "2").plain ()));
    EXPECT_EQ (queue.size (), 2u);
    EXPECT_TRUE (queue.passing ());
    EXPECT_FALSE (queue.pass (item ("t", 3, "3").plain ())) << "there is no room";
    EXPECT_EQ (queue.push (item ("t", 3, "3")), spot_queue::outcome::full);
    queue.passed ();
    EXPECT_FALSE (queue.passing ());
    EXPECT_EQ (queue.size (), 0u);
    EXPECT_EQ (queue.bytes (), 0u);
    EXPECT_EQ (queue.counters ().queued, 2u);
    EXPECT_EQ (queue.push (item ("t", 3, "3")), spot_queue::outcome::queued);
    EXPECT_FALSE (queue.pass (item ("t", 4, "4").plain ())) << "it would overtake the one before";
    EXPECT_EQ (all_of (queue), (texts{"t=3"}));
    queue.push_gap (spot_gap::connection, 0);
    EXPECT_FALSE (queue.pass (item ("t", 4, "4").plain ())) << "it would overtake a gap";
    for (const spot_policy how : {spot_policy::drop_oldest, spot_policy::conflate}) {
        spot_queue given_up ({.policy = how});
        EXPECT_FALSE (given_up.pass (item ("t", 1, "1").plain ())) << "it may be given up later";
    }
}

TEST (SpotQueue, SaysHowManyPassForCertain)
{
    spot_queue queue ({.policy = spot_policy::block, .messages_max = 5, .bytes_max = 20});
    EXPECT_EQ (queue.free_passage ().messages, 5u);
    EXPECT_EQ (queue.free_passage ().bytes, 20u);
    queue.pass_many ({.messages = 3, .bytes = 6});
    EXPECT_TRUE (queue.passing ());
    EXPECT_EQ (queue.size (), 3u);
    EXPECT_EQ (queue.bytes (), 6u);
    EXPECT_EQ (queue.free_passage ().messages, 2u);
    EXPECT_EQ (queue.free_passage ().bytes, 14u);
    queue.pass_many ({.messages = 1, .bytes = 14});
    EXPECT_EQ (queue.free_passage ().messages, 0u) << "no octet is left";
    EXPECT_FALSE (queue.pass (item ("t", 4, "4").plain ()));
    queue.passed ();
    EXPECT_EQ (queue.counters ().queued, 4u);
    EXPECT_EQ (queue.free_passage ().messages, 5u);
    queue.push_gap (spot_gap::connection, 0);
    EXPECT_EQ (queue.free_passage ().messages, 0u) << "they would overtake a gap";
    for (const spot_policy how : {spot_policy::drop_oldest, spot_policy::conflate})
        EXPECT_EQ (spot_queue ({.policy = how}).free_passage ().messages, 0u) << "they may be given up later";
}

TEST (SpotQueue, DropsTheOldestAndSaysHowManyInTheirPlace)
{
    spot_queue queue ({.policy = spot_policy::drop_oldest, .messages_max = 2});
    for (std::uint64_t i = 0; i < 5; ++i)
        (void)queue.push (item ("t", i, std::to_string (i)));
    EXPECT_EQ (queue.size (), 2u);
    EXPECT_EQ (all_of (queue), (texts{"gap:3", "t=3", "t=4"}));
    EXPECT_EQ (queue.counters ().dropped, 3u);
    EXPECT_EQ (queue.bytes (), 0u);
}

TEST (SpotQueue, DropsGapsWithTheOldestWithoutForgettingThem)
{
    spot_queue queue ({.policy = spot_policy::drop_oldest, .messages_max = 1});
    (void)queue.push (item ("t", 0, "0"));
    queue.push_gap (spot_gap::publisher_full, 10);
    (void)queue.push (item ("t", 1, "1"));
    (void)queue.push (item ("t", 2, "2"));
    EXPECT_EQ (all_of (queue), (texts{"gap:12", "t=2"}));
}

TEST (SpotQueue, KeepsTheNewestOfEachTopicInItsTurn)
{
    spot_queue queue ({.policy = spot_policy::conflate});
    (void)queue.push (item ("a", 1, "1"));
    (void)queue.push (item ("b", 2, "2"));
    (void)queue.push (item ("a", 3, "a longer one"));
    (void)queue.push (item ("c", 4, "4"));
    EXPECT_EQ (queue.size (), 3u);
    EXPECT_EQ (all_of (queue), (texts{"a=a longer one", "b=2", "c=4"}));
    EXPECT_EQ (queue.counters ().conflated, 1u);
    EXPECT_EQ (queue.counters ().dropped, 0u);
    EXPECT_EQ (queue.bytes (), 0u);
    (void)queue.push (item ("a", 5, "5"));
    EXPECT_EQ (all_of (queue), (texts{"a=5"}));
}

TEST (SpotQueue, ThatConflatesDropsTheOldestTopicAboveItsBound)
{
    spot_queue queue ({.policy = spot_policy::conflate, .messages_max = 2});
    for (const char *const each : {"a", "b", "c", "b"})
        (void)queue.push (item (each, 1, each));
    EXPECT_EQ (all_of (queue), (texts{"gap:1", "b=b", "c=c"}));
}

TEST (SpotQueue, IsFullWhereNothingIsToBeDropped)
{
    for (const spot_policy each : {spot_policy::block, spot_policy::disconnect}) {
        spot_queue queue ({.policy = each, .messages_max = 2});
        EXPECT_EQ (queue.push (item ("t", 1, "1")), spot_queue::outcome::queued);
        EXPECT_EQ (queue.push (item ("t", 2, "2")), spot_queue::outcome::queued);
        EXPECT_EQ (queue.push (item ("t", 3, "3")), spot_queue::outcome::full);
        spot_block hand;
        ASSERT_TRUE (queue.take (hand));
        EXPECT_EQ (queue.push (item ("t", 3, "3")), spot_queue::outcome::queued);
        EXPECT_EQ (queue.counters ().dropped, 0u);
    }
}

TEST (SpotQueue, SaysForHowManyItIsNotFull)
{
    const spot_item one = item ("t", 1, "body");
    const std::size_t bytes = spot_queue::bytes_queued (one);
    for (const spot_policy each : {spot_policy::block, spot_policy::disconnect}) {
        spot_queue queue ({.policy = each, .messages_max = 3, .bytes_max = 10 * bytes});
        EXPECT_EQ (queue.sure_room ().messages, 3u);
        EXPECT_EQ (queue.sure_room ().bytes, 10 * bytes);
        ASSERT_EQ (queue.push (one), spot_queue::outcome::queued);
        EXPECT_EQ (queue.sure_room ().messages, 2u);
        EXPECT_EQ (queue.sure_room ().bytes, 9 * bytes);
        ASSERT_EQ (queue.push (one), spot_queue::outcome::queued);
        ASSERT_EQ (queue.push (one), spot_queue::outcome::queued);
        EXPECT_EQ (queue.sure_room ().messages, 0u);
        EXPECT_EQ (queue.push (one), spot_queue::outcome::full);
        queue.set_bounds ({.policy = each, .messages_max = 100, .bytes_max = 3 * bytes});
        EXPECT_EQ (queue.sure_room ().messages, 0u) << "there is none in bytes";
    }
    for (const spot_policy each :
         {spot_policy::drop_newest, spot_policy::drop_oldest, spot_policy::conflate}) {
        spot_queue queue ({.policy = each, .messages_max = 1});
        for (int i = 0; i < 3; ++i) {
            EXPECT_GT (queue.sure_room ().messages, 1000u);
            EXPECT_NE (queue.push (one), spot_queue::outcome::full);
        }
    }
}

TEST (SpotQueue, HasABoundInBytesAndTakesOneOfAnySize)
{
    spot_queue queue ({.messages_max = 100, .bytes_max = 1000});
    EXPECT_EQ (queue.push (item ("t", 1, std::string (100'000, 'x'))), spot_queue::outcome::queued);
    EXPECT_EQ (queue.push (item ("t", 2, "x")), spot_queue::outcome::dropped);
    EXPECT_EQ (all_of (queue).size (), 2u);
}

TEST (SpotQueue, KeepsWhatWaitsWhenItsPolicyChanges)
{
    spot_queue queue ({});
    (void)queue.push (item ("a", 1, "1"));
    (void)queue.push (item ("a", 2, "2"));
    queue.set_bounds ({.policy = spot_policy::conflate});
    (void)queue.push (item ("a", 3, "3"));
    (void)queue.push (item ("a", 4, "4"));
    queue.set_bounds ({.policy = spot_policy::drop_oldest});
    (void)queue.push (item ("a", 5, "5"));
    EXPECT_EQ (all_of (queue), (texts{"a=1", "a=2", "a=4", "a=5"}));
    EXPECT_EQ (queue.size (), 0u);
    EXPECT_EQ (queue.bytes (), 0u);
}

TEST (SpotQueue, AddsGapsUpAndKeepsTheirReasonsApart)
{
    spot_queue queue ({});
    queue.push_gap (spot_gap::publisher_full, 2);
    queue.push_gap (spot_gap::publisher_full, 3);
    queue.push_gap (spot_gap::connection, 0);
    (void)queue.push (item ("a", 1, "1"));
    EXPECT_EQ (all_of (queue), (texts{"gap:5", "gap:0", "a=1"}));
    EXPECT_EQ (queue.counters ().dropped, 6u) << "what a connection lost is not known, and counts";
    queue.push_gap (spot_gap::publisher_full, 0);
    EXPECT_EQ (queue.counters ().dropped, 6u) << "how many has been said before";
}

}  // namespace
}  // namespace zlink::service
