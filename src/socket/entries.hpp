// What stands behind the handles: for this layer's own sources.
//
// Thread rule: any thread; the locks are leaves and not on the per-message
// path. Blocking: no.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "base/lock.hpp"
#include "engine/context.hpp"
#include "engine/socket_core.hpp"
#include "socket/handles.hpp"
#include "socket/monitor.hpp"
#include "socket/options.hpp"

namespace zlink::socket {

struct context_entry
{
    std::shared_ptr<engine::context> core;
    base::exchange_lock lock;
    context_options options;
};

// Beside its slot: options as set.
struct socket_entry
{
    base::exchange_lock lock;
    int type = 0;
    header made_by = header::zmq;
    socket_options options;
    std::shared_ptr<context_entry> context;
    std::shared_ptr<monitor> monitored_by;  // null: nobody
};

// An entry goes with its record; null takes it away. False when memory is out:
// only before the first success.
bool set_entry (const handle_record &record, std::shared_ptr<void> entry) noexcept;
[[nodiscard]] std::shared_ptr<void> find_entry (void *handle, handle_kind kind) noexcept;

template <class Entry> std::shared_ptr<Entry> entry_of (void *handle, handle_kind kind) noexcept
{
    return std::static_pointer_cast<Entry> (find_entry (handle, kind));
}

inline std::shared_ptr<context_entry> context_of (void *handle) noexcept
{
    return entry_of<context_entry> (handle, handle_kind::context);
}

// The slot and generation behind a socket's handle.
struct target
{
    engine::socket_core *slot = nullptr;
    std::uint32_t generation = 0;
};

inline target resolve (void *handle) noexcept
{
    handle_record *const record = find_handle (handle, handle_kind::socket);
    if (record == nullptr) [[unlikely]]
        return {};
    return {static_cast<engine::socket_core *> (record->target.load (std::memory_order_relaxed)),
            record->generation.load (std::memory_order_relaxed)};
}

// What the call answers of the socket, whatever that is.
template <class Call>
auto with_target (void *socket, Call call) -> decltype (call (std::declval<engine::socket_core &> (), 0U))
try {
    const target to = resolve (socket);
    if (to.slot == nullptr)
        return why_not_found (socket, base::errc::not_a_socket);
    auto outcome = call (*to.slot, to.generation);
    // What a close took away in the middle of the call is not unknown.
    if (outcome.code () == base::errc::no_such_endpoint && resolve (socket).slot == nullptr)
        return why_not_found (socket, base::errc::not_a_socket);
    return outcome;
} catch (const std::bad_alloc &) {
    return base::errc::no_memory;
}

// A socket of a context that is known by its entry.
base::result<void *> open_in (const std::shared_ptr<context_entry> &context, int type);

}  // namespace zlink::socket
