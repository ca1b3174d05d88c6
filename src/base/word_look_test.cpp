#include "base/word_look.hpp"

#include <gtest/gtest.h>

namespace zlink::base {
namespace {

constexpr time_ns pause_ns = 30;

// A word that moves behind so many pauses, in a time that they take.
class mover final : public waiter, public clock
{
  public:
    explicit mover (int pauses) : left_ (pauses) {}

    wait_outcome wait (atomic<std::uint32_t> &, std::uint32_t, time_ns) noexcept override
    {
        return wait_outcome::woken;
    }
    void wake (atomic<std::uint32_t> &, int) noexcept override {}
    bool barrier () noexcept override { return false; }
    void yield () noexcept override { ++yields; }
    void pause () noexcept override
    {
        now_ += pause_ns;
        if (--left_ == 0)
            ++word;
    }
    [[nodiscard]] unsigned cores () const noexcept override { return 2; }
    [[nodiscard]] time_ns now_ns () noexcept override { return now_; }
    [[nodiscard]] std::uint64_t ticks () noexcept override { return static_cast<std::uint64_t> (now_); }
    [[nodiscard]] std::uint64_t ticks_per_us () const noexcept override { return 1'000; }

    bool look (time_ns patience) { return look_at_word (*this, *this, word, 0, patience, took); }

    atomic<std::uint32_t> word{0};
    time_ns took = -1;
    int yields = 0;

  private:
    time_ns now_ = 1;
    int left_;
};

TEST (word_look, sees_what_moves)
{
    for (const int pauses : {1, 10, 64, 65, 500}) {
        mover on (pauses);
        EXPECT_TRUE (on.look (1'000'000)) << pauses;
        EXPECT_LE (on.took, pauses * pause_ns);
        EXPECT_EQ (on.yields, pauses / 64) << pauses;
    }
}

TEST (word_look, ends_when_its_time_is_over)
{
    mover on (1'000'000);
    EXPECT_FALSE (on.look (10'000));
    EXPECT_GE (on.took, 10'000);
    EXPECT_LT (on.took, 10'000 + 100 * pause_ns);
    EXPECT_GT (on.yields, 0) << "it kept its core";
}

TEST (word_look, of_what_has_moved_takes_no_time)
{
    mover on (1);
    on.word = 7;
    EXPECT_TRUE (on.look (10'000));
    EXPECT_EQ (on.took, 0);
    EXPECT_EQ (on.yields, 0);
}

}  // namespace
}  // namespace zlink::base
