// speed_table: PUSH/PULL and PAIR of one library beside the system's libzmq and the raw
// floor. A part of `zlink bench` that is built in seconds: sockets are all it measures.
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "bench/installation.hpp"
#include "bench/os.hpp"
#include "bench/speed_table/table.hpp"
#include "bench/worker_verb.hpp"

namespace zlink::bench {

namespace {

std::function<int ()> prepare_table (CLI::App &command)
{
    auto settings = std::make_shared<contest_settings> ();
    settings->rounds = 3;
    settings->seconds = 0.3;
    command
      .add_option ("--library", settings->ours.path,
                   "The library to measure (default: that in ../lib beside this program)")
      ->check (CLI::ExistingFile);
    command
      .add_option ("--against", settings->theirs.path,
                   "The one to compare with (default: the system's libzmq)")
      ->check (CLI::ExistingFile);
    command.add_option ("--rounds", settings->rounds, "Interleaved rounds")->check (CLI::Range (1, 99));
    command.add_option ("--seconds", settings->seconds, "Length of each measured window")
      ->check (CLI::Range (0.05, 60.0));
    return [settings] {
        settings->tool_path = os::own_path ();
        if (settings->ours.path.empty ())
            settings->ours.path = find_own_library ("libzmq.so.5");
        if (settings->theirs.path.empty ())
            settings->theirs.path = find_system_libzmq ();
        if (settings->ours.path.empty () || settings->theirs.path.empty ()) {
            fmt::print (stderr, "speed_table: no library {}\n",
                        settings->ours.path.empty () ? "in ../lib: give --library"
                                                     : "to compare with: install libzmq5 or give --against");
            return 2;
        }
        os::catch_interrupts ();
        return run_speed_table (*settings);
    };
}

int run (int argc, char **argv)
{
    CLI::App app ("A short table: ours, libzmq, the raw floor", "speed_table");
    CLI::App *const one_run = app.add_subcommand (worker_verb, "One run of one cell")->group ("");
    const std::function<int ()> work = prepare_worker_verb (*one_run);
    const std::function<int ()> show = prepare_table (app);
    try {
        app.parse (argc, argv);
    } catch (const CLI::ParseError &wrong) {
        return app.exit (wrong) == 0 ? 0 : 2;
    }
    return one_run->parsed () ? work () : show ();
}

}  // namespace

}  // namespace zlink::bench

int main (int argc, char **argv) { return zlink::bench::run (argc, argv); }
