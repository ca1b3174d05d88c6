// Streams around the system's stream (base/wrapping_stream.hpp): their handshake,
// which comes before the session's, and what they have to say afterwards that no
// event tells.
#include "engine/socket_core.hpp"

namespace zlink::engine {

void socket_core::begin_opening_locked (connection &which) noexcept
{
    which.shapes_stream = which.of_datagrams || which.stream->wraps ();
    which.opened = !which.stream->wraps ();
}

// False: its handshake is not over, or has failed.
bool socket_core::open_stream_locked (connection &which) noexcept
{
    result<void> outcome;
    {
        const away gone (*this);
        outcome = which.stream->open ();
    }
    if (which.state != connection_state::handshaking || outcome.code () == errc::would_block)
        return false;
    which.opened = outcome.ok ();
    if (!outcome.ok ())
        lose_locked (which, why_unreadable (*which.stream, outcome.code ()), outcome.failure ().os_code);
    return which.opened;
}

std::uint32_t socket_core::opening_interest_locked (const connection &which) const noexcept
{
    return which.stream->owes () ? base::interest_write : base::interest_read;
}

base::close_reason socket_core::why_unreadable (const base::stream &from, errc failure) noexcept
{
    if (from.fault () != base::close_reason::none)
        return from.fault ();
    return failure == errc::connection_reset ? base::close_reason::connection_reset
                                             : base::close_reason::read_failed;
}

// Its stream is not the system's alone. What it owes because of what it has read
// is written like anything else.
void socket_core::commit_shaped_read_locked (connection &which, bool news) noexcept
{
    if (which.of_datagrams)
        count_unread_locked (which);
    if (news && which.stream->pending ())
        which.maybe_readable = true;
    if (which.owes || !which.stream->owes ())
        return;
    which.owes = true;
    if (which.can_write () && !which.tx_claimed && !which.tx_armed)
        mark_tail_locked (which);
}

void socket_core::commit_shaped_write_locked (connection &which) noexcept
{
    if (which.of_datagrams)
        count_unsent_locked (which);
    which.owes = which.stream->owes ();
    if (!which.has_output ())
        which.waiting.stop ();
}

}  // namespace zlink::engine
