// Waits for peers: until they are connected, until they have asked for topics
// (PUB, XPUB), until they have read what we asked for (SUB, XSUB; socket_listeners).
#include <algorithm>

#include "engine/socket_core.hpp"

namespace zlink::engine {

namespace {

// Whether it answers depends on what else it has to say.
constexpr time_ns ask_again_ns = 100 * base::ns_per_ms;

// Peers of that kind.
bool has (const pattern_traits &type, socket_core::awaited what) noexcept
{
    switch (what) {
    case socket_core::awaited::subscribers:
        return type.takes_topics;
    case socket_core::awaited::listeners:
        return type.asks_topics;
    default:
        return true;
    }
}

}  // namespace

result<void>
socket_core::wait_peers (std::uint32_t generation, awaited what, unsigned count, time_ns timeout_ns) noexcept
{
    lock ();
    const time_ns deadline = timeout_ns < 0 ? base::never_ns : now_ns () + timeout_ns;
    errc bad = check_locked (generation);
    if (bad == errc::ok && !has (traits_, what))
        bad = errc::not_supported;
    const std::uint64_t mark = topics_ != nullptr ? topics_->changes : 0;
    while (bad == errc::ok && peers_locked (what, mark) < count) {
        if (owes_topics_locked () && pay_topics_locked ())
            continue;
        const time_ns until = std::min (deadline, next_look_locked (what));
        ++peer_changes_.waiting;
        const errc ended = wait_word_locked (peer_changes_, until, false);
        --peer_changes_.waiting;
        const bool over = ended == errc::would_block;
        if (over && until < deadline)
            ask_again_locked ();
        else if (ended != errc::ok)
            bad = over ? errc::timed_out : ended;
        if (bad == errc::ok)
            bad = check_locked (generation);
    }
    unlock ();
    return bad;
}

// When who waits for that looks again by itself.
time_ns socket_core::next_look_locked (awaited what) noexcept
{
    if (owes_topics_locked ())
        return now_ns () + topics_look_ns;
    return what == awaited::listeners ? now_ns () + ask_again_ns : base::never_ns;
}

unsigned socket_core::peers_locked (awaited what, std::uint64_t mark) noexcept
{
    switch (what) {
    case awaited::subscribers:
        return topics_->subscribers;
    case awaited::listeners:
        return listeners_locked (mark);
    default:
        return peers_;
    }
}

// Somebody may wait for just that.
void socket_core::peers_changed_locked () noexcept
{
    if (peer_changes_.waiting == 0)
        return;
    peer_changes_.sequence.fetch_add (1, std::memory_order_seq_cst);
    todo_ |= todo_wake_everybody;
}

}  // namespace zlink::engine
