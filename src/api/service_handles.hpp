// Handles of registries, discoveries and their like, and the loop that all of a
// context share.
//
// A handle may be used and destroyed by several threads at once: each call holds what
// it works on. In a forked child the parent's handles are of no use; destroying one
// there only forgets it.
// Thread rule: any thread. Blocking: services_of(), while a thread is started.
#pragma once

#include <cerrno>
#include <memory>
#include <new>
#include <utility>

#include "api/errors.hpp"
#include "api/utility_handle.hpp"
#include "base/error.hpp"
#include "base/world.hpp"
#include "service/service_loop.hpp"

namespace zlink::api {

// What the objects of one context stand on. Outlives them: each handle holds it.
struct context_services
{
    base::world world;  // the process', with its log
    std::shared_ptr<service::service_loop> loop;
};

// bad_address: that is no context; no_memory, too_many_sockets, terminated.
[[nodiscard]] base::result<std::shared_ptr<context_services>> services_of (void *context) noexcept;

// An object behind a handle.
class service_object
{
  public:
    virtual ~service_object () = default;
    // Nobody gets it from its handle any more, but calls may be under way.
    virtual void close () noexcept = 0;
};

// Null: no memory; the object is closed then.
[[nodiscard]] void *open_service (handle_kind kind, std::shared_ptr<service_object> object) noexcept;
// Null: it is no handle of that kind, or it is the parent's.
[[nodiscard]] std::shared_ptr<service_object> hold_service (void *handle, handle_kind kind) noexcept;
// EFAULT; *handle becomes NULL.
int destroy_service (void **handle, handle_kind kind) noexcept;

template <class T> [[nodiscard]] std::shared_ptr<T> held (void *handle, handle_kind kind) noexcept
{
    return std::static_pointer_cast<T> (hold_service (handle, kind));
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
