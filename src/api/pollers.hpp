// The poller functions of both ABIs over poller_set.
#pragma once

#include "api/errors.hpp"
#include "api/poller_set.hpp"
#include "api/sockets.hpp"

namespace zlink::api {

void *poller_new () noexcept;
int poller_destroy (void **poller) noexcept;
int poller_size (void *poller) noexcept;
// ENOTSOCK: not a socket. A closed one may be removed.
int poller_add_socket (void *poller, void *socket, void *user_data, short events) noexcept;
int poller_modify_socket (void *poller, void *socket, short events) noexcept;
int poller_remove_socket (void *poller, void *socket) noexcept;
// EBADF: no descriptor.
int poller_add_handle (void *poller, base::io_handle handle, void *user_data, short events) noexcept;
int poller_modify_handle (void *poller, base::io_handle handle, short events) noexcept;
int poller_remove_handle (void *poller, base::io_handle handle) noexcept;
// How many, or -1; EAGAIN when none were ready in time.
int poller_wait (void *poller, std::span<ready_event> events, long timeout_ms) noexcept;
// A descriptor for other event loops. EINVAL: no socket in the poller.
base::io_handle poller_descriptor (void *poller) noexcept;
template <class Handle> int poller_descriptor (void *poller, Handle *to) noexcept
{
    if (to == nullptr)
        return failed (base::errc::bad_address);
    const base::io_handle found = poller_descriptor (poller);
    if (found == base::no_handle)
        return -1;
    *to = static_cast<Handle> (found);
    return 0;
}

inline constexpr std::size_t poller_events_in_place = 16;

// wait over either header's event struct.
template <class Event> int poller_wait_all (void *poller, Event *events, int count, long timeout_ms) noexcept
{
    if (events == nullptr)
        return failed (base::errc::bad_address);
    if (count <= 0)
        return failed (base::errc::invalid_argument);
    scratch<ready_event, poller_events_in_place> room (static_cast<std::size_t> (count));
    if (!room.ok ())
        return failed (base::errc::no_memory);
    const int ready = poller_wait (poller, room.all (), timeout_ms);
    using handle = decltype (Event::fd);
    for (int i = 0; i < ready; ++i) {
        const ready_event &from = room.all ()[static_cast<std::size_t> (i)];
        events[i] = {from.target.socket, static_cast<handle> (from.target.handle), from.user_data,
                     static_cast<short> (from.events)};
    }
    return ready;
}

// One event: 0, or -1 with an empty event.
template <class Event> int poller_wait_one (void *poller, Event *to, long timeout_ms) noexcept
{
    const int ready = poller_wait_all (poller, to, 1, timeout_ms);
    if (ready < 0 && to != nullptr)
        *to = {nullptr, static_cast<decltype (Event::fd)> (base::no_handle), nullptr, 0};
    return ready < 0 ? -1 : 0;
}

}  // namespace zlink::api
