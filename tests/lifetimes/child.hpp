// Forked children of a test. A child does not use GoogleTest: what it finds
// wrong it says on stderr and by its answer.
#pragma once

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "lifetimes/calm.hpp"
#include "support/waiting.hpp"

namespace zlink::test {

// Says so in a child when a condition does not hold, and remembers it.
class verdict
{
  public:
    void expect (bool holds, const char *what, int line)
    {
        if (holds)
            return;
        std::fprintf (stderr, "child: line %d: %s (errno %d)\n", line, what, errno);
        ++failures_;
    }
    [[nodiscard]] int failures () const { return failures_; }

  private:
    int failures_ = 0;
};

class child
{
  public:
    enum class way
    {
        at_once,            // _exit
        with_exit_handlers  // exit
    };

    // Runs body in a forked child. One that hangs is ended by its alarm.
    explicit child (const std::function<void (verdict &)> &body, way ends = way::at_once)
    {
        std::fflush (nullptr);
        wait_for_a_calm_moment ();
        process_ = ::fork ();
        if (process_ != 0)
            return;
        ::alarm (watchdog_ms / 1000);
        verdict found;
        body (found);
        const int status = found.failures () == 0 ? 0 : 1;
        if (ends == way::with_exit_handlers)
            std::exit (status);
        ::_exit (status);
    }
    child (child &&other) noexcept : process_ (std::exchange (other.process_, -1)) {}
    child &operator= (child &&) = delete;
    ~child () { (void)ended_well (); }

    // Waits for it. True when it found nothing wrong.
    [[nodiscard]] bool ended_well ()
    {
        if (process_ < 0)
            return well_;
        int status = 0;
        pid_t ended = 0;
        do
            ended = ::waitpid (process_, &status, 0);
        while (ended < 0 && errno == EINTR);
        process_ = -1;
        well_ = ended > 0 && WIFEXITED (status) && WEXITSTATUS (status) == 0;
        if (ended > 0 && WIFSIGNALED (status))
            std::fprintf (stderr, "child: ended by signal %d\n", WTERMSIG (status));
        return well_;
    }

  private:
    pid_t process_ = -1;
    bool well_ = false;
};

// A child waits here until its parent lets it go, or is gone.
class gate
{
  public:
    gate ()
    {
        if (::pipe (ends_) != 0)
            std::abort ();
    }
    ~gate ()
    {
        ::close (ends_[0]);
        if (ends_[1] >= 0)
            ::close (ends_[1]);
    }
    gate (const gate &) = delete;
    gate &operator= (const gate &) = delete;
    void open () { ::close (std::exchange (ends_[1], -1)); }
    void wait ()
    {
        ::close (std::exchange (ends_[1], -1));
        char none = 0;
        while (::read (ends_[0], &none, 1) < 0 && errno == EINTR) {}
    }

  private:
    int ends_[2] = {-1, -1};
};

}  // namespace zlink::test

// In a child's body, whose verdict is named found.
#define CHILD_EXPECT(holds) found.expect (holds, #holds, __LINE__)
