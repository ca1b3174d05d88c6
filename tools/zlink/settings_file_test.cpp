#include "tools/zlink/settings_file.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <vector>

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

namespace zlink::tool {
namespace {

struct settings_files : testing::Test
{
    settings_files ()
    {
        verb->add_option ("--bind", binds, "")->allow_extra_args (false);
        verb->add_option ("--lease", lease, "")->check (CLI::PositiveNumber);
        verb->add_flag ("--quiet", quiet, "");
        verb->add_option ("--config", config, "");
    }
    ~settings_files () override { std::filesystem::remove (path); }

    bool read (const std::string &text, const std::string &words = "verb")
    {
        std::ofstream (path) << text;
        app.parse (words);
        return read_settings_file (*verb, path, why);
    }
    void refuse (const std::string &text, const std::string &rule)
    {
        EXPECT_FALSE (read (text));
        EXPECT_EQ (why, path + rule);
    }

    CLI::App app;
    CLI::App *verb = app.add_subcommand ("verb", "");
    std::vector<std::string> binds;
    double lease = 10;
    bool quiet = false;
    std::string config, why;
    const std::string path = testing::TempDir () + "settings_" + std::to_string (getpid ());
};

TEST_F (settings_files, names_and_values_are_the_commands_own)
{
    ASSERT_TRUE (
      read ("# all of it\n\n bind = tcp://*:1 # no remark\nlease=2.5\nbind = tcp://*:2\r\nquiet = true"))
      << why;
    EXPECT_EQ (binds, (std::vector<std::string>{"tcp://*:1 # no remark", "tcp://*:2"}));
    EXPECT_EQ (lease, 2.5);
    EXPECT_TRUE (quiet);
}

TEST_F (settings_files, words_of_the_command_line_count)
{
    ASSERT_TRUE (read ("bind = b\nbind = c\nlease = 3\n", "verb --bind a")) << why;
    EXPECT_EQ (binds, std::vector<std::string>{"a"});
    EXPECT_EQ (lease, 3);
}

TEST_F (settings_files, a_name_that_is_none_is_refused)
{
    refuse ("bind = a\nlaese = 3\n", ":2: there is no setting 'laese' (`zlink verb --help` lists them)");
}
TEST_F (settings_files, a_file_names_no_file)
{
    refuse ("config = other\n", ":1: there is no setting 'config' (`zlink verb --help` lists them)");
}
TEST_F (settings_files, a_line_without_a_value_is_refused) { refuse ("lease =\n", ":1: lease has no value"); }
TEST_F (settings_files, a_line_that_is_none_is_refused)
{
    refuse ("\nlease\n", ":2: 'lease' is not of the form name = value");
}
TEST_F (settings_files, one_that_may_not_be_repeated_is_refused)
{
    refuse ("lease = 1\nlease = 2\n", ":2: lease is there twice");
}
TEST_F (settings_files, a_value_that_the_command_refuses_is_refused)
{
    EXPECT_FALSE (read ("lease = -1\n"));
    EXPECT_TRUE (why.starts_with (path + ":1: lease: ")) << why;
}
TEST_F (settings_files, a_file_that_is_not_there_is_named)
{
    EXPECT_FALSE (read_settings_file (*verb, "/nowhere/at/all", why));
    EXPECT_EQ (why, "cannot read /nowhere/at/all: No such file or directory");
}

}  // namespace
}  // namespace zlink::tool
