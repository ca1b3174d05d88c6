// Makes what the library asks of the system fail: the n-th time, and so many
// times in a row. A program that links faults.cpp has its operator new, and
// with the linker's --wrap, malloc and the system calls that may fail for want
// of memory or descriptors (CMakeLists.txt lists them).
//
// What counts is asked for by threads of the library at any time, and by the
// test's threads inside a library_call. What the kernel never refuses to who
// holds the descriptor already is left alone: close, waiting, changing or
// ending what a set watches, the wake of a set.
#pragma once

#include <cstdint>

namespace zlink::test {

enum class resource : unsigned
{
    memory,  // operator new and malloc
    kernel,  // system calls, lookups of names, threads
};

// The requests first, first + 1, ... first + width - 1 fail, counted from 1;
// width 0: none does.
struct fault_plan
{
    resource of = resource::memory;
    std::uint64_t first = 0;
    std::uint64_t width = 0;
};

void start_faults (const fault_plan &plan) noexcept;
// Answers how many requests of the plan's kind there were.
std::uint64_t stop_faults () noexcept;
// How many failed since the start.
[[nodiscard]] std::uint64_t faults_so_far () noexcept;
// A name of what failed first; "" before.
[[nodiscard]] const char *first_fault () noexcept;
// Of what operator new and malloc gave, what was not given back.
[[nodiscard]] std::int64_t live_blocks () noexcept;

// This thread is the test's: from now on its requests do not count.
void count_library_calls_only () noexcept;

// While it lives they do.
class library_call
{
  public:
    library_call () noexcept;
    ~library_call ();
    library_call (const library_call &) = delete;
    library_call &operator= (const library_call &) = delete;
};

}  // namespace zlink::test
