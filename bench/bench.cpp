#include "bench/bench.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "bench/cell.hpp"
#include "bench/contest.hpp"
#include "bench/installation.hpp"
#include "bench/library_size.hpp"
#include "bench/matrix.hpp"
#include "bench/must.hpp"
#include "bench/os.hpp"
#include "bench/report.hpp"
#include "bench/report_page.hpp"
#include "bench/run_record.hpp"
#include "bench/sweep.hpp"

namespace zlink::bench {

namespace {

constexpr int exit_wrong_call = 2;

int complain (const std::string &why)
{
    fmt::print (stderr, "zlink bench: {}\n", why);
    return exit_wrong_call;
}

matrix matrix_of (const bench_options &options)
{
    if (options.full)
        return matrix::full;
    return options.quick ? matrix::quick : matrix::plain;
}

constexpr const char *swept = "PAIR,PUSH_PULL/tcp/64,1024,65536/throughput";
constexpr const char *swept_too = "PAIR/tcp/64/latency";

std::vector<cell> wanted_cells (const bench_options &options, std::string *trouble)
{
    std::vector<std::string> filters = options.filters;
    if (filters.empty () && options.sweeps)
        filters = {swept, swept_too};
    std::vector<cell> cells;
    if (filters.empty ())
        cells = cells_of (matrix_of (options));
    for (const std::string &filter : filters) {
        const std::vector<cell> chosen = select_cells (filter);
        if (chosen.empty ())
            *trouble = fmt::format ("--cell '{}' names no cell; see zlink bench --help", filter);
        cells.insert (cells.end (), chosen.begin (), chosen.end ());
    }
    for (cell &one : cells) {
        one.with.message |= options.calls == "message";
        one.with.batch |= options.calls == "batch";
    }
    return cells;
}

// Of the cells that are told apart by no filter.
bool is_matrix (const bench_options &options)
{
    return options.filters.empty () && !options.sweeps && !options.must;
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
    if (options.count_calls || options.must || is_matrix (options)) {
        settings->counter_path = find_own_library ("libzlink-bench-counter.so");
        if (settings->counter_path.empty () && options.count_calls)
            return "calls cannot be counted on this system (libzlink-bench-counter.so was not built)";
    }
    settings->theirs.path = options.against_path.empty () ? find_system_libzmq () : options.against_path;
    if (options.against_path.empty ())
        settings->drafts.path = find_libzmq_with_drafts ();
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
    if (!settings.drafts.path.empty ())
        text += fmt::format ("libzmq with its drafts {}\n", settings.drafts.path);
    const double load = os::load_average ();
    if (load > static_cast<double> (os::processors ().size ()) / 2)
        text +=
          fmt::format ("the machine is busy (load {:.1f}): even ratios inside one run will vary\n", load);
    if (os::canonical_path (settings.ours.path) == os::canonical_path (settings.theirs.path))
        text += "both sides are the same library: the verdict should be even\n";
    return text;
}

std::string duration_text (double seconds)
{
    constexpr double minute_s = 60;
    constexpr double hour_s = 3600;
    if (seconds < 2 * minute_s)
        return fmt::format ("{:.0f} s", seconds);
    return seconds < 2 * hour_s ? fmt::format ("{:.0f} minutes", seconds / minute_s)
                                : fmt::format ("{:.1f} hours", seconds / hour_s);
}

struct size_row
{
    std::string name;
    std::string path;
};

std::vector<size_row> size_rows (const bench_options &options, const contest_settings &settings)
{
    std::vector<size_row> rows = {{"ours", settings.ours.path}};
    if (!settings.batched.path.empty () && settings.batched.path != settings.ours.path)
        rows.push_back ({"ours, zlink.h", settings.batched.path});
    for (const std::string &each : options.sized_paths)
        rows.push_back ({"ours, another", each});
    rows.push_back ({"libzmq", settings.theirs.path});
    return rows;
}

// Stripped, and how that compares.
std::string size_text (const size_row &row, std::uint64_t bytes, std::uint64_t theirs_bytes)
{
    if (bytes == 0)
        return row.path + ": no size";
    const double times =
      theirs_bytes == 0 ? 0 : static_cast<double> (bytes) / static_cast<double> (theirs_bytes);
    return fmt::format ("{} bytes stripped, {:.2f}x libzmq's, {}", bytes, times, row.path);
}

std::string saved_path (const std::string &name) { return name + ".json"; }

// False: one of them is no library.
bool print_sizes (const bench_options &options, const contest_settings &settings, std::FILE *to)
{
    const std::uint64_t theirs_bytes = stripped_bytes (settings.theirs.path);
    bool all = true;
    for (const size_row &row : size_rows (options, settings)) {
        const std::uint64_t bytes = stripped_bytes (row.path);
        fmt::print (to, "size of {:<14} {}\n", row.name, size_text (row, bytes, theirs_bytes));
        all = all && bytes != 0;
    }
    return all;
}

// What is known before the first cell.
std::vector<fact> facts_of_run (const bench_options &options, const contest_settings &settings)
{
    std::vector<fact> facts = machine_facts ();
    facts.emplace_back ("ours", file_facts (settings.ours.path));
    facts.emplace_back ("libzmq", file_facts (settings.theirs.path));
    if (!settings.drafts.path.empty ())
        facts.emplace_back ("libzmq with its drafts", file_facts (settings.drafts.path));
    facts.emplace_back ("rounds", fmt::format ("{} interleaved ones of {} s, the floor in {} of them",
                                               settings.rounds, settings.seconds, settings.floor_rounds));
    facts.emplace_back ("a plain cell",
                        "two threads in one process, one I/O thread, unpinned, copying calls, "
                        "default options of zmq.h");
    facts.emplace_back ("verdict",
                        "sign test: won or lost is better or worse in every pair, and by more than 3 %");
    const std::uint64_t theirs_bytes = stripped_bytes (settings.theirs.path);
    for (const size_row &row : size_rows (options, settings))
        facts.emplace_back ("size of " + row.name, size_text (row, stripped_bytes (row.path), theirs_bytes));
    return facts;
}

std::string fact_named (const run_record &record, const std::string &name)
{
    for (const fact &each : record.facts)
        if (each.first == name)
            return each.second;
    return {};
}

// Goes on where a run stopped: with the same libraries and rounds only. Not empty: why not.
std::string resume (const std::string &path, run_record *record)
{
    run_record earlier;
    if (!os::file_exists (path))
        return {};
    if (std::string why = load_record (path, earlier); !why.empty ())
        return why;
    for (const char *each : {"processor", "ours", "libzmq", "libzmq with its drafts", "rounds"})
        if (fact_named (earlier, each) != fact_named (*record, each))
            return fmt::format ("--resume: {} was measured with another: {}", path, each);
    std::erase_if (earlier.cells, [] (const cell_result &each) { return each.failed (); });
    *record = std::move (earlier);
    return {};
}

std::string worst_changes (const run_record &now, const run_record &then)
{
    constexpr double noticed = 0.9;
    std::string text;
    std::size_t compared = 0;
    for (const cell_result &each : now.cells) {
        const cell_result *const before = then.find (each.measured);
        if (before == nullptr || each.failed () || before->failed () || before->ratio () <= 0)
            continue;
        ++compared;
        const bool higher = facts_of (each.measured.measured).better == direction::higher_is_better;
        const double times = each.ratio () / before->ratio ();
        const double change = higher || times <= 0 ? times : 1 / times;
        if (change < noticed)
            text += fmt::format ("  {:<44} {:.2f}x then, {:.2f}x now\n", each.measured.name (),
                                 before->ratio (), each.ratio ());
    }
    return fmt::format ("\n{} cells against the baseline; worse by more than a tenth:{}\n{}", compared,
                        text.empty () ? " none" : "", text);
}

// A run of cells, kept on disk as it grows.
class measured_run
{
  public:
    measured_run (const bench_options &options, contest_settings settings)
      : options_ (options), settings_ (std::move (settings))
    {
        record_.facts = facts_of_run (options_, settings_);
    }

