#include "platform/socket_setup.hpp"

#include <linux/vm_sockets.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "platform/os_error.hpp"

namespace zlink::platform {

namespace {

void set (int socket, int level, int name, int value) noexcept
{
    ::setsockopt (socket, level, name, &value, sizeof value);
}

int to_system (address_family family) noexcept
{
    switch (family) {
    case address_family::v4:
        return AF_INET;
    case address_family::v6:
        return AF_INET6;
    case address_family::machine:
        return AF_VSOCK;
    default:
        return AF_UNIX;
    }
}

void apply_keepalive (int socket, const base::stream_options &options) noexcept
{
    if (options.keepalive < 0)
        return;
    set (socket, SOL_SOCKET, SO_KEEPALIVE, options.keepalive != 0 ? 1 : 0);
    if (options.keepalive == 0)
        return;
    if (options.keepalive_count > 0)
        set (socket, IPPROTO_TCP, TCP_KEEPCNT, options.keepalive_count);
    if (options.keepalive_idle_s > 0)
        set (socket, IPPROTO_TCP, TCP_KEEPIDLE, options.keepalive_idle_s);
    if (options.keepalive_interval_s > 0)
        set (socket, IPPROTO_TCP, TCP_KEEPINTVL, options.keepalive_interval_s);
}

void apply_tcp (int socket, const base::stream_options &options) noexcept
{
    set (socket, IPPROTO_TCP, TCP_NODELAY, 1);
    apply_keepalive (socket, options);
    if (options.max_retransmit_ms > 0)
        set (socket, IPPROTO_TCP, TCP_USER_TIMEOUT, options.max_retransmit_ms);
    if (options.busy_poll_us > 0)
        set (socket, SOL_SOCKET, SO_BUSY_POLL, options.busy_poll_us);
}

// There the reader's buffer is all that lies between two machines.
void apply_machine_buffer (int socket, int receive_bytes) noexcept
{
    const auto wide = static_cast<std::uint64_t> (receive_bytes);
    for (const int name : {SO_VM_SOCKETS_BUFFER_MAX_SIZE, SO_VM_SOCKETS_BUFFER_SIZE})
        ::setsockopt (socket, AF_VSOCK, name, &wide, sizeof wide);
}

void apply_buffers (int socket, address_family family, int send_bytes, int receive_bytes) noexcept
{
    if (send_bytes < 0 && family == address_family::local)
        send_bytes = local_send_buffer_bytes;
    if (send_bytes >= 0)
        set (socket, SOL_SOCKET, SO_SNDBUF, send_bytes);
    if (receive_bytes < 0)
        return;
    set (socket, SOL_SOCKET, SO_RCVBUF, receive_bytes);
    if (family == address_family::machine)
        apply_machine_buffer (socket, receive_bytes);
}

}  // namespace

base::result<descriptor> make_stream_socket (address_family family) noexcept
{
    descriptor made (::socket (to_system (family), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!made.valid ())
        return last_os_error ();
    // Wildcards cover both families; connecting by a mapped address works too.
    if (family == address_family::v6)
        set (made.get (), IPPROTO_IPV6, IPV6_V6ONLY, 0);
    return made;
}

base::result<void>
apply_options (int socket, address_family family, const base::stream_options &options) noexcept
{
    if (is_ip (family))
        apply_tcp (socket, options);
    return apply_common_options (socket, family, options);
}

base::result<void>
apply_common_options (int socket, address_family family, const base::stream_options &options) noexcept
{
    apply_buffers (socket, family, options.send_buffer_bytes, options.receive_buffer_bytes);
    if (!is_ip (family))
        return {};
    if (options.type_of_service != 0) {
        set (socket, IPPROTO_IP, IP_TOS, options.type_of_service);
        if (family == address_family::v6)
            set (socket, IPPROTO_IPV6, IPV6_TCLASS, options.type_of_service);
    }
    if (options.priority != 0)
        set (socket, SOL_SOCKET, SO_PRIORITY, options.priority);
    const std::string &device = options.bind_to_device;
    if (!device.empty ()
        && ::setsockopt (socket, SOL_SOCKET, SO_BINDTODEVICE, device.data (),
                         static_cast<socklen_t> (device.size ()))
             != 0)
        return last_os_error ();
    return {};
}

void apply_to_accepted (int socket, const accepted_options &options) noexcept
{
    if (!is_ip (options.family))
        apply_buffers (socket, options.family, options.send_buffer_bytes, options.receive_buffer_bytes);
    else if (options.priority != 0)
        set (socket, SOL_SOCKET, SO_PRIORITY, options.priority);
}

base::result<void> bind_socket (int socket, const socket_address &to) noexcept
{
    if (::bind (socket, static_cast<const sockaddr *> (to.data ()), static_cast<socklen_t> (to.size_bytes ()))
        != 0)
        return last_os_error ();
    return {};
}

socket_address own_address (int socket) noexcept
{
    sockaddr_storage raw{};
    socklen_t size = sizeof raw;
    if (::getsockname (socket, reinterpret_cast<sockaddr *> (&raw), &size) != 0)
        return {};
    return {&raw, size};
}

socket_address far_address (int socket) noexcept
{
    sockaddr_storage raw{};
    socklen_t size = sizeof raw;
    if (::getpeername (socket, reinterpret_cast<sockaddr *> (&raw), &size) != 0)
        return {};
    return {&raw, size};
}

}  // namespace zlink::platform
