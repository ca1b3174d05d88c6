#include "bench/library_size.hpp"

#include <algorithm>
#include <fstream>

#include <gtest/gtest.h>

#include "bench/installation.hpp"
#include "bench/os.hpp"

namespace {

using namespace zlink::bench;

std::uint64_t bytes_of (const std::string &path)
{
    std::ifstream in (path, std::ios::binary | std::ios::ate);
    return static_cast<std::uint64_t> (std::max<std::streamoff> (in.tellg (), 0));
}

// A distribution ships its libraries stripped.
TEST (library_size, is_that_of_a_library_that_has_no_symbols)
{
    const std::string libzmq = find_system_libzmq ();
    if (libzmq.empty ())
        GTEST_SKIP () << "no libzmq in the system";
    const std::uint64_t found = stripped_bytes (libzmq);
    EXPECT_LE (found, bytes_of (libzmq));
    EXPECT_GE (found + 2048, bytes_of (libzmq));
}

TEST (library_size, leaves_symbols_out)
{
    const std::uint64_t found = stripped_bytes (os::own_path ());
    EXPECT_GT (found, 0U);
    EXPECT_LT (found, bytes_of (os::own_path ()));
}

TEST (library_size, is_nothing_of_what_is_no_library)
{
    EXPECT_EQ (stripped_bytes ("/nonexistent"), 0U);
    EXPECT_EQ (stripped_bytes ("/proc/self/cmdline"), 0U);
}

}  // namespace
