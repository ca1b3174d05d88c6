// Handles of pollers, timers, counters, stopwatches and threads: addresses of
// records that are never unmapped, so that a dead or foreign handle is
// recognised. A record is used again only after many others were.
//
// Thread rule: any thread. Blocking: no.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/clock.hpp"

namespace zlink::api {

enum class handle_kind : std::uint32_t
{
    none = 0,
    poller = 0x7A4C'0001,
    timers = 0x7A4C'0002,
    counter = 0x7A4C'0003,
    stopwatch = 0x7A4C'0004,
    thread = 0x7A4C'0005,
    registry = 0x7A4C'0006,
    discovery = 0x7A4C'0007,
    receiver = 0x7A4C'0008,
    gateway = 0x7A4C'0009,
    spot_node = 0x7A4C'000A,
    spot_pub = 0x7A4C'000B,
    spot_sub = 0x7A4C'000C,
    statistics_server = 0x7A4C'000D,
    spot_reader = 0x7A4C'000E,
};

struct utility_record
{
    std::atomic<handle_kind> kind{handle_kind::none};
    std::atomic<int> number{0};         // counters
    std::atomic<void *> gate{nullptr};  // services: where the object's lock is
    void *object = nullptr;             // owned by whoever opened the record
    base::time_ns start_ns = 0;         // stopwatches
    utility_record *next = nullptr;     // in the queue of free ones
};

// How many records are closed before one of them is opened again.
inline constexpr std::size_t quarantined_records_min = 1024;

// A fresh record of a kind; null when memory is out.
[[nodiscard]] utility_record *open_handle (handle_kind kind, void *object) noexcept;

// The record behind a handle; null when it is not one of that kind, or not
// any more. Memory at a foreign pointer must at least be readable.
[[nodiscard]] inline utility_record *find_handle (void *handle, handle_kind kind) noexcept
{
    auto *record = static_cast<utility_record *> (handle);
    if (record == nullptr || reinterpret_cast<std::uintptr_t> (handle) % alignof (utility_record) != 0)
        return nullptr;
    return record->kind.load (std::memory_order_acquire) == kind ? record : nullptr;
}

// Ends a handle. Answers its object; null when it was none of that kind. Of
// two threads that close one handle only one gets the object.
[[nodiscard]] void *close_handle (void *handle, handle_kind kind) noexcept;

// In a forked child: the queue of closed records, which another thread of the
// parent may have been changing, is left alone.
void forsake_dead_records () noexcept;

template <class T> [[nodiscard]] T *object_of (void *handle, handle_kind kind) noexcept
{
    utility_record *record = find_handle (handle, kind);
    return record == nullptr ? nullptr : static_cast<T *> (record->object);
}

}  // namespace zlink::api
