#include "service/votes_file.hpp"

#include <gtest/gtest.h>

namespace zlink::service {
namespace {

constexpr base::time_ns lease = grant_lease_ns;
constexpr partition_ref one{"prices", 3}, other{"prices", 4};

struct VotesFile : testing::Test
{
    VotesFile ()
    {
        (void)voter.claim (lease, one, {1, 10}, 7);
        (void)voter.claim (lease, other, {5, 50}, 8);
        const std::uint64_t last = 77;
        (void)voter.release (one, {1, 10}, 7, &last);
        (void)voter.claim (lease, one, {2, 20}, 9);
    }
    grant_voter voter{0, lease};
};

std::string wrong_with (std::string_view text)
{
    grant_voter voter (0, lease);
    const char *const why = read_votes (text, voter);
    EXPECT_EQ (voter.size (), 0u);
    return why == nullptr ? "" : why;
}

TEST_F (VotesFile, IsReadAsItWasWritten)
{
    const std::string text = votes_text (voter, lease, false);
    grant_voter again (100 * lease, lease);
    ASSERT_EQ (read_votes (text, again), nullptr);
    ASSERT_EQ (again.size (), 2u);
    EXPECT_EQ (*again.find (one), (grant_record{{2, 20}, 9, true, {{1, 10}, 77}}));
    EXPECT_EQ (again.find (other)->highest, (epoch{5, 50}));
    EXPECT_FALSE (again.settled (101 * lease - 1));
    EXPECT_TRUE (again.settled (101 * lease));
    EXPECT_EQ (votes_text (again, 100 * lease, false), text);
}

TEST_F (VotesFile, OfACleanEndLetsOnlyLeasesThatRanStandInTheWay)
{
    (void)voter.release (other, {5, 50}, 8, nullptr);
    grant_voter again (100 * lease, lease);
    ASSERT_EQ (read_votes (votes_text (voter, lease, true), again), nullptr);
    EXPECT_TRUE (again.settled (100 * lease));
    EXPECT_EQ (again.claim (100 * lease, one, {3, 30}, 1).fault, grant_fault::held);
    EXPECT_EQ (again.claim (100 * lease, other, {6, 60}, 1).fault, grant_fault::none);
}

TEST_F (VotesFile, SaysHowLongLeasesWere)
{
    grant_voter longer (0, 3 * lease), again (0, lease);
    ASSERT_EQ (read_votes (votes_text (longer, 0, false), again), nullptr);
    EXPECT_FALSE (again.settled (3 * lease - 1));
}

TEST_F (VotesFile, ThatIsCutAnywhereIsNotBelieved)
{
    const std::string text = votes_text (voter, lease, false);
    for (std::size_t size = 0; size < text.size (); ++size)
        EXPECT_NE (wrong_with (text.substr (0, size)), "") << size;
    EXPECT_NE (wrong_with (text + '\0'), "");
    EXPECT_NE (wrong_with (text + text), "");
}

TEST_F (VotesFile, OfWhichAnOctetIsAnotherIsNotBelieved)
{
    const std::string text = votes_text (voter, lease, false);
    for (std::size_t at = 0; at < text.size (); ++at) {
        std::string other_text = text;
        other_text[at] = static_cast<char> (other_text[at] ^ 0x10);
        EXPECT_NE (wrong_with (other_text), "") << at;
    }
    std::string later = text;
    later[7] = '\x02';
    EXPECT_EQ (wrong_with (later), "it is of another version");
}

}  // namespace
}  // namespace zlink::service
