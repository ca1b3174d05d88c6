#include "bench/contest.hpp"

#include <algorithm>
#include <deque>
#include <utility>

#include <fmt/format.h>

#include "bench/os.hpp"
#include "bench/roles.hpp"
#include "bench/worker.hpp"
#include "bench/worker_verb.hpp"

namespace zlink::bench {

namespace {

constexpr double worker_overhead_s = 0.12;

// Whoever is above the floor may have met its slow moments: it is heard again.
constexpr unsigned floor_runs_to_confirm = 5;

double expected_run_seconds (const contest_settings &settings, const cell &measured)
{
    constexpr double plain_window_s = 0.4;
    const double longer_s = std::max (0.0, settings.seconds - plain_window_s);
    constexpr double slower_when_busy = 3;
    const double plain_s = facts_of (measured.measured).expected_s + worker_overhead_s + longer_s;
    return measured.with.busy ? plain_s * slower_when_busy : plain_s;
}

std::vector<double> values_of (const series &of, double outcome::*member)
{
    std::vector<double> values;
    for (const outcome &run : of.runs)
        values.push_back (run.*member);
    return values;
}

std::vector<pair_result> pairs_of (const series &ours, const series &theirs)
{
    std::vector<pair_result> pairs;
    for (std::size_t i = 0; i < std::min (ours.runs.size (), theirs.runs.size ()); ++i)
        pairs.push_back ({ours.runs[i].value, theirs.runs[i].value});
    return pairs;
}

bool needs_zlink_h (const cell &measured) { return measured.with.batch || measured.wiring ().services; }

// A directory that lives as long as a cell's runs.
class scratch_directory
{
  public:
    scratch_directory () : path_ (os::make_directory ()) {}
    ~scratch_directory () { os::remove_directory (path_); }
    scratch_directory (const scratch_directory &) = delete;
    scratch_directory &operator= (const scratch_directory &) = delete;
    [[nodiscard]] const std::string &path () const noexcept { return path_; }

  private:
    std::string path_;
};

// The rounds of one cell.
class rounds
{
  public:
    rounds (const contest_settings &settings, cell_result *result)
      : settings_ (settings), result_ (*result), ours_ (settings.ours),
        theirs_ (rival_of (settings, result->measured)), theirs_cell_ (result->measured)
    {
        if (!needs_zlink_h (result->measured))
            return;
        ours_ = settings.batched;
        theirs_cell_.with.batch = false;  // libzmq has none: its copying calls
    }

    bool play_more_floor (unsigned count)
    {
        while (count-- > 0)
            if (!play_one (contestant{}, result_.measured, "floor", &result_.floor))
                return false;
        return true;
    }

    // False when a run failed; the result says why.
    bool play (unsigned first, unsigned end)
    {
        for (unsigned round = first; round < end; ++round)
            if (!play_libraries (round) || !play_floor (round))
                return false;
        return true;
    }

    // One run of each library with its calls counted.
    bool count ()
    {
        return play_one (ours_, result_.measured, "ours", &result_.ours_counted, true)
               && (!has_rival (result_.measured) || !result_.lacking.empty ()
                   || play_one (theirs_, theirs_cell_, "theirs", &result_.theirs_counted, true));
    }

  private:
    bool play_ours () { return play_one (ours_, result_.measured, "ours", &result_.ours); }

    bool play_theirs ()
    {
        if (!has_rival (result_.measured) || !result_.lacking.empty ()
            || play_one (theirs_, theirs_cell_, "theirs", &result_.theirs))
            return true;
        return !os::interrupted () && play_theirs_again ();
    }

    // A rival that falls by itself is given a second chance, for one fall may be
    // chance; with none there is nothing to compare with.
    bool play_theirs_again ()
    {
        result_.error.clear ();
        if (play_one (theirs_, theirs_cell_, "theirs", &result_.theirs))
            return true;
        result_.lacking = fmt::format ("{}{}", lacks_prefix, std::exchange (result_.error, {}));
        result_.theirs.runs.clear ();
        return true;
    }

