#include "sim/command.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "sim/runner.hpp"

namespace zlink::sim {

namespace {

struct wishes
{
    std::uint64_t from = 1;
    std::uint64_t count = 1000;
    double hours = 0;
    scenario_choice choice;
    bool one = false;
};

std::optional<mood> mood_named (std::string_view name)
{
    for (const mood each : {mood::calm, mood::storm, mood::rude})
        if (name == name_of (each))
            return each;
    return std::nullopt;
}

bool read_wishes (int count, char **words, wishes &to)
{
    for (int i = 1; i < count; ++i) {
        const std::string_view word = words[i];
        if (word == "--trace") {
            to.choice.trace = true;
            continue;
        }
        if (word == "--no-nesting") {
            to.choice.nests = false;
            continue;
        }
        if (i + 1 == count)
            return false;
        const char *const value = words[++i];
        if (word == "--seed") {
            to.from = std::strtoull (value, nullptr, 0);
            to.count = 1;
            to.one = true;
        } else if (word == "--seeds") {
            to.count = std::strtoull (value, nullptr, 0);
        } else if (word == "--from") {
            to.from = std::strtoull (value, nullptr, 0);
        } else if (word == "--hours") {
            to.hours = std::strtod (value, nullptr);
        } else if (word == "--mood") {
            to.choice.as = mood_named (value);
            if (!to.choice.as)
                return false;
        } else {
            return false;
        }
    }
    return true;
}

}  // namespace

int run_command (int count, char **words)
{
    wishes wish;
    if (!read_wishes (count, words, wish)) {
        std::fprintf (stderr, "sim [--seed N] [--seeds N] [--from N] [--hours H] [--mood calm|storm|rude]\n"
                              "    [--trace] [--no-nesting]\n");
        return 2;
    }
    using clock = std::chrono::steady_clock;
    const auto start = clock::now ();
    const auto until = start + std::chrono::duration<double, std::ratio<3600>> (wish.hours);
    std::uint64_t failed = 0;
    std::uint64_t ran = 0;
    std::uint64_t messages = 0;
    std::uint64_t calls = 0;
    for (std::uint64_t seed = wish.from; wish.hours > 0 ? clock::now () < until : ran < wish.count;
         ++seed, ++ran) {
        wish.choice.seed = seed;
        const auto done = run_seed (wish.choice);
        messages += done.outcome.messages;
        calls += done.outcome.calls;
        if (!done.passed) {
            ++failed;
            std::fprintf (stderr, "again: sim --seed %llu --trace\n", static_cast<unsigned long long> (seed));
        } else if (wish.one) {
            std::printf ("fingerprint %016llx\n", static_cast<unsigned long long> (done.outcome.fingerprint));
        }
    }
    const double seconds = std::chrono::duration<double> (clock::now () - start).count ();
    std::printf ("%llu seeds, %llu failed, %llu messages, %llu calls, %.1f s\n",
                 static_cast<unsigned long long> (ran), static_cast<unsigned long long> (failed),
                 static_cast<unsigned long long> (messages), static_cast<unsigned long long> (calls),
                 seconds);
    return failed == 0 ? 0 : 1;
}

}  // namespace zlink::sim
