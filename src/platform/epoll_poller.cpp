#include "platform/epoll_poller.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <linux/time_types.h>
#include <new>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/os_error.hpp"
#include "platform/timeout.hpp"

namespace zlink::platform {

namespace {

using base::result;

constexpr std::size_t events_per_wait = 256;
constexpr std::size_t entries_on_stack = 64;

#ifdef SYS_epoll_pwait2
constexpr long epoll_pwait2_number = SYS_epoll_pwait2;
#else
constexpr long epoll_pwait2_number = 441;
#endif

int wait_fine (int set, epoll_event *events, int room, base::time_ns timeout_ns) noexcept
{
    const __kernel_timespec timeout{timeout_ns / base::ns_per_s, timeout_ns % base::ns_per_s};
    return static_cast<int> (
      ::syscall (epoll_pwait2_number, set, events, room, &timeout, nullptr, std::size_t{0}));
}

bool kernel_waits_in_nanoseconds () noexcept
{
    epoll_event unused{};
    return wait_fine (-1, &unused, 1, 0) == 0 || errno != ENOSYS;
}

std::uint32_t to_epoll (std::uint32_t interest) noexcept
{
    std::uint32_t bits = 0;
    if ((interest & base::interest_read) != 0)
        bits |= EPOLLIN;
    if ((interest & base::interest_write) != 0)
        bits |= EPOLLOUT;
    if ((interest & base::interest_edge) != 0)
        bits |= EPOLLET | EPOLLRDHUP;
    if ((interest & base::interest_one_shot) != 0)
        bits |= EPOLLONESHOT;
    return bits;
}

std::uint32_t from_epoll (std::uint32_t bits) noexcept
{
    std::uint32_t ready = 0;
    if ((bits & EPOLLIN) != 0)
        ready |= base::ready_read;
    if ((bits & EPOLLOUT) != 0)
        ready |= base::ready_write;
    if ((bits & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0)
        ready |= base::ready_hangup;
    return ready;
}

std::uint32_t from_poll (short bits) noexcept
{
    std::uint32_t ready = 0;
    if ((bits & POLLIN) != 0)
        ready |= base::ready_read;
    if ((bits & POLLOUT) != 0)
        ready |= base::ready_write;
    if ((bits & (POLLHUP | POLLERR | POLLNVAL)) != 0)
        ready |= base::ready_hangup;
    return ready;
}

result<std::size_t> poll_entries (std::span<base::poll_entry> entries,
                                  pollfd *list,
                                  base::time_ns timeout_ns,
                                  base::signal_mask mask) noexcept
{
    for (std::size_t i = 0; i < entries.size (); ++i) {
        short wanted = 0;
        if ((entries[i].interest & base::interest_read) != 0)
            wanted |= POLLIN;
        if ((entries[i].interest & base::interest_write) != 0)
            wanted |= POLLOUT;
        list[i] = {entries[i].handle, wanted, 0};
    }
    const timespec timeout = to_timespec (timeout_ns);
    const int ready = ::ppoll (list, entries.size (), timeout_ns < 0 ? nullptr : &timeout,
                               static_cast<const sigset_t *> (mask.platform_set));
    if (ready < 0)
        return last_os_error ();
    for (std::size_t i = 0; i < entries.size (); ++i)
        entries[i].ready = from_poll (list[i].revents);
    return static_cast<std::size_t> (ready);
}

}  // namespace

epoll_poller::epoll_poller (descriptor set, descriptor signal, bool nanoseconds) noexcept
  : set_ (std::move (set)), signal_ (std::move (signal)), nanoseconds_ (nanoseconds)
{
}

result<void>
epoll_poller::control (int operation, int handle, std::uint32_t interest, std::uint64_t tag) noexcept
{
    epoll_event event{};
    event.events = to_epoll (interest);
    event.data.u64 = tag;
    if (::epoll_ctl (set_.get (), operation, handle, &event) != 0)
        return last_os_error ();
    return {};
}

result<void> epoll_poller::add (base::io_handle handle, std::uint32_t interest, std::uint64_t tag) noexcept
{
    return control (EPOLL_CTL_ADD, handle, interest, tag);
}

result<void> epoll_poller::modify (base::io_handle handle, std::uint32_t interest, std::uint64_t tag) noexcept
{
    return control (EPOLL_CTL_MOD, handle, interest, tag);
}

void epoll_poller::remove (base::io_handle handle) noexcept
{
    if (handle >= 0)
        ::epoll_ctl (set_.get (), EPOLL_CTL_DEL, handle, nullptr);
}

result<std::size_t> epoll_poller::wait (std::span<base::poll_event> events, base::time_ns timeout_ns) noexcept
{
    std::array<epoll_event, events_per_wait> raw;
    const int room = static_cast<int> (std::min (events.size (), raw.size ()));
    int got;
    if (timeout_ns <= 0)
        got = ::epoll_wait (set_.get (), raw.data (), room, timeout_ns < 0 ? -1 : 0);
    else if (nanoseconds_)
        got = wait_fine (set_.get (), raw.data (), room, timeout_ns);
    else
        got = ::epoll_wait (set_.get (), raw.data (), room, to_milliseconds_up (timeout_ns));
    if (got < 0)
        return last_os_error ();
    for (int i = 0; i < got; ++i)
        events[i] = {raw[i].data.u64, from_epoll (raw[i].events)};
    return static_cast<std::size_t> (got);
}

// The kernel may be late by the thread's timer slack, 50 us unless told.
result<std::size_t> epoll_poller::wait_keenly (std::span<base::poll_event> events,
                                               base::time_ns timeout_ns) noexcept
{
    const int slack_ns = ::prctl (PR_GET_TIMERSLACK, 0, 0, 0, 0);
    if (slack_ns > 1)
        ::prctl (PR_SET_TIMERSLACK, 1, 0, 0, 0);
    result<std::size_t> seen = wait (events, timeout_ns);
    if (slack_ns > 1)
        ::prctl (PR_SET_TIMERSLACK, slack_ns, 0, 0, 0);
    return seen;
}

void epoll_poller::wake () noexcept
{
    // Every write is a new edge. The counter would be full after 2^64 wakes.
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write (signal_.get (), &one, sizeof one);
}

epoll_poller_factory::epoll_poller_factory () noexcept : nanoseconds_ (kernel_waits_in_nanoseconds ()) {}

result<std::unique_ptr<base::poller>> epoll_poller_factory::make () noexcept
{
    descriptor set (::epoll_create1 (EPOLL_CLOEXEC));
    if (!set.valid ())
        return last_os_error ();
    descriptor signal (::eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!signal.valid ())
        return last_os_error ();
    epoll_event event{};
    event.events = EPOLLIN | EPOLLET;
    event.data.u64 = base::wake_tag;
    if (::epoll_ctl (set.get (), EPOLL_CTL_ADD, signal.get (), &event) != 0)
        return last_os_error ();
    auto *made = new (std::nothrow) epoll_poller (std::move (set), std::move (signal), nanoseconds_);
    if (made == nullptr)
        return base::errc::no_memory;
    return std::unique_ptr<base::poller> (made);
}

result<std::size_t> epoll_poller_factory::wait_list (std::span<base::poll_entry> entries,
                                                     base::time_ns timeout_ns,
                                                     base::signal_mask mask) noexcept
{
    if (entries.size () <= entries_on_stack) {
        std::array<pollfd, entries_on_stack> list;
        return poll_entries (entries, list.data (), timeout_ns, mask);
    }
    const std::unique_ptr<pollfd[]> list (new (std::nothrow) pollfd[entries.size ()]);
    if (!list)
        return base::errc::no_memory;
    return poll_entries (entries, list.get (), timeout_ns, mask);
}

}  // namespace zlink::platform
