#include "base/turnover.hpp"

#include <array>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace zlink::base {
namespace {

struct block
{
    void *link = nullptr;
    std::atomic<int> users{0};
};
constexpr std::size_t block_bytes = turnover_bytes / 3;  // three lie behind, four are kept

TEST (turnover, gives_the_oldest_once_enough_lies_behind_it)
{
    turnover kept;
    std::array<block, 5> all;
    EXPECT_EQ (kept.take (block_bytes), nullptr);
    for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE (kept.give (&all[static_cast<std::size_t> (i)], block_bytes));
        EXPECT_EQ (kept.take (block_bytes), nullptr) << i;
    }
    ASSERT_TRUE (kept.give (&all[3], block_bytes));
    EXPECT_FALSE (kept.give (&all[4], block_bytes)) << "there is room for four";
    EXPECT_EQ (kept.take (block_bytes), &all[0]);
    EXPECT_EQ (kept.take (block_bytes), nullptr);
    ASSERT_TRUE (kept.give (&all[4], block_bytes));
    EXPECT_EQ (kept.take (block_bytes), &all[1]);
}

TEST (turnover, gives_whatever_there_is_where_memory_is_out)
{
    turnover kept;
    std::array<block, 2> all;
    EXPECT_EQ (kept.take_early (), nullptr);
    for (block &each : all)
        ASSERT_TRUE (kept.give (&each, block_bytes));
    EXPECT_EQ (kept.take_early (), &all[0]);
    EXPECT_EQ (kept.take_early (), &all[1]);
    EXPECT_EQ (kept.take_early (), nullptr);
    ASSERT_TRUE (kept.give (&all[1], block_bytes));
    EXPECT_EQ (kept.take_early (), &all[1]);
}

TEST (turnover, gives_first_what_came_in_front)
{
    turnover kept;
    std::array<block, 4> all;
    ASSERT_TRUE (kept.give_in_front (&all[0], block_bytes));
    ASSERT_TRUE (kept.give_in_front (&all[1], block_bytes));
    ASSERT_TRUE (kept.give (&all[2], block_bytes));
    ASSERT_TRUE (kept.give_in_front (&all[3], block_bytes));
    for (const std::size_t at : {3, 1, 0, 2})
        EXPECT_EQ (kept.take_early (), &all[at]);
    ASSERT_TRUE (kept.give (&all[0], block_bytes));
    ASSERT_TRUE (kept.give (&all[1], block_bytes));
    for (const std::size_t at : {0, 1})
        EXPECT_EQ (kept.take_early (), &all[at]);
    EXPECT_EQ (kept.take_early (), nullptr);
}

TEST (turnover, gives_nothing_to_two_at_once)
{
    turnover kept;
    std::vector<std::unique_ptr<block>> all;
    for (int i = 0; i < 4; ++i) {
        all.push_back (std::make_unique<block> ());
        ASSERT_TRUE (kept.give (all.back ().get (), block_bytes));
    }
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back ([&kept] {
            for (int turn = 0; turn < 5'000; ++turn)
                if (auto *const mine = static_cast<block *> (kept.take_early ()); mine != nullptr) {
                    EXPECT_EQ (mine->users.fetch_add (1), 0);
                    mine->users.fetch_sub (1);
                    while (!kept.give (mine, block_bytes)) {}
                }
        });
    for (std::thread &each : threads)
        each.join ();
    int left = 0;
    while (kept.take_early () != nullptr)
        ++left;
    EXPECT_EQ (left, 4);
}

}  // namespace
}  // namespace zlink::base
