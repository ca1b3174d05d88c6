#include "wire/utf8.hpp"

namespace zlink::wire {

namespace {

constexpr unsigned trail_lowest = 0x80;
constexpr unsigned trail_highest = 0xBF;

// By its first octet: how many follow, and what the next may be (RFC 3629, 4).
struct shape
{
    std::uint8_t first_lowest;
    std::uint8_t first_highest;
    std::uint8_t to_come;
    std::uint8_t lowest;
    std::uint8_t highest;
};

constexpr shape shapes[] = {
  {0x00, 0x7F, 0, 0, 0},
  {0xC2, 0xDF, 1, trail_lowest, trail_highest},
  {0xE0, 0xE0, 2, 0xA0, trail_highest},  // below: overlong
  {0xE1, 0xEC, 2, trail_lowest, trail_highest},
  {0xED, 0xED, 2, trail_lowest, 0x9F},  // above: surrogates
  {0xEE, 0xEF, 2, trail_lowest, trail_highest},
  {0xF0, 0xF0, 3, 0x90, trail_highest},  // below: overlong
  {0xF1, 0xF3, 3, trail_lowest, trail_highest},
  {0xF4, 0xF4, 3, trail_lowest, 0x8F},  // above: U+110000
};

}  // namespace

bool utf8_check::lead (unsigned octet) noexcept
{
    for (const shape &one : shapes) {
        if (octet >= one.first_lowest && octet <= one.first_highest) {
            to_come_ = one.to_come;
            lowest_ = one.lowest;
            highest_ = one.highest;
            return true;
        }
    }
    return false;
}

bool utf8_check::feed (base::bytes_view octets) noexcept
{
    for (const std::byte one : octets) {
        const auto octet = std::to_integer<unsigned> (one);
        if (to_come_ == 0) {
            if (!lead (octet))
                return false;
            continue;
        }
        if (octet < lowest_ || octet > highest_)
            return false;
        --to_come_;
        lowest_ = trail_lowest;
        highest_ = trail_highest;
    }
    return true;
}

}  // namespace zlink::wire
