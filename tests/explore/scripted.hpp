// A decider that follows a script as far as it goes, then always takes the
// first side, and writes down what it was asked.
//
// Thread rule: one thread.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "sim/decider.hpp"

namespace zlink::explore {

struct decision
{
    unsigned char taken = 0;
    unsigned char sides = 0;
};

class scripted final : public sim::decider
{
  public:
    scripted (std::vector<unsigned char> steps, unsigned preemptions_max)
      : steps_ (std::move (steps)), preemptions_left_ (preemptions_max)
    {
    }

    std::size_t at_point (std::size_t others) noexcept override
    {
        if (preemptions_left_ == 0)
            return 0;
        const std::size_t taken = pick (others + 1);
        preemptions_left_ -= taken > 0;
        return taken;
    }
    std::size_t pick (std::size_t count) noexcept override
    {
        const std::size_t place = made_.size ();
        const unsigned char taken = place < steps_.size () ? steps_[place] : static_cast<unsigned char> (0);
        made_.push_back ({taken, static_cast<unsigned char> (count)});
        return taken < count ? taken : 0;
    }
    [[nodiscard]] const std::vector<decision> &made () const noexcept { return made_; }

  private:
    const std::vector<unsigned char> steps_;
    std::vector<decision> made_;
    unsigned preemptions_left_;
};

}  // namespace zlink::explore
