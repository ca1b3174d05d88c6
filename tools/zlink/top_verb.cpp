// Live counters of processes that serve them.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "tools/zlink/talker.hpp"
#include "tools/zlink/terminal_screen.hpp"
#include "tools/zlink/termination.hpp"
#include "tools/zlink/top_table.hpp"
#include "tools/zlink/verbs.hpp"

namespace zlink::tool {

namespace {

struct top_wish
{
    std::vector<std::string> endpoints;
    double interval_s = 1;
    double limit_s = 2;
    unsigned count = 0;  // of readings; 0: without end
    bool once = false;
    bool json = false;
    bool plain = false;
};

class top_run
{
  public:
    explicit top_run (const top_wish &what)
      : what_ (what), now_ (what.endpoints.size ()), before_ (what.endpoints.size ())
    {
        if (!what.json && !what.plain && !what.once && terminal_screen::is_there ())
            screen_.emplace ();
    }

    int run ()
    {
        for (unsigned done = 1;; ++done) {
            read_all ();
            const bool printed = show ();
            if (!printed || done == what_.count || !pause ())
                return code ();
        }
    }

  private:
    void read_all ()
    {
        now_.swap (before_);
        for (std::size_t i = 0; i < what_.endpoints.size () && !ending_.is_asked_for (); ++i)
            now_[i] = reader_.read (what_.endpoints[i], what_.limit_s);
    }

    // False: nobody reads it any more.
    bool show ()
    {
        std::vector<std::string> lines;
        if (what_.json)
            for (const told_statistics &each : now_)
                lines.push_back (json_of (each));
        else
            lines = page ();
        if (screen_) {
            screen_->show (lines);
            return true;
        }
        for (const std::string &each : lines)
            fmt::print ("{}\n", each);
        return std::fflush (stdout) == 0;
    }

    std::vector<std::string> page ()
    {
        std::vector<std::string> lines;
        if (screen_)
            lines.push_back (fmt::format ("zlink top  {:%H:%M:%S}  every {} s  q ends it",
                                          fmt::localtime (std::time (nullptr)), what_.interval_s));
        for (std::size_t i = 0; i < now_.size (); ++i) {
            const bool known = !before_[i].endpoint.empty ();
            const std::vector<std::string> table = table_of (now_[i], known ? &before_[i] : nullptr);
            if (screen_)
                lines.emplace_back ();
            lines.insert (lines.end (), table.begin (), table.end ());
        }
        return lines;
    }

    static std::string json_of (const told_statistics &each)
    {
        nlohmann::ordered_json line{{"endpoint", each.endpoint}};
        if (each.trouble.empty ())
            line.update (each.all);
        else
            line["trouble"] = each.trouble;
        return line.dump (-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    }

    // Until the next reading is due. False: it is to end.
    bool pause ()
    {
        using namespace std::chrono;
        const auto end =
          steady_clock::now () + duration_cast<nanoseconds> (duration<double> (what_.interval_s));
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

    static bool key_ends ()
    {
        char key = 0;
        constexpr char end_of_transmission = 4;
        return read (STDIN_FILENO, &key, 1) != 1 || key == 'q' || key == 'Q' || key == end_of_transmission;
    }

    // Who looks once wants to know whether there was something to see.
    [[nodiscard]] int code () const
    {
        if (what_.count == 0)
            return exit_done;
        const auto late = [] (const told_statistics &each) { return each.late; };
        const auto bad = [] (const told_statistics &each) { return !each.trouble.empty (); };
        if (std::any_of (now_.begin (), now_.end (), late))
            return exit_late;
        return std::any_of (now_.begin (), now_.end (), bad) ? exit_failed : exit_done;
    }

    const top_wish &what_;
    termination ending_;
    statistics_reader reader_;
    std::vector<told_statistics> now_;
    std::vector<told_statistics> before_;
    std::optional<terminal_screen> screen_;
};

}  // namespace

action prepare_top (CLI::App &command)
{
    auto what = std::make_shared<top_wish> ();
    command
      .add_option ("endpoint", what->endpoints,
                   "Where statistics are served: tcp://host:port, host:port, a port of this machine, or ipc")
      ->required ();
    command.add_option ("-i,--interval", what->interval_s, "Seconds from one reading to the next (1)")
      ->check (CLI::Range (0.05, 3600.0));
    CLI::Option *const count = command.add_option ("-n,--count", what->count, "End behind so many readings")
                                 ->check (CLI::PositiveNumber);
    command.add_option ("-t,--timeout", what->limit_s, "Seconds that an answer may take (2)")
      ->check (CLI::PositiveNumber);
    command.add_flag ("--once", what->once, "One reading, of all that was done so far")->excludes (count);
    command.add_flag ("--json", what->json, "A line of JSON for each process and reading");
    command.add_flag ("--plain", what->plain,
                      "Print one table below the other, as where there is no terminal");
    command.footer (
      "A process serves its counters when it calls zlink_statistics_server_new, and a verb of this program\n"
      "with --statistics. @ stands before what is bound, > before what is connected; B are bytes of bodies.\n"
      "With --count or --once the exit code is 1 where nothing was told, and 3 where time ran out.");
    return [what] {
        what->count = what->once ? 1 : what->count;
        return top_run (*what).run ();
    };
}

}  // namespace zlink::tool
