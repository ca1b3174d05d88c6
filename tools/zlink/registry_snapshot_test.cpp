#include "tools/zlink/registry_snapshot.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

namespace zlink::tool {
namespace {

seen_provider provider (const char *service, const char *endpoint)
{
    seen_provider made;
    made.type = ZLINK_SERVICE_GATEWAY;
    made.service = service;
    made.endpoint = endpoint;
    made.host = "h\xc3\xa9 1";
    made.labels = std::string ("\4name\0\5value", 12);
    made.weight = 4'000'000'000;
    made.instance = UINT64_MAX;
    made.registered_at = 1'700'000'000'123;
    return made;
}

const std::vector<seen_provider> two{provider ("calc \"x\"", "tcp://10.0.0.1:5"), provider ("b", "ipc://x")};

std::string why_not (const std::string &text)
{
    std::vector<seen_provider> all = two;
    std::string why;
    EXPECT_FALSE (read_snapshot (text, all, why));
    EXPECT_TRUE (all.empty ()) << "nothing of it is believed";
    return why;
}

TEST (registry_snapshots, are_read_as_they_were_written)
{
    for (const std::vector<seen_provider> &each : {two, {}}) {
        std::vector<seen_provider> read;
        std::string why;
        ASSERT_TRUE (read_snapshot (snapshot_of (each), read, why)) << why;
        EXPECT_EQ (read, each);
    }
}

TEST (registry_snapshots, that_were_cut_anywhere_are_not_believed)
{
    const std::string whole = snapshot_of (two);
    for (std::size_t size = 0; size < whole.size (); ++size)
        EXPECT_NE (why_not (whole.substr (0, size)), "") << size;
    EXPECT_NE (why_not (whole + whole), "");
}

TEST (registry_snapshots, of_which_an_octet_is_another_are_not_believed)
{
    const std::string whole = snapshot_of (two);
    for (std::size_t at = 0; at < whole.size (); ++at) {
        std::string damaged = whole;
        damaged[at] = static_cast<char> (damaged[at] ^ 1);
        EXPECT_NE (why_not (damaged), "") << at;
    }
}

TEST (registry_snapshots, say_what_is_wrong_with_them)
{
    EXPECT_EQ (why_not (""), "it ends behind line 0, without its last line");
    EXPECT_EQ (why_not ("{\"zlink\":\"recording\",\"version\":1}\n"),
               "line 1 is not the head of a snapshot that this program can read");
    EXPECT_TRUE (why_not ("nonsense\n").starts_with ("line 1 is not what a snapshot has there"));
    std::string fewer = snapshot_of (two);
    const std::size_t second = fewer.find ('\n') + 1;
    fewer.erase (second, fewer.find ('\n', second) + 1 - second);
    EXPECT_EQ (why_not (fewer), "line 3 says that there are 2 providers, and there are 1");
}

TEST (registry_snapshots, files_are_the_old_one_or_the_new_one)
{
    const std::string path = testing::TempDir () + "snapshot_" + std::to_string (getpid ());
    std::string text, why;
    EXPECT_EQ (read_whole (path, text, why), file_found::absent);
    ASSERT_TRUE (write_durably (path, "one", why)) << why;
    ASSERT_TRUE (write_durably (path, "two", why)) << why;
    EXPECT_EQ (read_whole (path, text, why), file_found::there);
    EXPECT_EQ (text, "two");
    EXPECT_FALSE (std::filesystem::exists (path + ".new"));
    // Where the new one cannot be written the old one stays.
    std::filesystem::create_directory (path + ".new");
    EXPECT_FALSE (write_durably (path, "three", why));
    EXPECT_EQ (why, "cannot write " + path + ".new: Is a directory");
    EXPECT_EQ (read_whole (path, text, why), file_found::there);
    EXPECT_EQ (text, "two");
    EXPECT_EQ (read_whole (testing::TempDir (), text, why), file_found::unreadable);
    std::filesystem::remove (path + ".new");
    std::filesystem::remove (path);
}

}  // namespace
}  // namespace zlink::tool
