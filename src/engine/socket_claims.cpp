// Claims: the system calls of a connection, made with the lock dropped.
//
// flush_locked and fill_locked take the claim, make their calls and leave
// through release_tx_locked and release_rx_locked, whatever happened.
#include <algorithm>
#include <array>
#include <utility>

#include "engine/lull.hpp"
#include "engine/socket_core.hpp"

namespace zlink::engine {

void socket_core::flush_locked (connection &which, unsigned rounds, urgency when) noexcept
{
    if (which.tx_claimed || which.tx_armed || !which.can_write ())
        return;
    encode_waiting_locked (which);
    if (which.out.empty () && !which.owes)
        return;
    which.tx_claimed = true;
    std::size_t budget = combine_bytes_max;
    for (;;) {
        const wrote what = write_once_locked (which, budget);
        const bool again = what == wrote::some || (what == wrote::full && arm_locked (which));
        if (!again || --rounds == 0 || budget == 0 || !which.can_write ())
            break;
        encode_waiting_locked (which);
    }
    release_tx_locked (which, when);
}

// One write. Whoever meets a full kernel waits for it or arms the event.
socket_core::wrote socket_core::write_once_locked (connection &which, std::size_t &budget) noexcept
{
    std::array<base::bytes_view, slices_per_write_max> slices;
    const std::size_t count = which.out.gather (slices);
    if (count == 0 && !which.owes)
        return wrote::all;
    std::size_t total = 0;
    for (std::size_t i = 0; i < count; ++i)
        total += slices[i].size ();

    result<std::size_t> outcome{std::size_t{0}};
    which.offered_bytes = total;
    {
        const away gone (*this);
        outcome = which.stream->write (std::span (slices.data (), count));
    }
    which.offered_bytes = 0;
    ++which.passed.write_calls;
    if (which.shapes_stream) [[unlikely]]
        commit_shaped_write_locked (which);
    if (!outcome.ok ()) {
        if (outcome.code () == errc::would_block)
            return wrote::full;
        which.tx_dead = true;
        attend_to_locked (which);
        which.reason = base::close_reason::write_failed;
        which.os_error = outcome.failure ().os_code;
        warn_answer_locked (which, which.reason, outcome.failure ());
        return wrote::failed;
    }
    if (total > 0)
        commit_written_locked (which, outcome.value ());
    budget -= std::min (budget, outcome.value ());
    if (!which.has_output ())
        return wrote::all;
    return outcome.value () == total ? wrote::some : wrote::full;
}

void socket_core::commit_written_locked (connection &which, std::size_t bytes) noexcept
{
    const written done = which.out.advance (bytes);
    which.passed.wire_bytes_sent += bytes;
    which.settled_messages += static_cast<std::uint64_t> (done.messages);
    credit_line &credit = which.credit;
    if (done.messages > 0 && credit.owed_messages == 0)
        credit.owed_since_ticks = owner_->world.time.ticks ();
    credit.owed_messages += done.messages;
    credit.owed_bytes += done.bytes;
    if (!which.has_output ())
        which.waiting.stop ();
    else if (which.waiting.turned (which.settled_messages))
        which.waiting.turn (owner_->world.time.ticks (), which.passed.messages_sent);
    // A lost connection does not count any more.
    if (which.out.empty () && which.state != connection_state::lost) {
        --unwritten_connections_;
        burst_.wrote ();
    }
}

// The kernel is full: the reactor will say when it is not. The caller holds
// the tx claim. True when that has happened already.
bool socket_core::arm_locked (connection &which) noexcept
{
    which.tx_armed = true;  // before the call: the event may fire inside it
    if (!which.waiting.runs ())
        which.waiting.start (owner_->world.time.ticks (), which.passed.messages_sent);
    const bool known = std::exchange (which.in_outer, true);
    const base::io_handle handle = which.stream->handle ();
    const std::uint64_t tag = tag_of (which);
    // Without an inner set the reactor's is where arrivals are told, too.
    // Who is closing goes on reading while it waits: see advance_drain_locked.
    const bool discards = which.state == connection_state::draining && !which.rx_ended;
    const std::uint32_t wish =
      inner_ != nullptr
        ? base::interest_write | base::interest_one_shot | (discards ? std::uint32_t{base::interest_read} : 0)
        : base::interest_read | base::interest_write | base::interest_edge;
    result<void> armed;
    {
        const away gone (*this);
        armed =
          known ? reactor_->set ().modify (handle, wish, tag) : reactor_->set ().add (handle, wish, tag);
    }
    if (!armed.ok ()) {
        // Nothing will tell us: the dirty list tries again.
        which.in_outer = known;
        which.tx_armed = false;
        return false;
    }
    return !which.tx_armed;
}

// Behind a write: memory may have been given back, and a pipe that holds
// nothing any more takes the next message.
void socket_core::settle_budget_locked (connection &which) noexcept
{
    if (which.out.empty ())
        which.out.release_arena ();
    note_freed_locked ();
    if (held_back_.load (std::memory_order_relaxed))
        resume_held_locked ();
}

void socket_core::release_tx_locked (connection &which, urgency when) noexcept
{
    which.tx_claimed = false;
    if (budget_ != nullptr) [[unlikely]]
        settle_budget_locked (which);
    if (which.leaving || which.state == connection_state::lost) {
        erase_locked (which);
        return;
    }
    if (which.tx_dead) {
        // What the peer had sent is still read, to its end, unless it was
        // ended here: nobody takes it then.
        if (which.state != connection_state::draining) {
            which.maybe_readable = true;
            list_locked (which);
        }
        post_locked ();
        return;
    }
    return_credit_locked (which, when);
    if (which.state == connection_state::draining && !which.has_output ())
        post_locked ();
    else if (which.out.empty ())
        which.out.release_arena ();
    if (which.has_output () && !which.tx_armed)
        mark_tail_locked (which);
}

// At the end of a write: somebody who waits or watches learns of new credit; and
// who rests while others are sent to is in turn again. Who is alone meets the
// mark: see refresh_locked.
void socket_core::return_credit_locked (connection &which, urgency when) noexcept
{
    const bool watched = senders_.waiting > 0 || watchers_wait_ || handle_set_ != nullptr;
    if (!watched && which.balance_index < balance_active_) [[likely]]
        return;
    if (which.credit.owed_messages == 0 || (!watched && balance_active_ == 0))
        return;
    const bool had = which.credit.available ();
    if (which.credit.give_back () && !had) {
        activate_locked (which);
        tell_senders_locked (when);
    }
}

void socket_core::encode_waiting_locked (connection &which) noexcept
{
    encode_pending_locked (which);
    if (which.behind != nullptr) [[unlikely]]
        catch_up_locked (which);
}

// Moves messages that waited for a session into the out-queue.
void socket_core::encode_pending_locked (connection &which) noexcept
{
    if (which.pending.empty () || (wish_.conflate && !which.out.empty ()))
        return;
    const bool was_empty = which.out.empty ();
    while (!which.pending.empty ()) {
        base::message &part = which.pending.front ();
        const std::size_t before = which.out.unwritten_bytes ();
        const bool more = part.more ();
        bool done = false;
        base::body *held = part.size () >= large_body_bytes_min ? part.shared_body () : nullptr;
        if (held != nullptr) {
            held->retain ();
            done = which.out.append_body (held, more);
            if (!done)
                held->drop ();
        } else {
            done = which.out.append_copy (part.view (), more, false);
        }
        if (!done)
            break;  // out of memory: tried again at the next flush
        // What it took so far was its body.
        which.credit.bytes -=
          static_cast<std::int64_t> (which.out.unwritten_bytes () - before - part.size ());
        which.pending_bytes -= part.size ();
        part.close ();
        which.pending.pop_front ();
        which.pending_messages -= !more;
    }
    if (was_empty && !which.out.empty ())
        ++unwritten_connections_;
}

// What one read may bring. Messages are taken from all ready connections in
// turn: what was read must still be in the cache when its turn comes.
std::size_t socket_core::read_bytes_max_locked () const noexcept
{
    return std::max (slabs_in_turn_bytes_max / std::max<std::size_t> (ready_.size (), 1), slab_bytes_min);
}

// One read into the slab. True when the connection has something new to show:
// data, or its end.
bool socket_core::fill_locked (connection &which) noexcept
{
    in_buffer::read_slices slices;
    // A stream that shapes what it reads has copied it once already.
    const base::bytes_span landing = std::exchange (landing_, base::bytes_span ());
    const std::size_t count = which.in.prepare (slices, read_bytes_max_locked (),
                                                which.shapes_stream ? base::bytes_span () : landing);
    if (count == 0)
        return false;
    which.rx_claimed = true;
    which.maybe_readable = false;  // before the read: an edge from now on counts
    const bool lands = which.in.lands ();
    const bool stays = lands && wish_.adaptive_spin && owner_->world.sleep.cores () > 1;
    const unsigned looks = !stays ? 0 : in_no_hurry_locked () ? patient_looks_max : keen_looks_max;
    read_outcome got;
    {
        const away gone (*this);
        const std::span wanted (slices.data (), count);
        if (read_once (which, wanted, got) && lands) [[unlikely]]
            read_landing (which, wanted, got, looks);
    }
    note_size_locked (lands, got.bytes);
    return commit_read_locked (which, got);
}

// A header may come by itself: a few small reads in a row say that bodies are small.
void socket_core::note_size_locked (bool lands, std::size_t bytes) noexcept
{
    if (bytes >= large_body_bytes_min) {
        small_reads_ = 0;
        large_bytes_ = bytes;
    } else if (bytes > 0 && !lands && ++small_reads_ >= small_reads_max) {
        large_bytes_ = 0;
    }
}

// Without the lock. True when something came.
bool socket_core::read_once (connection &which,
                             std::span<const base::bytes_span> slices,
                             read_outcome &got) noexcept
{
    std::size_t asked = 0;
    for (const base::bytes_span &each : slices)
        asked += each.size ();
    got.last = which.stream->read (slices);
    ++got.calls;
    const std::size_t bytes = got.last.ok () ? got.last.value () : 0;
    got.bytes += bytes;
    got.filled = bytes == asked;
    return bytes > 0;
}

// Goes on while a landing needs only the rest of its body: the buffer is lent
// for this one claim. Without the lock.
void socket_core::read_landing (connection &which,
                                std::span<base::bytes_span> slices,
                                read_outcome &got,
                                unsigned looks_left) noexcept
{
    static_assert (patient_looks_max != keen_looks_max);  // by which they are told apart
    lull between =
      looks_left == patient_looks_max ? lull::patient (slices.front ().size ()) : lull (keen_lull_ns);
    while (which.in.landing_goes_on (got.bytes)) {
        slices = base::without_front (slices, got.last.ok () ? got.last.value () : 0);
        if (read_once (which, slices, got))
            continue;
        if (got.last.ok () || got.last.code () != errc::would_block || looks_left == 0)
            return;
        --looks_left;
        between.pass (owner_->world);
    }
}

bool socket_core::commit_read_locked (connection &which, const read_outcome &got) noexcept
{
    read_calls_ += got.calls;
    which.passed.read_calls += got.calls;
    which.passed.wire_bytes_received += got.bytes;
    bool news = got.bytes > 0;
    if (which.shapes_stream) [[unlikely]]
        commit_shaped_read_locked (which, news);
    if (news || which.in.commit_is_due ())
        which.in.commit (got.bytes);
    if (news) {
        which.beat.heard ();
        burst_.data_arrived ();
        own_burst ().data_arrived ();
        which.maybe_readable = which.maybe_readable || got.filled || which.hangup || which.tx_dead;
    }
    if (got.last.ok ()) {
        if (got.last.value () == 0) {
            news = which.rx_ended = true;
            which.reason = which.tx_dead ? which.reason : base::close_reason::peer_closed;
        }
    } else if (got.last.code () != errc::would_block) {
        news = which.rx_ended = true;
        which.os_error = got.last.failure ().os_code;
        which.reason = why_unreadable (*which.stream, got.last.code ());
        warn_answer_locked (which, which.reason, got.last.failure ());
    } else if (!news && which.tx_dead && !which.hangup) {
        news = which.rx_ended = true;  // a stream that cannot be written and has no more to say
        post_locked ();                // the attention that it needs found the claim held
    }
    release_rx_locked (which);
    return news;
}

void socket_core::release_rx_locked (connection &which) noexcept
{
    which.rx_claimed = false;
    note_freed_locked ();
    if (which.leaving || which.state == connection_state::lost) {
        erase_locked (which);
        return;
    }
    if (which.state == connection_state::draining) {
        post_locked ();  // the drain found the claim held
        return;
    }
    if (!which.in.idle () || which.rx_ended || which.maybe_readable) {
        list_locked (which);
        // A poll that looked while the claim was held saw nothing.
        tell_watchers_locked ();
    }
}

}  // namespace zlink::engine
