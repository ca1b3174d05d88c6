#include "bench/speed_table/table.hpp"

#include <cstdio>

#include <fmt/format.h>

#include "bench/os.hpp"
#include "bench/report.hpp"

namespace zlink::bench {

namespace {

constexpr const char *stream_cells = "PUSH_PULL/tcp,ipc,inproc/64,1024,65536/throughput";
constexpr const char *latency_cells = "PAIR/tcp/64/latency";

std::string size_text (std::size_t size_bytes)
{
    constexpr std::size_t kib = 1024;
    return size_bytes < kib ? fmt::format ("{} B", size_bytes) : fmt::format ("{} KiB", size_bytes / kib);
}

std::string row_text (const cell_result &result)
{
    const cell &measured = result.measured;
    const metric m = measured.measured;
    const std::string head =
      fmt::format ("{:<10} {:<7} {:>7}  {:<11}", measured.wiring ().name, measured.transport,
                   size_text (measured.size_bytes), measured.metric_name ());
    if (result.failed ())
        return fmt::format ("{} ERROR {}\n", head, result.error);
    return fmt::format ("{} {:>10} {:>10} {:>8.2f}x {:>10}\n", head, format_value (result.ours.value (), m),
                        format_value (result.theirs.value (), m), result.ratio (),
                        format_value (result.floor.value (), m));
}

}  // namespace

int run_speed_table (contest_settings settings)
{
    settings.floor_rounds = settings.rounds;  // a slow moment is no bound for anybody
    settings.confirm_losses = false;
    settings.bound_by_floor = false;
    std::vector<cell> cells = select_cells (stream_cells);
    for (cell &one : select_cells (latency_cells))
        cells.push_back (std::move (one));
    double expected_s = 0;
    for (const cell &one : cells)
        expected_s += expected_seconds (settings, one);
    progress_line progress (expected_s);
    settings.on_progress = [&] (const cell &current, double run_s) {
        progress.advance (current.name (), run_s);
    };

    fmt::print ("Speed here and now: messages per second at the receiver, or microseconds one way;\n"
                "medians of {} interleaved runs, two threads in one process.\n\n"
                "{:<10} {:<7} {:>7}  {:<11} {:>10} {:>10} {:>9} {:>10}\n",
                settings.rounds, "pattern", "over", "size", "metric", "ours", "libzmq", "ratio", "raw floor");
    bool good = true;
    for (const cell &one : cells) {
        const cell_result result = run_contest (settings, one);
        good = good && !result.failed ();
        if (os::interrupted ())
            return 1;
        progress.clear ();
        fmt::print ("{}", row_text (result));
        std::fflush (stdout);
    }
    return good ? 0 : 1;
}

}  // namespace zlink::bench
