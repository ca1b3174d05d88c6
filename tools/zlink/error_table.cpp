#include "tools/zlink/error_table.hpp"

#include <array>
#include <cerrno>

namespace zlink::tool {

namespace {

// Numbers of errors that no system has, as both headers define them.
constexpr int own_base = 156384712;
constexpr int efsm = own_base + 51;
constexpr int enocompatproto = own_base + 52;
constexpr int eterm = own_base + 53;
constexpr int emthread = own_base + 54;

constexpr std::array rows = {
  error_row{"EAGAIN", EAGAIN,
            "The call would have to wait, and DONTWAIT or a time-out forbids it: nothing to receive, no room "
            "to send, "
            "or no peer yet.",
            "try again when poll says that the socket is ready, or wait longer (RCVTIMEO, SNDTIMEO)."},
  error_row{"EINTR", EINTR, "A signal arrived while the call waited. Nothing was sent or received.",
            "make the same call again, unless the signal says otherwise."},
  error_row{"EINPROGRESS", EINPROGRESS, "The operation has been started and goes on by itself.",
            "wait; a monitor event tells how it ended."},
  error_row{"EINVAL", EINVAL,
            "An argument is wrong: an unknown option or socket type, a value out of range, a malformed "
            "endpoint, or a "
            "feature this build does not have.",
            "fix the call; 'zlink explain OPTION' shows an option's type and default."},
  error_row{"EFAULT", EFAULT, "A required pointer is null, or the context is not one (or no longer).",
            "fix the call; do not use a context after it was terminated."},
  error_row{"ENOTSOCK", ENOTSOCK, "The handle is not an open socket: null, closed, or something else.",
            "fix the call; look for a second close or for a use after it."},
  error_row{"ENOTSUP", ENOTSUP, "This kind of socket cannot do that.", "use a socket type that can."},
  error_row{
    "EFSM", efsm,
    "Not in this state of the socket: a REQ must receive its reply before it sends again, a REP must receive "
    "first.",
    "follow the type's order of calls, or use DEALER and ROUTER."},
  error_row{"ENOENT", ENOENT,
            "There is no such endpoint to unbind or disconnect, or no such file or property.",
            "pass the endpoint as LAST_ENDPOINT gave it."},
  error_row{"ENAMETOOLONG", ENAMETOOLONG, "The path of an ipc endpoint does not fit into a socket address.",
            "use a shorter path (about 100 bytes) or an abstract name."},
  error_row{"EMSGSIZE", EMSGSIZE, "The message, or the number of its parts, is larger than allowed here.",
            "send smaller messages, or receive with room for all parts."},
  error_row{"EPROTONOSUPPORT", EPROTONOSUPPORT, "The endpoint's transport is not known to this build.",
            "check the part before '://'."},
  error_row{"ENOCOMPATPROTO", enocompatproto, "The transport does not serve this type of socket.",
            "choose another transport or another socket type."},
  error_row{"EHOSTUNREACH", EHOSTUNREACH,
            "No route to the named peer: a ROUTER does not know the id, or the host is away.",
            "check the routing id, or try again when the peer has connected."},
  error_row{"EACCES", EACCES, "The system refuses: a privileged port, or a path that may not be written.",
            "use another address or ask for the right."},
  error_row{"EADDRINUSE", EADDRINUSE, "Somebody listens at that address already.",
            "choose another address, or end the other listener first."},
  error_row{"EADDRNOTAVAIL", EADDRNOTAVAIL, "The address is not one of this machine's.",
            "bind to an address or interface that exists here, or to '*'."},
  error_row{"ENODEV", ENODEV, "There is no interface of that name.", "check the name between '://' and ':'."},
  error_row{"ECONNREFUSED", ECONNREFUSED,
            "Nobody listens there. Over inproc without waiting, or as the last error of an endpoint.",
            "start the listener; connections over tcp and ipc are tried again by themselves."},
  error_row{"ECONNRESET", ECONNRESET, "The peer cut the connection.",
            "wait: a connecting socket redials by itself."},
  error_row{"ECONNABORTED", ECONNABORTED, "The connection ended before it was accepted.",
            "nothing: it is tried again."},
  error_row{"ENETUNREACH", ENETUNREACH, "There is no route to that network.",
            "check the address and the routes."},
  error_row{"ENETDOWN", ENETDOWN, "The network interface is down.", "bring it up, or use another one."},
  error_row{"ENETRESET", ENETRESET, "The network dropped the connection.", "wait: it is tried again."},
  error_row{"EAFNOSUPPORT", EAFNOSUPPORT, "The address belongs to a family that is not in use here.",
            "set IPV6 for IPv6 addresses."},
  error_row{"ETIMEDOUT", ETIMEDOUT, "The deadline passed.",
            "wait longer, or look at why the other side is silent."},
  error_row{"ENOTCONN", ENOTCONN, "The socket has no connection that could do this.", "connect first."},
  error_row{"ENOMEM", ENOMEM, "Memory is exhausted.", "free some; set high-water marks in bytes."},
  error_row{"ENOBUFS", ENOBUFS, "The system has no buffer space left.",
            "send less at once, or try again later."},
  error_row{"EMFILE", EMFILE,
            "The limit of descriptors, or of sockets of this context (MAX_SOCKETS), is reached.",
            "close some sockets, or raise the limit before the first socket is made."},
  error_row{"ENFILE", ENFILE, "The whole system is out of descriptors.",
            "close some, or raise the system's limit."},
  error_row{"EMTHREAD", emthread, "The context has no I/O thread for this.",
            "give it at least one (IO_THREADS)."},
  error_row{"ETERM", eterm, "The context is being terminated.",
            "close the socket; every further call answers the same."},
};

}  // namespace

std::span<const error_row> error_rows () noexcept { return rows; }

}  // namespace zlink::tool
