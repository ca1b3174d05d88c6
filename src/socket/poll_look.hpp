// One look at what a poll waits for: for this layer's own sources.
//
// Thread rule: any thread, none of the sockets' locks held. Blocking: no.
#pragma once

#include <cstddef>
#include <span>

#include "base/error.hpp"
#include "engine/socket_core.hpp"
#include "socket/entries.hpp"
#include "socket/handles.hpp"
#include "socket/poll_item.hpp"

namespace zlink::socket {

// What a socket is ready for. not_a_socket, terminated.
inline base::result<unsigned> look_at (void *socket) noexcept
{
    const target to = resolve (socket);
    if (to.slot == nullptr) [[unlikely]]
        return why_not_found (socket, base::errc::not_a_socket);
    return to.slot->events (to.generation, false);
}

// At every socket among the items: how many of those are ready. Nothing is
// ready yet of the plain handles.
inline base::result<std::size_t> look_at_all (std::span<poll_item> items) noexcept
{
    std::size_t found = 0;
    for (poll_item &each : items) {
        each.ready = 0;
        if (each.socket == nullptr)
            continue;
        const base::result<unsigned> now = look_at (each.socket);
        if (!now.ok ())
            return now.failure ();
        each.ready = now.value () & each.interest;
        found += each.ready != 0;
    }
    return found;
}

}  // namespace zlink::socket
