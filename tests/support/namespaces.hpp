// Networks of their own for a test and for a process that it starts, with one link
// between them that can be cut: nothing of either is seen by anybody else. Takes what
// only root may do, and the tools unshare, nsenter, ip and nft.
// Thread rule: the test's first thread, before it has started others.
#pragma once

#include <array>
#include <optional>
#include <sched.h>
#include <string>
#include <unistd.h>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>

#include "support/child_process.hpp"

namespace zlink::test {

// Moves the process into a network that only it is in. False: that is not to be had here.
[[nodiscard]] inline bool enter_own_network ()
{
    return ::unshare (CLONE_NEWNET) == 0 && succeeds ({"ip", "link", "set", "lo", "up"})
           && succeeds ({"nft", "list", "ruleset"});
}

// A process at the other end of a link. It is there from the start, for its addresses to
// be known; what it runs is said later.
class distant_process
{
  public:
    distant_process ()
    {
        EXPECT_EQ (::pipe2 (said_.data (), O_CLOEXEC), 0);
        EXPECT_EQ (::pipe2 (heard_.data (), O_CLOEXEC), 0);
        posix_spawn_file_actions_t files;
        ::posix_spawn_file_actions_init (&files);
        ::posix_spawn_file_actions_adddup2 (&files, said_[0], STDIN_FILENO);
        ::posix_spawn_file_actions_adddup2 (&files, heard_[1], STDOUT_FILENO);
        // It says when it is in its network, and reads what to become.
        const std::string script = "echo; read -r line; exec $line >&2";
        process_.emplace (std::vector<std::string>{"unshare", "--net", "sh", "-c", script}, &files);
        ::posix_spawn_file_actions_destroy (&files);
        char line = 0;
        EXPECT_EQ (::read (heard_[0], &line, 1), 1);
        link ();
    }
    ~distant_process ()
    {
        process_.reset ();
        for (const int each : {said_[0], said_[1], heard_[0], heard_[1]})
            ::close (each);
    }
    distant_process (const distant_process &) = delete;
    distant_process &operator= (const distant_process &) = delete;

    // Words without spaces.
    void start (const std::vector<std::string> &words) const
    {
        std::string line;
        for (const std::string &each : words)
            line += each + ' ';
        line += '\n';
        EXPECT_EQ (::write (said_[1], line.data (), line.size ()), static_cast<ssize_t> (line.size ()));
    }
    // Nothing passes between the two, without a word to either; and again.
    void cut () const
    {
        EXPECT_TRUE (
          there ({"nft", "add table inet cut; "
                         "add chain inet cut in { type filter hook input priority 0; policy drop; }; "
                         "add chain inet cut out { type filter hook output priority 0; policy drop; }"}));
    }
    void heal () const { EXPECT_TRUE (there ({"nft", "delete table inet cut"})); }

    // Of our end, and of its own.
    static constexpr const char *near_address = "198.18.0.1";
    static constexpr const char *far_address = "198.18.0.2";

  private:
    // Runs a tool in its network.
    [[nodiscard]] bool there (const std::vector<std::string> &words) const
    {
        std::vector<std::string> all{"nsenter",
                                     "--net=/proc/" + std::to_string (process_->number ()) + "/ns/net"};
        all.insert (all.end (), words.begin (), words.end ());
        return succeeds (all);
    }
    void link () const
    {
        const std::string its = std::to_string (process_->number ());
        EXPECT_TRUE (
          succeeds ({"ip", "link", "add", "near", "type", "veth", "peer", "name", "far", "netns", its}));
        EXPECT_TRUE (succeeds ({"ip", "address", "add", std::string (near_address) + "/30", "dev", "near"}));
        EXPECT_TRUE (succeeds ({"ip", "link", "set", "near", "up"}));
        EXPECT_TRUE (there ({"ip", "address", "add", std::string (far_address) + "/30", "dev", "far"}));
        EXPECT_TRUE (there ({"ip", "link", "set", "far", "up"}));
        EXPECT_TRUE (there ({"ip", "link", "set", "lo", "up"}));
    }

    std::array<int, 2> said_{}, heard_{};
    std::optional<child_process> process_;
};

}  // namespace zlink::test
