#include "api/utility_handle.hpp"

#include <new>

#include "api/forked.hpp"
#include "base/lock.hpp"

namespace zlink::api {

namespace {

// Closed records, the longest dead first. Never emptied: records outlive
// every handle to them.
struct record_queue
{
    base::exchange_lock lock;
    utility_record *oldest = nullptr;
    utility_record *newest = nullptr;
    std::size_t count = 0;
};

constinit record_queue dead;

utility_record *reuse () noexcept
{
    const base::locked guard (dead.lock);
    if (dead.count < quarantined_records_min)
        return nullptr;
    utility_record *record = dead.oldest;
    dead.oldest = record->next;
    --dead.count;
    return record;
}

void retire (utility_record *record) noexcept
{
    const base::locked guard (dead.lock);
    record->next = nullptr;
    if (dead.count == 0)
        dead.oldest = record;
    else
        dead.newest->next = record;
    dead.newest = record;
    ++dead.count;
}

}  // namespace

void forsake_dead_records () noexcept { new (&dead) record_queue; }

utility_record *open_handle (handle_kind kind, void *object) noexcept
{
    prepare_for_forks ();
    utility_record *record = reuse ();
    if (record == nullptr)
        record = new (std::nothrow) utility_record;
    if (record == nullptr)
        return nullptr;
    record->number.store (0, std::memory_order_relaxed);
    record->object = object;
    record->gate.store (nullptr, std::memory_order_relaxed);  // of its life before
    record->kind.store (kind, std::memory_order_release);
    return record;
}

void *close_handle (void *handle, handle_kind kind) noexcept
{
    utility_record *record = find_handle (handle, kind);
    handle_kind expected = kind;
    if (record == nullptr
        || !record->kind.compare_exchange_strong (expected, handle_kind::none, std::memory_order_acq_rel))
        return nullptr;
    void *object = record->object;
    retire (record);
    return object;
}

}  // namespace zlink::api
