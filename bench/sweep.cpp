#include "bench/sweep.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "bench/os.hpp"
#include "bench/report.hpp"

namespace zlink::bench {

namespace {

// Words of cells, in the order of the table.
constexpr const char *settings_swept[] = {
  "",
  "+io2",
  "+io3",
  "+io4",
  "+pinned",
  "+pinned+io2",
  "+kernel64k",
  "+kernel256k",
  "+kernel1m",
  "+kernel4m",
  "+batches16k",
  "+batches64k",
  "+batches256k",
  "+message",
  "+batch",
  "+nospin",
};

// Impossible combinations are left out.
std::vector<std::pair<std::string, cell>> variants_of (const cell &base, const contest_settings &settings)
{
    std::vector<std::pair<std::string, cell>> found;
    for (const char *each : settings_swept) {
        const std::optional<cell> one = parse_cell (base.name () + each);
        const bool has_calls = one && (!one->with.batch || !settings.batched.path.empty ());
        if (has_calls && possible (*one))
            found.emplace_back (*each == '\0' ? "default" : each, *one);
    }
    return found;
}

void print (const cell &base, const std::vector<sweep_row> &rows)
{
    const metric m = base.measured;
    const direction better = facts_of (m).better;
    const double normal = rows.front ().runs.value ();
    fmt::print ("\n{}\n", base.name ());
    for (const sweep_row &row : rows) {
        const double value = row.runs.value ();
        const double times = better == direction::higher_is_better ? value / normal : normal / value;
        fmt::print ("  {:<14} {:>10} {:>6.2f}x  {} to {}\n", row.setting, format_value (value, m), times,
                    format_value (row.runs.low (&outcome::value), m),
                    format_value (row.runs.high (&outcome::value), m));
    }
    const standing found = standing_of (rows, better);
    fmt::print ("  the default is number {} of {}, at {:.0f} % of the best\n", found.place, rows.size (),
                found.share_of_best * 100);
    std::fflush (stdout);
}

}  // namespace

standing standing_of (const std::vector<sweep_row> &rows, direction better)
{
    const double normal = rows.front ().runs.value ();
    standing found{1, 1};
    for (const sweep_row &row : rows) {
        const double value = row.runs.value ();
        if (value <= 0 || normal <= 0)
            continue;
        const double times = better == direction::higher_is_better ? value / normal : normal / value;
        found.place += times > 1 ? 1 : 0;
        found.share_of_best = std::min (found.share_of_best, 1 / times);
    }
    return found;
}

int run_sweep (const contest_settings &settings, const std::vector<cell> &base)
{
    double expected_s = 0;
    contest_settings alone = settings;
    alone.floor_rounds = 0;
    alone.second = {};
    for (const cell &one : base)
        for (const auto &[name, variant] : variants_of (one, settings))
            expected_s += expected_seconds (alone, variant) / 2;
    fmt::print ("{} cells, about {:.0f} s; a round measures every setting once\n", base.size (), expected_s);
    progress_line progress (expected_s);
    const std::string directory = os::make_directory ();
    bool good = true;
    for (const cell &one : base) {
        const auto variants = variants_of (one, settings);
        std::vector<sweep_row> rows;
        for (const auto &[name, variant] : variants)
            rows.push_back ({name, {}});
        for (unsigned round = 0; round < settings.rounds && !os::interrupted (); ++round)
            for (std::size_t i = 0; i < variants.size (); ++i) {
                const cell &variant = variants[i].second;
                outcome run =
                  run_once (alone, variant.with.batch ? settings.batched : settings.ours, variant, directory);
                progress.advance (variant.name (), expected_seconds (alone, variant) / 2 / settings.rounds);
                if (run.error.empty ())
                    rows[i].runs.runs.push_back (std::move (run));
                else {
                    progress.clear ();
                    fmt::print (stderr, "zlink bench: {}: {}\n", variant.name (), run.error);
                    good = false;
                }
            }
        progress.clear ();
        if (os::interrupted ())
            break;
        print (one, rows);
    }
    os::remove_directory (directory);
    return good && !os::interrupted () ? 0 : 1;
}

}  // namespace zlink::bench
