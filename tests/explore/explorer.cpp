#include "explore/explorer.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <sys/wait.h>
#include <unistd.h>

#include "explore/points.hpp"
#include "explore/scripted.hpp"
#include "sim/leaks.hpp"

namespace zlink::explore {

namespace {

constexpr unsigned seconds_max = 20;
constexpr int exit_at_the_end = 5;  // all was played, and yet something is wrong

sim::schedule schedule_of (const run_choice &choice)
{
    sim::schedule how;
    how.trace = choice.trace;
    how.own_thread_locals = true;
    how.calls_max = 2'000'000;
    if (choice.steps) {
        how.call_cost_max_ns = 0;
        return how;
    }
    // A little of everything: where it is stopped often it gets nowhere far,
    // where seldom the rare windows stay closed.
    sim::simulation dice (choice.seed ^ 0xE791, {});
    static constexpr unsigned preemptions[] = {2, 10, 30, 100, 300};
    static constexpr unsigned switches[] = {0, 30, 200};
    how.preempt_per_mille = preemptions[dice.roll_below (std::size (preemptions))];
    how.switch_per_mille = switches[dice.roll_below (std::size (switches))];
    how.weight_spread = dice.chance (700) ? 1 : 50;
    how.spurious_per_mille = dice.chance (200) ? 20 : 0;
    how.call_cost_max_ns = dice.chance (500) ? 100 : 2'000;
    return how;
}

std::string words_of (const run_choice &choice, const std::vector<decision> &made)
{
    std::string text = "  again: explore --scenario " + std::string (choice.what->name);
    if (!choice.steps)
        return text + " --seed " + std::to_string (choice.seed) + " --trace\n";
    text += " --trace --preemptions " + std::to_string (choice.preemptions_max) + " --script ";
    std::size_t end = made.size ();
    while (end > 0 && made[end - 1].taken == 0)
        --end;
    for (std::size_t i = 0; i < end; ++i)
        text += (i == 0 ? "" : ",") + std::to_string (made[i].taken);
    return text + (end == 0 ? "0\n" : "\n");
}

scripted *steering = nullptr;

void begin (sim::simulation &sim)
{
    if (steering != nullptr)
        sim.steer (steering);
}

// In the child.
std::vector<decision> play_here (const run_choice &choice)
{
    scripted steps (choice.steps.value_or (script{}), choice.preemptions_max);
    steering = choice.steps ? &steps : nullptr;
    sim::simulation sim (choice.seed, schedule_of (choice));
    const points_of here (sim);
    sim.on_failure ([&] { return words_of (choice, steps.made ()); });
    sim.spawn ("director", [&] { choice.what->play (sim, begin); });
    sim.run ();
    return steps.made ();
}

bool write_all (int to, const std::vector<decision> &made)
{
    const auto *at = reinterpret_cast<const char *> (made.data ());
    std::size_t left = made.size () * sizeof (decision);
    while (left > 0) {
        const ssize_t done = ::write (to, at, left);
        if (done <= 0)
            return false;
        at += done;
        left -= static_cast<std::size_t> (done);
    }
    return true;
}

std::vector<decision> read_all (int from)
{
    std::vector<unsigned char> bytes;
    unsigned char some[4096];
    for (ssize_t got = 0; (got = ::read (from, some, sizeof some)) > 0;)
        bytes.insert (bytes.end (), some, some + got);
    std::vector<decision> made (bytes.size () / sizeof (decision));
    if (!made.empty ())
        std::memcpy (made.data (), bytes.data (), made.size () * sizeof (decision));
    return made;
}

struct played
{
    bool passed = false;
    bool late = false;  // the clock ended it
    std::vector<decision> made;
};

// Why it failed, where the run has not said it; else null.
const char *unsaid (int status)
{
    if (WIFSIGNALED (status))
        return strsignal (WTERMSIG (status));
    return WEXITSTATUS (status) == exit_at_the_end ? "memory is left behind" : nullptr;
}

played play_apart (const run_choice &choice)
{
    int ends[2];
    if (::pipe (ends) != 0)
        return {};
    std::fflush (nullptr);
    const pid_t child = ::fork ();
    if (child == 0) {
        ::close (ends[0]);
        ::alarm (seconds_max);
        const bool told = write_all (ends[1], play_here (choice));
        std::_Exit (told && !sim::has_lost_memory () ? 0 : exit_at_the_end);
    }
    ::close (ends[1]);
    played answer;
    answer.made = read_all (ends[0]);
    ::close (ends[0]);
    int status = 0;
    if (child < 0 || ::waitpid (child, &status, 0) != child)
        return answer;
    answer.passed = WIFEXITED (status) && WEXITSTATUS (status) == 0;
    answer.late = WIFSIGNALED (status) && WTERMSIG (status) == SIGALRM;
    if (const char *const why = unsaid (status); why != nullptr) {
        std::vector<decision> known;
        for (const unsigned char each : choice.steps.value_or (script{}))
            known.push_back ({each, 0});
        std::fprintf (stderr, "\nFAILED: %s\n%s", why, words_of (choice, known).c_str ());
    }
    return answer;
}

void count (tally &sum, const run_choice &choice, const played &run)
{
    ++sum.runs;
    sum.failed += !run.passed;
    if (!run.passed && !run.late && !sum.failure)
        sum.failure = choice;
}

}  // namespace

bool play_once (const run_choice &choice) { return play_apart (choice).passed; }

tally play_seeds (const scenario &what, std::uint64_t from, std::uint64_t seeds, bool stop_at_first)
{
    tally sum;
    run_choice choice;
    choice.what = &what;
    for (choice.seed = from; sum.runs < seeds; ++choice.seed) {
        count (sum, choice, play_apart (choice));
        if (stop_at_first && sum.failure)
            return sum;
    }
    sum.complete = true;
    return sum;
}

tally play_all (const scenario &what, unsigned preemptions_max, std::uint64_t runs_max)
{
    tally sum;
    run_choice choice;
    choice.what = &what;
    choice.preemptions_max = preemptions_max;
    choice.steps.emplace ();
    while (sum.runs < runs_max) {
        const played run = play_apart (choice);
        count (sum, choice, run);
        if (!run.passed)
            return sum;
        // The last decision that has another side: take that one next.
        auto last = std::find_if (run.made.rbegin (), run.made.rend (),
                                  [] (const decision &each) { return each.taken + 1 < each.sides; });
        if (last == run.made.rend ()) {
            sum.complete = true;
            return sum;
        }
        const auto length = static_cast<std::size_t> (run.made.rend () - last);
        choice.steps->clear ();
        for (std::size_t i = 0; i < length; ++i)
            choice.steps->push_back (run.made[i].taken);
        ++choice.steps->back ();
    }
    return sum;
}

}  // namespace zlink::explore
