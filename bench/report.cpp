#include "bench/report.hpp"

#include <cstdio>

#include <fmt/format.h>

#include "bench/os.hpp"

namespace zlink::bench {

progress_line::progress_line (double expected_s)
  : live_ (os::live_terminal ()), expected_s_ (expected_s), started_ns_ (os::now_ns ())
{
}

progress_line::~progress_line () { clear (); }

void progress_line::advance (const std::string &what, double expected_s)
{
    done_s_ += expected_s;
    if (!live_)
        return;
    const double spent_s = static_cast<double> (os::now_ns () - started_ns_) / 1e9;
    const double left_s = std::max (0.0, expected_s_ - done_s_) * (done_s_ > 0 ? spent_s / done_s_ : 1);
    constexpr double minute_s = 60;
    const std::string left = left_s < 2 * minute_s ? fmt::format ("{:.0f} s", left_s)
                                                   : fmt::format ("{:.0f} min", left_s / minute_s);
    const std::string line = fmt::format ("{:.0f} %, {} left  {}", done_s_ / expected_s_ * 100, left, what);
    fmt::print (stderr, "\r{:<{}}", line, width_);
    std::fflush (stderr);
    width_ = line.size ();
}

void progress_line::clear ()
{
    if (width_ == 0)
        return;
    fmt::print (stderr, "\r{:<{}}\r", "", width_);
    std::fflush (stderr);
    width_ = 0;
}

std::string format_value (double value, metric measured)
{
    if (value <= 0)
        return "-";
    if (facts_of (measured).unit == "B")
        return fmt::format ("{:.2f} KiB", value / 1024);
    if (facts_of (measured).better == direction::lower_is_better) {
        if (value >= 1000)
            return fmt::format ("{:.2f} ms", value / 1000);
        return fmt::format ("{:.{}f} us", value, value < 10 ? 2 : 1);
    }
    if (value >= 1e6)
        return fmt::format ("{:.2f} M", value / 1e6);
    return fmt::format ("{:.{}f} K", value / 1e3, value < 1e4 ? 2 : 1);
}

namespace {

std::string ratio_text (double ratio) { return ratio > 0 ? fmt::format ("{:.2f}x", ratio) : "-"; }

}  // namespace

std::string table_header (bool with_second)
{
    return fmt::format ("{:<13} {:<6} {:>6}  {:<18} {:>9} {:>9} {:>7} {}{:>9} {:>6}  {:<5} {:>9} {:>9}\n",
                        "pattern", "over", "bytes", "metric", "ours", "libzmq", "ratio",
                        with_second ? fmt::format ("{:>9} {:>7} ", "zlink.h", "ratio") : "", "floor", "% of",
                        "", "cpu/M", "libzmq's");
}

namespace {

// What only some cells have.
std::string more_figures (const cell_result &result)
{
    std::string text;
    if (result.measured.with.drop)
        text += fmt::format ("  lost {:.0f} %, libzmq {:.0f} %", result.ours.middle (&outcome::lost) * 100,
                             result.theirs.middle (&outcome::lost) * 100);
    if (result.ours.middle (&outcome::bytes_each) > 0)
        text += fmt::format ("  {:.0f} B each, libzmq {:.0f} B", result.ours.middle (&outcome::bytes_each),
                             result.theirs.middle (&outcome::bytes_each));
    return text;
}

}  // namespace

std::string table_row (const cell_result &result, bool with_second)
{
    const cell &measured = result.measured;
    const metric m = measured.measured;
    std::string row = fmt::format ("{:<13} {:<6} {:>6}  {:<18} ", measured.wiring ().name, measured.transport,
                                   measured.size_bytes, measured.metric_name ());
    if (result.failed () && result.theirs.empty () && result.ours.empty ())
        return row + "ERROR " + result.error + "\n";
    row += fmt::format ("{:>9} {:>9} {:>7} ", format_value (result.ours.value (), m),
                        format_value (result.theirs.value (), m), ratio_text (result.ratio ()));
    if (with_second)
        row += fmt::format ("{:>9} {:>7} ", format_value (result.second.value (), m),
                            ratio_text (result.second_ratio ()));
    row += fmt::format ("{:>9} {:>6}  {:<5} {:>8.3f}s {:>8.3f}s", format_value (result.floor.value (), m),
                        result.floor.empty () ? "-" : fmt::format ("{:.0f} %", result.floor_share () * 100),
                        result.failed () ? "ERROR" : verdict_name (result.decision),
                        result.ours.cpu_per_million (), result.theirs.cpu_per_million ());
    return row + more_figures (result) + (result.failed () ? "  " + result.error : "") + "\n";
}

namespace {

std::string series_details (const char *name, const series &of, metric m)
{
    if (of.empty ())
        return {};
    std::string text =
      fmt::format ("    {:<8} median {} min {} max {} over {} runs, peak memory {:.1f} MiB", name,
                   format_value (of.value (), m), format_value (of.low (&outcome::value), m),
                   format_value (of.high (&outcome::value), m), of.runs.size (),
                   of.middle (&outcome::peak_memory_kib) / 1024);
    if (of.middle (&outcome::p50_us) > 0)
        text += fmt::format (", mean {:.2f} p50 {:.2f} p99 {:.2f} p99.9 {:.2f} us",
                             of.middle (&outcome::mean_us), of.middle (&outcome::p50_us),
                             of.middle (&outcome::p99_us), of.middle (&outcome::p999_us));
    if (!of.runs.front ().note.empty ())
        text += " (" + of.runs.front ().note + ")";
    return text + "\n";
}

std::string counted_details (const char *name, const series &of)
{
    if (of.empty () || of.runs.front ().reads_writes < 0)
        return {};
    const outcome &run = of.runs.front ();
    return fmt::format (
      "    {:<8} per message: reads and writes {:.5f}, polls {:.5f}, wake-ups {:.5f}, allocations {:.5f}\n",
      name, run.reads_writes, run.polls, run.wakes, run.allocations);
}

}  // namespace

std::string details (const cell_result &result)
{
    const metric m = result.measured.measured;
    return series_details ("ours", result.ours, m) + series_details ("libzmq", result.theirs, m)
           + series_details ("zlink.h", result.second, m) + series_details ("floor", result.floor, m)
           + counted_details ("ours", result.ours_counted)
           + counted_details ("libzmq", result.theirs_counted);
}

}  // namespace zlink::bench
