// A preloaded object that counts the calls of the program and of everything
// it loads into the C library: what a message costs in system calls, wake-ups
// and allocations, without the distortion of a tracer.
//
// What it cannot see: system calls that the C library makes by itself (a
// contended pthread mutex). Linux with the GNU C library only. Any thread.
#include <atomic>
#include <cstdarg>
#include <cstddef>
#include <cstdint>

#include <dlfcn.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "bench/call_counts.hpp"

namespace {

enum kind : unsigned
{
    reads_writes,
    polls,
    wakes,
    allocations,
    kinds,
};

struct alignas (128) counter
{
    std::atomic<std::uint64_t> value{0};
};
counter counters[kinds];

void count (kind of) noexcept { counters[of].value.fetch_add (1, std::memory_order_relaxed); }

// The next definition of a name, looked up once.
template <class F> F *next_of (std::atomic<F *> &known, const char *name) noexcept
{
    F *found = known.load (std::memory_order_relaxed);
    if (found == nullptr) {
        found = reinterpret_cast<F *> (dlsym (RTLD_NEXT, name));
        known.store (found, std::memory_order_relaxed);
    }
    return found;
}

// Eventfds are read and written eight bytes at a time; nothing else here is.
constexpr std::size_t eventfd_bytes = 8;
constexpr int futex_operation_mask = 127;
constexpr int futex_wake = 1;
constexpr int futex_wake_bitset = 10;

}  // namespace

#define ZLINK_EXPORT extern "C" __attribute__ ((visibility ("default")))
// A wrapper that counts and passes on.
#define ZLINK_COUNTED(of, type, name, parameters, arguments)                                                 \
    ZLINK_EXPORT type name parameters                                                                        \
    {                                                                                                        \
        static std::atomic<type (*) parameters> known{nullptr};                                              \
        count (of);                                                                                          \
        return next_of (known, #name) arguments;                                                             \
    }

ZLINK_COUNTED (reads_writes, ssize_t, read, (int fd, void *to, size_t size), (fd, to, size))
ZLINK_COUNTED (size == eventfd_bytes ? wakes : reads_writes,
               ssize_t,
               write,
               (int fd, const void *from, size_t size),
               (fd, from, size))
ZLINK_COUNTED (
  reads_writes, ssize_t, readv, (int fd, const iovec *parts, int count_of), (fd, parts, count_of))
ZLINK_COUNTED (
  reads_writes, ssize_t, writev, (int fd, const iovec *parts, int count_of), (fd, parts, count_of))
ZLINK_COUNTED (reads_writes, ssize_t, recv, (int fd, void *to, size_t size, int flags), (fd, to, size, flags))
ZLINK_COUNTED (
  reads_writes, ssize_t, send, (int fd, const void *from, size_t size, int flags), (fd, from, size, flags))
ZLINK_COUNTED (reads_writes, ssize_t, recvmsg, (int fd, msghdr *message, int flags), (fd, message, flags))
ZLINK_COUNTED (
  reads_writes, ssize_t, sendmsg, (int fd, const msghdr *message, int flags), (fd, message, flags))
ZLINK_COUNTED (polls, int, poll, (pollfd * entries, nfds_t size, int timeout_ms), (entries, size, timeout_ms))
ZLINK_COUNTED (polls,
               int,
               ppoll,
               (pollfd * entries, nfds_t size, const timespec *timeout, const sigset_t *mask),
               (entries, size, timeout, mask))
ZLINK_COUNTED (polls,
               int,
               epoll_wait,
               (int fd, epoll_event *events, int size, int timeout_ms),
               (fd, events, size, timeout_ms))
ZLINK_COUNTED (polls,
               int,
               epoll_pwait,
               (int fd, epoll_event *events, int size, int timeout_ms, const sigset_t *mask),
               (fd, events, size, timeout_ms, mask))
ZLINK_COUNTED (polls,
               int,
               epoll_pwait2,
               (int fd, epoll_event *events, int size, const timespec *timeout, const sigset_t *mask),
               (fd, events, size, timeout, mask))
ZLINK_COUNTED (wakes, int, eventfd_write, (int fd, std::uint64_t value), (fd, value))

ZLINK_EXPORT long syscall (long number, ...)
{
    static std::atomic<long (*) (long, ...)> known{nullptr};
    va_list list;
    va_start (list, number);
    long arguments[6];
    for (long &argument : arguments)
        argument = va_arg (list, long);
    va_end (list);
    const int operation = static_cast<int> (arguments[1]) & futex_operation_mask;
    if (number == SYS_futex && (operation == futex_wake || operation == futex_wake_bitset))
        count (wakes);
    if (number == SYS_epoll_pwait2)
        count (polls);
    return next_of (known, "syscall") (number, arguments[0], arguments[1], arguments[2], arguments[3],
                                       arguments[4], arguments[5]);
}

// The lookup of "the next malloc" allocates, so these go to the C library's
// own names.
extern "C" void *__libc_malloc (size_t size);
extern "C" void *__libc_calloc (size_t amount, size_t size);
extern "C" void *__libc_realloc (void *memory, size_t size);
extern "C" void *__libc_memalign (size_t alignment, size_t size);

ZLINK_EXPORT void *malloc (size_t size)
{
    count (allocations);
    return __libc_malloc (size);
}

ZLINK_EXPORT void *calloc (size_t amount, size_t size)
{
    count (allocations);
    return __libc_calloc (amount, size);
}

ZLINK_EXPORT void *realloc (void *memory, size_t size)
{
    count (allocations);
    return __libc_realloc (memory, size);
}

ZLINK_EXPORT void *aligned_alloc (size_t alignment, size_t size)
{
    count (allocations);
    return __libc_memalign (alignment, size);
}

ZLINK_EXPORT void zlink_bench_counts (zlink::bench::call_counts *into)
{
    into->reads_writes = counters[reads_writes].value.load (std::memory_order_relaxed);
    into->polls = counters[polls].value.load (std::memory_order_relaxed);
    into->wakes = counters[wakes].value.load (std::memory_order_relaxed);
    into->allocations = counters[allocations].value.load (std::memory_order_relaxed);
}
