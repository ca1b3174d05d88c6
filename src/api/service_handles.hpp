// Handles of registries, discoveries and their like, and the loop that all of a
// context share.
//
// A handle may be used and destroyed by several threads at once: each call holds what
// it works on. In a forked child the parent's handles are of no use; destroying one
// there only forgets it.
// Thread rule: any thread. Blocking: services_of(), while a thread is started.
#pragma once

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>

#include "api/errors.hpp"
#include "api/forked.hpp"
#include "api/utility_handle.hpp"
#include "base/error.hpp"
#include "base/world.hpp"
#include "service/counted.hpp"
#include "service/service_loop.hpp"
#include "service/waiting_lock.hpp"

namespace zlink::api {

class stored_registries;

// What the objects of one context stand on. Outlives them: each handle holds it.
struct context_services
{
    base::world world;  // the process', with its log
    void *context = nullptr;
    std::shared_ptr<service::service_loop> loop{};
    std::shared_ptr<stored_registries> stored{};
    std::shared_ptr<service::counted_list> counted = std::make_shared<service::counted_list> ();
};

// bad_address: that is no context; no_memory, too_many_sockets, terminated.
[[nodiscard]] base::result<std::shared_ptr<context_services>> services_of (void *context) noexcept;

// Which of an object's sockets.
enum class side : unsigned char
{
    listening,  // that let others in
    dialling,   // that connect to others
};

// An object behind a handle.
class service_object
{
  public:
    virtual ~service_object () = default;
    // An option of all its sockets of that side; nothing happens where it has none. As the
    // facade's; not_supported: it takes none in this way.
    virtual base::result<void> set_option (side, int, const void *, std::size_t) noexcept
    {
        return base::errc::not_supported;
    }
    // Nobody gets it from its handle any more, but calls may be under way.
    virtual void close () noexcept = 0;
};

// The word of an object's lock, in a place that is never unmapped: whoever has a handle
// may take the lock before it is known whether the object is there. On a line of its own, as
// different threads write to theirs.
struct alignas (64) gate
{
    service::waiting_lock::word word{};
    std::uint32_t made_in = 0;  // which process
    base::waiter *sleep = nullptr;
    gate *next = nullptr;  // of those in nobody's use
    // Of who has the lock: what calls work on of which there are many, where that is always the
    // same. Without the way through handle and object, which cannot be gone before the lock is held.
    void *target = nullptr;
    // What calls go to of which there are many, without the lock: a socket that answers them
    // where it can. Null: none. On a line of its own, as who has the lock writes to the other.
    alignas (64) std::atomic<void *> socket{nullptr};
};

// An object's, until it goes; then it is another's, so that one who looks in vain may
// hold it for a moment.
class gate_place
{
  public:
    gate_place () noexcept;
    ~gate_place ();
    gate_place (const gate_place &) = delete;
    gate_place &operator= (const gate_place &) = delete;
    // Null: there was no memory, and calls find the object otherwise.
    [[nodiscard]] gate *get () const noexcept { return gate_; }
    [[nodiscard]] service::waiting_lock::word *word () const noexcept
    {
        return gate_ == nullptr ? nullptr : &gate_->word;
    }

  private:
    gate *gate_;
};

// Null: no memory; the object is closed then. at: the object's gate, or null.
[[nodiscard]] void *
open_service (handle_kind kind, std::shared_ptr<service_object> object, gate *at = nullptr) noexcept;
// Null: it is no handle of that kind, or it is the parent's.
[[nodiscard]] std::shared_ptr<service_object> hold_service (void *handle, handle_kind kind) noexcept;
// EFAULT; *handle becomes NULL.
int destroy_service (void **handle, handle_kind kind) noexcept;

// The socket of the gate behind a handle. Null: there is none, it is no handle of that kind,
// or it is the parent's. It may be closed by the time that it is used, which answers so.
[[nodiscard]] void *socket_behind (void *handle, handle_kind kind) noexcept;

// Behind a handle.
struct service_slot
{
    std::shared_ptr<service_object> object{};
    std::uint32_t made_in = process_generation ();
};

// Holds the lock behind a handle. In one piece with who uses it: there are as many as there are
// small messages.
class gate_guard
{
  public:
    [[gnu::always_inline]] gate_guard (void *handle, handle_kind kind) noexcept
    {
        const utility_record *const record = find_handle (handle, kind);
        auto *const at =
          record == nullptr ? nullptr : static_cast<gate *> (record->gate.load (std::memory_order_acquire));
        if (at == nullptr || at->made_in != process_generation ()) [[unlikely]]
            return;
        held_ = at;
        service::waiting_lock (*at->sleep, &at->word).lock ();
        // Whoever closes it holds the lock meanwhile. The gate may be another's by now.
        if (record->kind.load (std::memory_order_acquire) == kind
            && record->gate.load (std::memory_order_relaxed) == at) [[likely]]
            record_ = record;
    }
    ~gate_guard ()
    {
        if (held_ != nullptr)
            service::waiting_lock (*held_->sleep, &held_->word).unlock ();
    }
    gate_guard (const gate_guard &) = delete;
    gate_guard &operator= (const gate_guard &) = delete;
    // False: there is none of that kind, or it is the parent's.
    [[nodiscard]] bool is_inside () const noexcept { return record_ != nullptr; }
    // Inside only.
    [[nodiscard]] service_object &object () const noexcept
    {
        return *static_cast<const service_slot *> (record_->object)->object;
    }
    [[nodiscard]] void *target () const noexcept { return held_->target; }

  private:
    gate *held_ = nullptr;
    const utility_record *record_ = nullptr;
};

template <class T> [[nodiscard]] std::shared_ptr<T> held (void *handle, handle_kind kind) noexcept
{
    return std::static_pointer_cast<T> (hold_service (handle, kind));
}

// Runs body (object) with the lock of its gate held, and counts nothing: for calls of
// which there are many. It waits for nothing but locks. False: it is no handle of that kind, or it is
// the parent's.
template <class Object, class Body> bool inside_gate (void *handle, handle_kind kind, Body &&body) noexcept
{
    const gate_guard guard (handle, kind);
    if (!guard.is_inside ()) [[unlikely]]
        return false;
    body (static_cast<Object &> (guard.object ()));
    return true;
}

// The same on the target of the gate.
template <class Target, class Body> bool at_target (void *handle, handle_kind kind, Body &&body) noexcept
{
    const gate_guard guard (handle, kind);
    if (!guard.is_inside ()) [[unlikely]]
        return false;
    body (*static_cast<Target *> (guard.target ()));
    return true;
}

// Runs what may run out of memory on the object behind a handle. Its end, if nobody else
// holds it any more, leaves errno as it is. EFAULT: it is no handle of that kind.
template <class Object, class Body> int with_held (void *handle, handle_kind kind, Body &&body) noexcept
{
    std::shared_ptr<Object> of = held<Object> (handle, kind);
    if (of == nullptr)
        return failed (base::errc::bad_address);
    const int outcome = without_throwing ([&] { return body (*of); });
    const int number = errno;
    of.reset ();
    errno = number;
    return outcome;
}

// The handle of what open () made, or NULL and errno, which is set behind all that may
// have been undone.
template <class Open> void *opened_handle (Open open) noexcept
{
    const base::result<void *> made = [&] () noexcept -> base::result<void *> {
        try {
            return open ();
        } catch (const std::bad_alloc &) {
            return base::errc::no_memory;
        }
    }();
    return answer (made);
}

}  // namespace zlink::api
