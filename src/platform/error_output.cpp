#include "platform/error_output.hpp"

#include <cerrno>
#include <climits>
#include <csignal>
#include <ctime>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

namespace zlink::platform {

namespace {

// A pipe that says so takes a whole line.
bool takes_a_line () noexcept
{
    pollfd output{STDERR_FILENO, POLLOUT, 0};
    return ::poll (&output, 1, 0) == 1 && (output.revents & POLLOUT) != 0;
}

// A pipe without a reader raises SIGPIPE, on the thread that writes: held off
// for the scope, and taken away if it came.
class without_sigpipe
{
  public:
    without_sigpipe () noexcept
    {
        ::sigemptyset (&pipe_);
        ::sigaddset (&pipe_, SIGPIPE);
        sigset_t pending;
        ::sigpending (&pending);
        was_pending_ = ::sigismember (&pending, SIGPIPE) == 1;
        ::pthread_sigmask (SIG_BLOCK, &pipe_, &before_);
    }
    ~without_sigpipe ()
    {
        constexpr timespec at_once{};
        if (!was_pending_)
            (void)::sigtimedwait (&pipe_, nullptr, &at_once);
        ::pthread_sigmask (SIG_SETMASK, &before_, nullptr);
    }
    without_sigpipe (const without_sigpipe &) = delete;
    without_sigpipe &operator= (const without_sigpipe &) = delete;

  private:
    sigset_t pipe_;
    sigset_t before_;
    bool was_pending_ = false;
};

}  // namespace

void write_error_line (std::string_view line) noexcept
{
    if (line.size () > PIPE_BUF)
        return;
    const int number = errno;
    if (takes_a_line ()) {
        const without_sigpipe quiet;
        // Cut off at worst: there is nobody to tell.
        (void)!::write (STDERR_FILENO, line.data (), line.size ());
    }
    errno = number;
}

}  // namespace zlink::platform
