#include "bench/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace zlink::bench {

double median (std::vector<double> values)
{
    if (values.empty ())
        return 0;
    const std::size_t middle = values.size () / 2;
    std::nth_element (values.begin (), values.begin () + static_cast<std::ptrdiff_t> (middle), values.end ());
    const double upper = values[middle];
    if (values.size () % 2 == 1)
        return upper;
    const double lower =
      *std::max_element (values.begin (), values.begin () + static_cast<std::ptrdiff_t> (middle));
    return (lower + upper) / 2;
}

double smallest (const std::vector<double> &values)
{
    return values.empty () ? 0 : *std::min_element (values.begin (), values.end ());
}

double largest (const std::vector<double> &values)
{
    return values.empty () ? 0 : *std::max_element (values.begin (), values.end ());
}

double percentile (std::vector<double> values, double share)
{
    if (values.empty ())
        return 0;
    const double wanted = std::ceil (std::clamp (share, 0.0, 1.0) * static_cast<double> (values.size ()));
    const std::size_t rank = wanted < 1 ? 0 : static_cast<std::size_t> (wanted) - 1;
    std::nth_element (values.begin (), values.begin () + static_cast<std::ptrdiff_t> (rank), values.end ());
    return values[rank];
}

std::string_view verdict_name (verdict v) noexcept
{
    switch (v) {
    case verdict::won:
        return "won";
    case verdict::lost:
        return "lost";
    case verdict::even:
        break;
    }
    return "even";
}

std::vector<double> advantages (const std::vector<pair_result> &pairs, direction d)
{
    std::vector<double> found;
    for (const pair_result &pair : pairs) {
        if (pair.ours <= 0 || pair.theirs <= 0)
            continue;
        found.push_back (d == direction::higher_is_better ? pair.ours / pair.theirs
                                                          : pair.theirs / pair.ours);
    }
    return found;
}

namespace {

verdict decide (const std::vector<double> &found, std::size_t needed)
{
    const auto worse = static_cast<std::size_t> (
      std::count_if (found.begin (), found.end (), [] (double advantage) { return advantage < 1; }));
    const auto better = static_cast<std::size_t> (
      std::count_if (found.begin (), found.end (), [] (double advantage) { return advantage > 1; }));
    const double middle = median (found);
    if (worse >= needed && middle < lost_below)
        return verdict::lost;
    if (better >= needed && middle > won_above)
        return verdict::won;
    return verdict::even;
}

}  // namespace

verdict sign_test (const std::vector<pair_result> &pairs, direction d)
{
    const std::vector<double> found = advantages (pairs, d);
    if (found.size () < pairs_for_verdict)
        return verdict::even;
    return decide (found, found.size ());
}

verdict confirmed_sign_test (const std::vector<pair_result> &pairs, direction d)
{
    const std::vector<double> found = advantages (pairs, d);
    if (found.size () < pairs_to_confirm)
        return sign_test (pairs, d);
    const std::size_t allowed =
      (pairs_to_confirm - pairs_needed_of_fifteen) * found.size () / pairs_to_confirm;
    return decide (found, found.size () - allowed);
}

}  // namespace zlink::bench
