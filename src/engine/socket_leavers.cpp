// Accepted peers that have left before the application has received what they
// had sent: how much of ours they may hold. And those that never come in.
//
// Nothing of this is on a message's way. The reactor looks at all of them when
// it has admitted a number of peers, or has no descriptor for the next one. A
// stream that has been read to its end is given back; what came by it stays
// where it is until it is received. With rx_ended and tx_dead nobody asks for
// the stream any more, but a drain, which then has nothing to do.
#include <algorithm>
#include <utility>

#include "engine/socket_core.hpp"

namespace zlink::engine {

namespace {

// Of those with a full slab the system has said so.
bool has_left (const connection &which) noexcept
{
    return which.dialled_by == nullptr && which.state == connection_state::ready
           && (which.rx_ended || which.hangup);
}

// It has come, and nobody knows yet who it is.
bool is_half_open (const connection &which) noexcept
{
    return which.dialled_by == nullptr && which.state == connection_state::handshaking
           && !which.waits_for_name && !which.claimed ();
}

// Nothing comes by its stream any more, and nothing waits to go out. Plain
// sockets end their side and then wait for an answer: theirs stay.
bool is_done_with (const connection &which) noexcept
{
    return which.stream != nullptr && which.rx_ended && !which.claimed () && !which.bare ()
           && (which.tx_dead || !which.has_output ());
}

}  // namespace

// May somebody come in? If not, accepting pauses. The lock is dropped.
bool socket_core::make_way_locked (endpoint &from) noexcept
{
    if (admissions_ < admissions_per_look || phase_ != phase::open)
        return true;
    from.busy = true;
    const leavers left = look_at_leavers_locked (leaver_streams_kept);
    from.busy = false;
    if (left.streams < leaver_streams_max && left.count < leavers_max && left.bytes < leaver_bytes_max) {
        admissions_ = 0;
        return !from.removed;
    }
    if (!from.removed)
        not_accepting_locked (from, {errc::no_memory, 0});
    return false;
}

// True: some are given back at the next unlock. The lock is dropped.
bool socket_core::find_descriptors_locked (endpoint &from) noexcept
{
    from.busy = true;
    const leavers left = look_at_leavers_locked (0);
    from.busy = false;
    return left.let_go > 0 || end_oldest_handshakes_locked ();
}

// Those that began first, so that a crowd is not looked through for each of it.
bool socket_core::end_oldest_handshakes_locked () noexcept
{
    const time_ns latest = now_ns () - half_open_min_ns;
    time_ns first = base::never_ns;
    for (const std::unique_ptr<connection> &each : connections_)
        if (each != nullptr && is_half_open (*each))
            first = std::min (first, each->ready_since_ns);
    if (first > latest)
        return false;
    for (const std::unique_ptr<connection> &each : connections_)
        if (each != nullptr && is_half_open (*each)
            && each->ready_since_ns <= std::min (latest, first + half_open_together_ns))
            lose_locked (*each, base::close_reason::limit_reached, 0);
    return true;
}

// Reads what there is room for, as only the end of what a peer has sent says
// that it has left; then sees to each that has.
socket_core::leavers socket_core::look_at_leavers_locked (std::size_t streams_kept) noexcept
{
    unsigned harvests = harvests_per_look_max;
    while (harvest_locked () == events_per_harvest_max && --harvests > 0)
        ;
    read_for_owner_locked ();
    leavers sum;
    for (const std::unique_ptr<connection> &each : connections_)
        if (each != nullptr && has_left (*each))
            see_to_leaver_locked (*each, streams_kept, sum);
    if (sum.let_go > 0) {
        // Who waits for room at one of them looks again.
        senders_.sequence.fetch_add (1, std::memory_order_seq_cst);
        todo_ |= todo_wake_everybody;
    }
    return sum;
}

// What came by it stays. Nobody holds a claim.
void socket_core::let_stream_go_locked (connection &which) noexcept
{
    which.tx_dead = which.rx_ended = true;
    which.tx_armed = which.in_outer = false;
    doom_locked (std::move (which.stream));
}

void socket_core::see_to_leaver_locked (connection &which, std::size_t streams_kept, leavers &sum) noexcept
{
    if (is_done_with (which) && sum.streams >= streams_kept) {
        let_stream_go_locked (which);
        ++sum.let_go;
    }
    if (which.rx_ended && !which.rx_claimed && inside_ != &which)
        which.in.shrink ();
    ++sum.count;
    sum.streams += which.stream != nullptr;
    sum.bytes += which.in.unread_bytes ();
}

}  // namespace zlink::engine
