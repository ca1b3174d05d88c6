#include "socket/handles.hpp"

#include "base/lock.hpp"

namespace zlink::socket {

constinit std::array<handle_record, handles_max> handle_region{};

namespace {

// A ring of free records, oldest first.
struct free_ring
{
    base::exchange_lock lock;
    std::array<std::uint32_t, handles_max> free{};
    std::size_t fresh = 0;  // records from here on were never used
    std::size_t first = 0;
    std::size_t count = 0;
};
free_ring ring;

}  // namespace

base::result<handle_record *> make_handle (handle_kind kind, void *target, std::uint32_t generation) noexcept
{
    handle_record *record = nullptr;
    {
        const base::locked hold (ring.lock);
        if (ring.fresh < handles_max) {
            record = &handle_region[ring.fresh++];
        } else if (ring.count > handle_reuse_min) {
            record = &handle_region[ring.free[ring.first]];
            ring.first = (ring.first + 1) % handles_max;
            --ring.count;
        }
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
    ring.free[(ring.first + ring.count) % handles_max] = static_cast<std::uint32_t> (handle_index (record));
    ++ring.count;
    return true;
}

}  // namespace zlink::socket
