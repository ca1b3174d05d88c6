// For how long the oldest message of a queue has waited, at most: without a
// time-stamp per message. A mark remembers how many messages had been accepted
// at a moment; once so many are settled, all that still wait came after it.
// Thread rule: under the socket lock. Units: ticks of the clock seam.
#pragma once

#include <cstdint>

namespace zlink::engine {

class queue_age
{
  public:
    // Something waits now that accepted messages have come so far.
    void start (std::uint64_t now, std::uint64_t accepted) noexcept
    {
        runs_ = true;
        since_ = marked_at_ = now;
        marked_messages_ = accepted;
    }
    // Nothing waits any more.
    void stop () noexcept { runs_ = false; }
    [[nodiscard]] bool runs () const noexcept { return runs_; }

    // Everything that had been accepted at the mark is settled: turn().
    [[nodiscard]] bool turned (std::uint64_t settled) const noexcept
    {
        return runs_ && settled >= marked_messages_;
    }
    void turn (std::uint64_t now, std::uint64_t accepted) noexcept
    {
        since_ = marked_at_;
        marked_at_ = now;
        marked_messages_ = accepted;
    }

    [[nodiscard]] std::uint64_t ticks (std::uint64_t now) const noexcept
    {
        return runs_ && now > since_ ? now - since_ : 0;
    }

  private:
    bool runs_ = false;
    std::uint64_t since_ = 0;
    std::uint64_t marked_at_ = 0;
    std::uint64_t marked_messages_ = 0;
};

}  // namespace zlink::engine
