#include "service/grant_voter.hpp"

#include <gtest/gtest.h>

namespace zlink::service {
namespace {

using base::ns_per_ms;
using base::ns_per_s;

constexpr base::time_ns lease = 2 * ns_per_s;
constexpr partition_ref part{"prices", 3};
constexpr std::uint64_t anna = 1, bert = 2;

struct GrantVoter : testing::Test
{
    grant_fault ask (base::time_ns now, epoch wanted, std::uint64_t holder)
    {
        last = voter.claim (now, part, wanted, holder);
        return last.fault;
    }
    grant_voter voter{0, lease};
    grant_answer last;
};

TEST_F (GrantVoter, GrantsNothingForOneLeaseAfterItsStart)
{
    EXPECT_EQ (ask (0, {1, 10}, anna), grant_fault::settling);
    EXPECT_EQ (last.pause_ns, lease);
    EXPECT_EQ (ask (lease - 1, {1, 10}, anna), grant_fault::settling);
    EXPECT_EQ (last.pause_ns, 1);
    EXPECT_EQ (ask (lease, {1, 10}, anna), grant_fault::none);
    EXPECT_EQ (last.lease_ns, lease);
    EXPECT_TRUE (last.must_be_recorded);
}

TEST_F (GrantVoter, OneHoldsItUntilTheLeaseRunsOutOrIsGivenBack)
{
    ASSERT_EQ (ask (lease, {1, 10}, anna), grant_fault::none);
    EXPECT_EQ (ask (lease + ns_per_s, {2, 20}, bert), grant_fault::held);
    EXPECT_EQ (last.pause_ns, ns_per_s);
    EXPECT_EQ (last.highest, (epoch{1, 10}));
    EXPECT_EQ (ask (lease + ns_per_s, {1, 10}, anna), grant_fault::none) << "renewed";
    EXPECT_EQ (ask (2 * lease, {2, 20}, bert), grant_fault::held);
    EXPECT_EQ (ask (2 * lease + ns_per_s, {2, 20}, bert), grant_fault::none);
    EXPECT_EQ (ask (2 * lease + ns_per_s, {1, 10}, anna), grant_fault::held) << "it is over for ever";
    EXPECT_FALSE (voter.release (part, {1, 10}, anna, nullptr));
    EXPECT_FALSE (voter.release ({"prices", 4}, {2, 20}, bert, nullptr));
    EXPECT_TRUE (voter.release (part, {2, 20}, bert, nullptr));
    EXPECT_EQ (ask (2 * lease + ns_per_s, {3, 30}, anna), grant_fault::none);
    EXPECT_EQ (last.before, (grant_end{})) << "who gave it back did not say how far it came";
}

TEST_F (GrantVoter, AVoteIsToldWhenItIsRecordedHoweverOftenItIsAskedFor)
{
    ASSERT_EQ (ask (lease, {1, 10}, anna), grant_fault::none);
    ASSERT_EQ (ask (lease, {1, 10}, anna), grant_fault::none);
    EXPECT_TRUE (last.must_be_recorded) << "the first one may not be on the disk yet";
    voter.recorded (part, {2, 10});
    ASSERT_EQ (ask (lease, {1, 10}, anna), grant_fault::none);
    EXPECT_TRUE (last.must_be_recorded);
    voter.recorded (part, {1, 10});
    ASSERT_EQ (ask (lease, {1, 10}, anna), grant_fault::none);
    EXPECT_FALSE (last.must_be_recorded);
}

TEST_F (GrantVoter, ANumberIsGivenOnceAndOnlyUpwards)
{
    ASSERT_EQ (ask (lease, {5, 10}, anna), grant_fault::none);
    ASSERT_TRUE (voter.release (part, {5, 10}, anna, nullptr));
    EXPECT_EQ (ask (lease, {5, 11}, bert), grant_fault::stale);
    EXPECT_EQ (last.highest.number, 5U);
    EXPECT_EQ (ask (lease, {4, 11}, bert), grant_fault::stale);
    EXPECT_EQ (ask (lease, {5, 10}, bert), grant_fault::stale) << "it is not his";
    EXPECT_EQ (ask (lease, {6, 11}, bert), grant_fault::none);
    EXPECT_EQ (ask (lease, {7, 12}, bert), grant_fault::none) << "a holder may take itself a higher one";
}

TEST_F (GrantVoter, NobodyTakesTheLastNumberForGood)
{
    ASSERT_EQ (ask (lease, {UINT64_MAX, 10}, anna), grant_fault::none);
    ASSERT_TRUE (voter.release (part, {UINT64_MAX, 10}, anna, nullptr));
    EXPECT_EQ (ask (lease, {1, 20}, bert), grant_fault::none);
    EXPECT_EQ (ask (lease, {UINT64_MAX, 30}, bert), grant_fault::stale);
    EXPECT_EQ (ask (lease, {2, 20}, bert), grant_fault::none);
}

TEST_F (GrantVoter, TellsTheNextOwnerHowFarTheLastOneCame)
{
    ASSERT_EQ (ask (lease, {1, 10}, anna), grant_fault::none);
    const std::uint64_t end = 77;
    ASSERT_TRUE (voter.release (part, {1, 10}, anna, &end));
    ASSERT_EQ (ask (lease, {2, 20}, bert), grant_fault::none);
    EXPECT_EQ (last.before, (grant_end{{1, 10}, 77}));
}

TEST_F (GrantVoter, WhatWasRecordedIsRenewedAtOnceAndNeverGivenAgain)
{
    voter.restore (part, {.highest = {5, 10}, .holder = anna});
    EXPECT_EQ (ask (0, {6, 20}, bert), grant_fault::settling);
    EXPECT_EQ (last.highest.number, 5U);
    EXPECT_EQ (ask (0, {5, 10}, anna), grant_fault::none);
    EXPECT_EQ (ask (lease, {5, 20}, bert), grant_fault::stale);
}

TEST_F (GrantVoter, BehindACleanEndOnlyLeasesThatRanStandInTheWay)
{
    constexpr partition_ref idle{"prices", 4};
    voter.restore (part, {.highest = {5, 10}, .holder = anna, .running = true});
    voter.restore (idle, {.highest = {2, 10}, .holder = anna});
    voter.ended_cleanly ();
    EXPECT_EQ (ask (0, {6, 20}, bert), grant_fault::held);
    EXPECT_EQ (voter.claim (0, idle, {3, 20}, bert).fault, grant_fault::none);
    EXPECT_EQ (ask (lease, {6, 20}, bert), grant_fault::none);
    unsigned running = 0;
    voter.for_each (lease,
                    [&] (const partition_ref &, const grant_record &each) { running += each.running; });
    EXPECT_EQ (running, 1U) << "of the idle one the lease has just run out";
}

TEST_F (GrantVoter, ACleanEndBeforeItHasSettledLeavesAllLeasesRunning)
{
    voter.restore (part, {.highest = {5, 10}, .holder = anna});
    bool running = false;
    voter.for_each (lease - 1,
                    [&] (const partition_ref &, const grant_record &each) { running = each.running; });
    EXPECT_TRUE (running) << "it was granted before the end that was not clean";
    voter.for_each (lease, [&] (const partition_ref &, const grant_record &each) { running = each.running; });
    EXPECT_FALSE (running);
}

TEST_F (GrantVoter, WaitsAsLongAsTheLeasesOfBefore)
{
    voter.lease_was (3 * lease);
    voter.restore (part, {.highest = {5, 10}, .holder = anna});
    EXPECT_EQ (ask (2 * lease, {6, 20}, bert), grant_fault::settling);
    EXPECT_EQ (last.pause_ns, lease);
    EXPECT_EQ (ask (3 * lease, {6, 20}, bert), grant_fault::none);
    EXPECT_EQ (last.lease_ns, lease);
}

TEST_F (GrantVoter, KeepsABoundedNumberOfPartitions)
{
    for (std::uint32_t i = 0; i < granted_partitions_max; ++i)
        ASSERT_EQ (voter.claim (lease, {"many", i}, {1, 1}, anna).fault, grant_fault::none);
    EXPECT_EQ (voter.claim (lease, part, {1, 1}, anna).fault, grant_fault::no_room);
    EXPECT_EQ (voter.claim (lease, {"many", 0}, {1, 1}, anna).fault, grant_fault::none);
    EXPECT_EQ (voter.size (), granted_partitions_max);
}

}  // namespace
}  // namespace zlink::service
