// Virtual time and the fibres that live in it.
//
// One thread runs everything. A fibre goes on until it makes a system call,
// where the seed decides whether another one runs first, or until it waits.
// Every call costs a little virtual time; when all fibres wait, time jumps to
// the next thing that is due. The same seed gives the same run.
//
// In the explorer's build, where every operation on an atomic is a point(), a
// fibre may also be stopped between any two of them, and a decider may take the
// dice's place.
//
// Thread rule: one thread. What is named for fibres is called inside one.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/atomic.hpp"
#include "base/clock.hpp"
#include "sim/coverage.hpp"
#include "sim/decider.hpp"
#include "sim/fibre.hpp"

namespace zlink::sim {

using base::time_ns;

struct schedule
{
    unsigned switch_per_mille = 300;   // at each system call
    unsigned preempt_per_mille = 0;    // at each operation on an atomic, where those are points
    unsigned weight_spread = 1;        // 1 = all fibres alike; n = some run n times as often
    unsigned interrupt_per_mille = 0;  // a sleep ends with a signal
    unsigned spurious_per_mille = 0;   // a sleep on a word ends without a wake
    time_ns call_cost_max_ns = 2'000;
    std::uint64_t calls_max = 20'000'000;  // more: it does not come to rest
    bool own_thread_locals = false;        // every fibre its own, as a thread has them
    bool trace = false;
};

enum class wait_end : std::uint8_t
{
    ready,
    timed_out,
    interrupted,
};

class simulation
{
  public:
    simulation (std::uint64_t seed, const schedule &how);
    ~simulation ();
    simulation (const simulation &) = delete;
    simulation &operator= (const simulation &) = delete;

    // --- dice ---

    std::uint64_t roll () noexcept;
    // 0 to below - 1; 0 for below 0.
    std::uint64_t roll_below (std::uint64_t below) noexcept { return below == 0 ? 0 : roll () % below; }
    bool chance (unsigned per_mille) noexcept { return roll_below (1000) < per_mille; }

    // 0 to below - 1.
    time_ns roll_time (time_ns below) noexcept
    {
        return static_cast<time_ns> (roll_below (static_cast<std::uint64_t> (below)));
    }

    // --- time ---

    [[nodiscard]] time_ns now () const noexcept { return now_; }
    // Reading a clock takes time too, so that whoever looks at it in a loop
    // gets to the end.
    time_ns read_clock (time_ns cost) noexcept { return now_ += cost; }
    // Runs action when that time has come, outside any fibre.
    void at (time_ns when, std::function<void ()> action);
    void after (time_ns delay, std::function<void ()> action) { at (now_ + delay, std::move (action)); }

    // --- fibres ---

    // Returns the fibre's number. run() does not wait for servants.
    std::size_t spawn (std::string name, std::function<void ()> body, bool servant = false);
    [[nodiscard]] bool finished (std::size_t number) const noexcept;
    // Until every fibre that is no servant has ended.
    void run ();
    // Instead of run(): from step_in() to step_out() the caller, whose stack is
    // its own, is one of the fibres. All others end before it steps out.
    void step_in (std::string name);
    void step_out ();
    // A signal for a fibre: ends a sleep that allows it, and is else forgotten.
    void interrupt (std::size_t number) noexcept;
    // For fibres: from now on it and those that it spawns are a process of that number; 0, which
    // all are of at first, is none.
    void be_of_process (unsigned process) noexcept;
    // All of a process stand still for so long, as behind a SIGSTOP, while time goes on.
    void stop_process (unsigned process, time_ns length);

    // For fibres: a system call starts or ends here; others may run first.
    void call (const char *what) noexcept;
    // For fibres: waits until ready() or the deadline (base::never_ns = none).
    // Sleeps that a signal may end say so.
    wait_end wait (const char *what,
                   time_ns deadline,
                   const std::function<bool ()> &ready,
                   bool interruptible = false) noexcept;
    void pass_time (time_ns length) noexcept;
    void give_way () noexcept;
    [[nodiscard]] bool in_fibre () const noexcept { return current_ != nullptr; }

    // --- the explorer's ---

    // For fibres: an operation on an atomic comes next; others may run first.
    void point () noexcept;
    // A word changed: by this the simulation knows who holds a guarded lock.
    void changed (const void *word, std::uint32_t was, std::uint32_t is) noexcept;
    // For fibres: sleeps, locks held or not, until wake_at() of the same place.
    void sleep_at (const void *place) noexcept;
    void wake_at (const void *place, std::size_t count) noexcept;
    // From now on it decides, and points count; null: the dice again.
    void steer (decider *by) noexcept { decider_ = by; }
    // From now on it is a failure when nothing happens for so long: news that
    // a time-out brings at last are news whose wake was lost.
    void expect_news (time_ns within) noexcept { silence_max_ = within; }

