#include "budgets/measuring.hpp"

#include <cinttypes>
#include <cstdio>

// What callgrind is told by name. Called through pointers that the compiler
// does not see through, so they stay functions.
extern "C" {

void hot_section (void (*what) (void *), void *on, int steps)
{
    for (int i = 0; i < steps; ++i)
        what (on);
}

void path_done (void) {}
}

namespace zlink::test {

namespace {

void (*volatile measured) (void (*) (void *), void *, int) = hot_section;
void (*volatile report_done) () = path_done;

}  // namespace

counted measure (void (*step) (void *), void *on, int steps)
{
    start_counting ();
    measured (step, on, steps);
    return stop_counting ();
}

void print_path (const std::string &name, int messages, const counted &seen)
{
    report_done ();
    std::printf ("%s %d %" PRIu64 " %" PRIu64 "\n", name.c_str (), messages, seen.allocations,
                 seen.system_calls);
}

}  // namespace zlink::test
