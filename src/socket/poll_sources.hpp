// What sockets hold of a poll_set: a watcher each, which puts itself on the
// set's list of those that have something new.
//
// Thread rule: note and wake by the watcher's rule, so that no two threads note
// the same source at once; the poller by its own; everything else by the thread
// of the set.
// Lifetime: sockets and wakes under way share all sources as one, so a source
// is used again, never freed, while the set lives, and a late wake finds its
// memory; it may then wake in vain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "base/atomic.hpp"
#include "base/poller.hpp"
#include "base/watcher.hpp"
#include "engine/socket_core.hpp"

namespace zlink::socket {

struct poll_sources;

struct poll_source final : base::watcher
{
    static constexpr std::size_t no_item = SIZE_MAX;

    poll_source (poll_sources &all, std::size_t at) noexcept : of (all), index (at) {}
    void note () noexcept override;
    void wake () noexcept override;

    poll_sources &of;
    const std::size_t index;
    void *socket = nullptr;                    // null: not in use
    engine::socket_ref asked;                  // whom it watches; slot null: nobody
    std::size_t first_item = no_item;          // of those with this socket
    unsigned interest = 0;                     // of all of them
    unsigned ready = 0;                        // of the interest, as last seen
    bool hot = false;                          // it is to be looked at
    base::io_handle kernel = base::no_handle;  // what is a member of the poller
    std::uint64_t tag = 0;                     // of that membership

    base::atomic<bool> on_list{false};
    poll_source *next_noted = nullptr;  // by whoever put it on the list
};

struct poll_sources
{
    std::unique_ptr<base::poller> poller;  // null until a socket is asked
    std::deque<poll_source> all;
    std::vector<poll_source *> unused;
    std::uint32_t memberships = 0;  // so many were made

    base::atomic<poll_source *> noted{nullptr};
    base::atomic<bool> asleep{false};  // a wake has to end a wait
};

// Who takes a source from the list clears its mark first and looks at the
// socket then, under its lock: where the mark is still up, that look is ahead.
inline void poll_source::note () noexcept
{
    if (on_list.load (std::memory_order_acquire))  // whoever took it has read next_noted
        return;
    on_list.store (true, std::memory_order_relaxed);
    next_noted = of.noted.load (std::memory_order_relaxed);
    while (!of.noted.compare_exchange_weak (next_noted, this, std::memory_order_seq_cst,
                                            std::memory_order_relaxed))
        ;
}

// Either the sleeper sees the list, or we see that it sleeps.
inline void poll_source::wake () noexcept
{
    if (of.asleep.load (std::memory_order_seq_cst) && of.asleep.exchange (false, std::memory_order_seq_cst))
        of.poller->wake ();
}

}  // namespace zlink::socket
