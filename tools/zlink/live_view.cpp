#include "tools/zlink/live_view.hpp"

#include <chrono>
#include <cstdio>
#include <ctime>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "tools/zlink/checks.hpp"

namespace zlink::tool {

namespace {

bool key_ends ()
{
    char key = 0;
    constexpr char end_of_transmission = 4;
    return read (STDIN_FILENO, &key, 1) != 1 || key == 'q' || key == 'Q' || key == end_of_transmission;
}

}  // namespace

void add_live_options (CLI::App &command, live_wish &to)
{
    command.add_option ("-i,--interval", to.interval_s, "Seconds from one reading to the next (1)")
      ->check (CLI::Range (0.05, 3600.0));
    CLI::Option *const count =
      command.add_option ("-n,--count", to.count, "End behind so many readings")->check (above_0 ());
    command.add_flag ("--once", to.once, "One reading")->excludes (count);
    command.add_flag ("--json", to.json, "Lines of JSON");
    command.add_flag ("--plain", to.plain, "Print one table below the other, as where there is no terminal");
}

live_view::live_view (const live_wish &what, std::string title) : what_ (what), title_ (std::move (title))
{
    if (!what.json && !what.plain && !what.once && terminal_screen::is_there ())
        screen_.emplace ();
}

bool live_view::show (const std::vector<std::string> &lines)
{
    if (screen_) {
        std::vector<std::string> page{fmt::format ("{}  {:%H:%M:%S}  every {} s  q ends it", title_,
                                                   fmt::localtime (std::time (nullptr)), what_.interval_s)};
        page.insert (page.end (), lines.begin (), lines.end ());
        screen_->show (page);
        return true;
    }
    for (const std::string &each : lines)
        fmt::print ("{}\n", each);
    return std::fflush (stdout) == 0;
}

bool live_view::pause ()
{
    using namespace std::chrono;
    const auto end = steady_clock::now () + duration_cast<nanoseconds> (duration<double> (what_.interval_s));
    for (;;) {
        const nanoseconds left = end - steady_clock::now ();
        if (ending_.is_asked_for () || left.count () <= 0)
            return !ending_.is_asked_for ();
        const timespec wait{duration_cast<seconds> (left).count (), (left % seconds (1)).count ()};
        pollfd keys{screen_ ? STDIN_FILENO : -1, POLLIN, 0};
        if (ppoll (&keys, 1, &wait, &ending_.open_mask ()) > 0 && key_ends ())
            return false;
    }
}

}  // namespace zlink::tool