    // --- sleeping on words ---

    wait_end sleep_on (base::atomic<std::uint32_t> &word, std::uint32_t expected, time_ns deadline) noexcept;
    void wake_on (base::atomic<std::uint32_t> &word, int count) noexcept;

    // --- checks ---

    // A lock that nobody may hold across a system call.
    void guard (const base::atomic<std::uint32_t> &lock_word) { guarded_.push_back ({&lock_word, nullptr}); }
    // Prints what went wrong, with the seed and what every fibre does, and
    // ends the process.
    [[noreturn]] void fail (const std::string &what) noexcept;
    // Looks at whatever it is about, at every system call: nothing is half done
    // then but what a dropped lock left so.
    void at_calls (std::function<void ()> check) { checks_.push_back (std::move (check)); }
    // What this run has seen.
    coverage seen;
    // Passes on what a call answered, and counts it.
    template <class Answer> Answer called (feature what, Answer answer)
    {
        seen.saw (what);
        return answer;
    }
    // More to print on failure.
    void on_failure (std::function<std::string ()> more) { reports_.push_back (std::move (more)); }
    // Changes with every decision of a run.
    [[nodiscard]] std::uint64_t fingerprint () const noexcept { return fingerprint_; }
    [[nodiscard]] std::uint64_t calls () const noexcept { return calls_; }
    [[nodiscard]] std::uint64_t points () const noexcept { return points_; }
    [[nodiscard]] std::uint64_t seed () const noexcept { return seed_; }
    void note (const char *what, std::uint64_t detail = 0) noexcept;
    [[nodiscard]] const schedule &how () const noexcept { return how_; }
    // Stops interruptions, spurious wakes: for the end of a scenario.
    void calm () noexcept { how_.interrupt_per_mille = how_.spurious_per_mille = 0; }

  private:
    struct strand;
    struct due_event
    {
        time_ns when = 0;
        std::uint64_t order = 0;
        std::function<void ()> action;
    };
    struct guarded_lock
    {
        const base::atomic<std::uint32_t> *word;
        const strand *holder;  // where changes are told
    };
    // No point is one while somebody holds still.
    class still
    {
      public:
        explicit still (simulation &of) noexcept : of_ (of) { ++of_.still_; }
        ~still () { --of_.still_; }
        still (const still &) = delete;
        still &operator= (const still &) = delete;

      private:
        simulation &of_;
    };
    static bool later (const due_event &a, const due_event &b) noexcept;

    std::size_t enlist (std::string name, bool servant);
    void run_due ();
    bool step ();
    strand *choose ();
    [[nodiscard]] bool stopped (const strand &which) const;
    [[nodiscard]] bool runnable (const strand &which) const;
    void jump ();
    void leave () noexcept;
    void leave_to (strand *next) noexcept;
    void wait_until_ready (const char *what,
                           time_ns deadline,
                           const std::function<bool ()> &ready,
                           bool interruptible) noexcept;
    [[nodiscard]] const std::vector<strand *> &others ();
    std::size_t pick (std::size_t count) noexcept;
    void check_locks (const char *what) noexcept;

    const std::uint64_t seed_;
    schedule how_;
    std::uint64_t dice_[4];
    time_ns now_ = base::ns_per_s;
    std::vector<due_event> events_;  // a heap
    std::uint64_t event_order_ = 0;
    std::vector<std::unique_ptr<strand>> strands_;
    std::map<unsigned, time_ns> stopped_until_;  // by process
    strand *current_ = nullptr;
    strand *guest_ = nullptr;      // who stepped in
    std::unique_ptr<fibre> host_;  // runs the others while the guest waits
    std::map<const void *, std::vector<strand *>> sleepers_;
    std::vector<guarded_lock> guarded_;
    bool holders_known_ = false;
    decider *decider_ = nullptr;
    strand *next_ = nullptr;  // who runs after the one that left for it
    std::vector<strand *> others_;
    unsigned still_ = 0;
    time_ns silence_max_ = base::never_ns;
    std::vector<std::function<std::string ()>> reports_;
    std::vector<std::function<void ()>> checks_;
    std::uint64_t calls_ = 0;
    std::uint64_t points_ = 0;
    std::uint64_t fingerprint_ = 0;
    bool failing_ = false;
};

}  // namespace zlink::sim
