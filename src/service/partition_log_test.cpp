#include "service/partition_log.hpp"

#include <gtest/gtest.h>

namespace zlink::service {
namespace {

std::shared_ptr<const std::string> text (std::string what)
{
    return std::make_shared<const std::string> (std::move (what));
}

log_entry entry (epoch of, std::uint64_t first, std::uint64_t sequence, std::uint64_t number = 0)
{
    return {.of = of,
            .first = first,
            .sequence = sequence,
            .origin = 9,
            .origin_number = number == 0 ? sequence : number,
            .octets = text ("x")};
}

constexpr epoch e1{1, 10}, e2{2, 20}, e3{3, 30};
constexpr std::uint64_t anna = 1, bert = 2;

struct PartitionLog : testing::Test
{
    append_outcome publish (std::uint64_t origin, std::uint64_t number, std::uint64_t waits_from)
    {
        return log.append (origin, number, waits_from, text (std::to_string (number)), sequence);
    }
    partition_log log{log_bounds{.entries_max = 4, .bytes_max = 1000, .origins_max = 3}};
    std::uint64_t sequence = 0;
};

TEST_F (PartitionLog, NumbersFromOneOnAndKnowsARetriedPublishAgain)
{
    log.open (e1, {});
    EXPECT_EQ (publish (anna, 1, 1), append_outcome::numbered);
    EXPECT_EQ (sequence, 1U);
    EXPECT_EQ (publish (bert, 1, 1), append_outcome::numbered);
    EXPECT_EQ (publish (anna, 1, 1), append_outcome::repeated);
    EXPECT_EQ (sequence, 1U);
    EXPECT_EQ (log.tail (), 2U);
    EXPECT_EQ (log.find (2)->origin, bert);
    EXPECT_EQ (*log.find (1)->octets, "1");
    EXPECT_EQ (log.find (1)->of, e1);
}

TEST_F (PartitionLog, AnOriginsPublishesStandInItsOrder)
{
    log.open (e1, {});
    EXPECT_EQ (publish (anna, 3, 2), append_outcome::early) << "2 is waited for, and is not here";
    EXPECT_EQ (publish (anna, 2, 2), append_outcome::numbered) << "1 was given up";
    EXPECT_EQ (publish (anna, 3, 2), append_outcome::numbered);
    EXPECT_EQ (publish (anna, 100, 100), append_outcome::numbered);
    EXPECT_EQ (publish (anna, 3, 2), append_outcome::repeated) << "too long ago, and so not again";
}

// Who says that it waits for what was long ago makes nobody count up from there.
TEST_F (PartitionLog, AnOriginThatWaitsFromFarBackCostsNoTime)
{
    constexpr std::uint64_t far = std::uint64_t{1} << 63;
    log.open (e1, {});
    EXPECT_EQ (publish (anna, far, far), append_outcome::numbered);
    EXPECT_EQ (publish (anna, far + 1, 0), append_outcome::early) << "some of the last 64 are missing";
    EXPECT_EQ (publish (anna, far + 1, far), append_outcome::numbered);
    for (std::uint64_t i = 2; i <= 100; ++i)
        ASSERT_EQ (publish (anna, far + i, far + i), append_outcome::numbered);
    EXPECT_EQ (publish (anna, far + 101, 0), append_outcome::numbered);
    EXPECT_EQ (publish (anna, UINT64_MAX, 0), append_outcome::early);
    EXPECT_EQ (publish (anna, UINT64_MAX, UINT64_MAX), append_outcome::numbered);
    EXPECT_EQ (publish (anna, UINT64_MAX, 0), append_outcome::repeated);
}

TEST_F (PartitionLog, TheRingIsBoundedByEntriesAndOctets)
{
    log.open (e1, {});
    for (std::uint64_t i = 1; i <= 6; ++i)
        ASSERT_EQ (publish (anna, i, i), append_outcome::numbered);
    EXPECT_EQ (log.size (), 4U);
    EXPECT_EQ (log.lowest (), 3U);
    EXPECT_EQ (publish (anna, 1, 1), append_outcome::repeated);
    EXPECT_EQ (sequence, 0U) << "numbered, and nobody knows where any more";
    ASSERT_EQ (log.append (anna, 7, 7, text (std::string (2000, 'x')), sequence), append_outcome::numbered);
    EXPECT_EQ (log.size (), 1U) << "the last one stays, whatever its size";
    EXPECT_EQ (log.bytes (), 2000U);
}

TEST_F (PartitionLog, ANewOwnerGoesOnBehindWhatOthersHaveSeen)
{
    log.learn (entry (e1, 1, 4));
    log.learn (entry (e1, 1, 3));
    log.learn (entry (e1, 1, 1));  // 2 is missing: a hole
    log.open (e2, {});
    EXPECT_EQ (log.first (), 5U);
    EXPECT_EQ (log.after (), 0U) << "nobody knows whether there were more";
    EXPECT_EQ (log.lowest (), 3U);
    EXPECT_EQ (publish (9, 4, 4), append_outcome::repeated) << "it was numbered by the last owner";
    EXPECT_EQ (sequence, 4U);
    EXPECT_EQ (publish (9, 5, 5), append_outcome::numbered);
    EXPECT_EQ (log.find (5)->first, 5U);
    EXPECT_EQ (log.find (5)->of, e2);
}

TEST_F (PartitionLog, WhatAReplacedOwnerNumberedBehindTheTakeoverDoesNotCount)
{
    log.learn (entry (e1, 1, 1, 1));
    log.learn (entry (e1, 1, 2, 2));
    log.learn (entry (e2, 2, 2, 7));  // the second epoch's owner knew only of 1
    log.learn (entry (e1, 1, 3, 3));
    log.open (e3, {});
    EXPECT_EQ (log.tail (), 2U);
    EXPECT_EQ (log.find (2)->of, e2);
    EXPECT_EQ (log.find (3), nullptr);
    EXPECT_EQ (log.lowest (), 1U);
    EXPECT_EQ (publish (9, 3, 3), append_outcome::numbered) << "it stands nowhere, and may come again";
    EXPECT_EQ (publish (9, 7, 7), append_outcome::repeated);
}

TEST_F (PartitionLog, AnEndInOrderIsAnEndOnlyWhenAllOfItIsThere)
{
    log.learn (entry (e1, 1, 1));
    log.open (e2, {.of = e1, .last_sequence = 1});
    EXPECT_EQ (log.after (), 1U);
    EXPECT_EQ (log.first (), 2U);

    partition_log short_of{log_bounds{}};
    short_of.learn (entry (e1, 1, 1));
    short_of.open (e2, {.of = e1, .last_sequence = 5});
    EXPECT_EQ (short_of.after (), 0U);
    EXPECT_EQ (short_of.first (), 6U) << "the numbers were given";
    EXPECT_EQ (short_of.lowest (), 6U);

    partition_log later{log_bounds{}};
    later.learn (entry (e2, 1, 4));
    later.open (e3, {.of = e1, .last_sequence = 4});
    EXPECT_EQ (later.after (), 0U) << "that was an epoch earlier";
}

// Behind it would come 0, and nobody takes a message with that.
TEST_F (PartitionLog, NobodyNumbersItsEndAway)
{
    log.learn (entry (e1, 1, UINT64_MAX));
    log.learn (entry (e1, 1, learned_sequence_max + 1));
    log.open (e2, {.of = e1, .last_sequence = UINT64_MAX});
    EXPECT_EQ (log.first (), 1U);
    EXPECT_EQ (publish (anna, 1, 1), append_outcome::numbered);
    EXPECT_EQ (sequence, 1U);
    log.learn (entry (e2, 1, learned_sequence_max));
    log.open (e3, {});
    EXPECT_EQ (log.first (), learned_sequence_max + 1);
}

TEST_F (PartitionLog, TheLongestSilentOriginIsForgotten)
{
    log.open (e1, {});
    for (std::uint64_t origin = 1; origin <= 3; ++origin)
        ASSERT_EQ (publish (origin, 1, 1), append_outcome::numbered);
    ASSERT_EQ (publish (1, 2, 2), append_outcome::numbered);
    ASSERT_EQ (publish (4, 1, 1), append_outcome::numbered);
    EXPECT_EQ (publish (1, 1, 1), append_outcome::repeated);
    EXPECT_EQ (publish (2, 1, 1), append_outcome::numbered) << "the bound is a bound of knowledge";
}

}  // namespace
}  // namespace zlink::service
