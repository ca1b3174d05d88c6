#include <memory>

#include <CLI/CLI.hpp>

#include "bench/bench.hpp"
#include "bench/cell.hpp"
#include "tools/zlink/verbs.hpp"

namespace zlink::tool {

action prepare_bench (CLI::App &command)
{
    auto options = std::make_shared<bench::bench_options> ();
    command.add_option ("--cell", options->filters,
                        "Cells, for example PAIR/tcp/64/throughput, tcp,ipc/64,1024 or latency+nospin. "
                          + bench::words_of_cells () + " What is not named means all of it. Repeatable");
    command.add_flag ("--quick", options->quick, "64 B, 1 KiB and 64 KiB only; at most five minutes");
    command.add_option ("--library", options->library_path,
                        "Our library (default: ../lib beside this program)");
    command.add_option ("--against", options->against_path,
                        "The library to compare with (default: the system's libzmq)");
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
    command.add_flag ("--demo-table", options->demo_table,
                      "The short table of the demonstration, at most a minute");
    command.add_flag ("--details", options->details, "Minimum, maximum, tails and memory below each row");
    command.add_flag ("--syscalls", options->count_calls,
                      "Count system calls, wake-ups and allocations per message in runs of their own");
    command.add_flag ("--no-floor", options->no_floor, "Leave the raw floor out");
    command.add_option ("--json", options->json_path, "Also write every run to this file");
    return [options] { return bench::run_bench (*options); };
}

action prepare_bench_worker (CLI::App &command)
{
    auto options = std::make_shared<bench::worker_options> ();
    command.add_option ("--cell", options->cell_name)->required ();
    command.add_option ("--library", options->library_path);
    command.add_option ("--directory", options->directory);
    command.add_option ("--seconds", options->seconds);
    command.add_flag ("--zlink", options->zlink);
    return [options] { return bench::run_worker_verb (*options); };
}

}  // namespace zlink::tool
