// The lock of sockets and leaf structures.
//
// One compare-exchange takes it, so that a sleeper's mark is never
// overwritten; one exchange releases it. The exchange is a full barrier:
// what was published under the lock is visible before whatever the releasing
// thread reads next, which the waiter protocols rely on.
// Not recursive. Sleeps in the kernel after a bounded spin, so a real-time
// thread cannot starve the owner.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "base/cpu.hpp"

namespace zlink::base {

// How many pauses a contended lock makes before it sleeps; 0 on one CPU.
inline atomic<unsigned> lock_spins_max{100};

class exchange_lock
{
  public:
    void lock () noexcept
    {
        std::uint32_t expected = free_;
        if (!word_.compare_exchange_strong (expected, held_, std::memory_order_acquire,
                                            std::memory_order_relaxed)) [[unlikely]]
            lock_slowly ();
    }

    [[nodiscard]] bool try_lock () noexcept
    {
        std::uint32_t expected = free_;
        return word_.compare_exchange_strong (expected, held_, std::memory_order_acquire,
                                              std::memory_order_relaxed);
    }

    // Of leaf structures that one can do without: a hundred tries, without sleeping.
    [[nodiscard]] bool lock_soon () noexcept
    {
        constexpr int attempts = 100;
        for (int i = 0; i < attempts; ++i)
            if (try_lock ())
                return true;
        return false;
    }

    void unlock () noexcept
    {
        if (word_.exchange (free_, std::memory_order_seq_cst) == contended_) [[unlikely]]
            word_.notify_one ();
    }

  private:
    static constexpr std::uint32_t free_ = 0;
    static constexpr std::uint32_t held_ = 1;
    static constexpr std::uint32_t contended_ = 2;

    void lock_slowly () noexcept
    {
        // Every look takes the line away from the owner: fewer and fewer looks.
        const unsigned pauses_max = lock_spins_max.load (std::memory_order_relaxed);
        unsigned step = 1;
        for (unsigned pauses = 0; pauses < pauses_max; pauses += step, step *= 2) {
            for (unsigned i = 0; i < step; ++i)
                cpu_pause ();
            if (word_.load (std::memory_order_relaxed) == free_ && try_lock ())
                return;
        }
        while (word_.exchange (contended_, std::memory_order_acquire) != free_)
            word_.wait (contended_, std::memory_order_relaxed);
    }

    atomic<std::uint32_t> word_{free_};
};

// Scope guard.
template <class Lock> class locked
{
  public:
    explicit locked (Lock &lock) noexcept : lock_ (lock) { lock_.lock (); }
    ~locked () { lock_.unlock (); }
    locked (const locked &) = delete;
    locked &operator= (const locked &) = delete;

  private:
    Lock &lock_;
};

}  // namespace zlink::base
