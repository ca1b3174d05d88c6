// Making stream sockets and giving them what stream_options ask for.
//
// Tuning (buffers, keepalive, type of service, priority, time-outs) is best
// effort: the system may clamp or refuse it and the connection is as good.
// Binding to a device is not tuning: it fails the call. Thread rule: any.
#pragma once

#include "base/stream.hpp"
#include "platform/descriptor.hpp"
#include "platform/socket_address.hpp"

namespace zlink::platform {

// Non-blocking and closed on exec. protocol_not_supported where the kernel
// lacks the family.
[[nodiscard]] base::result<descriptor> make_stream_socket (address_family family) noexcept;

// A local socket's send buffer where nobody asked for one: a sender whose buffer
// is full is woken when three quarters of it are empty again, and the system's
// own choice leaves too little then for the reader to go on with (decision 0009).
inline constexpr int local_send_buffer_bytes = 512 << 10;

// Everything but use_handle and backlog. What is set on a listening socket is
// inherited by those it accepts, TCP_NODELAY included, but for what
// apply_to_accepted() sets.
[[nodiscard]] base::result<void>
apply_options (int socket, address_family family, const base::stream_options &options) noexcept;

// Those of them that a datagram socket has as well: buffers, type of service,
// priority, device.
[[nodiscard]] base::result<void>
apply_common_options (int socket, address_family family, const base::stream_options &options) noexcept;

// What an accepted socket does not have from its listener: the priority, and of
// those that are not IP the buffers.
struct accepted_options
{
    accepted_options (address_family of, const base::stream_options &options) noexcept
      : family (of), priority (options.priority), send_buffer_bytes (options.send_buffer_bytes),
        receive_buffer_bytes (options.receive_buffer_bytes)
    {
    }
    address_family family;
    int priority;
    int send_buffer_bytes;
    int receive_buffer_bytes;
};
void apply_to_accepted (int socket, const accepted_options &options) noexcept;

[[nodiscard]] base::result<void> bind_socket (int socket, const socket_address &to) noexcept;

// The socket's own address; none on failure.
[[nodiscard]] socket_address own_address (int socket) noexcept;

// The other end's; none while not connected.
[[nodiscard]] socket_address far_address (int socket) noexcept;

}  // namespace zlink::platform
