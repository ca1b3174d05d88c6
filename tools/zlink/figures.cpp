#include "tools/zlink/figures.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace zlink::tool {

std::string harmless (std::string text)
{
    std::replace_if (
      text.begin (), text.end (),
      [] (char each) { return static_cast<unsigned char> (each) < ' ' || each == 0x7F; }, '?');
    return text;
}

std::string amount (double value)
{
    constexpr double thousand = 1000;
    const char *const units[] = {"", " K", " M", " G", " T", " P", " E"};
    std::size_t unit = 0;
    for (; value >= thousand - 0.5 && unit + 1 < std::size (units); ++unit)
        value /= thousand;
    return unit == 0 ? fmt::format ("{:.0f}", value) : fmt::format ("{:.4g}{}", value, units[unit]);
}

std::string rate (std::uint64_t count, double seconds)
{
    return seconds > 0 ? amount (static_cast<double> (count) / seconds) : "-";
}

}  // namespace zlink::tool
