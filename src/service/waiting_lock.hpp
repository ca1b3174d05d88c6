// A lock and a bell for objects whose callers sleep in the world's waiter, so that
// they work on fibres too: who finds the lock taken lets others run.
//
// Thread rule: any thread; not recursive. Unlike a socket's lock this one may be held
// over calls of the facade that do not wait. The waiter outlives them.
#pragma once

#include <atomic>
#include <climits>
#include <cstdint>

#include "base/atomic.hpp"
#include "base/clock.hpp"
#include "base/lock.hpp"
#include "base/waiter.hpp"

namespace zlink::service {

class waiting_lock
{
  public:
    struct word
    {
        base::atomic<std::uint32_t> state{0};    // 0: free
        base::atomic<std::uint32_t> waiting{0};  // of one that lasts: who sleeps, or is about to
    };

    // lasting: its word, where that is never unmapped; free. Letting go of such a one costs
    // no locked instruction: who finds it taken makes sure, before it sleeps, that whoever
    // lets go sees it.
    explicit waiting_lock (base::waiter &sleep, word *lasting = nullptr) noexcept
      : sleep_ (sleep), word_ (lasting != nullptr ? *lasting : own_), lasts_ (lasting != nullptr)
    {
    }
    waiting_lock (const waiting_lock &) = delete;
    waiting_lock &operator= (const waiting_lock &) = delete;

    void lock () noexcept
    {
        if (!try_lock ()) [[unlikely]]
            wait_for_it ();
    }
    void unlock () noexcept
    {
        if (!lasts_) {
            if (word_.state.exchange (free_, std::memory_order_release) == contended_) [[unlikely]]
                sleep_.wake (word_.state, 1);
            return;
        }
        word_.state.store (free_, std::memory_order_release);
        std::atomic_signal_fence (std::memory_order_seq_cst);  // the barrier of who waits is the rest
        if (word_.waiting.load (std::memory_order_relaxed) != 0) [[unlikely]]
            sleep_.wake (word_.state, 1);
    }

  private:
    static constexpr std::uint32_t free_ = 0;
    static constexpr std::uint32_t held_ = 1;
    static constexpr std::uint32_t contended_ = 2;

    [[nodiscard]] bool try_lock () noexcept
    {
        std::uint32_t expected = free_;
        return word_.state.compare_exchange_strong (expected, held_, std::memory_order_acquire);
    }

    // Apart, so that whoever finds it free has fewer registers to save.
    [[gnu::noinline]] void wait_for_it () noexcept
    {
        if (lasts_)
            return wait_for_lasting ();
        while (word_.state.exchange (contended_, std::memory_order_acquire) != free_)
            (void)sleep_.wait (word_.state, contended_, base::never_ns);
    }

    // Behind the barrier everybody who has let go without seeing us has made it free.
    void wait_for_lasting () noexcept
    {
        word_.waiting.fetch_add (1, std::memory_order_seq_cst);
        const bool seen = sleep_.barrier ();
        while (!try_lock ()) {
            if (seen)
                (void)sleep_.wait (word_.state, held_, base::never_ns);
            else
                sleep_.yield ();
        }
        word_.waiting.fetch_sub (1, std::memory_order_relaxed);
    }

    base::waiter &sleep_;
    word own_{};
    word &word_;
    const bool lasts_;
};

using holding = base::locked<waiting_lock>;

// Rings for everybody who waits. Read heard() before looking at what it is about, and
// wait for what rings behind that: nothing is missed.
class bell
{
  public:
    explicit bell (base::waiter &sleep) noexcept : sleep_ (sleep) {}
    bell (const bell &) = delete;
    bell &operator= (const bell &) = delete;

    [[nodiscard]] std::uint32_t heard () const noexcept { return count_.load (std::memory_order_seq_cst); }
    // A system call when somebody waits.
    void ring () noexcept
    {
        count_.fetch_add (1, std::memory_order_seq_cst);
        if (waiting_.load (std::memory_order_seq_cst) != 0)
            sleep_.wake (count_, INT_MAX);
    }
    // Until it rings behind heard, the deadline (base::never_ns: none) or a signal; may
    // answer woken in vain.
    base::wait_outcome wait (std::uint32_t heard, base::time_ns deadline) noexcept
    {
        waiting_.fetch_add (1, std::memory_order_seq_cst);
        const base::wait_outcome outcome = count_.load (std::memory_order_seq_cst) == heard
                                             ? sleep_.wait (count_, heard, deadline)
                                             : base::wait_outcome::woken;
        waiting_.fetch_sub (1, std::memory_order_seq_cst);
        return outcome;
    }

  private:
    base::waiter &sleep_;
    base::atomic<std::uint32_t> count_{0};
    base::atomic<std::uint32_t> waiting_{0};
};

}  // namespace zlink::service
