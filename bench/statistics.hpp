// The arithmetic of verdicts: medians, percentiles and the sign test over
// interleaved pairs. Pure.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace zlink::bench {

// The middle value (the mean of the middle two); 0 of nothing.
[[nodiscard]] double median (std::vector<double> values);
[[nodiscard]] double smallest (const std::vector<double> &values);
[[nodiscard]] double largest (const std::vector<double> &values);

// The smallest value that at least `share` (0..1) of all values do not
// exceed (nearest rank); 0 of nothing.
[[nodiscard]] double percentile (std::vector<double> values, double share);

// One round: both contestants measured right after each other.
struct pair_result
{
    double ours = 0;
    double theirs = 0;
};

enum class direction
{
    higher_is_better,
    lower_is_better,
};

enum class verdict
{
    won,
    even,
    lost,
};

[[nodiscard]] std::string_view verdict_name (verdict v) noexcept;

// How many times better ours was, pair by pair: above 1 is better, whatever
// the direction. Pairs with a zero in them are left out.
[[nodiscard]] std::vector<double> advantages (const std::vector<pair_result> &pairs, direction d);

// Lost: ours was the worse in every pair and the median advantage is below
// 0.97. Won is the mirror: the better in every pair and above 1.03. Anything
// else, and fewer than five pairs, is even.
[[nodiscard]] verdict sign_test (const std::vector<pair_result> &pairs, direction d);

// The same over the fifteen pairs that confirm a loss: all of them is too
// much to ask of a noisy machine, so at least 12 of 15 (chance: 1.8 %) and
// the median decide. With fewer than fifteen pairs as sign_test.
[[nodiscard]] verdict confirmed_sign_test (const std::vector<pair_result> &pairs, direction d);

inline constexpr std::size_t pairs_for_verdict = 5;
inline constexpr std::size_t pairs_to_confirm = 15;
inline constexpr std::size_t pairs_needed_of_fifteen = 12;
inline constexpr double lost_below = 0.97;
inline constexpr double won_above = 1.03;

}  // namespace zlink::bench
