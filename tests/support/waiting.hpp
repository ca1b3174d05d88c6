// Waiting in tests: on conditions, never for time to pass, and never for ever.
// A condition that does not come true within the watchdog's time fails the
// test; a call that hangs past any hope ends the process with a word on
// stderr.
#pragma once

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/timerfd.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace zlink::test {

// Long enough for a loaded machine under a sanitizer.
inline constexpr int watchdog_ms = 30'000;

using test_clock = std::chrono::steady_clock;

// Repeats the look until it holds, giving the core away in between.
template <class Condition> [[nodiscard]] bool eventually (Condition holds)
{
    const auto deadline = test_clock::now () + std::chrono::milliseconds (watchdog_ms);
    while (!holds ()) {
        if (test_clock::now () > deadline)
            return false;
        ::sched_yield ();
    }
    return true;
}

// Milliseconds that a call took, for at-least assertions only.
template <class Call> [[nodiscard]] long elapsed_ms (Call call)
{
    const auto start = test_clock::now ();
    call ();
    return static_cast<long> (
      std::chrono::duration_cast<std::chrono::milliseconds> (test_clock::now () - start).count ());
}

// A beat: beat() returns once per period, so that a test can go at a pace.
class metronome
{
  public:
    explicit metronome (long period_us) : timer_ (::timerfd_create (CLOCK_MONOTONIC, TFD_CLOEXEC))
    {
        itimerspec spec{};
        spec.it_interval.tv_nsec = spec.it_value.tv_nsec = period_us * 1000;
        ::timerfd_settime (timer_, 0, &spec, nullptr);
    }
    ~metronome () { ::close (timer_); }
    metronome (const metronome &) = delete;
    metronome &operator= (const metronome &) = delete;
    void beat () const
    {
        std::uint64_t passed = 0;
        while (::read (timer_, &passed, sizeof passed) < 0 && errno == EINTR) {}
    }

  private:
    int timer_;
};

// A thread that tells when its body is done and is waited for at the end of
// its scope. A body that never ends is the failure the watchdog is for.
class worker
{
  public:
    explicit worker (std::function<void ()> body)
      : done_ (std::make_shared<std::atomic<bool>> (false)), thread_ ([done = done_, run = std::move (body)] {
            run ();
            done->store (true);
        })
    {
    }
    worker (worker &&) = default;
    worker &operator= (worker &&) = delete;
    ~worker () { join (); }

    [[nodiscard]] bool done () const { return done_->load (); }
    void join ()
    {
        if (!thread_.joinable ())
            return;
        if (!eventually ([this] { return done (); })) {
            std::fputs ("watchdog: a thread of the test never ended\n", stderr);
            std::abort ();
        }
        thread_.join ();
    }
    // Interrupts it until it is done: whenever it happens to be blocked, one
    // of the signals finds it there.
    [[nodiscard]] bool interrupt_until_done (int signal_number)
    {
        return eventually ([this, signal_number] {
            if (!done ())
                ::pthread_kill (thread_.native_handle (), signal_number);
            return done ();
        });
    }
    void interrupt (int signal_number) { ::pthread_kill (thread_.native_handle (), signal_number); }

  private:
    std::shared_ptr<std::atomic<bool>> done_;
    std::thread thread_;
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

// True when the descriptor becomes readable within the watchdog's time.
[[nodiscard]] inline bool becomes_readable (int descriptor)
{
    pollfd entry{descriptor, POLLIN, 0};
    return ::poll (&entry, 1, watchdog_ms) == 1;
}

}  // namespace zlink::test
