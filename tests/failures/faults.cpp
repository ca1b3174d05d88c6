#include "failures/faults.hpp"

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <new>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

extern "C" {
void *__real_malloc (std::size_t size);
void __real_free (void *block);
}

namespace zlink::test {
namespace {

struct plan_state
{
    std::atomic<bool> running{false};
    std::atomic<unsigned> of{0};
    std::atomic<std::uint64_t> first{0};
    std::atomic<std::uint64_t> end{0};
    std::atomic<std::uint64_t> seen{0};
    std::atomic<std::uint64_t> failed{0};
    std::atomic<const char *> first_name{""};
};

plan_state state;
std::atomic<std::int64_t> live{0};
thread_local bool counts = true;

bool fails (resource of, const char *name) noexcept
{
    if (!counts || !state.running.load () || state.of.load () != static_cast<unsigned> (of))
        return false;
    const std::uint64_t number = ++state.seen;
    if (number < state.first.load () || number >= state.end.load ())
        return false;
    if (state.failed++ == 0)
        state.first_name.store (name);
    return true;
}

// The answer of a system call that says so by errno.
bool refused (const char *name, int error) noexcept
{
    if (!fails (resource::kernel, name))
        return false;
    errno = error;
    return true;
}

void *count_block (void *block) noexcept
{
    live += block != nullptr;
    return block;
}

void *allocate (std::size_t size) noexcept
{
    if (fails (resource::memory, "operator new"))
        return nullptr;
    return count_block (__real_malloc (size == 0 ? 1 : size));
}

void *allocate (std::size_t size, std::align_val_t alignment) noexcept
{
    if (fails (resource::memory, "operator new"))
        return nullptr;
    const auto step = static_cast<std::size_t> (alignment);
    return count_block (std::aligned_alloc (step, (size + step - 1) / step * step));
}

void release (void *block) noexcept
{
    live -= block != nullptr;
    __real_free (block);
}

}  // namespace

void start_faults (const fault_plan &plan) noexcept
{
    state.of = static_cast<unsigned> (plan.of);
    state.first = plan.first;
    state.end = plan.first + plan.width;
    state.seen = 0;
    state.failed = 0;
    state.first_name = "";
    state.running = true;
}

std::uint64_t stop_faults () noexcept
{
    state.running = false;
    return state.seen;
}

std::uint64_t faults_so_far () noexcept { return state.failed; }

const char *first_fault () noexcept { return state.first_name; }

std::int64_t live_blocks () noexcept { return live; }

void count_library_calls_only () noexcept { counts = false; }

library_call::library_call () noexcept { counts = true; }

library_call::~library_call () { counts = false; }

}  // namespace zlink::test

// --- memory ------------------------------------------------------------------

using zlink::test::allocate;
using zlink::test::release;

void *operator new (std::size_t size)
{
    if (void *const block = allocate (size); block != nullptr)
        return block;
    throw std::bad_alloc ();
}
void *operator new[] (std::size_t size) { return operator new (size); }
void *operator new (std::size_t size, const std::nothrow_t &) noexcept { return allocate (size); }
void *operator new[] (std::size_t size, const std::nothrow_t &) noexcept { return allocate (size); }
void *operator new (std::size_t size, std::align_val_t alignment)
{
    if (void *const block = allocate (size, alignment); block != nullptr)
        return block;
    throw std::bad_alloc ();
}
void *operator new (std::size_t size, std::align_val_t alignment, const std::nothrow_t &) noexcept
{
    return allocate (size, alignment);
}
void operator delete (void *block) noexcept { release (block); }
void operator delete[] (void *block) noexcept { release (block); }
void operator delete (void *block, std::size_t) noexcept { release (block); }
void operator delete[] (void *block, std::size_t) noexcept { release (block); }
void operator delete (void *block, const std::nothrow_t &) noexcept { release (block); }
void operator delete (void *block, std::align_val_t) noexcept { release (block); }
void operator delete (void *block, std::size_t, std::align_val_t) noexcept { release (block); }
void operator delete (void *block, std::align_val_t, const std::nothrow_t &) noexcept { release (block); }

