#include "api/service_handles.hpp"

#include <atomic>
#include <map>
#include <new>
#include <utility>

#include "api/errors.hpp"
#include "api/forked.hpp"
#include "api/log.hpp"
#include "api/real_world_access.hpp"
#include "api/stored_registries.hpp"
#include "base/lock.hpp"
#include "socket/facade.hpp"

namespace zlink::api {

using base::errc;
using base::result;

namespace {

// Of one process: a child leaves its parent's alone, whose lock may be held by a thread
// that is not there.
struct service_state
{
    std::uint32_t made_in = process_generation ();
    service_state *older = nullptr;
    base::exchange_lock lock;  // of what is behind slots, of the contexts, of the free gates
    std::map<void *, std::weak_ptr<context_services>> by_context;
    gate *free_gates = nullptr;
};

constinit std::atomic<service_state *> newest{nullptr};

// Null: no memory, which can only be before the first success.
service_state *state_of_process () noexcept
{
    service_state *known = newest.load (std::memory_order_acquire);
    if (known != nullptr && known->made_in == process_generation ())
        return known;
    auto *const fresh = new (std::nothrow) service_state;
    if (fresh == nullptr)
        return nullptr;
    fresh->older = known;
    if (newest.compare_exchange_strong (known, fresh, std::memory_order_acq_rel))
        return fresh;
    delete fresh;  // another thread was faster
    return known;
}

result<std::shared_ptr<context_services>> make_services (void *context)
{
    base::world *const process = process_world ();
    if (process == nullptr)
        return errc::no_memory;
    auto made = std::make_shared<context_services> (context_services{
      .world = *process, .context = context, .stored = std::make_shared<stored_registries> ()});
    made->world.log = process_log ();
    (void)made->world.sleep.barrier ();  // the first one in a process takes a while
    result<std::shared_ptr<service::service_loop>> loop = service::service_loop::start (made->world, context);
    if (!loop)
        return loop.failure ();
    made->loop = std::move (loop).value ();
    return made;
}

// Those that are there, or these.
std::shared_ptr<context_services>
keep_services (service_state &list, void *context, const std::shared_ptr<context_services> &fresh)
{
    const base::locked guard (list.lock);
    std::erase_if (list.by_context, [] (const auto &each) { return each.second.expired (); });
    if (fresh == nullptr) {
        const auto known = list.by_context.find (context);
        return known == list.by_context.end () ? nullptr : known->second.lock ();
    }
    std::weak_ptr<context_services> &kept = list.by_context[context];
    std::shared_ptr<context_services> others = kept.lock ();
    if (others == nullptr)
        kept = fresh;
    return others == nullptr ? fresh : others;
}

}  // namespace

result<std::shared_ptr<context_services>> services_of (void *context) noexcept
try {
    if (!socket::is_context (context))
        return errc::bad_address;
    service_state *const list = state_of_process ();
    if (list == nullptr)
        return errc::no_memory;
    if (std::shared_ptr<context_services> known = keep_services (*list, context, nullptr); known != nullptr)
        return known;
    result<std::shared_ptr<context_services>> fresh = make_services (context);
    if (!fresh)
        return fresh.failure ();
    return keep_services (*list, context, fresh.value ());
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

gate_place::gate_place () noexcept : gate_ (nullptr)
{
    base::world *const process = process_world ();
    service_state *const all = state_of_process ();
    if (process == nullptr || all == nullptr)
        return;
    {
        const base::locked guard (all->lock);
        if (all->free_gates != nullptr)
            gate_ = std::exchange (all->free_gates, all->free_gates->next);
    }
    if (gate_ != nullptr)
        return;
    gate_ = new (std::nothrow) gate;
    if (gate_ == nullptr)
        return;
    gate_->made_in = process_generation ();
    gate_->sleep = &process->sleep;
}

gate_place::~gate_place ()
{
    service_state *const all = state_of_process ();
    if (gate_ == nullptr || all == nullptr || gate_->made_in != process_generation ())
        return;
    gate_->socket.store (nullptr, std::memory_order_relaxed);
    gate_->target = nullptr;
    const base::locked guard (all->lock);
    gate_->next = std::exchange (all->free_gates, gate_);
}

void *socket_behind (void *handle, handle_kind kind) noexcept
{
    const utility_record *const record = find_handle (handle, kind);
    const auto *const at =
      record == nullptr ? nullptr : static_cast<const gate *> (record->gate.load (std::memory_order_acquire));
    if (at == nullptr || at->made_in != process_generation ()) [[unlikely]]
        return nullptr;
    void *const socket = at->socket.load (std::memory_order_acquire);
    // The gate is given away behind the end of the handle.
    return find_handle (handle, kind) != nullptr ? socket : nullptr;
}

void *open_service (handle_kind kind, std::shared_ptr<service_object> object, gate *at) noexcept
{
    auto *const slot = new (std::nothrow) service_slot;
    if (slot != nullptr)
        slot->object = object;
    utility_record *const record = slot == nullptr ? nullptr : open_handle (kind, slot);
    if (record != nullptr) {
        record->gate.store (at, std::memory_order_release);
        return record;
    }
    delete slot;
    object->close ();
    return nullptr;
}

std::shared_ptr<service_object> hold_service (void *handle, handle_kind kind) noexcept
{
    service_state *const all = state_of_process ();
    if (all == nullptr)
        return nullptr;
    const base::locked guard (all->lock);
    const auto *const slot = object_of<service_slot> (handle, kind);
    return slot == nullptr || slot->made_in != process_generation () ? nullptr : slot->object;
}

int destroy_service (void **handle, handle_kind kind) noexcept
{
    service_slot *slot = nullptr;
    if (service_state *const all = state_of_process (); all != nullptr) {
        const gate_guard nobody_inside (handle == nullptr ? nullptr : *handle, kind);
        const base::locked guard (all->lock);
        slot = static_cast<service_slot *> (handle == nullptr ? nullptr : close_handle (*handle, kind));
    }
    if (slot == nullptr)
        return failed (errc::bad_address);
    *handle = nullptr;
    if (slot->made_in != process_generation ())
        return 0;  // the parent's goes on; what the child has of it is left alone
    slot->object->close ();
    delete slot;
    return 0;
}

}  // namespace zlink::api
