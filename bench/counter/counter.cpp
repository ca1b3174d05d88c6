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
    bytes_written,
    kinds,
};

struct alignas (128) counter
{
    std::atomic<std::uint64_t> value{0};
};
counter counters[kinds];

void count (kind of, std::uint64_t amount = 1) noexcept
{
    counters[of].value.fetch_add (amount, std::memory_order_relaxed);
}

ssize_t count_written (ssize_t answer) noexcept
{
    if (answer > 0)
        count (bytes_written, static_cast<std::uint64_t> (answer));
    return answer;
}

// The next definition of a name, looked up at its first call.
template <class F> class next_call;
template <class R, class... A> class next_call<R (A...)>
{
  public:
    constexpr explicit next_call (const char *name) : name_ (name) {}
    R operator() (A... arguments) noexcept
    {
        function *found = known_.load (std::memory_order_relaxed);
        if (found == nullptr) {
            found = reinterpret_cast<function *> (dlsym (RTLD_NEXT, name_));
            known_.store (found, std::memory_order_relaxed);
        }
        return found (arguments...);
    }

  private:
    using function = R (A...);
    const char *name_;
    std::atomic<function *> known_{nullptr};
};

// Eventfds are read and written eight bytes at a time; nothing else here is.
constexpr std::size_t eventfd_bytes = 8;
constexpr int futex_operation_mask = 127;
constexpr int futex_wake = 1;
constexpr int futex_wake_bitset = 10;

}  // namespace

#define ZLINK_EXPORT extern "C" __attribute__ ((visibility ("default")))
ZLINK_EXPORT ssize_t read (int fd, void *to, size_t size)
{
    static constinit next_call<ssize_t (int, void *, size_t)> next ("read");
    count (reads_writes);
    return next (fd, to, size);
}

ZLINK_EXPORT ssize_t write (int fd, const void *from, size_t size)
{
    static constinit next_call<ssize_t (int, const void *, size_t)> next ("write");
    count (size == eventfd_bytes ? wakes : reads_writes);
    return count_written (next (fd, from, size));
}

ZLINK_EXPORT ssize_t readv (int fd, const iovec *parts, int parts_count)
{
    static constinit next_call<ssize_t (int, const iovec *, int)> next ("readv");
    count (reads_writes);
    return next (fd, parts, parts_count);
}

ZLINK_EXPORT ssize_t writev (int fd, const iovec *parts, int parts_count)
{
    static constinit next_call<ssize_t (int, const iovec *, int)> next ("writev");
    count (reads_writes);
    return count_written (next (fd, parts, parts_count));
}

ZLINK_EXPORT ssize_t recv (int fd, void *to, size_t size, int flags)
{
    static constinit next_call<ssize_t (int, void *, size_t, int)> next ("recv");
    count (reads_writes);
    return next (fd, to, size, flags);
}

ZLINK_EXPORT ssize_t send (int fd, const void *from, size_t size, int flags)
{
    static constinit next_call<ssize_t (int, const void *, size_t, int)> next ("send");
    count (reads_writes);
    return count_written (next (fd, from, size, flags));
}

ZLINK_EXPORT ssize_t recvmsg (int fd, msghdr *message, int flags)
{
    static constinit next_call<ssize_t (int, msghdr *, int)> next ("recvmsg");
    count (reads_writes);
    return next (fd, message, flags);
}

ZLINK_EXPORT ssize_t sendmsg (int fd, const msghdr *message, int flags)
{
    static constinit next_call<ssize_t (int, const msghdr *, int)> next ("sendmsg");
    count (reads_writes);
    return count_written (next (fd, message, flags));
}

ZLINK_EXPORT int poll (pollfd *entries, nfds_t size, int timeout_ms)
{
    static constinit next_call<int (pollfd *, nfds_t, int)> next ("poll");
    count (polls);
    return next (entries, size, timeout_ms);
}

ZLINK_EXPORT int ppoll (pollfd *entries, nfds_t size, const timespec *timeout, const sigset_t *mask)
{
    static constinit next_call<int (pollfd *, nfds_t, const timespec *, const sigset_t *)> next ("ppoll");
    count (polls);
    return next (entries, size, timeout, mask);
}

ZLINK_EXPORT int epoll_wait (int fd, epoll_event *events, int size, int timeout_ms)
{
    static constinit next_call<int (int, epoll_event *, int, int)> next ("epoll_wait");
    count (polls);
    return next (fd, events, size, timeout_ms);
}

ZLINK_EXPORT int epoll_pwait (int fd, epoll_event *events, int size, int timeout_ms, const sigset_t *mask)
{
    static constinit next_call<int (int, epoll_event *, int, int, const sigset_t *)> next ("epoll_pwait");
    count (polls);
    return next (fd, events, size, timeout_ms, mask);
}

ZLINK_EXPORT int
epoll_pwait2 (int fd, epoll_event *events, int size, const timespec *timeout, const sigset_t *mask)
{
    static constinit next_call<int (int, epoll_event *, int, const timespec *, const sigset_t *)> next (
      "epoll_pwait2");
    count (polls);
    return next (fd, events, size, timeout, mask);
}

ZLINK_EXPORT int eventfd_write (int fd, std::uint64_t value)
{
    static constinit next_call<int (int, std::uint64_t)> next ("eventfd_write");
    count (wakes);
    return next (fd, value);
}

ZLINK_EXPORT long syscall (long number, ...)
{
    static constinit next_call<long (long, long, long, long, long, long, long)> next ("syscall");
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
    return next (number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
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
    into->bytes_written = counters[bytes_written].value.load (std::memory_order_relaxed);
    into->allocations = counters[allocations].value.load (std::memory_order_relaxed);
}
