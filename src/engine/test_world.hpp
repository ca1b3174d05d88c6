// A world without a kernel, for the tests of this layer and the one above, so
// that they are about one object and one thread:
// time moves when somebody sleeps with a deadline, pollers never report,
// threads are noted and not started. What needs a peer that acts meanwhile is
// for tests/conformance and tests/sim.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/atomic.hpp"
#include "base/world.hpp"

namespace zlink::engine::test {

// A tick is a nanosecond.
class moved_clock final : public base::clock
{
  public:
    [[nodiscard]] base::time_ns now_ns () noexcept override { return now.load (); }
    [[nodiscard]] std::uint64_t ticks () noexcept override
    {
        return static_cast<std::uint64_t> (now.load ());
    }
    [[nodiscard]] std::uint64_t ticks_per_us () const noexcept override { return 1'000; }

    base::atomic<base::time_ns> now{base::ns_per_s};
};

// Nobody else is there to wake a sleeper but `meanwhile`, which does what another
// thread would, as `given_away` does while a thread yields: a sleep with a deadline is over at once, one
// without is interrupted.
class lone_waiter final : public base::waiter
{
  public:
    explicit lone_waiter (moved_clock &time) noexcept : time_ (time) {}
    base::wait_outcome
    wait (base::atomic<std::uint32_t> &word, std::uint32_t expected, base::time_ns deadline) noexcept override
    {
        if (meanwhile != nullptr)
            meanwhile ();
        if (word.load () != expected)
            return base::wait_outcome::woken;
        if (deadline == base::never_ns)
            return base::wait_outcome::interrupted;
        if (time_.now.load () < deadline)
            time_.now.store (deadline);
        return base::wait_outcome::timed_out;
    }
    void wake (base::atomic<std::uint32_t> &, int) noexcept override { ++wakes; }
    bool barrier () noexcept override { return true; }
    void yield () noexcept override
    {
        ++yields;
        if (given_away != nullptr)
            given_away ();
    }
    void pause () noexcept override {}
    [[nodiscard]] unsigned cores () const noexcept override { return core_count; }

    unsigned core_count = 1;
    base::atomic<int> wakes{0};
    base::atomic<int> yields{0};
    std::function<void ()> meanwhile;
    std::function<void ()> given_away;  // what others do while they have the core

  private:
    moved_clock &time_;
};

// Its sets have nothing to report, and no descriptor behind them.
class silent_poller final : public base::poller
{
  public:
    base::result<void> add (base::io_handle, std::uint32_t, std::uint64_t) noexcept override { return {}; }
    base::result<void> modify (base::io_handle, std::uint32_t, std::uint64_t) noexcept override { return {}; }
    void remove (base::io_handle) noexcept override {}
    base::result<std::size_t> wait (std::span<base::poll_event>, base::time_ns) noexcept override
    {
        return std::size_t{0};
    }
    void wake () noexcept override {}
    [[nodiscard]] base::io_handle handle () const noexcept override { return 1'000; }
};

// Fails as it is told to; a wait on a list lasts as long as it may.
class silent_pollers final : public base::poller_factory
{
  public:
    explicit silent_pollers (moved_clock &time) noexcept : time_ (time) {}
    base::result<std::unique_ptr<base::poller>> make () noexcept override
    {
        if (failure != base::errc::ok)
            return failure;
        return std::unique_ptr<base::poller> (new silent_poller);
    }
    [[nodiscard]] bool nests () const noexcept override { return true; }
    base::result<std::size_t> wait_list (std::span<base::poll_entry> entries,
                                         base::time_ns timeout_ns,
                                         base::signal_mask) noexcept override
    {
        for (base::poll_entry &each : entries)
            each.ready = 0;
        if (timeout_ns < 0)
            return base::errc::interrupted;
        time_.now.fetch_add (timeout_ns);
        return std::size_t{0};
    }

    base::errc failure = base::errc::ok;

  private:
    moved_clock &time_;
};

// Every number once, the same ones in every run.
class counted_dice final : public base::random
{
  public:
    [[nodiscard]] std::uint64_t next () noexcept override { return next_.fetch_add (0x9E3779B97F4A7C15); }

  private:
    base::atomic<std::uint64_t> next_{1};
};

class no_resolver final : public base::resolver
{
  public:
    void submit (base::transport &,
                 std::string,
                 base::stream_options,
                 std::function<void (base::resolve_result)>) override
    {
    }
};

// Keeps the names of those that would run.
class noted_threads final : public base::thread_factory
{
  public:
    base::result<std::unique_ptr<base::joinable>> start (const base::thread_options &options,
                                                         std::function<void ()>) noexcept override
    {
        if (failure != base::errc::ok)
            return failure;
        names.push_back (options.name);
        return std::make_unique<base::joinable> ();
    }

    base::errc failure = base::errc::ok;
    std::vector<std::string> names;
};

// Owns them all; outlives the contexts made on it.
class quiet_world
{
  public:
    [[nodiscard]] base::world &world () noexcept { return world_; }

    moved_clock time;
    lone_waiter sleep{time};
    silent_pollers pollers{time};
    noted_threads threads;

  private:
    counted_dice dice_;
    no_resolver names_;
    base::world world_{time, sleep, pollers, dice_, names_, threads, {}};
};

}  // namespace zlink::engine::test
