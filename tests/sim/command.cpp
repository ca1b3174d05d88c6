#include "sim/command.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "sim/runner.hpp"

namespace zlink::sim {

namespace {

struct wishes
{
    std::uint64_t from = 0;  // 0: 1, and in a run of hours one that the clock says
    std::uint64_t count = 1000;
    double hours = 0;
    std::uint64_t seen_least = 0;
    scenario_choice choice;
    bool one = false;
    bool both_modes = false;
    bool find = false;
};

std::optional<mood> mood_named (std::string_view name)
{
    for (const mood each : {mood::calm, mood::storm, mood::rude})
        if (name == name_of (each))
            return each;
    return std::nullopt;
}

// What has no value behind it.
bool read_flag (std::string_view word, wishes &to)
{
    if (word == "--trace")
        to.choice.trace = true;
    else if (word == "--find")
        to.find = true;
    else if (word == "--both-modes")
        to.both_modes = true;
    else if (word == "--mixed")
        to.choice.mixed = true;
    else if (word == "--secured")
        to.choice.mixed = to.choice.secured = true;
    else if (word == "--no-nesting")
        to.choice.nests = false;
    else
        return false;
    return true;
}

bool read_wishes (int count, char **words, wishes &to)
{
    for (int i = 1; i < count; ++i) {
        const std::string_view word = words[i];
        if (read_flag (word, to))
            continue;
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
        } else if (word == "--seen") {
            to.seen_least = std::strtoull (value, nullptr, 0);
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

using steady = std::chrono::steady_clock;

double seconds_since (steady::time_point start)
{
    return std::chrono::duration<double> (steady::now () - start).count ();
}

class run
{
  public:
    run (const wishes &wish, void (*mend) ()) : wish_ (wish), mend_ (mend), start_ (steady::now ()) {}

    void play_all ();
    [[nodiscard]] int report () const;

  private:
    void play (std::uint64_t seed, bool nests);
    void judge (const scenario_choice &failed);
    [[nodiscard]] bool goes_on () const;
    void say_where ();

    const wishes &wish_;
    void (*const mend_) ();
    const steady::time_point start_;
    double said_ = 0;
    std::uint64_t failed_ = 0;
    bool searched_ = false;  // with --find
    bool found_ = false;
    std::uint64_t played_ = 0;  // seeds
    std::uint64_t ran_ = 0;     // scenarios
    std::uint64_t messages_ = 0;
    std::uint64_t calls_ = 0;
    std::uint64_t fewest_steps_ = UINT64_MAX;
    coverage seen_;
};

// The words that play it again.
void say_again (const scenario_choice &choice)
{
    const std::string mood_words = choice.as ? std::string (" --mood ") + name_of (*choice.as) : "";
    const char *const kind = choice.secured ? " --secured" : choice.mixed ? " --mixed" : "";
    std::fprintf (stderr, "again: sim --seed %llu%s%s%s --trace\n",
                  static_cast<unsigned long long> (choice.seed), choice.nests ? "" : " --no-nesting", kind,
                  mood_words.c_str ());
}

void run::play (std::uint64_t seed, bool nests)
{
    scenario_choice choice = wish_.choice;
    choice.seed = seed;
    choice.nests = nests;
    const auto done = run_seed (choice);
    ++ran_;
    messages_ += done.outcome.messages;
    calls_ += done.outcome.calls;
    seen_ += done.outcome.seen;
    if (!done.passed) {
        ++failed_;
        say_again (choice);
        if (wish_.find && !done.late)
            judge (choice);
        return;
    }
    fewest_steps_ = std::min (fewest_steps_, done.outcome.seen.steps ());
    if (wish_.one)
        std::printf ("fingerprint %016llx\n", static_cast<unsigned long long> (done.outcome.fingerprint));
}

// A failure that is there without what is searched for is another's.
void run::judge (const scenario_choice &failed)
{
    searched_ = true;
    if (mend_ != nullptr)
        mend_ ();
    found_ = mend_ == nullptr || run_seed (failed).passed;
    if (!found_)
        std::fprintf (stderr, "the same run fails with the library as it is\n");
}

bool run::goes_on () const
{
    if (searched_)
        return false;
    return wish_.hours > 0 ? seconds_since (start_) < wish_.hours * 3600 : played_ < wish_.count;
}

// In a long run, now and then.
void run::say_where ()
{
    constexpr double period_s = 600;
    const double now = seconds_since (start_);
    if (wish_.hours <= 0 || now - said_ < period_s)
        return;
    said_ = now;
    std::printf ("%.1f h: %llu scenarios, %llu failed\n", now / 3600, static_cast<unsigned long long> (ran_),
                 static_cast<unsigned long long> (failed_));
    std::fflush (stdout);
}

void run::play_all ()
{
    for (std::uint64_t seed = wish_.from; goes_on (); ++seed) {
        ++played_;
        play (seed, wish_.choice.nests);
        if (!searched_ && (wish_.both_modes || wish_.hours > 0))
            play (seed, !wish_.choice.nests);
        say_where ();
    }
}

int run::report () const
{
    const std::size_t count = wish_.choice.secured ? features
                              : wish_.choice.mixed ? mixed_features
                                                   : plain_features;
    if (wish_.seen_least > 0)
        std::printf ("%s%llu steps in the shortest\n", seen_.text (wish_.seen_least, count).c_str (),
                     static_cast<unsigned long long> (fewest_steps_));
    std::printf ("%llu scenarios, %llu failed, %llu messages, %llu calls, %.1f s\n",
                 static_cast<unsigned long long> (ran_), static_cast<unsigned long long> (failed_),
                 static_cast<unsigned long long> (messages_), static_cast<unsigned long long> (calls_),
                 seconds_since (start_));
    if (wish_.find)
        return found_ ? 0 : 1;
    const bool rare = seen_.kinds_seen_less_than (wish_.seen_least, count) > 0;
    if (rare)
        std::fprintf (stderr, "what is marked RARE was seen less than %llu times\n",
                      static_cast<unsigned long long> (wish_.seen_least));
    return failed_ == 0 && !rare ? 0 : 1;
}

}  // namespace

int run_command (int count, char **words, void (*mend) ())
{
    wishes wish;
    if (!read_wishes (count, words, wish)) {
        std::fprintf (
          stderr,
          "sim [--seed N] [--seeds N] [--from N] [--hours H] [--mood calm|storm|rude]\n"
          "    [--mixed | --secured] [--trace] [--no-nesting | --both-modes] [--seen LEAST] [--find]\n");
        return 2;
    }
    if (wish.from == 0)
        wish.from = wish.hours <= 0
                      ? 1
                      : static_cast<std::uint64_t> (std::chrono::system_clock::now ().time_since_epoch ()
                                                    / std::chrono::seconds (1))
                          * 1'000'000;
    if (wish.hours > 0)
        std::printf ("from seed %llu on\n", static_cast<unsigned long long> (wish.from));
    run all (wish, mend);
    all.play_all ();
    return all.report ();
}

}  // namespace zlink::sim
