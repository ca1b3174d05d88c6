#include "service/epoch.hpp"

#include <gtest/gtest.h>

namespace zlink::service {
namespace {

TEST (Epoch, AReceiverKeepsToTheFirstIdOfANumberAndRefusesLowerOnes)
{
    epoch_watch watch;
    EXPECT_EQ (watch.look ({3, 30}), epoch_verdict::risen);
    EXPECT_EQ (watch.look ({3, 30}), epoch_verdict::current);
    EXPECT_EQ (watch.look ({3, 31}), epoch_verdict::another);
    EXPECT_EQ (watch.look ({2, 20}), epoch_verdict::lower);
    EXPECT_EQ (watch.look ({3, 30}), epoch_verdict::current) << "the other one has not replaced it";
    EXPECT_EQ (watch.look ({7, 70}), epoch_verdict::risen);
    EXPECT_EQ (watch.look ({3, 30}), epoch_verdict::lower);
    EXPECT_EQ (watch.current (), (epoch{7, 70}));
}

// Whichever number somebody makes up, there is one above it.
TEST (Epoch, NumbersGoRound)
{
    EXPECT_EQ (number_above (4), 5U);
    EXPECT_EQ (number_above (UINT64_MAX), 1U);
    constexpr std::uint64_t half = std::uint64_t{1} << 63;
    for (const std::uint64_t each :
         {std::uint64_t{1}, std::uint64_t{5}, half - 1, half, half + 1, UINT64_MAX}) {
        EXPECT_TRUE (is_above (number_above (each), each)) << each;
        EXPECT_FALSE (is_above (each, number_above (each))) << each;
        EXPECT_FALSE (is_above (each, each));
        EXPECT_TRUE (is_above (each, 0));
        EXPECT_FALSE (is_above (0, each));
        EXPECT_NE (is_above (each, each + half), is_above (each + half, each)) << each;
    }
    EXPECT_FALSE (is_above (0, 0));
    EXPECT_TRUE (is_above (7, 3));
    EXPECT_TRUE (is_above (half, 3));
    EXPECT_TRUE (is_above (3, UINT64_MAX));
    epoch_watch watch;
    EXPECT_EQ (watch.look ({0, 1}), epoch_verdict::lower) << "that is none";
    EXPECT_EQ (watch.look ({UINT64_MAX, 1}), epoch_verdict::risen);
    EXPECT_EQ (watch.look ({1, 1}), epoch_verdict::risen);
    EXPECT_EQ (watch.look ({UINT64_MAX, 1}), epoch_verdict::lower);
}

}  // namespace
}  // namespace zlink::service
