// The understudy's turns: what the reactor does for a socket.
#include <algorithm>
#include <array>
#include <utility>

#include "engine/socket_core.hpp"

namespace zlink::engine {

namespace {

// No receive call for this long: nobody attends.
constexpr time_ns attention_ns = 100 * base::ns_per_ms;

// A read may bring more of it, and has room.
bool may_read (const connection &which) noexcept
{
    return which.maybe_readable && !which.rx_ended && which.in.has_room ();
}

// Somebody is asked whether it may come in.
bool waits_for_verdict (const connection &which) noexcept
{
    return which.state == connection_state::handshaking && which.judge != nullptr;
}

// What it needs for nothing now.
void give_back (connection &which) noexcept
{
    which.in.release_slab ();
    if (which.shapes_stream && which.stream != nullptr)
        which.stream->rest ();
}

// It is as it was before the lock was dropped.
bool goes_on (const connection &which) noexcept
{
    return which.state == connection_state::ready && !which.rx_claimed;
}

}  // namespace

void socket_core::turn (time_ns now) noexcept
{
    lock ();
    if (phase_ == phase::unused || reactor_ == nullptr) {
        unlock ();
        return;
    }
    serve_endpoints_locked ();
    serve_due_locked (now);
    serve_attention_locked ();
    serve_lease_locked (now);
    if (phase_ == phase::closing)
        serve_closing_locked (now);
    plan_next_turn_locked ();
    const bool ending = phase_ == phase::closing;
    unlock ();
    if (ending)
        finish_if_done ();
}

// Those that have their answer from the resolver, and those that are to go.
void socket_core::serve_endpoints_locked () noexcept
{
    if (!std::exchange (endpoints_changed_, false))
        return;
    for (auto at = endpoints_.begin (); at != endpoints_.end ();) {
        endpoint &each = *at;
        if (each.answered) {
            each.answered = false;
            base::resolve_result found = std::move (each.answer);
            resolved_locked (each, std::move (found));
        }
        const bool gone = each.removed && !each.busy && each.dialled == nullptr;
        endpoints_changed_ = endpoints_changed_ || (each.removed && !gone);
        if (gone) {
            close_listener_locked (each);
            deadlines_.set (each.due, base::never_ns);
        }
        at = gone ? endpoints_.erase (at) : std::next (at);
    }
}

// Once each at most: what is due again at once waits for the next turn.
void socket_core::serve_due_locked (time_ns now) noexcept
{
    for (std::size_t left = deadlines_.size (); left > 0 && deadlines_.soonest () <= now; --left) {
        timed &next = *deadlines_.first ();
        deadlines_.set (next, base::never_ns);
        if (next.of_connection != nullptr)
            end_of_patience_locked (*next.of_connection, now);
        else if (next.of_endpoint->is_dialer ())
            dial_locked (*next.of_endpoint);
        else
            resume_accept_locked (*next.of_endpoint);
        // Of many PINGs at once few take memory at a time.
        if (tails_.size () >= tails_in_turn_max)
            flush_tails_locked ();
    }
}

// --- those that drain, or can only be read any more ------------------------------

void socket_core::attend_to_locked (connection &which) noexcept
{
    if (which.attention_place != connection::nowhere)
        return;
    which.attention_place = attention_.size ();
    attention_.push_back (&which);  // there is room
}

void socket_core::dismiss_locked (connection &which) noexcept
{
    if (which.attention_place == connection::nowhere)
        return;
    connection *const last = attention_.back ();
    attention_[which.attention_place] = last;
    last->attention_place = which.attention_place;
    which.attention_place = connection::nowhere;
    attention_.pop_back ();
}

// Of those that only wait for the peer's end an event tells, or their deadline:
// a turn looks at a few, unless it is the end of all.
void socket_core::serve_attention_locked () noexcept
{
    std::size_t looks = owner_->terminating () ? SIZE_MAX : drain_looks_per_turn_max;
    bool half_dead = false;
    for (std::size_t i = 0; i < attention_.size ();) {
        connection &which = *attention_[i];
        if (which.state == connection_state::draining) {
            if (!which.read_first || looks > 0) {
                looks -= which.read_first && looks > 0;
                advance_drain_locked (which);  // which may leave, and another take its place
            }
        } else if (which.state == connection_state::ready && which.tx_dead) {
            half_dead = half_dead || (which.stream != nullptr && !which.rx_claimed);
        } else if (waits_for_verdict (which)) {
            if (which.judge->news ())
                run_handshake_locked (which);
        } else {
            dismiss_locked (which);
            continue;
        }
        i += i < attention_.size () && attention_[i] == &which;
    }
    if (half_dead)
        end_half_dead_locked ();
}

// What they had sent is read now, be it that somebody attends: who waits hears
// nothing of a refused write. With the end they are lost, as soon as all that
// came by them is taken. A publisher's subscriber cannot wait for that: its
// stream goes at once, so that it may come anew.
void socket_core::end_half_dead_locked () noexcept
{
    read_for_owner_locked ();
    if (!traits_.takes_topics)
        return;
    for (connection *const each : attention_)
        if (each->state == connection_state::ready && each->tx_dead && !each->claimed ()
            && each->stream != nullptr)
            let_stream_go_locked (*each);
}

void socket_core::end_of_patience_locked (connection &which, time_ns now) noexcept
{
    deadlines_.set (which.due, base::never_ns);
    switch (which.state) {
    case connection_state::connecting:
        attempt_failed_locked (which, base::close_reason::connect_timeout, {errc::timed_out, 0});
        return;
    case connection_state::handshaking:
        if (which.waits_for_name) {
            look_at_holder_locked (which, now);
            return;
        }
        lose_locked (which, base::close_reason::handshake_timeout, 0);
        return;
    case connection_state::draining:
        if (which.must_progress && !which.read_first && which.sent_at_look != which.passed.wire_bytes_sent) {
            watch_progress_locked (which, now);
            return;
        }
        which.leaving = true;
        lose_locked (which, leave_reason_locked (), 0);
        return;
    case connection_state::ready:
        serve_heartbeat_locked (which, now);
        return;
    case connection_state::lost:
        return;
    }
}

// Silence is the peer's only if everything that came has been read: what
// stands unread because nobody takes it is no fault of the peer's. Of half a
// frame the other half is.
void socket_core::serve_heartbeat_locked (connection &which, time_ns now) noexcept
{
    if (which.rx_ended)
        return;  // it has left, and goes when what it had sent has been taken
    if (which.beat.silent (now)) {
        const std::uint32_t generation = which.generation;
        read_for_owner_locked ();
        if (which.generation != generation || which.state != connection_state::ready)
            return;
        if (which.rx_claimed || which.maybe_readable || which.in.peek () != front_status::need_bytes)
            which.beat.forgive (now);
        if (which.beat.silent (now)) {
            lose_locked (which, base::close_reason::heartbeat_timeout, 0);
            return;
        }
    }
    if (which.beat.ping_due (now))
        say_ping_locked (which, now);
    deadlines_.set (which.due, which.beat.next ());
}

// After close(): every connection on its way out, until LINGER is over.
void socket_core::serve_closing_locked (time_ns now) noexcept
{
    const bool over = linger_until_ <= now;
    for (std::size_t i = 0; i < connections_.size (); ++i) {
        if (connections_[i] == nullptr)
            continue;
        connection &which = *connections_[i];
        if (which.state == connection_state::draining && !over)
            continue;
        if (over && (which.state != connection_state::draining || !which.read_first)
            && (which.state != connection_state::ready || which.has_output ())) {
            which.leaving = true;
            lose_locked (which, leave_reason_locked (), 0);
            if (connections_[i] != nullptr && which.state == connection_state::lost)
                erase_locked (which);
            continue;
        }
        drain_locked (which);
    }
    if (over)
        linger_until_ = 0;  // over for good: not a time to wake for any more
}

void socket_core::plan_next_turn_locked () noexcept
{
    time_ns next = phase_ == phase::closing && linger_until_ != 0 ? linger_until_ : base::never_ns;
    next = std::min (next, deadlines_.soonest ());
    if (lease_pending_ && phase_ == phase::open)
        next = std::min (next, lease_at_);
    schedule_locked (next);
}

// --- events ------------------------------------------------------------------------

void socket_core::event (tag_kind kind, std::uint64_t which, std::uint32_t ready) noexcept
{
    lock ();
    if (phase_ != phase::unused && reactor_ != nullptr) {
        if (kind == tag_kind::connection) {
            if (connection *const found = find_locked (which); found != nullptr)
                connection_event_locked (*found, ready);
        } else if (kind == tag_kind::listener) {
            if (endpoint *const found = endpoint_of_locked (which); found != nullptr)
                accept_locked (*found);
        } else if (which == generation_ && phase_ == phase::open) {
            lease_armed_ = false;
            lease_fired_locked ();
        }
        plan_next_turn_locked ();
    }
    const bool ending = phase_ == phase::closing;
    unlock ();
    if (ending)
        finish_if_done ();
}

void socket_core::connection_event_locked (connection &which, std::uint32_t ready) noexcept
{
    switch (which.state) {
    case connection_state::connecting:
        connected_locked (which);
        return;
    case connection_state::handshaking:
        run_handshake_locked (which);
        return;
    case connection_state::ready:
        if (which.tx_armed && (ready & (base::ready_write | base::ready_hangup)) != 0) {
            which.tx_armed = false;
            flush_locked (which, combine_rounds_max);
        }
        if (inner_ == nullptr)
            arrivals_locked (which, ready);
        return;
    case connection_state::draining:
        // One shot tells of input, too, and is over then.
        if (inner_ != nullptr || (ready & (base::ready_write | base::ready_hangup)) != 0)
            which.tx_armed = false;
        advance_drain_locked (which);
        return;
    case connection_state::lost:
        return;
    }
}

// Where sets are no members of sets: what came is read here and now.
void socket_core::arrivals_locked (connection &which, std::uint32_t ready) noexcept
{
    if (which.state != connection_state::ready || (ready & (base::ready_read | base::ready_hangup)) == 0)
        return;
    which.maybe_readable = true;
    which.hangup = which.hangup || (ready & base::ready_hangup) != 0;
    if (which.rx_claimed)
        return;  // its holder reads on
    list_locked (which);
    while (read_some_locked (which))
        ;
    look_behind_locked (which);
    if (!which.rx_claimed && which.in.idle ())
        which.in.release_slab ();
    note_freed_locked ();
    if (!ready_.empty ())
        notify_receivers_locked ();
}

// --- tails -------------------------------------------------------------------------

// One round for every unwritten tail but those of a flow: the next tick looks again.
void socket_core::flush_ripe_tails_locked () noexcept
{
    const time_ns now = now_ns ();
    for (std::size_t i = tails_.size (); i-- > 0;) {
        if (i >= tails_.size ())
            continue;  // the lock was dropped
        connection &which = *tails_[i];
        which.flow.tick (now, which.passed.wire_bytes_sent);
        if (which.flow.flows ())
            continue;
        flush_locked (take_tail_locked (i), 1);
        which.flow.pass_over (which.passed.wire_bytes_sent);
    }
}

// Leaves the dirty list when there was no tail since the last tick.
void socket_core::dirty_turn () noexcept
{
    lock ();
    const bool was_quiet = tails_.empty ();
    if (phase_ != phase::unused && reactor_ != nullptr) {
        flush_ripe_tails_locked ();
        if (std::exchange (sender_wake_owed_, false) && choose_locked () != nullptr)
            notify_senders_locked ();
        dirty_ = false;
        if (!was_quiet)
            join_dirty_locked ();
    }
    unlock ();
}

// --- lease -------------------------------------------------------------------------

bool socket_core::attended_locked () const noexcept
{
    if (traits_.receives == receive_rule::none)
        return false;
    return receivers_.waiting > 0 || handle_set_ != nullptr || watchers_wait_;
}

// The inner set has something. Whoever attends gets it; the reactor looks
// again later.
void socket_core::lease_fired_locked () noexcept
{
    const time_ns now = now_ns ();
    const bool called = receive_calls_ != lease_seen_calls_;
    if (called)
        lease_idle_since_ = now;
    const bool attended =
      attended_locked ()
      || (traits_.receives != receive_rule::none && now - lease_idle_since_ < attention_ns);
    if (!attended) {
        read_for_owner_locked ();
        arm_lease_locked ();
        return;
    }
    lease_seen_calls_ = receive_calls_;
    lease_pending_ = true;
    lease_at_ = now + lease_interval_;
}

// A receive leaves kernel data behind that nobody may fetch.
void socket_core::start_lease_locked () noexcept
{
    if (lease_pending_ || reactor_ == nullptr)
        return;
    lease_pending_ = true;
    lease_seen_calls_ = receive_calls_;
    lease_interval_ = lease_first_ns;
    lease_at_ = 0;  // the next turn sets the time
    post_locked ();
}

void socket_core::serve_lease_locked (time_ns now) noexcept
{
    if (!lease_pending_ || phase_ != phase::open)
        return;
    if (lease_at_ == 0) {
        lease_at_ = now + lease_interval_;
        return;
    }
    if (now < lease_at_)
        return;
    // A call that only answers that nothing can be received has read nothing. And who
    // lives on what has been read long since leaves unread what the peer asks behind it.
    const bool lives_on_old = lease_interval_ == lease_max_ns && read_calls_ == lease_seen_reads_;
    lease_seen_reads_ = read_calls_;
    if (traits_.receives != receive_rule::none && receive_calls_ != lease_seen_calls_ && !lives_on_old) {
        lease_idle_since_ = now;
        lease_seen_calls_ = receive_calls_;
        lease_interval_ = std::min (lease_interval_ * 2, lease_max_ns);
        lease_at_ = now + lease_interval_;
        return;
    }
    lease_pending_ = false;
    lease_interval_ = lease_first_ns;
    read_for_owner_locked ();
    arm_lease_locked ();
}

void socket_core::arm_lease_locked () noexcept
{
    if (inner_ == nullptr || lease_armed_)
        return;
    lease_armed_ = true;
    const base::io_handle handle = inner_->handle ();
    const std::uint64_t tag = tag_of_inner ();
    const away gone (*this);
    (void)reactor_->set ().modify (handle, base::interest_read | base::interest_one_shot, tag);
}

// True: go on.
bool socket_core::read_some_locked (connection &which) noexcept
{
    if (wish_.conflate && traits_.receives != receive_rule::none)
        leave_latest_locked (which);
    return which.state == connection_state::ready && read_step_locked (which);
}

// One step of reading on behalf of an owner who does not. Commands are
// answered, an end without data before it ends the connection; messages stay
// for the owner, as far as the slab takes them. True: go on.
bool socket_core::read_step_locked (connection &which) noexcept
{
    switch (which.in.peek ()) {
    case front_status::command:
        command_locked (which, which.in.front ().bytes);
        if (which.state == connection_state::ready)
            which.in.drop_front ();
        return which.state == connection_state::ready;
    case front_status::violation:
        lose_locked (which, which.in.why (), 0);
        return false;
    case front_status::part:
        switch (take_topic_message_locked (which, which.in.front ().bytes, !which.in.inside_message ())) {
        case topic_part::taken:
            which.in.drop_front ();
            return true;
        case topic_part::the_end:
            return false;
        case topic_part::none:
            break;
        }
        if (ends_unread_locked (which))
            return false;
        if (traits_.receives != receive_rule::none)
            break;
        drop_unwanted_locked (which);
        return true;
    case front_status::need_bytes:
        if (!which.rx_ended)
            break;
        lose_locked (which, which.reason, which.os_error);
        return false;
    }
    return may_read (which) && !decline_locked (which) && fill_locked (which) && goes_on (which);
}

// Its stream has ended, and need not wait until all that came is taken.
bool socket_core::ends_unread_locked (connection &which) noexcept
{
    if (!which.rx_ended || !outlives_stream_locked (which) || !which.in.has_room ())
        return false;
    lose_locked (which, which.reason, which.os_error);
    return true;
}

// At the budget nothing new is read that nobody asks for; a message that has
// begun goes on to its end, as nobody else can give its memory back.
bool socket_core::decline_locked (const connection &which) noexcept
{
    if (!over_budget_locked () || traits_.receives == receive_rule::none || !which.in.idle ())
        return false;
    read_declined_ = true;
    hold_back_locked ();
    return true;
}

// The message at the front: nobody will ever ask for it.
void socket_core::drop_unwanted_locked (connection &which) noexcept
{
    for (bool more = true; more; more = more && which.in.peek () == front_status::part) {
        more = which.in.front ().more;
        which.in.drop_front ();
    }
    ++which.passed.of (drop_reason::unwanted);
    warn_drop_locked (which, drop_reason::unwanted, 1);
}

void socket_core::read_for_owner_locked () noexcept
{
    harvest_locked ();
    const std::uint64_t before = read_calls_;
    read_declined_ = false;
    for (std::size_t i = 0; i < connections_.size (); ++i) {
        connection *const which = connections_[i].get ();
        if (which == nullptr || which->state != connection_state::ready || which->rx_claimed)
            continue;
        while (read_some_locked (*which))
            ;
        if (connections_[i].get () != which)
            continue;
        look_behind_locked (*which);
        if (!which->rx_claimed && which->in.idle ())
            give_back (*which);
        // No event tells of what waits for memory.
        if (which->in.memory_missing ())
            start_lease_locked ();
    }
    note_freed_locked ();
    // Of what was declined the edge is gone: nobody else will hear of it.
    if ((read_calls_ != before || read_declined_) && !ready_.empty ())
        notify_receivers_locked ();
}

}  // namespace zlink::engine
