#include "bench/installation.hpp"

#include <gtest/gtest.h>

#include "bench/os.hpp"

namespace {

using namespace zlink::bench;

TEST (installation, finds_what_stands_beside_a_file)
{
    const std::string program = os::own_path ();
    const std::string name = program.substr (program.rfind ('/') + 1);
    EXPECT_EQ (find_beside (program, name), program);
    EXPECT_EQ (find_beside (program, "no-such-library.so"), "");
}

TEST (installation, a_system_library_exists_when_it_is_found)
{
    const std::string path = find_system_libzmq ();
    EXPECT_TRUE (path.empty () || os::file_exists (path));
    const std::string drafts = find_libzmq_with_drafts ();
    EXPECT_TRUE (drafts.empty () || os::file_exists (drafts));
}

}  // namespace
