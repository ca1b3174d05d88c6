#include "platform/system_files.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/test_tools.hpp"

namespace zlink::platform {
namespace {

using base::errc;

class system_files_test : public testing::Test
{
  protected:
    system_files_test () { EXPECT_NE (::mkdtemp (folder.data ()), nullptr); }
    ~system_files_test () override
    {
        for (const std::string &each : made)
            ::unlink (each.c_str ());
        ::rmdir (folder.c_str ());
    }
    std::string path (const char *name) { return made.emplace_back (folder + '/' + name); }
    std::string with (const char *name, const std::string &text)
    {
        const std::string at = path (name);
        FILE *const file = std::fopen (at.c_str (), "wb");
        EXPECT_EQ (std::fwrite (text.data (), 1, text.size (), file), text.size ());
        std::fclose (file);
        return at;
    }

    std::string folder = "/tmp/zlink-test-XXXXXX";
    std::vector<std::string> made;
    system_files files;
};

TEST_F (system_files_test, all_of_a_file_is_read)
{
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, std::size_t{100'000}, base::files::file_bytes_max}) {
        std::string text (size, 'x');
        if (size > 1)
            text[size - 1] = '\0';
        const auto came = files.read (with ("file", text));
        ASSERT_TRUE (came.ok ()) << size;
        EXPECT_EQ (came.value (), text) << size;
    }
    const std::string link = path ("link");
    ASSERT_EQ (::symlink ("file", link.c_str ()), 0);
    EXPECT_TRUE (files.read (link).ok ());
}

TEST_F (system_files_test, what_cannot_be_read_says_why)
{
    using namespace std::string_view_literals;
    EXPECT_EQ (files.read (folder + "/gone").code (), errc::no_such_file);
    EXPECT_EQ (files.read (folder + "/gone/file").code (), errc::no_such_file);
    EXPECT_EQ (files.read (""sv).code (), errc::no_such_file);
    EXPECT_EQ (files.read ("/dev/null\0.pem"sv).code (), errc::invalid_argument);
    EXPECT_EQ (files.read (folder).code (), errc::invalid_argument);
    EXPECT_EQ (files.read (std::string (300, 'n')).code (), errc::name_too_long);
    EXPECT_EQ (files.read (with ("long", std::string (base::files::file_bytes_max + 1, 'x'))).code (),
               errc::message_too_long);
    // It tells no size and has one, as if it grew while it is read.
    EXPECT_EQ (files.read ("/proc/self/status").code (), errc::in_progress);
    if (::geteuid () != 0) {
        const std::string closed = with ("closed", "secret");
        ASSERT_EQ (::chmod (closed.c_str (), 0), 0);
        EXPECT_EQ (files.read (closed).code (), errc::permission_denied);
    }
}

// Nobody ever writes into it.
TEST_F (system_files_test, a_pipe_keeps_nobody_waiting)
{
    const std::string pipe = path ("pipe");
    ASSERT_EQ (::mkfifo (pipe.c_str (), 0600), 0);
    EXPECT_EQ (files.read (pipe).code (), errc::invalid_argument);
}

TEST_F (system_files_test, no_descriptor_is_left)
{
    const std::size_t before = test_tools::open_descriptors ();
    (void)files.read (with ("file", "text"));
    (void)files.read (folder);
    (void)files.read (folder + "/gone");
    EXPECT_EQ (test_tools::open_descriptors (), before);
}

TEST_F (system_files_test, the_first_place_of_authorities_that_is_there_counts)
{
    const std::string gone = folder + "/gone";
    const std::string first = with ("first", "one");
    const std::string second = with ("second", "two");
    const char *const places[] = {gone.c_str (), first.c_str (), second.c_str ()};
    const auto found = system_files (places).read_system_trust ();
    ASSERT_TRUE (found.ok ());
    EXPECT_EQ (found.value (), "one");
    // One that is there and cannot be read is an error, not as good as none.
    const char *const unreadable[] = {folder.c_str (), second.c_str ()};
    EXPECT_EQ (system_files (unreadable).read_system_trust ().code (), errc::invalid_argument);
    EXPECT_EQ (system_files (std::span (places, 1)).read_system_trust ().code (), errc::no_such_file);
    EXPECT_FALSE (system_files::usual_trust ().empty ());
}

}  // namespace
}  // namespace zlink::platform
