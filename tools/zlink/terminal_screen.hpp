// A terminal that shows a page at a time: the screen is given back as it was. For one
// thread, and one at a time.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <termios.h>

namespace zlink::tool {

class terminal_screen
{
  public:
    // Standard output is a terminal, which is taken to know the usual sequences.
    [[nodiscard]] static bool is_there () noexcept;

    terminal_screen ();
    ~terminal_screen ();
    terminal_screen (const terminal_screen &) = delete;
    terminal_screen &operator= (const terminal_screen &) = delete;

    // In place of the page before; what does not fit is left out.
    void show (const std::vector<std::string> &lines);

  private:
    bool reads_keys_ = false;
    termios before_{};
};

}  // namespace zlink::tool
