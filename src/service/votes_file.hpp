// A grantor's votes as one file (docs/protocol/grants.md, "The votes file"). Pure; what
// is read may be damaged, and is believed as a whole or not at all.
//
// All may throw std::bad_alloc.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "service/grant_voter.hpp"

namespace zlink::service {

// Of all that a grantor keeps, with the longest names.
inline constexpr std::size_t votes_bytes_max = std::size_t{64} << 20;

// All votes as they are at now. clean: of a grantor that votes no more.
[[nodiscard]] std::string votes_text (const grant_voter &voter, base::time_ns now, bool clean);

// Gives a voter that has no votes those of a text. Null: all is well; else what is wrong
// with the text, for people, and the voter is as it was.
[[nodiscard]] const char *read_votes (std::string_view text, grant_voter &to);

}  // namespace zlink::service
