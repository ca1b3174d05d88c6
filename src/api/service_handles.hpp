// Handles of registries, discoveries and their like, and the loop that all of a
// context share.
//
// A handle may be used and destroyed by several threads at once: each call holds what
// it works on. In a forked child the parent's handles are of no use; destroying one
// there only forgets it.
// Thread rule: any thread. Blocking: services_of(), while a thread is started.
#pragma once

#include <memory>

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

}  // namespace zlink::api
