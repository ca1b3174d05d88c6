#include "bench/bench.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>

#include <fmt/format.h>

#include "bench/cell.hpp"
#include "bench/contest.hpp"
#include "bench/demo_table.hpp"
#include "bench/installation.hpp"
#include "bench/must.hpp"
#include "bench/os.hpp"
#include "bench/report.hpp"
#include "bench/roles.hpp"
#include "bench/worker.hpp"

namespace zlink::bench {

namespace {

constexpr int exit_wrong_call = 2;

int complain (const std::string &why)
{
    fmt::print (stderr, "zlink bench: {}\n", why);
    return exit_wrong_call;
}

constexpr const char *quick_filters[] = {"PAIR,PUSH_PULL/64,1024,65536/throughput",
                                         "PAIR/64,1024,65536/latency"};
constexpr const char *plain_filter = "*";

std::vector<cell> wanted_cells (const bench_options &options, std::string *trouble)
{
    std::vector<std::string> filters = options.filters;
    if (filters.empty () && options.quick)
        filters.assign (std::begin (quick_filters), std::end (quick_filters));
    if (filters.empty ())
        filters.emplace_back (plain_filter);
    std::vector<cell> cells;
    for (const std::string &filter : filters) {
        std::vector<cell> chosen = select_cells (filter);
        if (chosen.empty ())
            *trouble = fmt::format ("'{}' names no cell; see zlink bench --help", filter);
        for (cell &one : chosen) {
            one.with.message |= options.calls == "message";
            one.with.batch |= options.calls == "batch";
            cells.push_back (std::move (one));
        }
    }
    return cells;
}

std::string fill_own_libraries (const bench_options &options, contest_settings *settings)
{
    const bool only_zlink = options.abi == "zlink";
    settings->ours.names = only_zlink ? abi::zlink : abi::zmq;
    settings->ours.path = options.library_path;
    if (settings->ours.path.empty ())
        settings->ours.path = find_own_library (only_zlink ? "libzlink.so" : "libzmq.so.5");
    if (settings->ours.path.empty ())
        return "our library is not built beside this program: build it or give --library";
    const std::string own_zlink =
      only_zlink ? settings->ours.path : find_beside (settings->ours.path, "libzlink.so");
    settings->batched = {own_zlink, abi::zlink};
    if (options.abi == "both" && own_zlink.empty ())
        return "there is no libzlink.so beside " + settings->ours.path;
    if (options.abi == "both")
        settings->second = settings->batched;
    return {};
}

std::string fill_settings (const bench_options &options, contest_settings *settings)
{
    settings->tool_path = os::own_path ();
    settings->seconds = options.seconds;
    settings->rounds = options.rounds;
    settings->floor_rounds = options.no_floor ? 0 : 3;
    if (options.count_calls || options.must) {
        settings->counter_path = find_own_library ("libzlink-bench-counter.so");
        if (settings->counter_path.empty () && !options.must)
            return "calls cannot be counted on this system (libzlink-bench-counter.so was not built)";
    }
    settings->theirs.path = options.against_path.empty () ? find_system_libzmq () : options.against_path;
    if (settings->theirs.path.empty ())
        return "no libzmq to compare with: install libzmq5 or give --against";
    return fill_own_libraries (options, settings);
}

std::string heading (const contest_settings &settings)
{
    std::string text =
      fmt::format ("ours {}\nlibzmq {}\n{} processor(s), {} interleaved rounds of {} s; {}\n",
                   settings.ours.path, settings.theirs.path, os::processors ().size (), settings.rounds,
                   settings.seconds, "two threads in one process unless the metric says otherwise");
    const double load = os::load_average ();
    if (load > static_cast<double> (os::processors ().size ()) / 2)
        text +=
          fmt::format ("the machine is busy (load {:.1f}): even ratios inside one run will vary\n", load);
    if (os::canonical_path (settings.ours.path) == os::canonical_path (settings.theirs.path))
        text += "both sides are the same library: the verdict should be even\n";
    return text;
}

// The table: every cell a row as soon as it is measured.
std::vector<cell_result>
measure_all (contest_settings settings, const std::vector<cell> &cells, bool with_details)
{
    double expected_s = 0;
    for (const cell &one : cells)
        expected_s += expected_seconds (settings, one);
    const bool with_second = !settings.second.path.empty ();
    fmt::print ("{} cells, about {:.0f} s\n\n{}", cells.size (), expected_s, table_header (with_second));
    std::fflush (stdout);

    progress_line progress (expected_s);
    settings.on_progress = [&] (const cell &current, double run_s) {
        progress.advance (current.name (), run_s);
    };
    std::vector<cell_result> results;
    for (const cell &one : cells) {
        if (os::interrupted ())
            break;
        results.push_back (run_contest (settings, one));
        progress.clear ();
        fmt::print ("{}{}", table_row (results.back (), with_second),
                    with_details ? details (results.back ()) : "");
        std::fflush (stdout);
    }
    return results;
}

bool write_json (const std::string &path, const std::vector<cell_result> &results)
{
    std::ofstream file (path);
    file << to_json (results);
    return static_cast<bool> (file.flush ());
}

goal_scope scope_of (const bench_options &options)
{
    if (options.quick)
        return goal_scope::quick;
    return options.all ? goal_scope::everything : goal_scope::plain;
}

}  // namespace

int run_bench (const bench_options &options)
{
    std::string trouble;
    const std::vector<cell> cells = wanted_cells (options, &trouble);
    contest_settings settings;
    if (trouble.empty ())
        trouble = fill_settings (options, &settings);
    if (!trouble.empty ())
        return complain (trouble);
    os::catch_interrupts ();
    if (options.demo_table)
        return run_demo_table (std::move (settings));

    fmt::print ("{}", heading (settings));
    if (options.must)
        return run_must (std::move (settings), options.filters.empty () ? std::vector<cell>{} : cells,
                         scope_of (options));
    const std::vector<cell_result> results =
      measure_all (std::move (settings), cells, options.details || options.count_calls);
    if (!options.json_path.empty () && !write_json (options.json_path, results))
        return complain ("cannot write " + options.json_path);
    const bool good = std::none_of (results.begin (), results.end (), [] (const cell_result &result) {
        return result.failed () || result.decision == verdict::lost;
    });
    return good && !os::interrupted () ? 0 : 1;
}

int run_worker_verb (const worker_options &options)
{
    const std::optional<cell> measured = parse_cell (options.cell_name);
    if (!measured)
        fail ("no such cell: " + options.cell_name);
    worker_task task;
    task.measured = *measured;
    task.library_path = options.library_path;
    task.names = options.zlink ? abi::zlink : abi::zmq;
    task.seconds = options.seconds;
    const bool own_directory = options.directory.empty ();
    task.directory = own_directory ? os::make_directory () : options.directory;
    const outcome found = run_worker (task);
    if (own_directory)
        os::remove_directory (task.directory);
    fmt::print ("{}\n", format_outcome (found));
    return 0;
}

}  // namespace zlink::bench