    bool play_libraries (unsigned round)
    {
        // Who starts changes, so that neither profits from its place.
        const bool both = round % 2 == 0 ? play_ours () && play_theirs () : play_theirs () && play_ours ();
        return both
               && (settings_.second.path.empty () || result_.measured.wiring ().services
                   || play_one (settings_.second, result_.measured, "zlink.h", &result_.second));
    }

    bool play_floor (unsigned round)
    {
        return round >= settings_.floor_rounds || !has_floor (result_.measured) || !result_.lacking.empty ()
               || play_one (contestant{}, result_.measured, "floor", &result_.floor);
    }

    bool play_one (
      const contestant &who, const cell &measured, const char *name, series *into, bool counted = false)
    {
        if (os::interrupted ()) {
            result_.error = "interrupted";
            return false;
        }
        outcome found = run_once (settings_, who, measured, directory_.path (), counted);
        if (settings_.on_progress)
            settings_.on_progress (measured, expected_run_seconds (settings_, measured));
        // Of a part that is not there nothing is compared; ours has to have it.
        if (into != &result_.ours && found.error.starts_with (lacks_prefix)) {
            result_.lacking = fmt::format ("{} ({})", found.error, name);
            return true;
        }
        if (!found.error.empty ()) {
            result_.error = fmt::format ("{}: {}", name, found.error);
            return false;
        }
        into->runs.push_back (std::move (found));
        return true;
    }

