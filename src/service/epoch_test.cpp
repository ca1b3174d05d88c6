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

}  // namespace
}  // namespace zlink::service
