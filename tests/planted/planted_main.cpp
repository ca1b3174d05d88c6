// planted --mutant N WORDS...: the mutant's library under the
// simulator, or, where the words name a scenario of the explorer, under that.
// WORDS are sim's or explore's.
// Exit code 0: found, and the very run that finds it passes without it; or,
// with N = 0, which is the library as it is, nothing was found. 1: not so. 2:
// the words make no sense.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "explore/command.hpp"
#include "explore/scenarios.hpp"
#include "planted.hpp"
#include "sim/command.hpp"

namespace {

[[nodiscard]] bool names_a_scenario (const std::vector<char *> &words)
{
    for (const char *each : words)
        if (std::string_view (each) == "--scenario")
            return true;
    return false;
}

void take_away () { zlink::planted_number = 0; }

}  // namespace

int main (int count, char **words)
{
    if (count < 3 || std::string_view (words[1]) != "--mutant") {
        std::fprintf (stderr, "planted --mutant N, and the words of sim or of explore\n");
        return 2;
    }
    zlink::planted_number = static_cast<unsigned> (std::strtoul (words[2], nullptr, 10));
    std::vector<char *> rest{words[0]};
    rest.insert (rest.end (), words + 3, words + count);
    const bool explores = names_a_scenario (rest);
    char find[] = "--find";
    if (zlink::planted_number != 0)
        rest.push_back (find);
    const int size = static_cast<int> (rest.size ());
    rest.push_back (nullptr);
    return explores ? zlink::explore::run_command (zlink::explore::engine_scenarios (), size, rest.data (),
                                                   take_away)
                    : zlink::sim::run_command (size, rest.data (), take_away);
}
