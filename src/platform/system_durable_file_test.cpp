#include "platform/system_durable_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace zlink::platform {
namespace {

using base::errc;
using namespace std::string_view_literals;

constexpr std::size_t room = 1'000'000;

class system_durable_file_test : public testing::Test
{
  protected:
    system_durable_file_test ()
    {
        EXPECT_NE (::mkdtemp (folder.data ()), nullptr);
        path = folder + "/votes";
    }
    ~system_durable_file_test () override
    {
        for (const char *const end : {"", ".lock", ".new"})
            ::unlink ((path + end).c_str ());
        ::rmdir (path.c_str ());
        ::rmdir ((path + ".new").c_str ());
        EXPECT_EQ (::rmdir (folder.c_str ()), 0) << "something else is there";
    }
    std::string folder = "/tmp/zlink-test-XXXXXX";
    std::string path;
};

TEST_F (system_durable_file_test, is_read_as_it_was_replaced_last)
{
    const std::string large (300'000, 'x');
    {
        const auto file = std::move (system_durable_file::open (path).value ());
        EXPECT_EQ (file->read (room).code (), errc::no_such_file);
        for (const std::string &text : {std::string ("one"), large, std::string ("a\0b"sv), std::string ()}) {
            ASSERT_TRUE (file->replace (text).ok ());
            EXPECT_EQ (file->read (room).value (), text);
        }
        ASSERT_TRUE (file->replace (large).ok ());
    }
    const auto again = std::move (system_durable_file::open (path).value ());
    EXPECT_EQ (again->read (room).value (), large);
    EXPECT_EQ (again->read (large.size () - 1).code (), errc::message_too_long);
    EXPECT_NE (::access ((path + ".new").c_str (), F_OK), 0) << "it is in its place";
}

TEST_F (system_durable_file_test, belongs_to_one_at_a_time)
{
    auto first = std::move (system_durable_file::open (path).value ());
    EXPECT_EQ (system_durable_file::open (path).code (), errc::address_in_use);
    first.reset ();
    EXPECT_TRUE (system_durable_file::open (path).ok ());
}

TEST_F (system_durable_file_test, what_cannot_be_replaced_stays)
{
    const auto file = std::move (system_durable_file::open (path).value ());
    ASSERT_TRUE (file->replace ("old").ok ());
    ASSERT_EQ (::mkdir ((path + ".new").c_str (), 0700), 0);
    EXPECT_EQ (file->replace ("new").failure ().os_code, EISDIR);
    EXPECT_EQ (file->read (room).value (), "old");
    ASSERT_EQ (::rmdir ((path + ".new").c_str ()), 0);
    EXPECT_TRUE (file->replace ("new").ok ());
    EXPECT_EQ (file->read (room).value (), "new");
}

TEST_F (system_durable_file_test, what_is_no_path_of_a_file_is_refused)
{
    for (const std::string_view wrong : {""sv, "folder/"sv, "a\0b"sv})
        EXPECT_EQ (system_durable_file::open (wrong).code (), errc::invalid_argument);
    EXPECT_EQ (system_durable_file::open (folder + "/none/votes").code (), errc::no_such_file);
    ASSERT_EQ (::mkdir (path.c_str (), 0700), 0);
    const auto file = std::move (system_durable_file::open (path).value ());
    EXPECT_EQ (file->read (room).code (), errc::invalid_argument);
    EXPECT_FALSE (file->replace ("x").ok ());
}

}  // namespace
}  // namespace zlink::platform
