// Whether a mutant is the one that this run has chosen. Every source of the
// program planted sees this first; the shipped sources know nothing of it.
#pragma once

namespace zlink {

// Set before anything else runs, and by runs that are played again without it. 0: none.
inline unsigned planted_number = 0;

[[nodiscard]] inline bool planted (unsigned number) noexcept { return planted_number == number; }

}  // namespace zlink
