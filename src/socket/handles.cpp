#include "socket/handles.hpp"

#include <new>

#include "base/lock.hpp"

namespace zlink::socket {

constinit std::array<handle_record, handles_max> handle_region{};

namespace {

// A ring of free records, oldest first. Both counters only grow, and each
// change is one store: a child that is forked in the middle of one finds a
// ring that holds together, or has lost one record.
struct free_ring
{
    base::exchange_lock lock;
    std::array<std::uint32_t, handles_max> free{};
    base::atomic<std::size_t> fresh{0};  // records from here on were never used
    base::atomic<std::size_t> taken{0};
    base::atomic<std::size_t> given{0};
};
constinit free_ring ring;

handle_record *take_locked () noexcept
{
    if (const std::size_t next = ring.fresh.load (std::memory_order_relaxed); next < handles_max) {
        ring.fresh.store (next + 1, std::memory_order_release);
        return &handle_region[next];
    }
    const std::size_t oldest = ring.taken.load (std::memory_order_relaxed);
    if (ring.given.load (std::memory_order_relaxed) - oldest <= handle_reuse_min)
        return nullptr;
    handle_record *const record = &handle_region[ring.free[oldest % handles_max]];
    ring.taken.store (oldest + 1, std::memory_order_release);
    return record;
}

void give_locked (const handle_record &record) noexcept
{
    const std::size_t next = ring.given.load (std::memory_order_relaxed);
    ring.free[next % handles_max] = static_cast<std::uint32_t> (handle_index (record));
    ring.given.store (next + 1, std::memory_order_release);
}

}  // namespace

base::result<handle_record *> make_handle (handle_kind kind, void *target, std::uint32_t generation) noexcept
{
    handle_record *record = nullptr;
    {
        const base::locked hold (ring.lock);
        record = take_locked ();
    }
    if (record == nullptr)
        return base::errc::too_many_sockets;
    record->mark = handle_mark;
    record->target.store (target, std::memory_order_relaxed);
    record->generation.store (generation, std::memory_order_relaxed);
    record->kind.store (kind, std::memory_order_release);
    return record;
}

bool retire_handle (handle_record &record, handle_kind kind) noexcept
{
    handle_kind expected = kind;
    if (!record.kind.compare_exchange_strong (expected, handle_kind::none, std::memory_order_acq_rel))
        return false;
    const base::locked hold (ring.lock);
    give_locked (record);
    return true;
}

void disown_handles () noexcept
{
    new (&ring.lock) base::exchange_lock;  // its holder is not here
    const std::size_t used = ring.fresh.load (std::memory_order_relaxed);
    for (std::size_t i = 0; i < used; ++i) {
        base::atomic<handle_kind> &kind = handle_region[i].kind;
        switch (kind.load (std::memory_order_relaxed)) {
        case handle_kind::socket:
            kind.store (handle_kind::parents_socket, std::memory_order_relaxed);
            break;
        case handle_kind::context:
            kind.store (handle_kind::parents_context, std::memory_order_relaxed);
            break;
        default:
            break;
        }
    }
}

base::errc why_not_found (void *handle, base::errc otherwise) noexcept
{
    const bool parents = find_handle (handle, handle_kind::parents_socket) != nullptr
                         || find_handle (handle, handle_kind::parents_context) != nullptr;
    return parents ? base::errc::terminated : otherwise;
}

}  // namespace zlink::socket
