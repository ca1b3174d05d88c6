// Which rule is broken in this run: every planted source of the program
// rules_planted sees this first; the shipped sources know nothing of it.
// Thread rule: set once, before anything else runs.
#pragma once

#include <string_view>

namespace zlink {

// A rule of rules.toml, as TYPE.rule; empty: none is broken. A name that is no
// rule's breaks none either.
inline std::string_view planted_rule;

[[nodiscard]] inline bool planted (std::string_view rule) noexcept { return planted_rule == rule; }

// The rule of that type, for lines that several types share.
[[nodiscard]] inline bool planted (std::string_view type, std::string_view rule) noexcept
{
    return planted_rule.size () == type.size () + 1 + rule.size () && planted_rule.starts_with (type)
           && planted_rule.ends_with (rule) && planted_rule[type.size ()] == '.';
}

// Short cuts beside the lines that are changed are closed.
[[nodiscard]] inline bool planted_at_all () noexcept { return !planted_rule.empty (); }

}  // namespace zlink
