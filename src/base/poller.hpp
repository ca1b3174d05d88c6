// Seam: readiness of kernel objects.
//
// A poller is a set of handles. It can itself be a member of another set
// (nests() says so): it is readable while it has events to report.
// Thread rule: add, modify, remove and wake from any thread; several threads
// may wait, each event goes to one of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/watcher.hpp"

namespace zlink::base {

// A kernel object that can be polled: a descriptor, or the simulator's number.
using io_handle = int;
inline constexpr io_handle no_handle = -1;

enum interest : std::uint32_t
{
    interest_read = 1,
    interest_write = 2,
    interest_edge = 4,      // report changes only
    interest_one_shot = 8,  // report once, then stay silent until modify
    // Never under edge: level is the default.
};

enum readiness : std::uint32_t
{
    ready_read = 1,
    ready_write = 2,
    ready_hangup = 4,  // the peer closed its side, or the connection failed
};

struct poll_event
{
    std::uint64_t tag;
    std::uint32_t ready;  // readiness bits
};

// The tag reported for wake(). Callers must not use it for handles.
inline constexpr std::uint64_t wake_tag = UINT64_MAX;

class poller : public watcher
{
  public:
    virtual result<void> add (io_handle handle, std::uint32_t interest, std::uint64_t tag) noexcept = 0;
    virtual result<void> modify (io_handle handle, std::uint32_t interest, std::uint64_t tag) noexcept = 0;
    // Removing what is not there is not an error.
    virtual void remove (io_handle handle) noexcept = 0;

    // Fills events; returns how many. timeout_ns: 0 = look and return,
    // negative = no limit. errc::interrupted after a signal. Events may be
    // stale (the handle was removed meanwhile): the tag must tell.
    virtual result<std::size_t> wait (std::span<poll_event> events, time_ns timeout_ns) noexcept = 0;

    // The same with a time-out that is kept as exactly as the platform can, at
    // the price of some system calls.
    virtual result<std::size_t> wait_keenly (std::span<poll_event> events, time_ns timeout_ns) noexcept
    {
        return wait (events, timeout_ns);
    }

    // Makes one current or the next wait return with a wake_tag event.
    void wake () noexcept override = 0;

    // This set as a member of another.
    [[nodiscard]] virtual io_handle handle () const noexcept = 0;
};

// One object to wait on, for callers that wait on a mixture (zmq_poll).
struct poll_entry
{
    io_handle handle;
    std::uint32_t interest;  // interest_read | interest_write
    std::uint32_t ready;     // out
};

// Which signals stay blocked during a wait: the platform's own set (a sigset_t
// of POSIX), which must stay valid during the call. Null: the thread's current
// one.
struct signal_mask
{
    const void *platform_set = nullptr;
};

class poller_factory
{
  public:
    virtual ~poller_factory () = default;

    // A new empty set. Uses two descriptors. errc::too_many_files and
    // errc::no_memory are ordinary answers.
    virtual result<std::unique_ptr<poller>> make () noexcept = 0;

    // False where sets cannot be members of sets: then the reactor does all
    // the reading.
    [[nodiscard]] virtual bool nests () const noexcept = 0;

    // Level-triggered wait on a list, for the length of the call only.
    // Returns how many entries are ready. timeout as in poller::wait. The mask
    // replaces the thread's for exactly as long as it sleeps: a signal that
    // only the mask lets through ends the wait (interrupted), one that came
    // before it too. errc::not_supported where there are no masks.
    virtual result<std::size_t>
    wait_list (std::span<poll_entry> entries, time_ns timeout_ns, signal_mask mask) noexcept = 0;
};

}  // namespace zlink::base
