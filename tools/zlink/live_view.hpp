// A table that is shown anew every while: on the terminal's screen, or as lines one below
// the other. SIGINT, SIGTERM and, on a screen, the key q end it. Made before the first
// context; for one thread, and one at a time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/zlink/terminal_screen.hpp"
#include "tools/zlink/termination.hpp"

namespace CLI {
class App;
}

namespace zlink::tool {

struct live_wish
{
    double interval_s = 1;
    unsigned count = 0;  // of readings; 0: without end
    bool once = false;
    bool json = false;
    bool plain = false;
};

// --interval, --count, --once, --json and --plain. `to` lives until the verb has run.
void add_live_options (CLI::App &command, live_wish &to);

class live_view
{
  public:
    // title: of the screen.
    live_view (const live_wish &what, std::string title);

    // Under a line with the title where there is a screen. False: nobody reads it any more.
    bool show (const std::vector<std::string> &lines);
    // Until the next reading is due. False: it is to end.
    bool pause ();
    [[nodiscard]] bool has_screen () const noexcept { return screen_.has_value (); }
    [[nodiscard]] const termination &ending () const noexcept { return ending_; }

  private:
    const live_wish &what_;
    const std::string title_;
    termination ending_;
    std::optional<terminal_screen> screen_;
};

}  // namespace zlink::tool
