// Every function of the public headers, and how often each was called.
//
// Thread rule: one thread.
#pragma once

#include <cstdint>
#include <vector>

namespace zlink::test {

struct public_function
{
    const char *name;
    const void *address;
};

// In the order of their names. Written at build time, from the headers
// (tests/failures/functions.py).
[[nodiscard]] const std::vector<public_function> &public_functions ();

// The functions count their calls themselves: they are compiled to report each.
[[nodiscard]] std::uint64_t calls_of (const public_function &which);

}  // namespace zlink::test
