#include "platform/socket_listener.hpp"

#include <cerrno>
#include <fcntl.h>
#include <new>
#include <sys/socket.h>

#include "platform/fork_generation.hpp"
#include "platform/os_error.hpp"
#include "platform/peer_admission.hpp"
#include "platform/socket_stream.hpp"

namespace zlink::platform {

namespace {

using base::errc;
using base::result;

// Connections that died in the queue are passed over, but not for ever.
constexpr int dead_connections_per_accept = 16;

enum class accept_failure
{
    nobody,       // nothing is waiting
    passed_over,  // that one is gone, the next may be good
    reported,     // the caller must know
};

accept_failure classify (int os_code) noexcept
{
    switch (os_code) {
    case EAGAIN:
        return accept_failure::nobody;
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case ENOBUFS:
    case EBADF:
    case EINVAL:
    case ENOTSOCK:
    case EOPNOTSUPP:
    case EFAULT:
        return accept_failure::reported;
    default:  // EINTR, ECONNABORTED, EPROTO, EPERM and the network errors of accept(2)
        return accept_failure::passed_over;
    }
}

result<std::unique_ptr<base::listener>>
finish (descriptor socket, std::string_view scheme, local_path path, const base::stream_options &options)
{
    if (::listen (socket.get (), options.backlog) != 0)
        return last_os_error ();
    const socket_address at = own_address (socket.get ());
    if (at.family () == address_family::none)
        return last_os_error ();
    std::string endpoint = endpoint_text (scheme, at);
    return std::unique_ptr<base::listener> (
      new socket_listener (std::move (socket), scheme, std::move (path), std::move (endpoint),
                           accepted_options (at.family (), options), false, options.admits));
}

result<bool> is_listening (int socket) noexcept
{
    int on = 0;
    socklen_t size = sizeof on;
    if (::getsockopt (socket, SOL_SOCKET, SO_ACCEPTCONN, &on, &size) != 0)
        return last_os_error ();
    return on != 0;
}

}  // namespace

socket_listener::socket_listener (descriptor socket,
                                  std::string_view scheme,
                                  local_path path,
                                  std::string endpoint,
                                  const accepted_options &accepted,
                                  bool adopted,
                                  base::accept_filter admits) noexcept
  : socket_ (std::move (socket)), scheme_ (scheme), path_ (std::move (path)),
    endpoint_ (std::move (endpoint)), accepted_ (accepted), adopted_ (adopted), admits_ (std::move (admits))
{
}

socket_listener::~socket_listener ()
{
    // One that was handed to us may well be meant to go on listening.
    if (!adopted_ && has_forked ())
        ::shutdown (socket_.get (), SHUT_RDWR);
}

void socket_listener::hand_back () noexcept
{
    if (adopted_)
        (void)socket_.release ();
}

result<std::unique_ptr<base::stream>> socket_listener::accept () noexcept
{
    for (int attempt = 0; attempt < dead_connections_per_accept; ++attempt) {
        sockaddr_storage raw{};
        socklen_t size = sizeof raw;
        descriptor accepted (::accept4 (socket_.get (), reinterpret_cast<sockaddr *> (&raw), &size,
                                        SOCK_NONBLOCK | SOCK_CLOEXEC));
        if (accepted.valid ()) {
            apply_to_accepted (accepted.get (), accepted_);
            const socket_address far (&raw, size);
            const bool admitted = is_admitted (accepted.get (), far, admits_);
            auto *stream = new (std::nothrow) socket_stream (std::move (accepted), scheme_, far);
            if (stream == nullptr)
                return errc::no_memory;
            if (!admitted)
                stream->turn_away ();
            return std::unique_ptr<base::stream> (stream);
        }
        const int problem = errno;
        switch (classify (problem)) {
        case accept_failure::nobody:
            return errc::would_block;
        case accept_failure::reported:
            return os_error (problem);
        case accept_failure::passed_over:
            break;
        }
    }
    return errc::would_block;
}

result<std::unique_ptr<base::listener>>
listen_at (const socket_address &at, std::string_view scheme, const base::stream_options &options)
{
    auto made = make_stream_socket (at.family ());
    if (!made)
        return made.failure ();
    descriptor &socket = made.value ();
    if (const auto done = apply_options (socket.get (), at.family (), options); !done)
        return done.failure ();
    // Connections of an earlier run in TIME_WAIT do not keep the port from us.
    const int on = 1;
    ::setsockopt (socket.get (), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (const auto done = bind_socket (socket.get (), at); !done)
        return done.failure ();
    return finish (std::move (socket), scheme, {}, options);
}

result<std::unique_ptr<base::listener>>
listen_local (std::string_view path, std::string_view scheme, const base::stream_options &options)
{
    auto made = make_stream_socket (address_family::local);
    if (!made)
        return made.failure ();
    descriptor &socket = made.value ();
    if (const auto done = apply_options (socket.get (), address_family::local, options); !done)
        return done.failure ();
    // Until the claim ends nobody else of ours takes the bound but not yet
    // listening socket for a stale one.
    auto claimed = local_path::claim (socket.get (), path);
    if (!claimed)
        return claimed.failure ();
    return finish (std::move (socket), scheme, std::move (claimed.value ().path), options);
}

result<std::unique_ptr<base::listener>>
adopt_listener (std::string_view scheme, address_family of, const base::stream_options &options)
{
    const int handle = options.use_handle;
    errno = 0;
    const socket_address at = own_address (handle);
    if (at.family () == address_family::none)  // none of ours, or nobody can say
        return errno == 0 ? base::error{errc::not_a_socket} : last_os_error ();
    const result<bool> listens = is_listening (handle);
    if (!listens)
        return listens.failure ();
    const address_family kind = is_ip (at.family ()) ? address_family::v4 : at.family ();
    if (kind != of || !listens.value ())
        return errc::invalid_argument;
    const int flags = ::fcntl (handle, F_GETFL);
    if (flags < 0 || ::fcntl (handle, F_SETFL, flags | O_NONBLOCK) != 0
        || ::fcntl (handle, F_SETFD, FD_CLOEXEC) != 0)
        return last_os_error ();
    std::string endpoint = endpoint_text (scheme, at);
    base::accept_filter admits = options.admits;  // what may throw, before the descriptor is ours
    if (const auto done = apply_options (handle, at.family (), options); !done)
        return done.failure ();
    auto *listener =
      new (std::nothrow) socket_listener (descriptor (handle), scheme, {}, std::move (endpoint),
                                          accepted_options (at.family (), options), true, std::move (admits));
    if (listener == nullptr)
        return errc::no_memory;
    return std::unique_ptr<base::listener> (listener);
}

}  // namespace zlink::platform
