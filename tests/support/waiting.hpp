// Waiting in tests: on conditions, never for time to pass, and never for ever.
// A condition that does not come true within the watchdog's time fails the
// test; a call that hangs past any hope ends the process with a word on
// stderr.
#pragma once

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <utility>

#include "support/here.hpp"

namespace zlink::test {

// Long enough for a loaded machine under a sanitizer.
inline constexpr int watchdog_ms = 30'000;

// Repeats the look until it holds, letting others go first in between.
template <class Condition> [[nodiscard]] bool eventually (Condition holds)
{
    const std::int64_t deadline_us = here ().now_us () + std::int64_t{watchdog_ms} * 1000;
    while (!holds ()) {
        if (here ().now_us () > deadline_us)
            return false;
        here ().give_way ();
    }
    return true;
}

// Milliseconds that a call took, for at-least assertions only.
template <class Call> [[nodiscard]] long elapsed_ms (Call call)
{
    const std::int64_t start_us = here ().now_us ();
    call ();
    return static_cast<long> ((here ().now_us () - start_us) / 1000);
}

// A beat: beat() returns once per period, so that a test can go at a pace.
class metronome
{
  public:
    explicit metronome (long period_us) : beater_ (here ().make_beater (period_us)) {}
    void beat () const { beater_->beat (); }

  private:
    std::unique_ptr<surroundings::beater> beater_;
};

// A thread that tells when its body is done and is waited for at the end of
// its scope. A body that never ends is the failure the watchdog is for.
class worker
{
  public:
    explicit worker (std::function<void ()> body)
      : done_ (std::make_shared<std::atomic<bool>> (false)),
        thread_ (here ().start ([done = done_, run = std::move (body)] {
            run ();
            done->store (true);
        }))
    {
    }
    worker (worker &&) = default;
    worker &operator= (worker &&) = delete;
    ~worker () { join (); }

    [[nodiscard]] bool done () const { return done_->load (); }
    void join ()
    {
        if (thread_ == nullptr)
            return;
        if (!eventually ([this] { return done (); })) {
            std::fputs ("watchdog: a thread of the test never ended\n", stderr);
            std::abort ();
        }
        thread_.reset ();
    }
    // Interrupts it until it is done: whenever it happens to be blocked, one
    // of the signals finds it there.
    [[nodiscard]] bool interrupt_until_done (int signal_number)
    {
        return eventually ([this, signal_number] {
            if (!done ())
                thread_->interrupt (signal_number);
            return done ();
        });
    }
    void interrupt (int signal_number) { thread_->interrupt (signal_number); }

  private:
    std::shared_ptr<std::atomic<bool>> done_;
    std::unique_ptr<surroundings::thread> thread_;
};

// So many threads wait for each other, over and over.
class meeting
{
  public:
    explicit meeting (unsigned members) : members_ (members) {}
    void arrive_and_wait ()
    {
        const unsigned round = round_.load ();
        if (++arrived_ < members_) {
            here ().wait_while (round_, round);
            return;
        }
        arrived_ = 0;
        ++round_;
        here ().wake_all (round_);
    }

  private:
    const unsigned members_;
    std::atomic<unsigned> arrived_{0};
    std::atomic<unsigned> round_{0};
};

// Installs a handler that does nothing for SIGUSR1 while it lives. flags:
// SA_RESTART or 0.
class harmless_signal
{
  public:
    static constexpr int number = SIGUSR1;
    explicit harmless_signal (int flags)
    {
        struct sigaction wish = {};
        wish.sa_handler = [] (int) {};
        wish.sa_flags = flags;
        ::sigaction (number, &wish, &before_);
    }
    ~harmless_signal () { ::sigaction (number, &before_, nullptr); }
    harmless_signal (const harmless_signal &) = delete;
    harmless_signal &operator= (const harmless_signal &) = delete;

  private:
    struct sigaction before_ = {};
};

[[nodiscard]] inline bool is_readable (int descriptor, int timeout_ms = 0)
{
    return here ().readable ({&descriptor, 1}, timeout_ms) != 0;
}

// True when the descriptor becomes readable within the watchdog's time.
[[nodiscard]] inline bool becomes_readable (int descriptor) { return is_readable (descriptor, watchdog_ms); }

}  // namespace zlink::test
