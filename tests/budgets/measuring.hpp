// How a path is measured: run between two marks that callgrind is told by name, and
// counted meanwhile. Thread rule: the caller's thread is what is counted.
#pragma once

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "budgets/counting.hpp"

namespace zlink::test {

// Ends the program, which says what failed, when it is not done.
// Here, as a call for each message would be measured with it.
inline void must (bool done, const char *what)
{
    if (done)
        return;
    std::fprintf (stderr, "%s: %s failed\n", program_invocation_short_name, what);
    std::exit (1);
}

// Calls step (on) so many times, and counts.
[[nodiscard]] counted measure (void (*step) (void *), void *on, int steps);

// The line of a path that has been measured; callgrind writes what it has of it.
void print_path (const std::string &name, int messages, const counted &seen);

}  // namespace zlink::test
