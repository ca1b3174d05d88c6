#include "budgets/counting.hpp"

#include <cstdarg>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

namespace zlink::test {

namespace {

thread_local bool counting = false;
thread_local counted seen;

void allocation () noexcept { seen.allocations += counting; }
void system_call () noexcept { seen.system_calls += counting; }

}  // namespace

void start_counting () noexcept
{
    seen = {};
    counting = true;
}

counted stop_counting () noexcept
{
    counting = false;
    return seen;
}

}  // namespace zlink::test

using zlink::test::allocation;
using zlink::test::system_call;

// --- the linker's --wrap -----------------------------------------------------

extern "C" {

void *__real_malloc (std::size_t bytes);
ssize_t __real_send (int socket, const void *from, std::size_t bytes, int flags);
ssize_t __real_recv (int socket, void *to, std::size_t bytes, int flags);
int __real_ppoll (pollfd *list, nfds_t count, const timespec *timeout, const sigset_t *mask);
int __real_sched_yield ();
ssize_t __real_sendmsg (int socket, const msghdr *message, int flags);
ssize_t __real_readv (int file, const iovec *list, int count);
ssize_t __real_read (int file, void *to, std::size_t bytes);
ssize_t __real_write (int file, const void *from, std::size_t bytes);
int __real_epoll_wait (int set, epoll_event *events, int room, int timeout_ms);
int __real_epoll_ctl (int set, int operation, int file, epoll_event *event);
long __real_syscall (long number, ...);

void *__wrap_malloc (std::size_t bytes)
{
    allocation ();
    return __real_malloc (bytes);
}

ssize_t __wrap_send (int socket, const void *from, std::size_t bytes, int flags)
{
    system_call ();
    return __real_send (socket, from, bytes, flags);
}

ssize_t __wrap_recv (int socket, void *to, std::size_t bytes, int flags)
{
    system_call ();
    return __real_recv (socket, to, bytes, flags);
}

int __wrap_ppoll (pollfd *list, nfds_t count, const timespec *timeout, const sigset_t *mask)
{
    system_call ();
    return __real_ppoll (list, count, timeout, mask);
}

int __wrap_sched_yield ()
{
    system_call ();
    return __real_sched_yield ();
}

ssize_t __wrap_sendmsg (int socket, const msghdr *message, int flags)
{
    system_call ();
    return __real_sendmsg (socket, message, flags);
}

ssize_t __wrap_readv (int file, const iovec *list, int count)
{
    system_call ();
    return __real_readv (file, list, count);
}

ssize_t __wrap_read (int file, void *to, std::size_t bytes)
{
    system_call ();
    return __real_read (file, to, bytes);
}

ssize_t __wrap_write (int file, const void *from, std::size_t bytes)
{
    system_call ();
    return __real_write (file, from, bytes);
}

int __wrap_epoll_wait (int set, epoll_event *events, int room, int timeout_ms)
{
    system_call ();
    return __real_epoll_wait (set, events, room, timeout_ms);
}

int __wrap_epoll_ctl (int set, int operation, int file, epoll_event *event)
{
    system_call ();
    return __real_epoll_ctl (set, operation, file, event);
}

long __wrap_syscall (long number, ...)
{
    system_call ();
    std::va_list list;
    va_start (list, number);
    long word[6];
    for (long &each : word)
        each = va_arg (list, long);
    va_end (list);
    return __real_syscall (number, word[0], word[1], word[2], word[3], word[4], word[5]);
}

}  // extern "C"

// --- operator new ------------------------------------------------------------

void *operator new (std::size_t bytes)
{
    void *const block = std::malloc (bytes);
    if (block == nullptr)
        throw std::bad_alloc ();
    return block;
}

void *operator new (std::size_t bytes, std::align_val_t alignment)
{
    const auto unit = static_cast<std::size_t> (alignment);
    allocation ();
    void *const block = std::aligned_alloc (unit, (bytes + unit - 1) / unit * unit);
    if (block == nullptr)
        throw std::bad_alloc ();
    return block;
}

void operator delete (void *block) noexcept { std::free (block); }
void operator delete (void *block, std::size_t) noexcept { std::free (block); }
void operator delete (void *block, std::align_val_t) noexcept { std::free (block); }
void operator delete (void *block, std::size_t, std::align_val_t) noexcept { std::free (block); }
