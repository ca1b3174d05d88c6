#include "platform/local_path.hpp"

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "platform/socket_listener.hpp"
#include "platform/socket_setup.hpp"
#include "platform/socket_stream.hpp"
#include "platform/test_tools.hpp"

namespace zlink::platform {
namespace {

using base::errc;

bool exists (const std::string &path)
{
    struct stat facts = {};
    return ::lstat (path.c_str (), &facts) == 0;
}

class local_path_test : public ::testing::Test
{
  protected:
    void SetUp () override
    {
        std::string pattern = "/tmp/zlink-test-XXXXXX";
        ASSERT_NE (::mkdtemp (pattern.data ()), nullptr);
        folder_ = pattern;
        file_ = folder_ + "/socket";
    }

    void TearDown () override
    {
        ::unlink (file_.c_str ());
        EXPECT_EQ (::rmdir (folder_.c_str ()), 0);  // nothing else was left in it
    }

    // The file of a listener that died without cleaning up.
    static void leave_stale_file (const std::string &file)
    {
        const auto socket = make_stream_socket (address_family::local);
        ASSERT_TRUE (bind_socket (socket.value ().get (), socket_address::local (file).value ()));
    }

    std::string folder_;
    std::string file_;
};

TEST_F (local_path_test, the_file_lives_as_long_as_the_listener)
{
    {
        const auto listener = listen_local (file_, "ipc", {});
        ASSERT_TRUE (listener);
        EXPECT_TRUE (exists (file_));
        EXPECT_EQ (listener.value ()->local_endpoint (), "ipc://" + file_);
    }
    EXPECT_FALSE (exists (file_));
}

TEST_F (local_path_test, a_stale_file_is_taken_over)
{
    leave_stale_file (file_);
    ASSERT_TRUE (exists (file_));
    const auto listener = listen_local (file_, "ipc", {});
    ASSERT_TRUE (listener);
    EXPECT_TRUE (socket_stream::dial ("ipc", socket_address::local (file_).value (), {}, {}));
}

TEST_F (local_path_test, a_live_listener_keeps_its_path)
{
    const auto first = listen_local (file_, "ipc", {});
    ASSERT_TRUE (first);
    EXPECT_EQ (listen_local (file_, "ipc", {}).code (), errc::address_in_use);
    EXPECT_TRUE (exists (file_));
    EXPECT_TRUE (socket_stream::dial ("ipc", socket_address::local (file_).value (), {}, {}));
}

TEST_F (local_path_test, a_live_listener_with_a_full_queue_keeps_its_path)
{
    base::stream_options options;
    options.backlog = 1;
    const auto first = listen_local (file_, "ipc", options);
    ASSERT_TRUE (first);
    std::vector<std::unique_ptr<base::stream>> waiting;
    for (int i = 0; i < 10; ++i)
        if (auto one = socket_stream::dial ("ipc", socket_address::local (file_).value (), {}, {}))
            waiting.push_back (std::move (one.value ()));
    EXPECT_EQ (listen_local (file_, "ipc", {}).code (), errc::address_in_use);
}

TEST_F (local_path_test, any_other_file_is_left_alone)
{
    const descriptor file (::open (file_.c_str (), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    ASSERT_TRUE (file.valid ());
    ASSERT_EQ (::write (file.get (), "data", 4), 4);
    EXPECT_EQ (listen_local (file_, "ipc", {}).code (), errc::address_in_use);
    struct stat facts = {};
    ASSERT_EQ (::lstat (file_.c_str (), &facts), 0);
    EXPECT_EQ (facts.st_size, 4);
}

TEST_F (local_path_test, a_link_to_a_stale_file_is_left_alone)
{
    const std::string target = folder_ + "/target";
    leave_stale_file (target);
    ASSERT_EQ (::symlink (target.c_str (), file_.c_str ()), 0);
    EXPECT_EQ (listen_local (file_, "ipc", {}).code (), errc::address_in_use);
    EXPECT_TRUE (exists (file_));
    ::unlink (target.c_str ());
}

TEST_F (local_path_test, a_file_that_is_no_longer_ours_stays)
{
    auto listener = listen_local (file_, "ipc", {});
    ASSERT_TRUE (listener);
    ASSERT_EQ (::unlink (file_.c_str ()), 0);
    leave_stale_file (file_);
    listener = base::result<std::unique_ptr<base::listener>> (errc::ok);
    EXPECT_TRUE (exists (file_));
}

TEST_F (local_path_test, a_relative_path_is_removed_after_the_folder_changed)
{
    const descriptor here (::open (".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    ASSERT_TRUE (here.valid ());
    ASSERT_EQ (::chdir (folder_.c_str ()), 0);
    auto listener = listen_local ("socket", "ipc", {});
    EXPECT_EQ (::fchdir (here.get ()), 0);
    ASSERT_TRUE (listener);
    EXPECT_EQ (listener.value ()->local_endpoint (), "ipc://socket");
    EXPECT_TRUE (exists (file_));
    listener = base::result<std::unique_ptr<base::listener>> (errc::ok);
    EXPECT_FALSE (exists (file_));
}

TEST_F (local_path_test, a_wildcard_is_a_fresh_private_place_that_goes_again)
{
    std::string first_path;
    {
        const auto first = listen_local ("*", "ipc", {});
        const auto second = listen_local ("*", "ipc", {});
        ASSERT_TRUE (first && second);
        EXPECT_NE (first.value ()->local_endpoint (), second.value ()->local_endpoint ());
        first_path = test_tools::without_scheme (first.value ()->local_endpoint ());
        struct stat facts = {};
        const std::string private_folder = first_path.substr (0, first_path.rfind ('/'));
        ASSERT_EQ (::stat (private_folder.c_str (), &facts), 0);
        EXPECT_EQ (facts.st_mode & 0777U, 0700U);
    }
    EXPECT_FALSE (exists (first_path));
    EXPECT_FALSE (exists (first_path.substr (0, first_path.rfind ('/'))));
}

TEST_F (local_path_test, abstract_names_leave_nothing_in_the_file_system)
{
    const std::string name = "@" + file_;
    auto listener = listen_local (name, "ipc", {});
    ASSERT_TRUE (listener);
    EXPECT_EQ (listener.value ()->local_endpoint (), "ipc://" + name);
    EXPECT_FALSE (exists (file_));
    EXPECT_EQ (listen_local (name, "ipc", {}).code (), errc::address_in_use);
    listener = base::result<std::unique_ptr<base::listener>> (errc::ok);
    EXPECT_TRUE (listen_local (name, "ipc", {}));
}

TEST_F (local_path_test, impossible_paths)
{
    EXPECT_EQ (listen_local ("", "ipc", {}).code (), errc::invalid_argument);
    EXPECT_EQ (listen_local ("@", "ipc", {}).code (), errc::invalid_argument);
    EXPECT_EQ (listen_local (std::string (200, 'a'), "ipc", {}).code (), errc::name_too_long);
    EXPECT_EQ (listen_local (folder_ + "/no/such/folder", "ipc", {}).code (), errc::no_such_file);
    EXPECT_EQ (listen_local (folder_, "ipc", {}).code (), errc::address_in_use);
}

TEST_F (local_path_test, of_many_claims_to_a_stale_path_one_wins)
{
    // Children race for the file; each winner keeps it until the pipe closes.
    leave_stale_file (file_);
    constexpr int children = 8;
    int gate[2] = {-1, -1};
    int answers[2] = {-1, -1};
    ASSERT_EQ (::pipe (gate), 0);
    ASSERT_EQ (::pipe (answers), 0);
    std::vector<pid_t> pids;
    for (int i = 0; i < children; ++i) {
        const pid_t child = ::fork ();
        if (child == 0) {
            ::close (gate[1]);
            {
                const auto listener = listen_local (file_, "ipc", {});
                const char answer = listener ? 'w' : (listener.code () == errc::address_in_use ? 'l' : '?');
                char end;
                if (::write (answers[1], &answer, 1) != 1 || ::read (gate[0], &end, 1) != 0)
                    ::_exit (1);
            }
            ::_exit (0);
        }
        pids.push_back (child);
    }
    ::close (gate[0]);
    std::string told;
    for (int i = 0; i < children; ++i) {
        char answer = '?';
        ASSERT_TRUE (test_tools::wait_ready (answers[0], base::interest_read));
        ASSERT_EQ (::read (answers[0], &answer, 1), 1);
        told += answer;
    }
    EXPECT_EQ (std::count (told.begin (), told.end (), 'w'), 1) << told;
    EXPECT_EQ (std::count (told.begin (), told.end (), 'l'), children - 1) << told;
    ::close (gate[1]);
    for (const pid_t child : pids)
        EXPECT_EQ (::waitpid (child, nullptr, 0), child);
    ::close (answers[0]);
    ::close (answers[1]);
}

}  // namespace
}  // namespace zlink::platform
