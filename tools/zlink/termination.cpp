#include "tools/zlink/termination.hpp"

#include <pthread.h>

namespace zlink::tool {

namespace {

volatile std::sig_atomic_t asked = 0;

void remember (int) { asked = 1; }

constexpr int signals[] = {SIGINT, SIGTERM};

}  // namespace

termination::termination () noexcept
{
    asked = 0;
    sigset_t ours;
    sigemptyset (&ours);
    for (const int each : signals)
        sigaddset (&ours, each);
    pthread_sigmask (SIG_BLOCK, &ours, &before_);
    struct sigaction handled
    {
    };
    handled.sa_handler = remember;
    for (const int each : signals)
        sigaction (each, &handled, nullptr);
}

termination::~termination ()
{
    for (const int each : signals)
        std::signal (each, SIG_DFL);
    pthread_sigmask (SIG_SETMASK, &before_, nullptr);
}

bool termination::is_asked_for () const noexcept { return asked != 0; }

}  // namespace zlink::tool
