#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include <CLI/CLI.hpp>

#include "bench/bench.hpp"
#include "bench/cell.hpp"
#include "tools/zlink/verbs.hpp"

namespace zlink::tool {

namespace {

// Of a library that is to be loaded: a file, or a name for the loader to find.
std::string names_no_folder (const std::string &given)
{
    std::error_code ignored;
    return std::filesystem::is_directory (given, ignored)
             ? "'" + given + "' is a folder: name the library in it"
             : std::string ();
}

void add_report_options (CLI::App &command, bench::bench_options &options)
{
    command.add_option ("--json", options.json_path, "Write every run to this file");
    command.add_option ("--html", options.page_path, "Write a page with tables and charts to this file");
    CLI::Option *const save =
      command.add_option ("--save", options.saved_name,
                          "Both, as NAME.json (after every cell) and NAME.html; NAME may be a path");
    command.add_flag ("--resume", options.resumes, "Go on with what --save has, with the same libraries")
      ->needs (save);
    command.add_option ("--baseline", options.baseline_name, "Compare with what --save wrote as NAME before");
    command.add_flag ("--results", options.prints_lines,
                      "Print RESULT,library,pattern,transport,size,metric,value instead of the table");
}

}  // namespace

action prepare_bench (CLI::App &command)
{
    auto options = std::make_shared<bench::bench_options> ();
    command.add_option ("--cell", options->filters,
                        "Cells, for example PAIR/tcp/64/throughput, tcp,ipc/64,1024 or latency+nospin. "
                          + bench::words_of_cells () + " What is not named means all of it. Repeatable");
    auto action_name = std::make_shared<std::string> ();
    command
      .add_option (
        "action", *action_name,
        "sweep: our defaults against other numbers of I/O threads, kernel buffers and calls; sizes: "
        "how large the libraries are, nothing is measured")
      ->check (CLI::IsMember ({"sweep", "sizes"}));
    CLI::Option *const quick =
      command.add_flag ("--quick", options->quick, "64 B, 1 KiB and 64 KiB only; at most five minutes");
    command
      .add_flag (
        "--full", options->full,
        "The matrix under every condition; says how many hours it takes. With --save and --resume it "
        "may be stopped and goes on")
      ->excludes (quick);
    add_report_options (command, *options);
    command
      .add_option ("--library", options->library_path,
                   "Our library (default: that in ../lib beside this program)")
      ->check (names_no_folder);
    command
      .add_option ("--against", options->against_path,
                   "The library to compare with (default: the system's libzmq; of drafts, the one that ./dev "
                   "builds with them)")
      ->check (names_no_folder);
    command
      .add_option ("--size-of", options->sized_paths,
                   "Another library whose size is shown, such as the minimal one or one without CURVE; "
                   "may be repeated")
      ->allow_extra_args (false)
      ->check (names_no_folder);
    command.add_option ("--abi", options->abi, "Measure ours through zmq.h, zlink.h or both")
      ->check (CLI::IsMember ({"zmq", "zlink", "both"}));
    command
      .add_option ("--calls", options->calls, "copy: send and recv; message: msg_send and msg_recv; batch")
      ->check (CLI::IsMember ({"copy", "message", "batch"}));
    command.add_option ("--rounds", options->rounds, "Interleaved rounds (a verdict needs 5)")
      ->check (CLI::Range (1, 99));
    command
      .add_option ("--seconds", options->seconds, "Length of each measured window (1 for published figures)")
      ->check (CLI::Range (0.05, 60.0));
    command.add_flag (
      "--must", options->must,
      "Measure the goals and exit with 1 when one is missed. With --quick: without the whole matrix. "
      "With --all: the matrix under every condition, too (hours). With --cell: only these cells");
    command.add_flag ("--all", options->all,
                      "With --must: every cell, also pinned, on one core, oversubscribed");
    command.add_flag ("--details", options->details, "Minimum, maximum, tails and memory below each row");
    command.add_flag (
      "--syscalls", options->count_calls,
      "Count system calls, wake-ups and allocations per message in runs of their own, and print "
      "them; the matrix counts them always, for --json and the page");
    command.add_flag ("--no-floor", options->no_floor, "Leave the raw floor out");
    command.footer (
      "Without --cell, --quick or --full: every pattern over every transport at every size, two threads\n"
      "in one process, at most an hour and a half.");
    return [options, action_name] {
        options->sweeps = *action_name == "sweep";
        options->sizes = *action_name == "sizes";
        return bench::run_bench (*options);
    };
}

}  // namespace zlink::tool
