// How a path is measured: run between two marks that callgrind is told by name, and
// counted meanwhile. Thread rule: the caller's thread is what is counted.
#pragma once

#include <string>

#include "budgets/counting.hpp"

namespace zlink::test {

// Calls step (on) so many times, and counts.
[[nodiscard]] counted measure (void (*step) (void *), void *on, int steps);

// The line of a path that has been measured; callgrind writes what it has of it.
void print_path (const std::string &name, int messages, const counted &seen);

}  // namespace zlink::test
