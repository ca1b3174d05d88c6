// The checker of histories finds each kind of fault that is planted in one, and nothing
// in one that has none.
#include <gtest/gtest.h>

#include "service/test_history.hpp"

namespace zlink::service::test {
namespace {

constexpr epoch e1{1, 10}, e2{2, 20};
constexpr std::uint64_t owner = 100, other = 200, reader = 7;

log_entry entry (const epoch &of, std::uint64_t first, std::uint64_t sequence, std::uint64_t origin_number)
{
    return {.of = of, .first = first, .sequence = sequence, .origin = 5, .origin_number = origin_number};
}
reader_event message (const log_entry &what)
{
    reader_event made;
    made.entry = what;
    return made;
}
reader_event gap (std::uint64_t from, std::uint64_t to)
{
    reader_event made;
    made.what = reader_event::kind::gap;
    made.from = from;
    made.to = to;
    return made;
}
reader_event begins (const epoch &before, const epoch &of, std::uint64_t from, bool loss_possible)
{
    reader_event made;
    made.what = reader_event::kind::epoch;
    made.before = before;
    made.entry.of = of;
    made.from = from;
    made.loss_possible = loss_possible;
    return made;
}

struct PartitionHistory : testing::Test
{
    // Numbers 1 to 3 in the first epoch, all confirmed; the reader has the first.
    PartitionHistory ()
    {
        for (std::uint64_t i = 1; i <= 3; ++i) {
            all.numbered (owner, entry (e1, 1, i, i));
            all.confirmed (e1, i);
        }
        all.told (reader, message (entry (e1, 1, 1, 1)));
    }
    void tell (std::uint64_t sequence) { all.told (reader, message (entry (e1, 1, sequence, sequence))); }
    history all;
};

TEST_F (PartitionHistory, FindsNothingWhereNothingIs)
{
    tell (2);
    all.told (reader, gap (3, 3));
    all.numbered (other, entry (e2, 4, 4, 4));
    all.told (reader, begins (e1, e2, 4, true));
    all.told (reader, message (entry (e2, 4, 4, 4)));
    EXPECT_EQ (all.verdict (), "");
    EXPECT_EQ (all.deliveries (), 3U);
}

TEST_F (PartitionHistory, FindsTwoOwnersInOneEpoch)
{
    all.numbered (other, entry (e1, 1, 4, 4));
    EXPECT_EQ (all.verdict (), "two owners number in epoch 1");
}

TEST_F (PartitionHistory, FindsTwoGrantsOfOneNumber)
{
    all.numbered (owner, entry ({1, 11}, 1, 4, 4));
    EXPECT_EQ (all.verdict (), "two owners number in epoch 1");
}

// What subscribers got, where nobody looks at owners.
TEST (PartitionHistoryOfSubscribers, FindsTwoOwnersTwoNumbersAndTwoMessages)
{
    history well, owners, numbers, messages;
    for (history *const each : {&well, &owners, &numbers, &messages}) {
        each->stands (entry (e1, 1, 1, 1));
        each->told (reader, message (entry (e1, 1, 1, 1)));
    }
    well.stands (entry (e1, 1, 1, 1));
    well.told (8, message (entry (e1, 1, 1, 1)));
    EXPECT_EQ (well.verdict (), "");
    owners.stands (entry ({1, 11}, 1, 2, 2));
    EXPECT_EQ (owners.verdict (), "two owners number in epoch 1");
    numbers.stands (entry (e1, 1, 2, 1));
    EXPECT_EQ (numbers.verdict (), "a publish is numbered twice within an epoch");
    messages.stands (entry (e1, 1, 1, 2));
    messages.told (8, message (entry (e1, 1, 1, 2)));
    EXPECT_EQ (messages.verdict (), "two messages under one number");
}

TEST_F (PartitionHistory, FindsAPublishThatIsNumberedTwice)
{
    all.numbered (owner, entry (e1, 1, 4, 2));
    EXPECT_EQ (all.verdict (), "a publish is numbered twice within an epoch");
}

TEST_F (PartitionHistory, FindsAnOwnerThatSkipsANumber)
{
    all.numbered (owner, entry (e1, 1, 5, 5));
    EXPECT_EQ (all.verdict (), "an owner skips or repeats a number");
}

TEST_F (PartitionHistory, FindsAHoleThatWasNotTold)
{
    tell (3);
    EXPECT_EQ (all.verdict (), "a hole that was not told");
}

TEST_F (PartitionHistory, FindsADuplicateAndWhatComesOutOfOrder)
{
    tell (2);
    tell (2);
    EXPECT_EQ (all.verdict (), "a message comes again, or late");
}

TEST_F (PartitionHistory, FindsAnotherOrderAtAnotherSubscriber)
{
    all.told (8, message (entry (e1, 1, 2, 3)));
    EXPECT_EQ (all.verdict (), "two messages under one number");
}

TEST_F (PartitionHistory, FindsAnEpochThatWasNotTold)
{
    all.numbered (other, entry (e2, 2, 2, 9));
    all.told (reader, message (entry (e2, 2, 2, 9)));
    EXPECT_EQ (all.verdict (), "a message of an epoch whose beginning was not told");
}

TEST_F (PartitionHistory, FindsALossThatNobodyTold)
{
    all.told (reader, begins (e1, e2, 2, false));
    EXPECT_EQ (all.verdict (), "subscriber 7 was not told of the loss of 1/2");
}

TEST_F (PartitionHistory, FindsAnEpochThatGoesBackSilentlyOrLeavesAHole)
{
    tell (2);
    history too = all;
    all.told (reader, begins (e1, e2, 2, false));
    EXPECT_EQ (all.verdict (), "an epoch begins in what was seen, and says that nothing is lost");
    too.told (reader, begins (e1, e2, 4, true));
    EXPECT_EQ (too.verdict (), "a hole in front of an epoch");
}

TEST_F (PartitionHistory, FindsAMessageFromNowhere)
{
    tell (2);
    tell (3);
    tell (4);
    EXPECT_EQ (all.verdict (), "a message that nobody has numbered");
}

}  // namespace
}  // namespace zlink::service::test
