// Stands in for a kernel that carries vsock inside one machine: loaded in front of
// the C library, it makes of each vsock socket a local one, whose abstract name says
// its port. For tests of one process each: its number is part of the names.
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <linux/vm_sockets.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace {

constexpr std::size_t path_offset = offsetof (sockaddr_un, sun_path);
constexpr std::uint32_t ports_of_its_own = 0x80000000;

template <class Call> Call *next_called (const char *name)
{
    return reinterpret_cast<Call *> (::dlsym (RTLD_NEXT, name));
}

struct local_name
{
    sockaddr_un at{};
    socklen_t size = 0;
};

local_name name_of (std::uint32_t port)
{
    local_name made;
    made.at.sun_family = AF_UNIX;
    const int length = std::snprintf (made.at.sun_path + 1, sizeof made.at.sun_path - 1, "vsock-%d-%u",
                                      static_cast<int> (::getpid ()), port);
    made.size = static_cast<socklen_t> (path_offset + 1 + static_cast<std::size_t> (length));
    return made;
}

// Of a name of ours, the address that it stands for; others stay.
void translate (sockaddr *at, socklen_t *size, socklen_t room)
{
    sockaddr_un local{};
    std::memcpy (&local, at, *size < sizeof local ? *size : sizeof local);
    int process = 0;
    std::uint32_t port = 0;
    if (local.sun_family != AF_UNIX || std::sscanf (local.sun_path + 1, "vsock-%d-%u", &process, &port) != 2)
        return;
    sockaddr_vm made{};
    made.svm_family = AF_VSOCK;
    made.svm_cid = VMADDR_CID_LOCAL;
    made.svm_port = port;
    std::memcpy (at, &made, room < sizeof made ? room : sizeof made);
    *size = sizeof made;
}

// What a call of the kernel's says of an end, in the addresses that it stands for.
template <class Call> int named_by (Call real, int socket, sockaddr *at, socklen_t *size) noexcept
{
    const socklen_t room = *size;
    const int done = real (socket, at, size);
    if (done == 0)
        translate (at, size, room);
    return done;
}

const sockaddr_vm *machine_in (const sockaddr *at)
{
    return at->sa_family == AF_VSOCK ? reinterpret_cast<const sockaddr_vm *> (at) : nullptr;
}

int bind_local (int socket, std::uint32_t port)
{
    static auto *const real = next_called<decltype (::bind)> ("bind");
    static std::atomic<std::uint32_t> next{ports_of_its_own};
    const local_name name = name_of (port == VMADDR_PORT_ANY ? next++ : port);
    return real (socket, reinterpret_cast<const sockaddr *> (&name.at), name.size);
}

}  // namespace

extern "C" {

int socket (int domain, int type, int protocol) noexcept
{
    static auto *const real = next_called<decltype (::socket)> ("socket");
    return real (domain == AF_VSOCK ? AF_UNIX : domain, type, protocol);
}

int bind (int socket, const sockaddr *at, socklen_t size) noexcept
{
    static auto *const real = next_called<decltype (::bind)> ("bind");
    const sockaddr_vm *const wanted = machine_in (at);
    return wanted == nullptr ? real (socket, at, size) : bind_local (socket, wanted->svm_port);
}

int connect (int socket, const sockaddr *to, socklen_t size)
{
    static auto *const real = next_called<decltype (::connect)> ("connect");
    const sockaddr_vm *const wanted = machine_in (to);
    if (wanted == nullptr)
        return real (socket, to, size);
    if (wanted->svm_cid != VMADDR_CID_LOCAL) {
        errno = ENODEV;
        return -1;
    }
    (void)bind_local (socket, VMADDR_PORT_ANY);
    const local_name name = name_of (wanted->svm_port);
    const int done = real (socket, reinterpret_cast<const sockaddr *> (&name.at), name.size);
    if (done != 0 && (errno == EAGAIN || errno == ECONNREFUSED))
        errno = ECONNRESET;  // as of a kernel's vsock
    return done;
}

int getsockname (int socket, sockaddr *at, socklen_t *size) noexcept
{
    static auto *const real = next_called<decltype (::getsockname)> ("getsockname");
    return named_by (real, socket, at, size);
}

int getpeername (int socket, sockaddr *at, socklen_t *size) noexcept
{
    static auto *const real = next_called<decltype (::getpeername)> ("getpeername");
    return named_by (real, socket, at, size);
}

int accept4 (int socket, sockaddr *at, socklen_t *size, int flags)
{
    static auto *const real = next_called<decltype (::accept4)> ("accept4");
    const socklen_t room = size != nullptr ? *size : 0;
    const int made = real (socket, at, size, flags);
    if (made >= 0 && at != nullptr)
        translate (at, size, room);
    return made;
}
}
