#include "service/grant_claim.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace zlink::service {
namespace {

using base::ns_per_ms;

constexpr base::time_ns lease = grant_lease_ns;

struct counting_dice final : base::random
{
    std::uint64_t next () noexcept override { return ++drawn; }
    std::uint64_t drawn = 0;
};

grant_answer yes (const epoch &of)
{
    grant_answer made;
    made.highest = of;
    made.lease_ns = lease;
    return made;
}

grant_answer no (grant_fault why, std::uint64_t highest = 0, base::time_ns pause = 0)
{
    grant_answer made;
    made.fault = why;
    made.highest.number = highest;
    made.pause_ns = pause;
    return made;
}

struct towards
{
    explicit towards (std::size_t grantors) : claim (7, grantors, dice) {}

    std::vector<grant_question> at (base::time_ns now)
    {
        std::vector<grant_question> all;
        for (;;) {
            claim.advance (now);
            const std::optional<grant_question> asked = claim.next ();
            if (!asked)
                return all;
            all.push_back (*asked);
        }
    }

    counting_dice dice;
    grant_claim claim;
};

TEST (GrantClaim, AsksWhenItIsWantedAndHoldsTheLeaseFromWhenItAsked)
{
    towards one (1);
    EXPECT_TRUE (one.at (0).empty ());
    EXPECT_EQ (one.claim.next_due (), base::never_ns);
    one.claim.heard_of ({4, 1});
    one.claim.want ();
    const auto asked = one.at (100);
    ASSERT_EQ (asked.size (), 1U);
    EXPECT_EQ (asked[0].of.number, 5U);
    EXPECT_FALSE (one.claim.may_number (100));
    one.claim.answered (100 + 300 * ns_per_ms, 0, asked[0].round, yes (asked[0].of));
    EXPECT_EQ (one.claim.state (), claim_state::held);
    EXPECT_EQ (one.claim.current (), asked[0].of);
    EXPECT_EQ (one.claim.stops_numbering (), 100 + lease - grant_margin_of (lease));
    EXPECT_TRUE (one.claim.may_number (one.claim.stops_numbering () - 1));
    EXPECT_FALSE (one.claim.may_number (one.claim.stops_numbering ()));
}

// It is not asked again as fast as it answers.
TEST (GrantClaim, ALeaseThatIsOverAtOnceIsRefused)
{
    for (const base::time_ns far_too_short : {base::time_ns{0}, base::time_ns{1}, grant_lease_min_ns - 1}) {
        towards one (1);
        one.claim.want ();
        int rounds = 0;
        for (int i = 0; i < 100; ++i)
            for (const grant_question &each : one.at (100)) {
                grant_answer answer = yes (each.of);
                answer.lease_ns = far_too_short;
                rounds += !each.is_release;
                if (!each.is_release)
                    one.claim.answered (100, 0, each.round, answer);
            }
        EXPECT_LE (rounds, 2);
        EXPECT_EQ (one.claim.state (), claim_state::asking);
        EXPECT_LE (one.claim.next_due (), 100 + grant_pause_last_ns);
    }
}

TEST (GrantClaim, AsksForOneAboveWhateverNumberItHasHeardOf)
{
    towards one (1);
    one.claim.heard_of ({UINT64_MAX, 1});
    one.claim.want ();
    const auto asked = one.at (100);
    ASSERT_EQ (asked.size (), 1U);
    EXPECT_EQ (asked[0].of.number, 1U) << "0 is none, and would be no question";
}

TEST (GrantClaim, RenewsTheSameEpochAndNeverComesBackToOneThatHasRunOut)
{
    towards one (1);
    one.claim.want ();
    auto asked = one.at (0);
    one.claim.answered (0, 0, asked[0].round, yes (asked[0].of));
    const epoch first = asked[0].of;
    EXPECT_TRUE (one.at (grant_renewal_of (lease) - 1).empty ());
    asked = one.at (one.claim.next_due ());
    ASSERT_EQ (asked.size (), 1U);
    EXPECT_EQ (asked[0].of, first);
    one.claim.answered (grant_renewal_of (lease), 0, asked[0].round, yes (first));
    EXPECT_EQ (one.claim.stops_numbering (), grant_renewal_of (lease) + lease - grant_margin_of (lease));

    const base::time_ns over = grant_renewal_of (lease) + lease;
    asked = one.at (over);
    ASSERT_EQ (asked.size (), 2U) << "it gives back what may not have run out there, and asks anew";
    EXPECT_TRUE (asked[0].is_release);
    EXPECT_EQ (asked[0].of, first);
    EXPECT_FALSE (asked[0].knows_end);
    EXPECT_GT (asked[1].of.number, first.number);
    EXPECT_FALSE (one.claim.may_number (over));
}

TEST (GrantClaim, AVoteThatComesTooLateIsOfNoUse)
{
    towards one (1);
    one.claim.want ();
    const auto asked = one.at (0);
    one.claim.answered (lease, 0, asked[0].round, yes (asked[0].of));
    EXPECT_EQ (one.claim.state (), claim_state::asking);
    const auto again = one.at (lease);
    ASSERT_EQ (again.size (), 2U);
    EXPECT_TRUE (again[0].is_release);
    EXPECT_FALSE (again[1].is_release);
    one.claim.answered (lease, 0, asked[0].round, yes (asked[0].of));
    EXPECT_EQ (one.claim.state (), claim_state::asking) << "an answer to the round before";
}

TEST (GrantClaim, TakesTheVotesOfAMajorityOnceEach)
{
    towards three (3);
    three.claim.want ();
    const auto asked = three.at (0);
    ASSERT_EQ (asked.size (), 3U);
    three.claim.answered (1, 0, asked[0].round, yes (asked[0].of));
    three.claim.answered (1, 0, asked[0].round, yes (asked[0].of));
    EXPECT_EQ (three.claim.state (), claim_state::asking) << "the same one twice is one";
    three.claim.answered (1, 1, asked[0].round, no (grant_fault::stale));
    EXPECT_EQ (three.claim.state (), claim_state::asking);
    three.claim.answered (1, 2, asked[0].round, yes (asked[0].of));
    EXPECT_EQ (three.claim.state (), claim_state::held);
}

TEST (GrantClaim, GivesBackTheVotesOfARoundThatFailedAndTriesAHigherNumber)
{
    towards three (3);
    three.claim.want ();
    auto asked = three.at (0);
    three.claim.answered (1, 0, asked[0].round, yes (asked[0].of));
    three.claim.answered (1, 1, asked[0].round, no (grant_fault::stale, 9));
    three.claim.answered (1, 2, asked[0].round, no (grant_fault::held, 9, 500 * ns_per_ms));
    EXPECT_FALSE (three.claim.unanswered ());
    asked = three.at (1);
    ASSERT_EQ (asked.size (), 1U);
    EXPECT_TRUE (asked[0].is_release);
    EXPECT_EQ (asked[0].grantor, 0U);
    EXPECT_LT (three.claim.next_due (), 500 * ns_per_ms) << "with two of them it has a majority";
    asked = three.at (three.claim.next_due ());
    ASSERT_EQ (asked.size (), 3U);
    EXPECT_EQ (asked[0].of.number, 10U);
}

TEST (GrantClaim, WaitsUntilTheGrantorCanSayYes)
{
    towards one (1);
    one.claim.want ();
    const auto asked = one.at (0);
    one.claim.answered (0, 0, asked[0].round, no (grant_fault::settling, 0, 700 * ns_per_ms));
    EXPECT_GE (one.claim.next_due (), 700 * ns_per_ms);
    EXPECT_LT (one.claim.next_due (), 700 * ns_per_ms + grant_pause_last_ns);
}

// Whoever holds it may be giving it back, and does not tell us.
TEST (GrantClaim, WaitsForWhoeverHoldsItOnceItHasAskedAFewTimes)
{
    constexpr base::time_ns pause = ns_per_ms * 1'900;
    towards one (1);
    one.claim.want ();
    base::time_ns now = 0;
    const auto refuse = [&] {
        const auto asked = one.at (now);
        ASSERT_EQ (asked.size (), 1U);
        one.claim.answered (now, 0, asked[0].round, no (grant_fault::held, asked[0].of.number, pause));
        EXPECT_TRUE (one.claim.refused ());
    };
    for (int turn = 0; turn < 2; ++turn) {
        for (unsigned round = 0; round < grant_rounds_in_hurry; ++round) {
            refuse ();
            EXPECT_GT (one.claim.next_due (), now);
            EXPECT_LE (one.claim.next_due (), now + grant_pause_last_ns);
            now = one.claim.next_due ();
        }
        refuse ();
        EXPECT_GE (one.claim.next_due (), now + pause);
        one.claim.hurry ();
        EXPECT_FALSE (one.claim.refused ());
    }
}

TEST (GrantClaim, WithoutAMajorityItSaysSoAndGoesOnAsking)
{
    towards three (3);
    three.claim.want ();
    auto asked = three.at (0);
    three.claim.answered (1, 0, asked[0].round, yes (asked[0].of));
    EXPECT_EQ (three.claim.next_due (), grant_round_ns);
    asked = three.at (grant_round_ns);
    EXPECT_TRUE (three.claim.unanswered ());
    ASSERT_EQ (asked.size (), 3U) << "all may have voted yet";
    EXPECT_TRUE (asked[0].is_release);
    EXPECT_EQ (three.at (three.claim.next_due ()).size (), 3U);
    three.claim.connected (1);
    asked = three.at (three.claim.next_due () - 1);
    ASSERT_EQ (asked.size (), 1U) << "a new connection is asked again";
    EXPECT_EQ (asked[0].grantor, 1U);
}

TEST (GrantClaim, GivesUpWithItsLastNumberAndMayWantAgain)
{
    towards one (1);
    one.claim.want ();
    auto asked = one.at (0);
    one.claim.answered (0, 0, asked[0].round, yes (asked[0].of));
    const std::uint64_t last = 12;
    one.claim.give_up (&last);
    EXPECT_FALSE (one.claim.may_number (0));
    one.claim.want ();
    asked = one.at (0);
    ASSERT_EQ (asked.size (), 2U);
    EXPECT_TRUE (asked[0].is_release && asked[0].knows_end);
    EXPECT_EQ (asked[0].last_sequence, 12U);
    EXPECT_EQ (asked[1].of.number, asked[0].of.number + 1);
    one.claim.give_up (nullptr);
    asked = one.at (0);
    ASSERT_EQ (asked.size (), 1U);
    EXPECT_TRUE (asked[0].is_release) << "the vote may have been given";
    EXPECT_EQ (one.claim.next_due (), base::never_ns);
}

}  // namespace
}  // namespace zlink::service
