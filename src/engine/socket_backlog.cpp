// What a publisher does with a message for a subscriber that has no room, as
// SLOW_CONSUMER says. Only then is anything here called: while a subscriber
// keeps up it costs its publisher nothing.
//
// To drop the oldest, or the older of a topic, messages must be told apart:
// what the kernel has not begun is taken back out of the out-queue, and waits
// in a backlog. Until that has gone, in order and an arena at a time, the pipe
// is held: it shows no credit, so that nothing overtakes.
#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "engine/socket_core.hpp"
#include "engine/taken.hpp"
#include "wire/command.hpp"
#include "wire/session.hpp"

namespace zlink::engine {

// A message that had been accepted. Said as refusals are.
void socket_core::give_up_locked (pipe &who, drop_reason why) noexcept
{
    if (who.kind == pipe_kind::stream)
        ++static_cast<connection &> (who).settled_messages;
    if (why == drop_reason::conflated)
        ++who.passed.of (why);
    else
        refuse_locked (who, why);
}

void socket_core::keep_one_locked (pipe &who, std::span<base::message> parts) noexcept
{
    switch (who.behind->add (parts, wish_.slow == slow_rule::conflate, who.missed)) {
    case backlog::outcome::no_memory:
        taken_from (std::span (parts));
        give_up_locked (who, drop_reason::no_memory);
        who.missed += who.tells_gaps;
        return;
    case backlog::outcome::replaced:
        give_up_locked (who, drop_reason::conflated);
        return;
    case backlog::outcome::added:
        who.missed = 0;
        return;
    }
}

// One message less for a subscriber that is told so. Until it is told the pipe
// is held, so that it hears of it in front of what comes next.
void socket_core::miss_locked (pipe &who, drop_reason why) noexcept
{
    refuse_locked (who, why);
    if (!who.tells_gaps)
        return;
    ++who.missed;
    (void)hold_locked (who);  // without memory it is said with the next that is missed
}

// The out-queue's messages, as far as the kernel has not begun with them, and
// what was said there to be missing between them.
void socket_core::take_back_locked (connection &which) noexcept
{
    taken_back taken;
    if (which.tx_claimed || which.out.empty () || !which.out.take_back (taken))
        return;  // somebody writes: they are on their way
    auto gap = taken.gaps.begin ();
    std::size_t begin = 0;
    for (std::size_t i = 0; i < taken.parts.size (); ++i) {
        if (taken.parts[i].more ())
            continue;
        for (; gap != taken.gaps.end () && gap->before <= begin; ++gap)
            which.missed += gap->messages;
        keep_one_locked (which, std::span (taken.parts).subspan (begin, i + 1 - begin));
        begin = i + 1;
    }
    for (; gap != taken.gaps.end (); ++gap)
        which.missed += gap->messages;
    if (which.out.empty () && --unwritten_connections_ == 0)
        burst_.wrote ();
}

// From now on the pipe takes nothing but what its backlog gives it. False when
// memory is out.
bool socket_core::hold_locked (pipe &who) noexcept
{
    if (who.behind != nullptr)
        return true;
    who.behind.reset (new (std::nothrow) backlog (budget_));
    if (who.behind == nullptr)
        return false;
    if (lane *const out = lane_of (&who); out != nullptr) {
        out->hold ();
        return true;
    }
    who.credit.held = true;
    who.credit.messages = std::min<std::int64_t> (who.credit.messages, 0);
    if (wish_.keeps_backlogs ()) {
        const std::uint64_t missed = std::exchange (who.missed, 0);  // behind what is taken back
        take_back_locked (static_cast<connection &> (who));
        who.missed += missed;
    }
    return true;
}

// The backlog is empty: the pipe is as any other again.
void socket_core::let_through_locked (pipe &who) noexcept
{
    who.behind.reset ();
    if (lane *const out = lane_of (&who); out != nullptr) {
        out->let_through ();
    } else {
        const auto &wire = static_cast<connection &> (who);
        who.credit.held = false;
        who.credit.refill ();
        who.credit.messages -= wire.queued_messages ();
        who.credit.bytes -= static_cast<std::int64_t> (wire.queued_bytes ());
    }
    if (pipe_available_locked (who)) {
        activate_locked (who);
        notify_senders_locked ();
    }
}

// More than one peer may keep: by either mark, or by the budget.
bool socket_core::backlog_over_locked (const pipe &who) const noexcept
{
    std::int64_t messages = who.behind->messages ();
    std::size_t bytes = who.behind->bytes ();
    if (who.kind == pipe_kind::stream) {
        messages = static_cast<const connection &> (who).queued_messages ();
        bytes = static_cast<const connection &> (who).queued_bytes ();
    }
    return (wish_.send_hwm > 0 && messages > wish_.send_hwm)
           || (wish_.send_hwm_bytes > 0 && bytes > static_cast<std::size_t> (wish_.send_hwm_bytes))
           || over_budget_locked ();
}

// The newest stays, whatever its size.
void socket_core::trim_backlog_locked (pipe &who) noexcept
{
    while (who.behind->messages () > 1 && backlog_over_locked (who)) {
        who.behind->drop_front ();
        give_up_locked (who, drop_reason::oldest);
    }
}

// One message for a pipe without room: a copy of it waits, and another goes.
void socket_core::keep_behind_locked (pipe &who, std::span<base::message> message) noexcept
try {
    std::vector<base::message> copies = copies_of (message);
    if (!hold_locked (who)) {
        taken_from (std::span (copies));
        miss_locked (who, drop_reason::no_memory);
        return;
    }
    who.count_sent (bytes_of (message));
    keep_one_locked (who, copies);
    trim_backlog_locked (who);
    note_freed_locked ();
    if (who.kind == pipe_kind::inproc || who.behind->empty ())
        catch_up_locked (who);
    else if (auto &wire = static_cast<connection &> (who); !wire.tx_claimed && !wire.tx_armed)
        mark_tail_locked (wire);
} catch (const std::bad_alloc &) {
    miss_locked (who, drop_reason::no_memory);
}

// The subscriber is given up. What it was sent before goes the way of all that
// stands in the queue of a connection that is lost.
void socket_core::end_slow_locked (pipe &who) noexcept
{
    refuse_locked (who, drop_reason::full);
    if (who.kind == pipe_kind::stream) {
        lose_locked (static_cast<connection &> (who), base::close_reason::slow_consumer, 0);
        return;
    }
    ++who.passed.connections_lost;
    close_end_locked (static_cast<inproc_end &> (who), base::close_reason::slow_consumer);
}

void socket_core::pass_over_locked (pipe &who, std::span<base::message> message) noexcept
{
    if (wish_.slow == slow_rule::disconnect && !wish_.no_drop)
        end_slow_locked (who);
    else if (wish_.keeps_backlogs () && !wish_.conflate)
        keep_behind_locked (who, message);
    else
        miss_locked (who, drop_reason::full);
}

void socket_core::pass_over_locked (pipe &who, base::bytes_view message) noexcept
{
    base::message whole;
    whole.init ();
    if (wish_.keeps_backlogs () && !whole.init_copy (message).ok ()) {
        miss_locked (who, drop_reason::no_memory);
        return;
    }
    pass_over_locked (who, std::span (&whole, 1));
    whole.close ();
}

// --- gaps ------------------------------------------------------------------------

bool socket_core::wants_gaps_of (const wire::session &peer) noexcept
{
    const std::string *const said = peer.major () >= 3 ? peer.peer_property (gap_property) : nullptr;
    return said != nullptr && *said == "1";
}

// In front of what goes to it next. False when memory is out.
bool socket_core::say_missed_locked (pipe &who, std::uint64_t messages) noexcept
{
    if (messages == 0 || !who.tells_gaps)
        return true;
    if (lane *const out = lane_of (&who); out != nullptr)
        return out->push_gap (messages);
    std::array<std::byte, 8> number;
    base::store_u64_be (number.data (), messages);
    const wire::command what = wire::make_gap (number);
    std::array<std::byte, 32> body;
    const std::size_t size = wire::encode_command_body (body.data (), what);
    auto &wire = static_cast<connection &> (who);
    const bool was_empty = wire.out.empty ();
    if (!wire.out.append_copy ({body.data (), size}, false, true))
        return false;
    unwritten_connections_ += was_empty;
    if (!wire.tx_claimed && !wire.tx_armed)
        mark_tail_locked (wire);
    return true;
}

// The backlog is empty: what is missing behind it is said, once there is room
// for more than the next message. True: the pipe may go on.
bool socket_core::settle_missed_locked (pipe &who) noexcept
{
    if (who.missed == 0)
        return true;
    if (lane *const out = lane_of (&who); out != nullptr) {
        if (!out->writer_may_go_on () || !out->has_room ())
            return false;
    } else if (const auto &wire = static_cast<connection &> (who); wire.state == connection_state::ready) {
        const std::int64_t mark = wire.credit.messages_mark;
        if (mark - wire.queued_messages () < wire.credit.low_water ())
            return false;
    }
    if (!say_missed_locked (who, who.missed))
        return false;
    who.missed = 0;
    return true;
}

// The other side.
void socket_core::note_gap_locked (pipe &from, std::uint64_t messages) noexcept
{
    if (!traits_.asks_topics || !wish_.wants_gaps)
        return;
    from.passed.messages_missed += messages;
    constexpr auto none = base::close_reason::none;
    if (from.kind == pipe_kind::stream)
        tell_connection_locked (event_kind::gap, static_cast<const connection &> (from), none, 0, messages);
    else
        tell_end_locked (event_kind::gap, static_cast<const inproc_end &> (from), none, messages);
}

// --- going on --------------------------------------------------------------------

// Before a write: an arena's worth goes into the out-queue, from where it is
// not taken back as long as a write is under way.
void socket_core::catch_up_locked (connection &which) noexcept
{
    backlog &waiting = *which.behind;
    while (!waiting.empty () && which.pending.empty ()
           && which.out.unwritten_bytes () < arena_bytes_default) {
        const std::size_t bytes = waiting.front_bytes ();
        if (!say_missed_locked (which, waiting.front_missed ()))
            return;
        waiting.front_said ();
        if (queue_parts_locked (which, waiting.front (), bytes) != errc::ok)
            return;  // out of memory: tried again at the next flush
        waiting.pop_front ();
        encode_pending_locked (which);
    }
    if (waiting.empty () && settle_missed_locked (which))
        let_through_locked (which);
}

void socket_core::catch_up_locked (pipe &which) noexcept
{
    if (which.kind == pipe_kind::stream)
        catch_up_locked (static_cast<connection &> (which));
    else
        catch_up_locked (static_cast<inproc_end &> (which));
}

// False when memory is out.
bool socket_core::pass_on_front_locked (inproc_end &which) noexcept
{
    backlog &waiting = *which.behind;
    if (!say_missed_locked (which, waiting.front_missed ()))
        return false;
    waiting.front_said ();
    if (put_parts_in_lane_locked (*which.out, waiting.front ()) != errc::ok)
        return false;
    waiting.pop_front ();
    note_news_locked (*which.out);
    return true;
}

void socket_core::catch_up_locked (inproc_end &which) noexcept
{
    lane &out = *which.out;
    backlog &waiting = *which.behind;
    bool asked = false;
    for (;;) {
        out.let_through ();
        while (!waiting.empty () && out.has_room () && pass_on_front_locked (which)) {}
        if (waiting.empty () && settle_missed_locked (which)) {
            let_through_locked (which);
            return;
        }
        out.hold ();
        if (std::exchange (asked, true))
            return;
        // The reader may have taken some before it could see that we wait.
        out.writer_waits.store (true, std::memory_order_seq_cst);
    }
}

// What the reader would still have got: our end closes, and the lane lives on.
void socket_core::leave_backlog_locked (inproc_end &which) noexcept
{
    backlog &waiting = *which.behind;
    const bool taken = which.joined && !which.out->reader_closed.load (std::memory_order_acquire);
    which.out->let_through ();
    while (!waiting.empty ()) {
        if (taken && pass_on_front_locked (which))
            continue;
        drop_locked (which, taken ? drop_reason::no_memory : drop_reason::peer_lost, 1);
        waiting.pop_front ();
    }
    which.behind.reset ();
}

// The stream is lost: a dialer's backlog waits with the rest for the next one.
void socket_core::keep_backlog_locked (connection &which) noexcept
{
    backlog &waiting = *which.behind;
    while (!waiting.empty ()) {
        if (queue_parts_locked (which, waiting.front (), waiting.front_bytes ()) != errc::ok)
            drop_locked (which, drop_reason::no_memory, 1);
        waiting.pop_front ();
    }
    which.behind.reset ();
    which.credit.held = false;
}

// How many messages went with it.
std::uint64_t socket_core::drop_backlog_locked (connection &which) noexcept
{
    const std::int64_t count = which.behind != nullptr ? which.behind->messages () : 0;
    which.behind.reset ();
    which.credit.held = false;
    return static_cast<std::uint64_t> (count);
}

}  // namespace zlink::engine
