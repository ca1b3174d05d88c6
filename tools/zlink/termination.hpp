// SIGINT and SIGTERM as an ending: a verb finishes what it began, and says that all is
// well. Made before the first context, so that its threads leave the signals alone; one
// at a time.
#pragma once

#include <csignal>

namespace zlink::tool {

class termination
{
  public:
    termination () noexcept;
    ~termination ();
    termination (const termination &) = delete;
    termination &operator= (const termination &) = delete;

    // One of them came.
    [[nodiscard]] bool is_asked_for () const noexcept;
    // For a wait that they may interrupt; at all other times they stay outside.
    [[nodiscard]] const sigset_t &open_mask () const noexcept { return before_; }

  private:
    sigset_t before_{};
};

}  // namespace zlink::tool