    // Not empty: why not.
    std::string prepare ()
    {
        if (options_.resumes)
            if (std::string why = resume (saved_path (options_.saved_name), &record_); !why.empty ())
                return why;
        return options_.baseline_name.empty () ? ""
                                               : load_record (saved_path (options_.baseline_name), baseline_);
    }

    // Every cell a row as soon as it is measured.
    std::string measure (const std::vector<cell> &cells)
    {
        std::vector<cell> left;
        for (const cell &one : cells)
            if (record_.find (one) == nullptr)
                left.push_back (one);
        double expected_s = 0;
        for (const cell &one : left)
            expected_s += expected_seconds (settings_, one);
        fmt::print (options_.prints_lines ? stderr : stdout, "{} cells{}, about {}\n\n", left.size (),
                    left.size () == cells.size () ? "" : " left", duration_text (expected_s));
        if (!options_.prints_lines)
            fmt::print ("{}", table_header (with_second ()));
        std::fflush (stdout);
        progress_line progress (expected_s);
        settings_.on_progress = [&] (const cell &current, double run_s) {
            progress.advance (current.name (), run_s);
        };
        for (const cell &one : left) {
            cell_result found = run_contest (settings_, one);
            progress.clear ();
            if (os::interrupted ())
                break;
            print (found);
            record_.cells.push_back (std::move (found));
            if (std::string why = save (); !why.empty ())
                return why;
        }
        print_what_is_beside_cells ();
        return finish ();
    }

