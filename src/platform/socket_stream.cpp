#include "platform/socket_stream.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <new>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "platform/fork_generation.hpp"
#include "platform/os_error.hpp"
#include "platform/socket_setup.hpp"
#include "platform/timeout.hpp"

namespace zlink::platform {

namespace {

using base::errc;
using base::result;

constexpr std::size_t slices_per_call = 64;
constexpr int send_flags = MSG_NOSIGNAL | MSG_DONTWAIT;

result<std::size_t> counted (ssize_t answer) noexcept
{
    if (answer < 0)
        return last_os_error ();
    return static_cast<std::size_t> (answer);
}

// Calls again after a signal: these calls do not sleep, so that costs nothing.
template <class Call> ssize_t uninterrupted (Call call) noexcept
{
    ssize_t answer;
    do
        answer = call ();
    while (answer < 0 && errno == EINTR);
    return answer;
}

// Lets connections to different peers share a source port.
result<void> bind_source (int socket, const socket_address &near) noexcept
{
    const int on = 1;
    ::setsockopt (socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (near.port () == 0)
        ::setsockopt (socket, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
    return bind_socket (socket, near);
}

// Of a port of a machine that nobody listens at the system says another word.
base::error connect_error (const socket_address &far, int os_code) noexcept
{
    if (os_code == ECONNRESET && far.family () == address_family::machine)
        return {errc::connection_refused, os_code};
    return os_error (os_code);
}

// in_progress when that goes on in the background.
result<void> start_connecting (int socket, const socket_address &far) noexcept
{
    if (::connect (socket, static_cast<const sockaddr *> (far.data ()),
                   static_cast<socklen_t> (far.size_bytes ()))
        == 0)
        return {};
    switch (errno) {
    case EINPROGRESS:
    case EINTR:  // goes on in the background all the same
        return errc::in_progress;
    case EAGAIN:  // local: the queue is full; tcp: no source port is left
        return base::error{far.family () == address_family::local ? errc::connection_refused
                                                                  : errc::address_not_available,
                           EAGAIN};
    default:
        return connect_error (far, errno);
    }
}

}  // namespace

std::string endpoint_text (std::string_view scheme, const socket_address &address)
{
    const std::string text = address.text ();
    if (text.empty ())
        return {};
    return std::string (scheme) + "://" + text;
}

socket_stream::socket_stream (descriptor socket, std::string_view scheme, const socket_address &far) noexcept
  : socket_ (std::move (socket)), scheme_ (scheme), far_ (far)
{
}

socket_stream::~socket_stream ()
{
    if (has_forked ())
        ::shutdown (socket_.get (), SHUT_RDWR);
}

result<std::unique_ptr<base::stream>> socket_stream::dial (std::string_view scheme,
                                                           const socket_address &far,
                                                           const socket_address &near,
                                                           const base::stream_options &options) noexcept
{
    auto made = make_stream_socket (far.family ());
    if (!made)
        return made.failure ();
    descriptor &socket = made.value ();
    if (const auto done = apply_options (socket.get (), far.family (), options); !done)
        return done.failure ();
    if (near.family () != address_family::none)
        if (const auto done = bind_source (socket.get (), near); !done)
            return done.failure ();
    const result<void> started = start_connecting (socket.get (), far);
    if (!started && started.code () != errc::in_progress)
        return started.failure ();
    auto *stream = new (std::nothrow) socket_stream (std::move (socket), scheme, far);
    if (stream == nullptr)
        return errc::no_memory;
    stream->connecting_ = started.code () == errc::in_progress;
    return std::unique_ptr<base::stream> (stream);
}

result<std::size_t> socket_stream::write (std::span<const base::bytes_view> slices) noexcept
{
    if (slices.size () == 1)
        return counted (uninterrupted (
          [&] { return ::send (socket_.get (), slices[0].data (), slices[0].size (), send_flags); }));
    std::array<iovec, slices_per_call> list;
    const std::size_t count = std::min (slices.size (), list.size ());
    for (std::size_t i = 0; i < count; ++i)
        list[i] = {const_cast<std::byte *> (slices[i].data ()), slices[i].size ()};
    msghdr message{};
    message.msg_iov = list.data ();
    message.msg_iovlen = count;
    return counted (uninterrupted ([&] { return ::sendmsg (socket_.get (), &message, send_flags); }));
}

result<std::size_t> socket_stream::read (std::span<const base::bytes_span> slices) noexcept
{
    if (slices.size () == 1)
        return counted (uninterrupted (
          [&] { return ::recv (socket_.get (), slices[0].data (), slices[0].size (), MSG_DONTWAIT); }));
    std::array<iovec, slices_per_call> list;
    const std::size_t count = std::min (slices.size (), list.size ());
    for (std::size_t i = 0; i < count; ++i)
        list[i] = {slices[i].data (), slices[i].size ()};
    return counted (
      uninterrupted ([&] { return ::readv (socket_.get (), list.data (), static_cast<int> (count)); }));
}

result<void> socket_stream::finish_connect () noexcept
{
    // The kernel tells a failure once only.
    if (connect_failure_.code != errc::ok)
        return connect_failure_;
    int problem = 0;
    socklen_t size = sizeof problem;
    if (::getsockopt (socket_.get (), SOL_SOCKET, SO_ERROR, &problem, &size) != 0)
        problem = errno;
    if (problem != 0) {
        connect_failure_ = connect_error (far_, problem);
        return connect_failure_;
    }
    const socket_address there = far_address (socket_.get ());
    if (there.family () == address_family::none)
        return errc::in_progress;
    if (is_ip (there.family ()) && there == own_address (socket_.get ())) {
        connect_failure_ = {errc::connection_refused, 0};
        return connect_failure_;
    }
    return {};
}

void socket_stream::shutdown_write () noexcept { ::shutdown (socket_.get (), SHUT_WR); }

bool socket_stream::wait_writable (base::time_ns timeout_ns) noexcept
{
    pollfd entry{socket_.get (), POLLOUT, 0};
    const timespec timeout = to_timespec (timeout_ns);
    return ::ppoll (&entry, 1, timeout_ns < 0 ? nullptr : &timeout, nullptr) > 0;
}

bool socket_stream::output_pending () noexcept
{
    int bytes = 0;
    return ::ioctl (socket_.get (), SIOCOUTQ, &bytes) == 0 && bytes > 0;
}

// Of a peer on this host as libzmq has it.
std::string socket_stream::peer_address () const
{
    if (far_.family () != address_family::local)
        return far_.host_text ();
    ucred who{};
    socklen_t size = sizeof who;
    if (::getsockopt (socket_.get (), SOL_SOCKET, SO_PEERCRED, &who, &size) != 0)
        return {};
    std::string text = "localhost";
    for (const unsigned number : {who.uid, who.gid, static_cast<unsigned> (who.pid)}) {
        text += ':';
        text += std::to_string (number);
    }
    return text;
}

std::string socket_stream::local_endpoint () const
{
    return endpoint_text (scheme_, own_address (socket_.get ()));
}

std::string socket_stream::remote_endpoint () const { return endpoint_text (scheme_, far_); }

}  // namespace zlink::platform
