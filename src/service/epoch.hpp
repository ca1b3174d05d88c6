// Which rule of a partition a message belongs to: the number of the grant under which
// its owner numbered it, and the grant's random id (docs/protocol/grants.md).
//
// Numbers rise; where no grantor remembers the highest, two grants can come to one
// number, and the id tells them apart. Whoever receives keeps to the first it saw.
// They go round: there is one above each, whichever somebody makes up.
//
// Thread rule: the owner's. Takes no memory.
#pragma once

#include <cstdint>

namespace zlink::service {

struct epoch
{
    std::uint64_t number = 0;  // 0: none
    std::uint64_t id = 0;
    bool operator== (const epoch &) const = default;
};

// Whether a number is above another: half of all are. 0 is below all of them.
[[nodiscard]] constexpr bool is_above (std::uint64_t number, std::uint64_t other) noexcept
{
    if (number == 0 || other == 0)
        return number > other;
    constexpr std::uint64_t half = std::uint64_t{1} << 63;
    const std::uint64_t up = number - other;
    return up != 0 && (up < half || (up == half && number > other));
}
// The next above.
[[nodiscard]] constexpr std::uint64_t number_above (std::uint64_t number) noexcept
{
    return number == UINT64_MAX ? 1 : number + 1;
}

enum class epoch_verdict : std::uint8_t
{
    current,  // as before
    risen,    // a higher one: it is the current one from now on
    lower,    // its owner has been replaced: refuse it
    another,  // a second grant of the current number: refuse and report it
};

// What a receiver knows of a partition's epochs.
class epoch_watch
{
  public:
    [[nodiscard]] epoch_verdict look (const epoch &seen) noexcept
    {
        if (seen.number != 0 && seen.number == current_.number)
            return seen.id == current_.id ? epoch_verdict::current : epoch_verdict::another;
        if (!is_above (seen.number, current_.number))
            return epoch_verdict::lower;
        current_ = seen;
        return epoch_verdict::risen;
    }
    [[nodiscard]] const epoch &current () const noexcept { return current_; }

  private:
    epoch current_{};
};

}  // namespace zlink::service