    void print_what_is_beside_cells ()
    {
        if (is_matrix (options_) || !options_.sized_paths.empty ())
            (void)print_sizes (options_, settings_, options_.prints_lines ? stderr : stdout);
        if (is_matrix (options_) && !options_.quick)
            for (const std::string_view missing : patterns_not_built ())
                fmt::print (options_.prints_lines ? stderr : stdout, "{:<13} not built\n", missing);
    }

    [[nodiscard]] bool is_good () const
    {
        return std::none_of (record_.cells.begin (), record_.cells.end (), [] (const cell_result &result) {
            return result.failed () || result.decision == verdict::lost;
        });
    }

  private:
    [[nodiscard]] bool with_second () const { return !settings_.second.path.empty (); }
    void print (const cell_result &found) const
    {
        const bool with_details = options_.details || options_.count_calls;
        if (options_.prints_lines)
            fmt::print ("{}", result_lines (found));
        else
            fmt::print ("{}{}", table_row (found, with_second ()), with_details ? details (found) : "");
        std::fflush (stdout);
    }
    std::string save () const
    {
        return options_.saved_name.empty ()
                 ? ""
                 : store_text (saved_path (options_.saved_name), to_json (record_));
    }
    std::string finish () const
    {
        const run_record *const baseline = options_.baseline_name.empty () ? nullptr : &baseline_;
        if (baseline != nullptr && !options_.prints_lines)
            fmt::print ("{}", worst_changes (record_, baseline_));
        std::string why;
        if (!options_.json_path.empty ())
            why = store_text (options_.json_path, to_json (record_));
        if (why.empty () && !options_.page_path.empty ())
            why = store_text (options_.page_path, report_page (record_, baseline));
        if (why.empty () && !options_.saved_name.empty ())
            why = store_text (options_.saved_name + ".html", report_page (record_, baseline));
        return why;
    }

    const bench_options &options_;
    contest_settings settings_;
    run_record record_;
    run_record baseline_;
};

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
    if (options.sizes)
        return print_sizes (options, settings, stdout) ? 0 : 2;
    os::catch_interrupts ();

    fmt::print (options.prints_lines ? stderr : stdout, "{}", heading (settings));
    if (options.sweeps)
        return run_sweep (settings, cells);
    if (options.must)
        return run_must (std::move (settings), options.filters.empty () ? std::vector<cell>{} : cells,
                         scope_of (options));
    measured_run run (options, std::move (settings));
    trouble = run.prepare ();
    if (trouble.empty ())
        trouble = run.measure (cells);
    if (!trouble.empty ())
        return complain (trouble);
    return run.is_good () && !os::interrupted () ? 0 : 1;
}

}  // namespace zlink::bench
