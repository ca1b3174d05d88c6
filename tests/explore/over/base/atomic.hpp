// Stands in front of src/base/atomic.hpp where the explorer compiles the
// shipped sources: the same interface, but every operation is a point of the
// simulation at which another fibre may go on, and waiting is the simulation's.
//
// Outside a fibre it is a plain std::atomic. Same size and layout.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

namespace zlink::explore {

void point () noexcept;
void changed (const void *word, std::uint32_t was, std::uint32_t is) noexcept;
void sleep_at (const void *place) noexcept;
void wake_at (const void *place, bool all) noexcept;

}  // namespace zlink::explore

namespace zlink::base {

template <class T> class atomic
{
  public:
    using order = std::memory_order;
    static constexpr bool is_always_lock_free = std::atomic<T>::is_always_lock_free;

    constexpr atomic () noexcept = default;
    constexpr atomic (T value) noexcept : value_ (value) {}
    atomic (const atomic &) = delete;
    atomic &operator= (const atomic &) = delete;

    [[nodiscard]] T load (order how = std::memory_order_seq_cst) const noexcept
    {
        explore::point ();
        return value_.load (how);
    }
    void store (T next, order how = std::memory_order_seq_cst) noexcept
    {
        explore::point ();
        tell (next);
        value_.store (next, how);
    }
    T exchange (T next, order how = std::memory_order_seq_cst) noexcept
    {
        explore::point ();
        tell (next);
        return value_.exchange (next, how);
    }
    bool compare_exchange_strong (T &expected,
                                  T next,
                                  order how = std::memory_order_seq_cst,
                                  order failed = std::memory_order_relaxed) noexcept
    {
        explore::point ();
        const T was = expected;
        const bool done = value_.compare_exchange_strong (expected, next, how, failed);
        if constexpr (std::is_same_v<T, std::uint32_t>)
            if (done)
                explore::changed (this, was, next);
        return done;
    }
    bool compare_exchange_weak (T &expected,
                                T next,
                                order how = std::memory_order_seq_cst,
                                order failed = std::memory_order_relaxed) noexcept
    {
        return compare_exchange_strong (expected, next, how, failed);
    }
    template <class By> T fetch_add (By by, order how = std::memory_order_seq_cst) noexcept
    {
        explore::point ();
        return value_.fetch_add (by, how);
    }
    template <class By> T fetch_sub (By by, order how = std::memory_order_seq_cst) noexcept
    {
        explore::point ();
        return value_.fetch_sub (by, how);
    }
    T fetch_or (T bits, order how = std::memory_order_seq_cst) noexcept
    {
        explore::point ();
        return value_.fetch_or (bits, how);
    }
    T fetch_and (T bits, order how = std::memory_order_seq_cst) noexcept
    {
        explore::point ();
        return value_.fetch_and (bits, how);
    }

    // As std::atomic's: returns only when the value is another one.
    void wait (T old, order how = std::memory_order_seq_cst) const noexcept
    {
        explore::point ();
        while (value_.load (how) == old)
            explore::sleep_at (this);
    }
    void notify_one () noexcept
    {
        explore::point ();
        explore::wake_at (this, false);
    }
    void notify_all () noexcept
    {
        explore::point ();
        explore::wake_at (this, true);
    }

    operator T () const noexcept { return load (); }
    T operator= (T next) noexcept
    {
        store (next);
        return next;
    }
    T operator++ () noexcept { return static_cast<T> (fetch_add (1) + 1); }
    T operator-- () noexcept { return static_cast<T> (fetch_sub (1) - 1); }
    T operator++ (int) noexcept { return fetch_add (1); }
    T operator-- (int) noexcept { return fetch_sub (1); }

  private:
    void tell (T next) const noexcept
    {
        if constexpr (std::is_same_v<T, std::uint32_t>)
            explore::changed (this, value_.load (std::memory_order_relaxed), next);
    }

    std::atomic<T> value_{};
};

}  // namespace zlink::base
