// Live counters of processes that serve them.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "tools/zlink/checks.hpp"
#include "tools/zlink/live_view.hpp"
#include "tools/zlink/talker.hpp"
#include "tools/zlink/top_table.hpp"
#include "tools/zlink/verbs.hpp"

namespace zlink::tool {

namespace {

struct top_wish
{
    std::vector<std::string> endpoints;
    double limit_s = 2;
    live_wish shown;
};

class top_run
{
  public:
    explicit top_run (const top_wish &what)
      : what_ (what), view_ (what.shown, "zlink top"), now_ (what.endpoints.size ()),
        before_ (what.endpoints.size ())
    {
    }

    int run ()
    {
        for (unsigned done = 1;; ++done) {
            read_all ();
            const bool printed = view_.show (what_.shown.json ? json_lines () : page ());
            if (!printed || done == what_.shown.count || !view_.pause ())
                return code ();
        }
    }

  private:
    void read_all ()
    {
        now_.swap (before_);
        for (std::size_t i = 0; i < what_.endpoints.size () && !view_.ending ().is_asked_for (); ++i)
            now_[i] = reader_.read (what_.endpoints[i], what_.limit_s);
    }

    [[nodiscard]] std::vector<std::string> json_lines () const
    {
        std::vector<std::string> lines;
        for (const told_statistics &each : now_)
            lines.push_back (json_of (each));
        return lines;
    }

    [[nodiscard]] std::vector<std::string> page () const
    {
        std::vector<std::string> lines;
        for (std::size_t i = 0; i < now_.size (); ++i) {
            const bool known = !before_[i].endpoint.empty ();
            const std::vector<std::string> table = table_of (now_[i], known ? &before_[i] : nullptr);
            if (view_.has_screen ())
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

    // Who looks once wants to know whether there was something to see.
    [[nodiscard]] int code () const
    {
        if (what_.shown.count == 0)
            return exit_done;
        const auto late = [] (const told_statistics &each) { return each.late; };
        const auto bad = [] (const told_statistics &each) { return !each.trouble.empty (); };
        if (std::any_of (now_.begin (), now_.end (), late))
            return exit_late;
        return std::any_of (now_.begin (), now_.end (), bad) ? exit_failed : exit_done;
    }

    const top_wish &what_;
    live_view view_;
    statistics_reader reader_;
    std::vector<told_statistics> now_;
    std::vector<told_statistics> before_;
};

}  // namespace

action prepare_top (CLI::App &command)
{
    auto what = std::make_shared<top_wish> ();
    command
      .add_option ("endpoint", what->endpoints,
                   "Where statistics are served: tcp://host:port, host:port, a port of this machine, or ipc")
      ->required ();
    add_live_options (command, what->shown);
    command.add_option ("-t,--timeout", what->limit_s, "Seconds that an answer may take (2)")
      ->check (above_0 ());
    command.footer (
      "A process serves its counters when it calls zlink_statistics_server_new, and a verb of this program\n"
      "with --statistics. @ stands before what is bound, > before what is connected; B are bytes of bodies.\n"
      "With --count or --once the exit code is 1 where nothing was told, and 3 where time ran out.");
    return [what] {
        what->shown.count = what->shown.once ? 1 : what->shown.count;
        return top_run (*what).run ();
    };
}

}  // namespace zlink::tool
