// Processes that tests start: one that runs until it is killed, and tools that run to
// their end. Thread rule: the thread of the test.
#pragma once

#include <csignal>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

extern char **environ;

namespace zlink::test {

// The words of a command as the system takes them; they stand as long as the object.
class command_line
{
  public:
    explicit command_line (std::vector<std::string> words) : words_ (std::move (words))
    {
        for (std::string &each : words_)
            pointers_.push_back (each.data ());
        pointers_.push_back (nullptr);
    }
    [[nodiscard]] char *const *data () const { return pointers_.data (); }

  private:
    std::vector<std::string> words_;
    std::vector<char *> pointers_;
};

// Starts it, its program looked for in PATH; -1 when that fails.
[[nodiscard]] inline pid_t start_process (const std::vector<std::string> &words,
                                          const posix_spawn_file_actions_t *files = nullptr)
{
    const command_line line (words);
    pid_t number = -1;
    const bool started =
      ::posix_spawnp (&number, line.data ()[0], files, nullptr, line.data (), environ) == 0;
    return started ? number : -1;
}

// Whether it ran to its end and found nothing wrong.
[[nodiscard]] inline bool succeeds (const std::vector<std::string> &words)
{
    const pid_t number = start_process (words);
    int status = -1;
    return number > 0 && ::waitpid (number, &status, 0) == number && WIFEXITED (status)
           && WEXITSTATUS (status) == 0;
}

// Runs until it is killed, at the latest with the object.
class child_process
{
  public:
    explicit child_process (const std::vector<std::string> &words,
                            const posix_spawn_file_actions_t *files = nullptr)
      : number_ (start_process (words, files))
    {
        EXPECT_GT (number_, 0) << words[0];
    }
    ~child_process ()
    {
        if (number_ <= 0)
            return;
        signal (SIGCONT);
        signal (SIGKILL);
        int status = 0;
        EXPECT_EQ (::waitpid (number_, &status, 0), number_);
        EXPECT_TRUE (WIFSIGNALED (status)) << "it ended by itself";
    }
    child_process (const child_process &) = delete;
    child_process &operator= (const child_process &) = delete;
    void signal (int which) const { ::kill (number_, which); }
    // Until it stands still: on a loaded machine a signal takes a while to get there.
    void stop () const
    {
        signal (SIGSTOP);
        int status = 0;
        EXPECT_EQ (::waitpid (number_, &status, WUNTRACED), number_);
        EXPECT_TRUE (WIFSTOPPED (status)) << "it ended by itself";
    }
    [[nodiscard]] pid_t number () const { return number_; }

  private:
    const pid_t number_;
};

}  // namespace zlink::test
