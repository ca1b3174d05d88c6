#include "explore/command.hpp"

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "explore/explorer.hpp"

namespace zlink::explore {

namespace {

struct wishes
{
    std::string_view scenario;
    std::uint64_t from = 1;
    std::uint64_t seeds = 200;
    std::uint64_t runs_max = 100'000;
    bool one = false;
    bool all = false;
    bool find = false;
    run_choice run;
};

script script_of (const char *text)
{
    script steps;
    while (*text != 0) {
        char *end = nullptr;
        steps.push_back (static_cast<unsigned char> (std::strtoul (text, &end, 10)));
        text = *end == ',' ? end + 1 : "";
    }
    return steps;
}

bool read_flag (std::string_view word, wishes &to)
{
    if (word == "--trace")
        to.run.trace = true;
    else if (word == "--all")
        to.all = true;
    else if (word == "--find")
        to.find = true;
    else
        return false;
    return true;
}

bool read_value (std::string_view word, const char *value, wishes &to)
{
    const std::uint64_t number = std::strtoull (value, nullptr, 0);
    if (word == "--scenario") {
        to.scenario = value;
    } else if (word == "--seed") {
        to.run.seed = number;
        to.one = true;
    } else if (word == "--script") {
        to.run.steps = script_of (value);
        to.one = true;
    } else if (word == "--seeds") {
        to.seeds = number;
    } else if (word == "--from") {
        to.from = number;
    } else if (word == "--runs") {
        to.runs_max = number;
    } else if (word == "--preemptions") {
        to.run.preemptions_max = static_cast<unsigned> (number);
    } else {
        return false;
    }
    return true;
}

bool read_wishes (int count, char **words, wishes &to)
{
    for (int i = 1; i < count; ++i) {
        if (read_flag (words[i], to))
            continue;
        if (i + 1 == count || !read_value (words[i], words[i + 1], to))
            return false;
        ++i;
    }
    return true;
}

tally play (const scenario &what, wishes &wish)
{
    if (wish.one) {
        wish.run.what = &what;
        return {1, play_once (wish.run) ? 0U : 1U, true, {}};
    }
    if (wish.all)
        return play_all (what, wish.run.preemptions_max, wish.runs_max);
    return play_seeds (what, wish.from, wish.seeds, wish.find);
}

bool was_cut_short (const tally &sum) { return !sum.complete && sum.failed == 0; }

void say (const scenario &what, const tally &sum, bool all)
{
    std::printf ("%-26.*s %llu schedules%s, %llu failed\n", static_cast<int> (what.name.size ()),
                 what.name.data (), static_cast<unsigned long long> (sum.runs), all ? " (all)" : "",
                 static_cast<unsigned long long> (sum.failed));
    std::fflush (stdout);
}

// A failure that is there without what is searched for is another's.
bool is_found (const run_choice &failed, void (*mend) ())
{
    if (mend == nullptr)
        return true;
    mend ();
    const bool passes = play_once (failed);
    if (!passes)
        std::fprintf (stderr, "the same run fails with the library as it is\n");
    return passes;
}

}  // namespace

int run_command (std::span<const scenario> known, int count, char **words, void (*mend) ())
{
    wishes wish;
    if (!read_wishes (count, words, wish)) {
        std::fprintf (stderr, "explore [--scenario NAME] [--seed N | --seeds N [--from N]\n"
                              "        | --all [--preemptions N] [--runs N]\n"
                              "        | --script N,N,... [--preemptions N]] [--trace] [--find]\n");
        return 2;
    }
    std::uint64_t failed = 0;
    bool played = false;
    unsigned cut_short = 0;
    for (const scenario &each : known) {
        if (!wish.scenario.empty () && each.name != wish.scenario)
            continue;
        played = true;
        const tally sum = play (each, wish);
        failed += sum.failed;
        cut_short += was_cut_short (sum);
        say (each, sum, wish.all && sum.complete);
        if (wish.find && sum.failure)
            return is_found (*sum.failure, mend) ? 0 : 1;
    }
    if (!played) {
        std::fprintf (stderr, "no scenario of that name\n");
        return 2;
    }
    if (cut_short > 0)
        std::fprintf (stderr, "there are more schedules than --runs allows\n");
    return wish.find || failed > 0 || cut_short > 0 ? 1 : 0;
}

}  // namespace zlink::explore