extern "C" {

// --- system calls ----------------------------------------------------------------

int __real_socket (int, int, int);
int __real_accept4 (int, sockaddr *, socklen_t *, int);
int __real_bind (int, const sockaddr *, socklen_t);
int __real_listen (int, int);
int __real_connect (int, const sockaddr *, socklen_t);
int __real_epoll_create1 (int);
int __real_epoll_ctl (int, int, int, epoll_event *);
int __real_eventfd (unsigned, int);
int __real_setsockopt (int, int, int, const void *, socklen_t);
int __real_getsockopt (int, int, int, void *, socklen_t *);
int __real_getsockname (int, sockaddr *, socklen_t *);
int __real_getpeername (int, sockaddr *, socklen_t *);
ssize_t __real_send (int, const void *, std::size_t, int);
ssize_t __real_sendmsg (int, const msghdr *, int);
ssize_t __real_sendto (int, const void *, std::size_t, int, const sockaddr *, socklen_t);
ssize_t __real_recv (int, void *, std::size_t, int);
ssize_t __real_recvmsg (int, msghdr *, int);
ssize_t __real_readv (int, const iovec *, int);
ssize_t __real_read (int, void *, std::size_t);
int __real_sched_getaffinity (pid_t, std::size_t, cpu_set_t *);
int __real_ppoll (pollfd *, nfds_t, const timespec *, const sigset_t *);
int __real_ioctl (int, unsigned long, void *);
int __real_fcntl (int, int, ...);
int __real_getifaddrs (ifaddrs **);
unsigned __real_if_nametoindex (const char *);
int __real_open (const char *, int, ...);
int __real_flock (int, int);
int __real_fstat (int, struct stat *);
int __real_lstat (const char *, struct stat *);
char *__real_mkdtemp (char *);
char *__real_getcwd (char *, std::size_t);
ssize_t __real_getrandom (void *, std::size_t, unsigned);
int __real_getaddrinfo (const char *, const char *, const addrinfo *, addrinfo **);
int __real_pthread_create (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

void *__wrap_malloc (std::size_t size)
{
    using namespace zlink::test;
    return fails (resource::memory, "malloc") ? nullptr : count_block (__real_malloc (size));
}

void __wrap_free (void *block)
{
    zlink::test::live -= block != nullptr;
    __real_free (block);
}

int __wrap_socket (int family, int type, int protocol)
{
    return zlink::test::refused ("socket", EMFILE) ? -1 : __real_socket (family, type, protocol);
}

int __wrap_accept4 (int from, sockaddr *address, socklen_t *size, int flags)
{
    return zlink::test::refused ("accept4", EMFILE) ? -1 : __real_accept4 (from, address, size, flags);
}

int __wrap_bind (int socket, const sockaddr *to, socklen_t size)
{
    return zlink::test::refused ("bind", ENOMEM) ? -1 : __real_bind (socket, to, size);
}

int __wrap_listen (int socket, int backlog)
{
    return zlink::test::refused ("listen", ENOBUFS) ? -1 : __real_listen (socket, backlog);
}

int __wrap_connect (int socket, const sockaddr *to, socklen_t size)
{
    return zlink::test::refused ("connect", ENOBUFS) ? -1 : __real_connect (socket, to, size);
}

int __wrap_epoll_create1 (int flags)
{
    return zlink::test::refused ("epoll_create1", EMFILE) ? -1 : __real_epoll_create1 (flags);
}

int __wrap_epoll_ctl (int set, int operation, int handle, epoll_event *event)
{
    if (operation == EPOLL_CTL_ADD && zlink::test::refused ("epoll_ctl", ENOSPC))
        return -1;
    return __real_epoll_ctl (set, operation, handle, event);
}

int __wrap_eventfd (unsigned value, int flags)
{
    return zlink::test::refused ("eventfd", EMFILE) ? -1 : __real_eventfd (value, flags);
}

int __wrap_setsockopt (int socket, int level, int name, const void *value, socklen_t size)
{
    return zlink::test::refused ("setsockopt", ENOBUFS)
             ? -1
             : __real_setsockopt (socket, level, name, value, size);
}

int __wrap_getsockopt (int socket, int level, int name, void *value, socklen_t *size)
{
    return zlink::test::refused ("getsockopt", ENOBUFS)
             ? -1
             : __real_getsockopt (socket, level, name, value, size);
}

int __wrap_getsockname (int socket, sockaddr *address, socklen_t *size)
{
    return zlink::test::refused ("getsockname", ENOBUFS) ? -1 : __real_getsockname (socket, address, size);
}

int __wrap_getpeername (int socket, sockaddr *address, socklen_t *size)
{
    return zlink::test::refused ("getpeername", ENOBUFS) ? -1 : __real_getpeername (socket, address, size);
}

ssize_t __wrap_send (int socket, const void *bytes, std::size_t size, int flags)
{
    return zlink::test::refused ("send", ENOBUFS) ? -1 : __real_send (socket, bytes, size, flags);
}

ssize_t __wrap_sendmsg (int socket, const msghdr *message, int flags)
{
    return zlink::test::refused ("sendmsg", ENOBUFS) ? -1 : __real_sendmsg (socket, message, flags);
}

ssize_t __wrap_recv (int socket, void *bytes, std::size_t size, int flags)
{
    return zlink::test::refused ("recv", ENOMEM) ? -1 : __real_recv (socket, bytes, size, flags);
}

ssize_t __wrap_sendto (
  int socket, const void *bytes, std::size_t size, int flags, const sockaddr *to, socklen_t to_size)
{
    return zlink::test::refused ("sendto", ENOBUFS) ? -1
                                                    : __real_sendto (socket, bytes, size, flags, to, to_size);
}

ssize_t __wrap_recvmsg (int socket, msghdr *message, int flags)
{
    return zlink::test::refused ("recvmsg", ENOMEM) ? -1 : __real_recvmsg (socket, message, flags);
}

ssize_t __wrap_readv (int from, const iovec *slices, int count)
{
    return zlink::test::refused ("readv", ENOMEM) ? -1 : __real_readv (from, slices, count);
}

ssize_t __wrap_read (int from, void *bytes, std::size_t size)
{
    return zlink::test::refused ("read", ENOMEM) ? -1 : __real_read (from, bytes, size);
}

int __wrap_sched_getaffinity (pid_t of, std::size_t size, cpu_set_t *mask)
{
    return zlink::test::refused ("sched_getaffinity", ENOMEM) ? -1
                                                              : __real_sched_getaffinity (of, size, mask);
}

int __wrap_ppoll (pollfd *entries, nfds_t count, const timespec *timeout, const sigset_t *mask)
{
    return zlink::test::refused ("ppoll", ENOMEM) ? -1 : __real_ppoll (entries, count, timeout, mask);
}

int __wrap_ioctl (int handle, unsigned long request, void *argument)
{
    return zlink::test::refused ("ioctl", ENOMEM) ? -1 : __real_ioctl (handle, request, argument);
}

// With a number behind the request or nothing, as the library asks.
int __wrap_fcntl (int handle, int request, ...)
{
    std::va_list rest;
    va_start (rest, request);
    const long argument = va_arg (rest, long);
    va_end (rest);
    return zlink::test::refused ("fcntl", ENOMEM) ? -1 : __real_fcntl (handle, request, argument);
}

int __wrap_getifaddrs (ifaddrs **found)
{
    return zlink::test::refused ("getifaddrs", EMFILE) ? -1 : __real_getifaddrs (found);
}

unsigned __wrap_if_nametoindex (const char *name)
{
    return zlink::test::refused ("if_nametoindex", EMFILE) ? 0 : __real_if_nametoindex (name);
}

int __wrap_open (const char *path, int flags, ...)
{
    return zlink::test::refused ("open", ENFILE) ? -1 : __real_open (path, flags, 0600);
}

int __wrap_flock (int handle, int operation)
{
    return zlink::test::refused ("flock", ENOLCK) ? -1 : __real_flock (handle, operation);
}

int __wrap_fstat (int handle, struct stat *facts)
{
    return zlink::test::refused ("fstat", ENOMEM) ? -1 : __real_fstat (handle, facts);
}

int __wrap_lstat (const char *path, struct stat *facts)
{
    return zlink::test::refused ("lstat", ENOMEM) ? -1 : __real_lstat (path, facts);
}

char *__wrap_mkdtemp (char *pattern)
{
    return zlink::test::refused ("mkdtemp", ENOSPC) ? nullptr : __real_mkdtemp (pattern);
}

char *__wrap_getcwd (char *buffer, std::size_t size)
{
    return zlink::test::refused ("getcwd", ENOMEM) ? nullptr : __real_getcwd (buffer, size);
}

ssize_t __wrap_getrandom (void *buffer, std::size_t size, unsigned flags)
{
    return zlink::test::refused ("getrandom", EAGAIN) ? -1 : __real_getrandom (buffer, size, flags);
}

int __wrap_getaddrinfo (const char *host, const char *service, const addrinfo *hints, addrinfo **found)
{
    if (zlink::test::fails (zlink::test::resource::kernel, "getaddrinfo"))
        return EAI_MEMORY;
    return __real_getaddrinfo (host, service, hints, found);
}

int __wrap_pthread_create (pthread_t *made,
                           const pthread_attr_t *wish,
                           void *(*body) (void *),
                           void *argument)
{
    if (zlink::test::fails (zlink::test::resource::kernel, "pthread_create"))
        return EAGAIN;
    return __real_pthread_create (made, wish, body, argument);
}

}  // extern "C"
