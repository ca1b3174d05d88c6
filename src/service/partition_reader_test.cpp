#include "service/partition_reader.hpp"

#include <string>

#include <gtest/gtest.h>

namespace zlink::service {
namespace {

constexpr epoch e1{1, 10}, e2{2, 20}, e3{3, 30};

log_entry entry (epoch of, std::uint64_t first, std::uint64_t sequence, std::uint64_t after = 0)
{
    return {
      .of = of, .first = first, .after = after, .sequence = sequence, .origin = 1, .origin_number = sequence};
}

struct PartitionReader : testing::Test
{
    // What it has told since, in short.
    std::string told ()
    {
        std::string all;
        for (const reader_event &each : events) {
            const std::string number = std::to_string (each.entry.of.number);
            if (each.what == reader_event::kind::message)
                all += number + "/" + std::to_string (each.entry.sequence) + " ";
            if (each.what == reader_event::kind::gap)
                all += "gap" + std::to_string (each.from) + "-" + std::to_string (each.to) + " ";
            if (each.what == reader_event::kind::epoch)
                all += "epoch" + std::to_string (each.before.number) + ">" + number + "@"
                       + std::to_string (each.from) + (each.loss_possible ? "? " : "! ");
            if (each.what == reader_event::kind::another)
                all += "another ";
        }
        events.clear ();
        return all;
    }
    void take (const log_entry &what) { reader.take (what, events); }
    void join (const owner_place &owner)
    {
        reader.announced (owner, events);
        ask ();
        reader.replay_ended (wish.token, owner, events);
    }
    bool ask (base::time_ns now = 0)
    {
        const auto asked = reader.next (now);
        if (asked)
            wish = *asked;
        return asked.has_value ();
    }
    partition_reader reader{read_from::now, 0};
    partition_reader::events events;
    replay_wish wish;
};

TEST_F (PartitionReader, JoinsWhereTheOwnerStandsAndHandsOnInOrder)
{
    EXPECT_FALSE (ask ()) << "nobody is there";
    EXPECT_EQ (reader.next_due (), base::never_ns);
    take (entry (e1, 1, 6));
    EXPECT_EQ (told (), "");
    ASSERT_TRUE (ask ());
    EXPECT_EQ (wish.how, read_from::now);
    take (entry (e1, 1, 7));
    reader.replay_ended (wish.token, {.of = e1, .first = 1, .tail = 7}, events);
    take (entry (e1, 1, 8));
    take (entry (e1, 1, 9));
    take (entry (e1, 1, 8));
    EXPECT_EQ (told (), "1/8 1/9 ");
    EXPECT_EQ (reader.counters ().repeated, 1U);
}

TEST_F (PartitionReader, AHoleIsAskedForAndWhatTheOwnerHasNoMoreIsAGap)
{
    join ({.of = e1, .tail = 2});
    take (entry (e1, 1, 3));
    take (entry (e1, 1, 6));
    EXPECT_EQ (told (), "1/3 ");
    ASSERT_TRUE (ask ());
    EXPECT_EQ (wish.value, 4U);
    take (entry (e1, 1, 7));
    const owner_place owner{.of = e1, .tail = 7};
    reader.replayed (wish.token + 5, owner, entry (e1, 1, 4), events);
    reader.replayed (wish.token, owner, entry (e1, 1, 5), events);
    reader.replayed (wish.token, owner, entry (e1, 1, 6), events);
    reader.replay_ended (wish.token, owner, events);
    take (entry (e1, 1, 8));
    EXPECT_EQ (told (), "gap4-4 1/5 1/6 gap7-7 1/8 ");
    EXPECT_EQ (reader.counters ().missing, 2U);
}

TEST_F (PartitionReader, AsksAgainWhenNoAnswerComes)
{
    join ({.of = e1, .tail = 2});
    reader.doubted ();
    ASSERT_TRUE (ask (100));
    const std::uint64_t first = wish.token;
    EXPECT_FALSE (ask (101));
    EXPECT_EQ (reader.next_due (), 100 + replay_again_ns);
    ASSERT_TRUE (ask (100 + replay_again_ns));
    reader.replay_ended (first, {.of = e1, .tail = 9}, events);
    EXPECT_EQ (told (), "") << "an answer to the first question is not one to the second";
    reader.replay_ended (wish.token, {.of = e1, .tail = 2}, events);
    take (entry (e1, 1, 3));
    EXPECT_EQ (told (), "1/3 ");
}

TEST_F (PartitionReader, ANewEpochIsToldInFrontOfItsFirstMessage)
{
    join ({.of = e1, .tail = 2});
    take (entry (e1, 1, 3));
    take (entry (e2, 4, 4, 1));
    take (entry (e1, 1, 4));
    take (entry ({2, 21}, 4, 5));
    take (entry (e2, 4, 5));
    EXPECT_EQ (told (), "1/3 epoch1>2@4! 2/4 another 2/5 ");
    EXPECT_EQ (reader.counters ().refused, 1U);
    EXPECT_EQ (reader.counters ().another, 1U);
    reader.announced ({.of = e3, .first = 6, .after = 0, .tail = 5}, events);
    EXPECT_EQ (told (), "epoch2>3@6? ") << "the owner says so before it has numbered anything";
}

TEST_F (PartitionReader, WhatTheNewOwnerKnowsAndWeDoNotIsAskedForFirst)
{
    join ({.of = e1, .tail = 2});
    reader.announced ({.of = e2, .first = 5, .tail = 4}, events);
    EXPECT_EQ (told (), "");
    ASSERT_TRUE (ask ());
    EXPECT_EQ (wish.value, 3U);
    const owner_place owner{.of = e2, .first = 5, .tail = 5};
    reader.replayed (wish.token, owner, entry (e1, 1, 3), events);
    reader.replayed (wish.token, owner, entry (e1, 1, 4), events);
    reader.replayed (wish.token, owner, entry (e2, 5, 5), events);
    reader.replay_ended (wish.token, owner, events);
    EXPECT_EQ (told (), "1/3 1/4 epoch1>2@5? 2/5 ");
}

TEST_F (PartitionReader, WhereTheNewOwnerDoesNotKnowWhatWeSawItGoesOnThere)
{
    join ({.of = e1, .tail = 7});
    take (entry (e1, 1, 8));
    take (entry (e1, 1, 9));
    EXPECT_EQ (told (), "1/8 1/9 ");
    take (entry (e2, 8, 8, 1));
    EXPECT_EQ (told (), "epoch1>2@8? 2/8 ") << "an end in order does not help";
    // Two epochs further, of which we have missed one.
    take (entry (e3, 12, 12));
    ASSERT_TRUE (ask ());
    EXPECT_EQ (wish.value, 9U);
}

TEST_F (PartitionReader, AnEpochThatBeganBelowIsAskedForFromItsBeginning)
{
    join ({.of = e1, .tail = 9});
    reader.announced ({.of = e3, .first = 12, .tail = 11}, events);
    ASSERT_TRUE (ask ());
    EXPECT_EQ (wish.value, 10U);
    const owner_place owner{.of = e3, .first = 12, .tail = 11};
    reader.replayed (wish.token, owner, entry (e2, 9, 10), events);
    reader.replayed (wish.token, owner, entry (e2, 9, 11), events);
    reader.replay_ended (wish.token, owner, events);
    EXPECT_EQ (told (), "");
    ASSERT_TRUE (ask ());
    EXPECT_EQ (wish.value, 9U);
    for (std::uint64_t i = 9; i <= 11; ++i)
        reader.replayed (wish.token, owner, entry (e2, 9, i), events);
    reader.replay_ended (wish.token, owner, events);
    EXPECT_EQ (told (), "epoch1>2@9? 2/9 2/10 2/11 epoch2>3@12? ");
}

TEST_F (PartitionReader, WhoIsAskedIsTheOwnerOfTheLastEpoch)
{
    join ({.of = e1, .tail = 2});
    reader.doubted ();
    ASSERT_TRUE (ask ());
    const std::uint64_t first = wish.token;
    take (entry (e2, 3, 3, 1));
    EXPECT_EQ (told (), "") << "it comes with the answer";
    reader.replay_ended (first, {.of = e1, .tail = 2}, events);
    ASSERT_TRUE (ask ());
    const owner_place owner{.of = e2, .first = 3, .after = 1, .tail = 3};
    reader.replayed (wish.token, owner, entry (e2, 3, 3, 1), events);
    reader.replay_ended (wish.token, owner, events);
    EXPECT_EQ (told (), "epoch1>2@3! 2/3 ");
}

TEST (PartitionReaderLate, TheLastNAndFromANumberAreAskedForOnce)
{
    const owner_place owner{.of = e1, .tail = 5};
    partition_reader last (read_from::last, 2);
    partition_reader::events events;
    last.announced (owner, events);
    auto wish = last.next (0);
    ASSERT_TRUE (wish);
    EXPECT_EQ (wish->how, read_from::last);
    EXPECT_EQ (wish->value, 2U);
    last.replayed (wish->token, owner, entry (e1, 1, 4), events);
    last.replayed (wish->token, owner, entry (e1, 1, 5), events);
    last.replay_ended (wish->token, owner, events);
    ASSERT_EQ (events.size (), 2U);
    EXPECT_EQ (events[0].entry.sequence, 4U);

    events.clear ();
    partition_reader from (read_from::sequence, 2);
    from.announced (owner, events);
    wish = from.next (0);
    ASSERT_TRUE (wish);
    from.replayed (wish->token, owner, entry (e1, 1, 4), events);
    from.replayed (wish->token, owner, entry (e1, 1, 5), events);
    from.replay_ended (wish->token, owner, events);
    ASSERT_EQ (events.size (), 3U);
    EXPECT_EQ (events[0].what, reader_event::kind::gap);
    EXPECT_EQ (events[0].from, 2U);
    EXPECT_EQ (events[0].to, 3U);

    events.clear ();
    partition_reader future (read_from::sequence, 50);
    future.announced (owner, events);
    wish = future.next (0);
    future.replay_ended (wish->token, owner, events);
    EXPECT_TRUE (events.empty ());
    EXPECT_EQ (future.expected (), 6U) << "numbers that were never given are not waited for";
}

}  // namespace
}  // namespace zlink::service
