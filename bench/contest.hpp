// Cells measured as interleaved rounds of worker processes: ours, theirs,
// the floor, ours, theirs, the floor ...
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bench/cell.hpp"
#include "bench/library.hpp"
#include "bench/outcome.hpp"
#include "bench/statistics.hpp"

namespace zlink::bench {

// Whoever is measured. An empty path is the floor.
struct contestant
{
    std::string path;
    abi names = abi::zmq;
};

struct contest_settings
{
    std::string tool_path;  // the program with the hidden worker verb
    contestant ours;
    contestant theirs;
    contestant drafts;     // theirs for the types that are drafts; empty path: theirs, which may lack them
    contestant batched;    // ours where batches or services are measured; only zlink.h has their calls
    contestant second;     // ours through the other ABI; empty path: left out
    double seconds = 0.4;  // of each measured window
    unsigned rounds = 5;
    unsigned floor_rounds = 3;  // of those; 0 = no floor
    bool confirm_losses = true;
    // What is faster than the floor is an error, no figure. False: for a look on a machine
    // that may be busy, where the floor's own runs may have been disturbed.
    bool bound_by_floor = true;
    std::string counter_path;  // not empty: one more run each that counts calls
    // Called after every worker: expected seconds that are behind us.
    std::function<void (const cell &current, double expected_s)> on_progress;
};

// All runs of one contestant in one cell.
struct series
{
    std::vector<outcome> runs;

    [[nodiscard]] bool empty () const { return runs.empty (); }
    [[nodiscard]] double middle (double outcome::*member) const;
    [[nodiscard]] double low (double outcome::*member) const;
    [[nodiscard]] double high (double outcome::*member) const;
    [[nodiscard]] double value () const { return middle (&outcome::value); }
    [[nodiscard]] double cpu_per_million () const;
};

struct cell_result
{
    cell measured;
    series ours;
    series theirs;
    series second;
    series floor;
    series ours_counted;  // one run with calls counted; its rate is worth nothing
    series theirs_counted;
    verdict decision = verdict::even;
    bool bound_by_floor = true;
    std::string error;    // not empty: what failed; the figures do not count
    std::string lacking;  // not empty: why nothing was compared

    [[nodiscard]] bool failed () const { return !error.empty (); }
    // ours / theirs as measured: of latencies, below 1 is better.
    [[nodiscard]] double ratio () const;
    [[nodiscard]] double second_ratio () const;
    // How much of the floor is reached; 1 = all of it, 0 = no floor.
    [[nodiscard]] double floor_share () const;
};

// Above this share of the floor a result is an error: somebody does not do
// the work.
inline constexpr double floor_share_max = 1.10;

// Expected seconds of a cell under the settings, for the progress line.
[[nodiscard]] double expected_seconds (const contest_settings &settings, const cell &measured);

// Who ours is compared with in a cell.
[[nodiscard]] const contestant &rival_of (const contest_settings &settings, const cell &measured);

// One run in a process of its own.
[[nodiscard]] outcome run_once (const contest_settings &settings,
                                const contestant &who,
                                const cell &measured,
                                const std::string &directory,
                                bool counted = false);

struct wanted_cell
{
    cell measured;
    bool counted = true;  // its calls too, where the settings have a counter
};

// In turn: one round of each cell, then the next round of each, so that all of them meet the machine's slow
// and fast moments alike. Counted runs and what confirms a verdict come behind all rounds. A cell that
// failed plays no further; the others go on. Results stand in the order of the cells.
[[nodiscard]] std::vector<cell_result> run_contests (const contest_settings &settings,
                                                     std::span<const wanted_cell> wanted);

// The same of one cell.
[[nodiscard]] cell_result run_contest (const contest_settings &settings, const cell &measured);

// The verdict and the floor check over what was measured; a contest ends with
// it. Pure.
void judge (cell_result *result);

}  // namespace zlink::bench
