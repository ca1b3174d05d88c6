// Round trips: how long a request takes to some echo and back.
#include <chrono>
#include <cstdio>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <zlink/zlink.h>

#include "bench/statistics.hpp"
#include "tools/zlink/checks.hpp"
#include "tools/zlink/talker.hpp"
#include "tools/zlink/verbs.hpp"

namespace zlink::tool {

namespace {

constexpr std::size_t body_bytes_max = std::size_t{1} << 28;

struct journey
{
    attachment at;
    std::uint64_t count = 1000;  // of an echo 0: without end
    std::uint64_t first = 10;    // trips that are made and not counted
    std::size_t body_bytes = 64;
    double interval_s = 0;
    bool serves = false;
    bool json = false;
};

// The names of the peers that asked come first and go back as they came, so that
// REQ, DEALER and ROUTER may all ask.
int serve (const journey &what)
{
    talker echo (ZLINK_ROUTER, what.at);
    echo.attach ();
    for (std::uint64_t i = 0; what.count == 0 || i < what.count; ++i)
        echo.send (echo.receive ());
    return exit_done;
}

double trip_us (talker &asks, const parts &question)
{
    const auto began = std::chrono::steady_clock::now ();
    asks.send (question);
    const parts answer = asks.receive ();
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now () - began;
    if (answer != question)
        throw stop{exit_failed, fmt::format ("{} part(s), the first of {} bytes, came for one of {}: "
                                             "what answers there is no echo",
                                             answer.size (), answer[0].size (), question[0].size ())};
    return took.count ();
}

struct figure
{
    const char *name;
    double us;
};

std::vector<figure> figures_of (const std::vector<double> &trips)
{
    const auto at = [&trips] (double share) { return bench::percentile (trips, share); };
    const double mean = std::accumulate (trips.begin (), trips.end (), 0.0) / double (trips.size ());
    return {{"mean", mean},
            {"min", bench::smallest (trips)},
            {"p50", at (0.5)},
            {"p90", at (0.9)},
            {"p99", at (0.99)},
            {"p99.9", at (0.999)},
            {"max", bench::largest (trips)}};
}

void print (const journey &what, const std::vector<double> &trips)
{
    const std::vector<figure> figures = figures_of (trips);
    if (what.json) {
        nlohmann::ordered_json all{{"round_trips", trips.size ()}, {"body_bytes", what.body_bytes}};
        for (const figure &each : figures)
            all[std::string (each.name) + "_us"] = each.us;
        fmt::print ("{}\n", all.dump ());
        return;
    }
    fmt::print ("{} round trips of {} bytes, in us\n", trips.size (), what.body_bytes);
    for (const figure &each : figures)
        fmt::print ("{:>6} {:10.1f}\n", each.name, each.us);
}

int ask (const journey &what)
{
    talker asks (ZLINK_REQ, what.at);
    asks.attach ();
    asks.in_time (zlink_wait_peers (asks.handle (), 1, asks.limit_ms ()) == 0, "no peer came");
    const parts question{std::string (what.body_bytes, 'x')};
    for (std::uint64_t i = 0; i < what.first; ++i)
        trip_us (asks, question);
    std::vector<double> trips;
    auto next = std::chrono::steady_clock::now ();
    for (std::uint64_t i = 0; i < what.count; ++i) {
        if (what.interval_s > 0) {
            std::this_thread::sleep_until (next);
            next += std::chrono::duration_cast<std::chrono::nanoseconds> (
              std::chrono::duration<double> (what.interval_s));
        }
        trips.push_back (trip_us (asks, question));
    }
    print (what, trips);
    return exit_done;
}

}  // namespace

action prepare_rtt (CLI::App &command)
{
    auto what = std::make_shared<journey> ();
    add_attachment (command, what->at);
    CLI::Option *const count =
      command.add_option ("-n,--count", what->count, "Round trips to make (1000); with --serve: to answer")
        ->check (above_0 ());
    command.add_option ("-s,--size", what->body_bytes, "Bytes of a request (64)")
      ->check (CLI::Range (std::size_t{0}, body_bytes_max));
    command.add_option ("--first", what->first, "Round trips to make before, which do not count (10)");
    command.add_option ("-i,--interval", what->interval_s, "Seconds from one request to the next (none)")
      ->check (not_below_0 ());
    command.add_flag ("--json", what->json, "Print one line of JSON");
    command.add_flag ("--serve", what->serves, "Be the echo: send back whatever comes, to whoever sent it");
    command.footer ("The other end may be any REP or ROUTER that answers what it was asked, such as\n"
                    "zlink rtt --serve --bind tcp://*:5555 or zlink rep --bind tcp://*:5555.");
    return [what, count] {
        std::string why;
        if (!settle (what->at, why))
            return say_why ("rtt", {exit_wrong_call, why});
        try {
            if (!what->serves)
                return ask (*what);
            if (count->count () == 0)
                what->count = 0;
            return serve (*what);
        } catch (const stop &wrong) {
            return say_why ("rtt", wrong);
        }
    };
}

}  // namespace zlink::tool
