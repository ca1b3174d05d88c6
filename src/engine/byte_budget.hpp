// The bytes that a context's sockets may hold together: arenas, slabs, large
// bodies, messages that wait for a connection, and what inproc links hold
// beyond their first segment.
//
// Counted when they are obtained and given back, never per small message; with
// no limit nothing is counted at all, so the limit is set before the first
// socket or not at all.
// Thread rule: any thread, under any lock. What is freed is told to those who
// were held back once no lock is held: see take_freed().
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/atomic.hpp"

namespace zlink::engine {

class byte_budget
{
  public:
    void set_limit (std::int64_t bytes) noexcept { limit_ = bytes; }
    [[nodiscard]] bool limited () const noexcept { return limit_ > 0; }

    void take (std::size_t bytes) noexcept
    {
        used_.fetch_add (static_cast<std::int64_t> (bytes), std::memory_order_seq_cst);
    }
    void give (std::size_t bytes) noexcept
    {
        const auto less = static_cast<std::int64_t> (bytes);
        const std::int64_t before = used_.fetch_sub (less, std::memory_order_seq_cst);
        const std::int64_t after = before - less;
        if ((before >= limit_ && after < limit_) || (before >= limit_ / 2 && after < limit_ / 2))
            freed_.store (true, std::memory_order_seq_cst);
    }
    // What waits for a connection may use one half only: else nobody could come
    // in to whom it would go.
    [[nodiscard]] bool half_reached () const noexcept
    {
        return used_.load (std::memory_order_seq_cst) >= limit_ / 2;
    }
    [[nodiscard]] bool reached () const noexcept { return used_.load (std::memory_order_seq_cst) >= limit_; }
    [[nodiscard]] std::int64_t used () const noexcept { return used_.load (std::memory_order_relaxed); }

    // True once after the use has fallen below the limit, or a half of it:
    // whoever is told sees to those who were held back.
    [[nodiscard]] bool take_freed () noexcept
    {
        return freed_.load (std::memory_order_relaxed) && freed_.exchange (false, std::memory_order_seq_cst);
    }

  private:
    std::int64_t limit_ = 0;  // constant once there are sockets
    base::atomic<std::int64_t> used_{0};
    base::atomic<bool> freed_{false};
};

// A number of bytes that a budget knows of, if there is one.
class charge
{
  public:
    explicit charge (byte_budget *to) noexcept : to_ (to) {}
    ~charge () { clear (); }
    charge (const charge &) = delete;
    charge &operator= (const charge &) = delete;

    operator std::size_t () const noexcept { return bytes_; }
    charge &operator+= (std::size_t more) noexcept
    {
        bytes_ += more;
        if (to_ != nullptr) [[unlikely]]
            to_->take (more);
        return *this;
    }
    charge &operator-= (std::size_t less) noexcept
    {
        bytes_ -= less;
        if (to_ != nullptr) [[unlikely]]
            to_->give (less);
        return *this;
    }
    void clear () noexcept { *this -= bytes_; }

  private:
    byte_budget *to_;
    std::size_t bytes_ = 0;
};

}  // namespace zlink::engine