    const contest_settings &settings_;
    cell_result &result_;
    contestant ours_;
    const contestant &theirs_;
    cell theirs_cell_;
    scratch_directory directory_;
};

outcome failed_outcome (std::string why)
{
    outcome failed;
    failed.error = std::move (why);
    return failed;
}

}  // namespace

const contestant &rival_of (const contest_settings &settings, const cell &measured)
{
    const bool drafts = !measured.wiring ().services && measured.wiring ().receiver_type >= number::server;
    return drafts && !settings.drafts.path.empty () ? settings.drafts : settings.theirs;
}

double series::middle (double outcome::*member) const { return median (values_of (*this, member)); }

double series::low (double outcome::*member) const { return smallest (values_of (*this, member)); }

double series::high (double outcome::*member) const { return largest (values_of (*this, member)); }

double series::cpu_per_million () const
{
    std::vector<double> values;
    for (const outcome &run : runs)
        values.push_back (run.cpu_per_million ());
    return median (std::move (values));
}

double cell_result::ratio () const { return theirs.value () > 0 ? ours.value () / theirs.value () : 0; }

double cell_result::second_ratio () const
{
    return theirs.value () > 0 ? second.value () / theirs.value () : 0;
}

double cell_result::floor_share () const
{
    if (floor.value () <= 0 || ours.value () <= 0)
        return 0;
    return facts_of (measured.measured).better == direction::higher_is_better
             ? ours.value () / floor.value ()
             : floor.value () / ours.value ();
}

namespace {

bool is_counted (const contest_settings &settings, const cell &measured)
{
    return !settings.counter_path.empty () && measured.measured == metric::throughput
           && !measured.with.processes;
}

}  // namespace

double expected_seconds (const contest_settings &settings, const cell &measured)
{
    const unsigned libraries = (has_rival (measured) ? 2 : 1) + (settings.second.path.empty () ? 0 : 1);
    const unsigned floors = has_floor (measured) ? std::min (settings.rounds, settings.floor_rounds) : 0;
    const unsigned counts = !is_counted (settings, measured) ? 0 : has_rival (measured) ? 2 : 1;
    return (settings.rounds * libraries + floors + counts) * expected_run_seconds (settings, measured);
}

outcome run_once (const contest_settings &settings,
                  const contestant &who,
                  const cell &measured,
                  const std::string &directory,
                  bool counted)
{
    std::vector<std::string> arguments = {
      settings.tool_path, worker_verb, "--cell",    measured.name (),
      "--directory",      directory,   "--seconds", fmt::format ("{}", settings.seconds)};
    if (!who.path.empty ()) {
        arguments.insert (arguments.end (), {"--library", who.path});
        if (who.names == abi::zlink)
            arguments.emplace_back ("--zlink");
    }
    constexpr std::int64_t grace_ns = 20'000'000'000;
    const auto limit_ns = static_cast<std::int64_t> (settings.seconds * 20e9) + grace_ns;
    std::vector<std::string> environment;
    if (counted)
        environment.push_back ("LD_PRELOAD=" + settings.counter_path);
    const os::command_result ran = os::run_command (arguments, limit_ns, environment);
    if (!ran.started)
        return failed_outcome ("the worker did not start");
    if (ran.timed_out)
        return failed_outcome ("the worker hung and was stopped");
    const std::optional<outcome> found = parse_outcome (ran.output.substr (0, ran.output.find ('\n')));
    if (!found)
        return failed_outcome (fmt::format ("the worker ended with {} and no result", ran.exit_code));
    if (found->error.empty () && ran.exit_code != 0)
        return failed_outcome (fmt::format ("the worker ended with {}", ran.exit_code));
    return *found;
}

namespace {

// Cells named tcp or ipc move every byte through the kernel; where calls were
// counted it can be seen.
bool stays_in_kernel (const cell_result &result)
{
    const cell &measured = result.measured;
    if (measured.transport == "inproc" || result.ours_counted.empty ())
        return true;
    const double written = result.ours_counted.middle (&outcome::bytes_written);
    // What was written ahead of the window is read in it.
    constexpr double allowed_share = 0.8;
    return written < 0 || written >= allowed_share * static_cast<double> (measured.size_bytes);
}

// The floor is what is possible, so its best run counts here: a noisy machine
// must not accuse anybody.
bool above_floor (const cell_result &result)
{
    // Another program's handshakes are no floor.
    if (!result.bound_by_floor || result.floor.empty () || result.measured.measured == metric::handshakes)
        return false;
    const double value = result.ours.value ();
    return facts_of (result.measured.measured).better == direction::higher_is_better
             ? value > result.floor.high (&outcome::value) * floor_share_max
             : value * floor_share_max < result.floor.low (&outcome::value);
}

}  // namespace

void judge (cell_result *result)
{
    const direction better = facts_of (result->measured.measured).better;
    result->decision = confirmed_sign_test (pairs_of (result->ours, result->theirs), better);
    if (!stays_in_kernel (*result)) {
        result->error = "less was written to the kernel than was sent: the transport is not the one named";
        return;
    }
    if (above_floor (*result))
        result->error =
          fmt::format ("{:.0f} % of the floor: nobody can be faster than it", result->floor_share () * 100);
}

namespace {

cell_result blank_result (const contest_settings &settings, const cell &measured)
{
    cell_result result;
    result.measured = measured;
    result.bound_by_floor = settings.bound_by_floor;
    if (needs_zlink_h (measured) && settings.batched.path.empty ())
        result.error = "batch calls and services need libzlink.so, which is not built";
    return result;
}

// What follows the rounds of a cell: counted runs, the floor heard again, the verdict, and more rounds if it
// is a loss.
void end_contest (const contest_settings &settings, bool counted, rounds *played, cell_result *result)
{
    if (counted && is_counted (settings, result->measured) && !played->count ())
        return;
    if (above_floor (*result) && !played->play_more_floor (floor_runs_to_confirm))
        return;
    judge (result);
    if (result->decision == verdict::lost && settings.confirm_losses && settings.rounds < pairs_to_confirm
        && played->play (settings.rounds, pairs_to_confirm))
        judge (result);
}

}  // namespace

std::vector<cell_result> run_contests (const contest_settings &settings, std::span<const wanted_cell> wanted)
{
    std::vector<cell_result> results;
    for (const wanted_cell &one : wanted)
        results.push_back (blank_result (settings, one.measured));
    // They write into the results, which stay where they are from here on.
    std::deque<rounds> played;
    for (cell_result &result : results)
        played.emplace_back (settings, &result);
    for (unsigned round = 0; round < settings.rounds; ++round)
        for (std::size_t i = 0; i < results.size (); ++i)
            if (!results[i].failed ())
                (void)played[i].play (round, round + 1);
    for (std::size_t i = 0; i < results.size (); ++i)
        if (!results[i].failed ())
            end_contest (settings, wanted[i].counted, &played[i], &results[i]);
    return results;
}

cell_result run_contest (const contest_settings &settings, const cell &measured)
{
    const wanted_cell alone{measured};
    return std::move (run_contests (settings, {&alone, 1}).front ());
}

}  // namespace zlink::bench
