// What a number on the command line has to be. CLI11's own checks name the range that they
// want up to the largest double, digit by digit.
#pragma once

#include <cstdlib>
#include <string>

#include <CLI/CLI.hpp>

namespace zlink::tool {

// A check that says what is wrong with a number, or nothing.
template <class Holds>
[[nodiscard]] CLI::Validator number_check (Holds holds, const char *rule, const char *name)
{
    return {[holds, rule] (std::string &text) {
                char *end = nullptr;
                const double number = std::strtod (text.c_str (), &end);
                return end != text.c_str () && holds (number) ? std::string () : text + " is not " + rule;
            },
            name};
}

[[nodiscard]] inline CLI::Validator above_0 ()
{
    return number_check ([] (double number) { return number > 0; }, "a number above 0", "POSITIVE");
}
[[nodiscard]] inline CLI::Validator not_below_0 ()
{
    return number_check ([] (double number) { return number >= 0; }, "0 or a number above it", "NONNEGATIVE");
}

}  // namespace zlink::tool
