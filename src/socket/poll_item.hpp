// One of the things a poll waits for, and how a poll counts its time.
//
// Thread rule: values only. Units: milliseconds from callers, nanoseconds to
// the world.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/poller.hpp"
#include "base/world.hpp"

namespace zlink::socket {

enum event_bits : unsigned
{
    event_in = 1,
    event_out = 2,
    event_error = 4,
    event_priority = 8,
};

struct poll_item
{
    void *socket;  // null: handle counts
    base::io_handle handle;
    unsigned interest;  // event_bits
    unsigned ready;     // out
};

// A plain handle's interest as the kernel's, and back.
[[nodiscard]] constexpr std::uint32_t kernel_interest_of (const poll_item &item) noexcept
{
    return ((item.interest & (event_in | event_priority)) != 0 ? std::uint32_t{base::interest_read} : 0)
           | ((item.interest & event_out) != 0 ? std::uint32_t{base::interest_write} : 0);
}

[[nodiscard]] constexpr unsigned ready_bits_of (const poll_item &item, std::uint32_t found) noexcept
{
    return ((found & base::ready_read) != 0 ? item.interest & (event_in | event_priority) : 0)
           | ((found & base::ready_write) != 0 ? item.interest & event_out : 0)
           | ((found & base::ready_hangup) != 0 ? unsigned{event_error} : 0);
}

// A century: longer time-outs are as good as none, and fit the clock.
inline constexpr std::int64_t poll_timeout_ms_max = std::int64_t{100} * 365 * 24 * 3600 * 1000;

// Negative: never.
[[nodiscard]] inline base::time_ns poll_deadline (base::world &world, std::int64_t timeout_ms) noexcept
{
    if (timeout_ms <= 0)
        return timeout_ms < 0 ? base::never_ns : 0;
    return world.time.now_ns () + std::min (timeout_ms, poll_timeout_ms_max) * base::ns_per_ms;
}

// As pollers take it: negative without a deadline, 0 when it has passed.
[[nodiscard]] inline base::time_ns time_left (base::world &world, base::time_ns deadline) noexcept
{
    if (deadline == base::never_ns || deadline == 0)
        return deadline == 0 ? 0 : -1;
    return std::max<base::time_ns> (deadline - world.time.now_ns (), 0);
}

}  // namespace zlink::socket
