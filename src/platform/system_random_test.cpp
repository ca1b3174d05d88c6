#include "platform/system_random.hpp"

#include <gtest/gtest.h>
#include <set>
#include <thread>
#include <unistd.h>
#include <vector>

#include "platform/descriptor.hpp"
#include "platform/test_tools.hpp"

namespace zlink::platform {
namespace {

TEST (system_random, does_not_repeat_itself)
{
    system_random dice;
    std::set<std::uint64_t> seen;
    std::uint64_t ones = 0;
    std::uint64_t zeros = 0;
    for (int i = 0; i < 10'000; ++i) {
        const std::uint64_t value = dice.next ();
        EXPECT_TRUE (seen.insert (value).second);
        ones |= value;
        zeros |= ~value;
    }
    EXPECT_EQ (ones, UINT64_MAX);  // every bit was up once, and down once
    EXPECT_EQ (zeros, UINT64_MAX);
}

TEST (system_random, two_of_them_differ)
{
    system_random one;
    system_random other;
    EXPECT_NE (one.next (), other.next ());
}

TEST (system_random, threads_draw_different_numbers)
{
    constexpr int draws = 5'000;
    system_random dice;
    std::vector<std::uint64_t> mine (draws);
    std::vector<std::uint64_t> theirs (draws);
    std::thread other ([&] {
        for (auto &value : theirs)
            value = dice.next ();
    });
    for (auto &value : mine)
        value = dice.next ();
    other.join ();
    std::set<std::uint64_t> all (mine.begin (), mine.end ());
    all.insert (theirs.begin (), theirs.end ());
    EXPECT_EQ (all.size (), 2U * draws);
}

TEST (system_random, a_child_does_not_repeat_its_parent)
{
    system_random dice;
    int channel[2] = {-1, -1};
    ASSERT_EQ (::pipe (channel), 0);
    const descriptor from (channel[0]);
    const descriptor to (channel[1]);
    const int answer = test_tools::in_child ([&] {
        const std::uint64_t value = dice.next ();
        return ::write (to.get (), &value, sizeof value) == sizeof value ? 0 : 1;
    });
    ASSERT_EQ (answer, 0);
    std::uint64_t theirs = 0;
    ASSERT_EQ (::read (from.get (), &theirs, sizeof theirs), static_cast<ssize_t> (sizeof theirs));
    EXPECT_NE (dice.next (), theirs);
}

}  // namespace
}  // namespace zlink::platform
