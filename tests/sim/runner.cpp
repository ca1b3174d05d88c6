#include "sim/runner.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/leaks.hpp"

namespace zlink::sim {

seed_result run_seed (const scenario_choice &choice, unsigned seconds_max)
{
    int ends[2];
    if (::pipe (ends) != 0) {
        std::perror ("pipe");
        return {};
    }
    std::fflush (nullptr);
    const pid_t child = ::fork ();
    if (child == 0) {
        ::close (ends[0]);
        ::alarm (seconds_max);
        const scenario_outcome outcome = run_scenario (choice);
        const bool told = ::write (ends[1], &outcome, sizeof outcome) == sizeof outcome;
        std::_Exit (told && !has_lost_memory () ? 0 : 5);
    }
    ::close (ends[1]);
    seed_result answer;
    answer.passed =
      child > 0 && ::read (ends[0], &answer.outcome, sizeof answer.outcome) == sizeof answer.outcome;
    ::close (ends[0]);
    int status = 0;
    if (child > 0)
        ::waitpid (child, &status, 0);
    answer.passed = answer.passed && WIFEXITED (status) && WEXITSTATUS (status) == 0;
    answer.late = WIFSIGNALED (status) && WTERMSIG (status) == SIGALRM;
    if (!answer.passed && WIFSIGNALED (status))
        std::fprintf (stderr, "\nFAILED seed %llu (%s): %s\n", static_cast<unsigned long long> (choice.seed),
                      name_of (choice.as.value_or (mood_of (choice.seed))),
                      WTERMSIG (status) == SIGALRM ? "no end: an endless loop, or a lock whose holder waits"
                                                   : strsignal (WTERMSIG (status)));
    return answer;
}

}  // namespace zlink::sim
