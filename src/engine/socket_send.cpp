// Sending: choose a pipe with credit, append, and write now or leave it.
#include <algorithm>
#include <array>
#include <type_traits>

#include "engine/forked.hpp"
#include "engine/socket_core.hpp"
#include "engine/taken.hpp"

namespace zlink::engine {

namespace {

// Sockets on which this thread left unwritten tails: it flushes them before
// it waits elsewhere. A hint only; the reactor covers what is forgotten.
struct tail_hints
{
    static constexpr std::size_t room = 16;
    std::array<socket_ref, room> sockets{};
    std::size_t count = 0;
};
thread_local tail_hints left_tails;

}  // namespace

void forget_tails () noexcept { left_tails.count = 0; }

// Not inline: a shared library finds a thread's variables by a call.
burst_thread &socket_core::own_burst () noexcept
{
    static constinit thread_local burst_thread own;
    return own;
}

// --- pipes -------------------------------------------------------------------

void socket_core::attach_locked (pipe &which) noexcept
{
    if (which.attached)
        return;
    which.attached = true;
    which.balance_index = balance_.size ();
    balance_.push_back (&which);  // reserved when the pipe was made
    if (publishes () && is_of_datagrams (which)) [[unlikely]]
        send_all_to_locked (static_cast<connection &> (which));
    activate_locked (which);
    notify_senders_locked ();
}

// A type that cannot send has pipes, and chooses none of them.
void socket_core::activate_locked (pipe &which) noexcept
{
    if (!which.attached || which.balance_index < balance_active_ || traits_.sends == send_rule::none)
        return;
    std::swap (balance_[which.balance_index], balance_[balance_active_]);
    balance_[which.balance_index]->balance_index = which.balance_index;
    which.balance_index = balance_active_++;
}

void socket_core::deactivate_locked (pipe &which) noexcept
{
    if (!which.attached || which.balance_index >= balance_active_)
        return;
    --balance_active_;
    std::swap (balance_[which.balance_index], balance_[balance_active_]);
    balance_[which.balance_index]->balance_index = which.balance_index;
    which.balance_index = balance_active_;
    if (balance_next_ >= balance_active_)
        balance_next_ = 0;
}

void socket_core::detach_locked (pipe &which) noexcept
{
    if (speaks_to_somebody ())
        forget_pipe_locked (which);
    if (!which.attached)
        return;
    deactivate_locked (which);
    balance_.back ()->balance_index = which.balance_index;
    std::swap (balance_[which.balance_index], balance_.back ());
    balance_.pop_back ();
    if (publishes () && is_of_datagrams (which)) [[unlikely]]
        stop_sending_to_locked (static_cast<connection &> (which));
    which.attached = false;
}

bool socket_core::pipe_available_locked (pipe &which) noexcept
{
    if (which.kind == pipe_kind::stream) [[likely]]
        return which.credit.available () && !static_cast<connection &> (which).tx_dead
               && budget_allows_locked (which);
    return static_cast<inproc_end &> (which).out->has_room ();  // looks at the budget, too
}

// One of several that has written all it was given takes its turn, though nobody
// has waited for its credit. Who is alone meets the mark: see refresh_locked.
bool socket_core::regains_credit_locked (pipe &which) noexcept
{
    if (balance_.size () == 1 || which.kind != pipe_kind::stream)
        return false;
    auto &wire = static_cast<connection &> (which);
    return !wire.has_output () && wire.credit.give_back () && pipe_available_locked (wire);
}

pipe *socket_core::choose_locked () noexcept
{
    while (balance_active_ > 0) {
        pipe *const next = balance_[balance_next_];
        if (pipe_available_locked (*next)) [[likely]]
            return next;
        if (wish_.conflate || regains_credit_locked (*next))
            return next;
        deactivate_locked (*next);
    }
    return nullptr;
}

// --- credit ------------------------------------------------------------------

// Returns the credits of a connection; writes first if that is what is
// missing. True when the connection has credit afterwards.
bool socket_core::refresh_one_locked (connection &which, urgency when) noexcept
{
    if (!which.credit.give_back () && which.has_output ())
        flush_locked (which, combine_rounds_max, when);
    return which.attached && which.credit.give_back () && !which.tx_dead;
}

// Looks for credit everywhere. Without force only connections whose oldest
// written credit has been lying for a while are asked, so that a tight loop
// of DONTWAIT sends meets the high-water mark and a steady one does not.
bool socket_core::refresh_locked (bool force, urgency when) noexcept
{
    bool any = false;
    const std::uint64_t age = force ? 0 : credit_age_us_max * owner_->world.time.ticks_per_us ();
    const std::uint64_t now = force ? 0 : owner_->world.time.ticks ();
    // The lock may drop: indices, not iterators.
    for (std::size_t i = balance_active_; i < balance_.size (); ++i) {
        pipe &which = *balance_[i];
        bool available = false;
        if (which.kind == pipe_kind::inproc) {
            available = static_cast<inproc_end &> (which).out->has_room ();
        } else {
            auto &wire = static_cast<connection &> (which);
            const bool old = wire.credit.owed_messages > 0 && now - wire.credit.owed_since_ticks >= age;
            if (force || old)
                available = refresh_one_locked (wire, when);
        }
        if (available && budget_allows_locked (which)) {
            activate_locked (which);
            any = true;
        }
    }
    // Whoever looked need not be whoever sleeps for it.
    if (any)
        tell_senders_locked (when);
    return any;
}

// No pipe has credit, or not the one of that name. errc::ok: look again.
errc socket_core::wait_for_credit_locked (std::uint32_t generation,
                                          unsigned flags,
                                          time_ns &deadline,
                                          const std::string_view *name) noexcept
{
    const bool no_wait = (flags & send_dont_wait) != 0 || wish_.send_timeout_ms == 0;
    if (refresh_locked (!no_wait, urgency::soon))
        return check_locked (generation);
    if (const errc bad = check_locked (generation); bad != errc::ok)
        return bad;
    if (name == nullptr ? choose_locked () != nullptr : route_has_room_locked (*name))
        return errc::ok;  // while the lock was dropped
    if (budget_holds_locked ())
        hold_back_locked ();
    if (no_wait) {
        refresh_locked (true, urgency::at_once);  // for the next call
        // Who waits for the descriptor hears of room from now on.
        if (handle_set_ != nullptr && ask_for_room_locked ())
            notify_watchers_locked ();
        return errc::would_block;
    }
    return wait_writable_locked (deadline);
}

// Of those that take messages at all, be it above the mark.
pipe *socket_core::any_pipe_locked () const noexcept
{
    const auto found =
      std::ranges::find_if (balance_, [] (const pipe *each) { return !cannot_send (*each); });
    return found != balance_.end () ? *found : nullptr;
}

result<pipe *> socket_core::obtain_pipe_locked (std::uint32_t generation, unsigned flags) noexcept
{
    if (traits_.sends == send_rule::none)
        return errc::not_supported;
    time_ns deadline = 0;
    for (;;) {
        if (const errc bad = check_locked (generation); bad != errc::ok)
            return bad;
        if (pipe *const found = choose_locked (); found != nullptr)
            return found;
        if (pipe *const found = (flags & send_admitted) != 0 ? any_pipe_locked () : nullptr; found != nullptr)
            return found;
        if (const errc bad = wait_for_credit_locked (generation, flags, deadline); bad != errc::ok)
            return bad;
    }
}

// --- appending ---------------------------------------------------------------

void socket_core::mark_tail_locked (connection &which) noexcept
{
    if (which.in_tails)
        return;
    which.in_tails = true;
    full_arenas_ = full_arenas_ || which.out.arena_full ();
    if (tails_.empty ()) {
        tail_hints &hints = left_tails;
        const socket_ref self{this, generation_};
        const auto end = hints.sockets.begin () + static_cast<std::ptrdiff_t> (hints.count);
        if (hints.count < tail_hints::room && std::find (hints.sockets.begin (), end, self) == end)
            hints.sockets[hints.count++] = self;
        if (watchers_wait_)
            note_watchers_locked ();
    }
    if (!which.waiting.runs ())
        which.waiting.start (owner_->world.time.ticks (), which.passed.messages_sent);
    tails_.push_back (&which);  // reserved with the connection
    join_dirty_locked ();
}

// Off the list, in which the last one takes its place.
connection &socket_core::take_tail_locked (std::size_t at) noexcept
{
    connection &which = *tails_[at];
    tails_[at] = tails_.back ();
    tails_.pop_back ();
    which.in_tails = false;
    return which;
}

void socket_core::flush_tails_locked () noexcept
{
    while (!tails_.empty ()) {
        connection &which = take_tail_locked (tails_.size () - 1);
        flush_locked (which, combine_rounds_max);
        if (which.in_tails)
            return;  // somebody appends as fast as we write
    }
}

void socket_core::flush_left_tails () noexcept
{
    tail_hints &hints = left_tails;
    while (hints.count > 0) {
        const socket_ref left = hints.sockets[--hints.count];
        left.slot->lock ();
        if (left.slot->generation_ == left.generation && left.slot->phase_ == phase::open)
            left.slot->flush_tails_locked ();
        left.slot->unlock ();
    }
}

bool socket_core::decide_burst_locked (bool was_idle) noexcept
{
    return burst_.decide (was_idle, own_burst ());
}

void socket_core::flush_appended_locked (connection &to) noexcept
{
    flush_locked (to, combine_rounds_max, urgency::soon);
    own_burst ().wrote (burst_.wrote_at ());
    burst_.wrote_to_one ();
}

errc socket_core::queue_pending_locked (connection &to, base::message &part) noexcept
try {
    to.pending.push_back (part);
    to.pending_messages += !part.more ();
    to.pending_bytes += part.size ();
    if (!to.waiting.runs ())
        to.waiting.start (owner_->world.time.ticks (), to.passed.messages_sent);
    part.init ();
    return errc::ok;
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

errc socket_core::put_copy_locked (pipe &to, base::bytes_view part) noexcept
{
    base::message copy;
    if (!copy.init_copy (part).ok ())
        return errc::no_memory;
    const errc bad = put_locked (to, copy);
    if (bad != errc::ok)
        copy.close ();
    return bad;
}

// One single-part message from the caller's memory.
errc socket_core::put_locked (pipe &to, base::bytes_view part) noexcept
{
    if (wish_.conflate) [[unlikely]]
        return put_copy_locked (to, part);
    if (to.kind == pipe_kind::inproc) {
        lane &out = *static_cast<inproc_end &> (to).out;
        if (!out.push (part, false)) [[unlikely]]
            return errc::no_memory;
        out.publish ();
        to.count_sent (part.size ());
        return errc::ok;
    }
    auto &wire = static_cast<connection &> (to);
    if (wire.state != connection_state::ready) [[unlikely]]
        return put_copy_locked (to, part);
    if (part.size () >= large_body_bytes_min)
        return put_large_locked (wire, part);
    if (wire.out.fits (part.size ())) [[likely]] {
        append_locked (wire, part);
        return errc::ok;
    }
    const bool was_empty = wire.out.empty ();
    const std::size_t before = wire.out.unwritten_bytes ();
    if (!wire.out.append_copy (part, false, false))  // arenas may be set smaller than the part
        return errc::no_memory;
    wire.credit.take (wire.out.unwritten_bytes () - before);
    wire.count_sent (part.size ());
    after_append_locked (wire, was_empty);
    return errc::ok;
}

// One single-part message that the caller gives away; it is empty afterwards.
errc socket_core::put_locked (pipe &to, base::message &part) noexcept
{
    const std::size_t bytes = part.size ();
    if (wish_.conflate)
        return put_conflated_locked (to, part);
    if (to.kind == pipe_kind::inproc) {
        lane &out = *static_cast<inproc_end &> (to).out;
        const bool small = part.shared_body () == nullptr;
        if (!(small ? out.push (part.view (), false) : out.push (part)))
            return errc::no_memory;
        part.close ();
        part.init ();
        out.publish ();
        to.count_sent (bytes);
        return errc::ok;
    }
    auto &wire = static_cast<connection &> (to);
    if (wire.state != connection_state::ready) {
        const errc bad = queue_pending_locked (wire, part);
        if (bad == errc::ok) {
            wire.credit.take (bytes);
            wire.count_sent (bytes);
        }
        return bad;
    }
    base::body *const held = bytes >= large_body_bytes_min ? part.shared_body () : nullptr;
    if (held == nullptr) {
        const errc bad = put_locked (to, part.view ());
        if (bad == errc::ok) {
            part.close ();
            part.init ();
        }
        return bad;
    }
    const bool was_empty = wire.out.empty ();
    const std::size_t before = wire.out.unwritten_bytes ();
    held->retain ();
    if (!wire.out.append_body (held, false)) {
        held->drop ();
        return errc::no_memory;
    }
    part.close ();
    part.init ();
    wire.credit.take (wire.out.unwritten_bytes () - before);
    wire.count_sent (bytes);
    write_large_locked (wire, was_empty);
    return errc::ok;
}

// Without writing.
errc socket_core::conflate_locked (pipe &to, base::message &part) noexcept
{
    const std::size_t bytes = part.size ();
    if (to.kind == pipe_kind::inproc) {
        lane &out = *static_cast<inproc_end &> (to).out;
        const std::uint64_t before = out.replaced ();
        if (!out.replace (part))
            return errc::no_memory;
        to.passed.of (drop_reason::conflated) += out.replaced () - before;
        to.count_sent (bytes);
        return errc::ok;
    }
    auto &wire = static_cast<connection &> (to);
    if (!wire.pending.empty ()) {
        wire.pending_bytes -= wire.pending.front ().size ();
        wire.pending.front ().close ();
        wire.pending_bytes += part.size ();
        wire.pending.front () = part;
        part.init ();
        drop_locked (wire, drop_reason::conflated, 1);
    } else if (const errc bad = queue_pending_locked (wire, part); bad != errc::ok) {
        return bad;
    }
    wire.count_sent (bytes);
    return errc::ok;
}

errc socket_core::put_conflated_locked (pipe &to, base::message &part) noexcept
{
    const errc bad = conflate_locked (to, part);
    if (bad != errc::ok || to.kind == pipe_kind::inproc)
        return bad;
    auto &wire = static_cast<connection &> (to);
    flush_locked (wire, combine_rounds_max);
    if (!wire.pending.empty () && wire.state == connection_state::ready && !wire.tx_armed)
        mark_tail_locked (wire);
    return errc::ok;
}

// --- large bodies ------------------------------------------------------------

errc socket_core::put_large_locked (connection &to, base::bytes_view part) noexcept
{
    const bool was_empty = to.out.empty ();
    const std::size_t before = to.out.unwritten_bytes ();
    const bool direct = !to.tx_claimed && to.out.sealed_chunks () <= 2;
    if (direct) {
        if (!to.out.append_borrowed (part, false))
            return errc::no_memory;
    } else if (!to.out.append_copy (part, false, false)) {
        return errc::no_memory;
    }
    to.credit.take (to.out.unwritten_bytes () - before);
    to.count_sent (part.size ());
    write_large_locked (to, was_empty);
    return errc::ok;
}

// Writes what is queued, the borrowed body with it; what the kernel does not
// take within a bounded wait is copied.
void socket_core::write_large_locked (connection &to, bool was_empty) noexcept
{
    unwritten_connections_ += was_empty;
    sent_large ();
    if (to.tx_claimed)
        return;
    to.tx_claimed = true;
    bool writable = !to.tx_dead && (!to.tx_armed || wait_room_locked (to));
    while (writable) {
        std::size_t budget = combine_bytes_max;
        const wrote what = write_once_locked (to, budget);
        if (what == wrote::all || what == wrote::failed || to.state != connection_state::ready)
            break;
        // The reactor need not hear of room that we wait for ourselves.
        if (what == wrote::full)
            writable = wait_room_locked (to) || arm_locked (to);
    }
    if (to.out.borrowing () && !to.out.end_borrow ()) {
        // The rest of the caller's bytes has nowhere to go: the peer would
        // see half a message.
        to.tx_dead = true;
        attend_to_locked (to);
        to.out.forget_borrowed ();
        to.reason = base::close_reason::out_of_memory;
    }
    release_tx_locked (to, urgency::soon);
}

// Waits a moment for the kernel to take more, with the tx claim held. True:
// try again.
bool socket_core::wait_room_locked (connection &to) noexcept
{
    if (sending_no_wait_ || to.out.unwritten_bytes () < room_wait_bytes_min || !room_wait_.should_spin ())
        return false;
    bool room = false;
    {
        const away gone (*this);
        room = to.stream->wait_writable (room_wait_max_ns);
    }
    if (room)
        room_wait_.succeeded ();
    else
        room_wait_.failed ();
    return room;
}

// --- the calls ---------------------------------------------------------------

// Whoever leaves while credit and sleepers remain wakes one more. Who used up
// what a consumer told of asks it again, for the others.
void socket_core::pass_credit_on_locked () noexcept
{
    if (choose_locked () == nullptr && !ask_for_room_locked ())
        return;
    if (!sender_wake_owed_)
        tell_senders_locked (urgency::soon);
}

lane *socket_core::lane_of (pipe *to) noexcept
{
    return to->kind == pipe_kind::inproc ? static_cast<inproc_end *> (to)->out : nullptr;
}

void socket_core::after_unlock (lane *out) noexcept
{
    if (out != nullptr && !out->listed.load (std::memory_order_seq_cst))
        signal_reader (*out);
}

// A copy into a lane that already holds much: gives the consumer a moment, so
// that the copy goes into memory that is still warm. The lock is dropped.
void socket_core::wait_warm_locked (lane &out, unsigned flags) noexcept
{
    sent_large ();
    if ((flags & send_dont_wait) != 0 || out.queued_bytes () < lane_warm_bytes || !room_wait_.should_spin ())
        return;
    base::world &world = owner_->world;
    bool room = false;
    {
        const away gone (*this);
        const time_ns until = world.time.now_ns () + room_wait_max_ns;
        while (!room && world.time.now_ns () < until) {
            world.sleep.pause ();
            room = out.queued_bytes () < lane_warm_bytes / 2;
        }
    }
    if (room)
        room_wait_.succeeded ();
    else
        room_wait_.failed ();
}

namespace {

base::bytes_view view_of (base::bytes_view part) noexcept { return part; }
base::bytes_view view_of (const base::message &part) noexcept { return part.view (); }

}  // namespace

template <class Part>
inline io_count socket_core::send_one (std::uint32_t generation, Part &part, unsigned flags) noexcept
{
    const base::bytes_view bytes = view_of (part);
    lock ();
    if (connection *const to = append_target_locked (generation, bytes.size ()); to != nullptr) [[likely]] {
        append_locked (*to, bytes);
        taken_from (part);
        sent_locked ();
        unlock ();
        return io_count::of (bytes.size ());
    }
    lane *out = nullptr;
    errc bad = errc::ok;
    if (traits_.sends < send_rule::publish) [[likely]]
        bad = send_one_slowly_locked (generation, part, flags, out);
    else
        bad = publish_one_locked (generation, part, flags, out);
    if (bad == errc::ok) [[likely]]
        sent_locked ();
    unlock ();
    after_unlock (out);
    return bad == errc::ok ? io_count::of (bytes.size ()) : io_count (bad);
}

template <class Part>
errc socket_core::send_one_slowly_locked (std::uint32_t generation,
                                          Part &part,
                                          unsigned flags,
                                          lane *&out) noexcept
{
    const std::size_t bytes = part.size ();
    errc bad = check_locked (generation);
    pipe *to = nullptr;
    if (bad == errc::ok) [[likely]] {
        to = choose_locked ();
        if constexpr (std::is_same_v<Part, base::bytes_view>)
            if (bytes >= room_wait_bytes_min && to != nullptr && to->kind == pipe_kind::inproc) [[unlikely]] {
                wait_warm_locked (*lane_of (to), flags);
                to = nullptr;  // the lock was dropped: choose again
            }
        if (to == nullptr) [[unlikely]] {
            const result<pipe *> found = obtain_pipe_locked (generation, flags);
            bad = found.code ();
            to = bad == errc::ok ? found.value () : nullptr;
        }
    }
    if (bad != errc::ok) [[unlikely]]
        return bad;
    out = lane_of (to);
    sending_no_wait_ = (flags & send_dont_wait) != 0;
    return put_locked (*to, part);
}

io_count socket_core::send (std::uint32_t generation, base::bytes_view part, unsigned flags) noexcept
{
    if ((flags & send_more) == 0 && !staging_.load (std::memory_order_relaxed)) [[likely]]
        return send_one (generation, part, flags);
    return send_one_of_many (generation, part, flags);
}

// One part of several. Apart, so that send() takes send_one() in.
io_count
socket_core::send_one_of_many (std::uint32_t generation, base::bytes_view part, unsigned flags) noexcept
{
    if (routes_.load (std::memory_order_relaxed)) {
        const bool more = (flags & send_more) != 0;
        const io_count outcome = more ? send_first (generation, part) : send_second (generation, part, flags);
        if (outcome.code () != errc::in_progress)
            return outcome;
    }
    base::message copy;
    if (!copy.init_copy (part).ok ())
        return errc::no_memory;
    const io_count outcome = send_staged (generation, copy, flags);
    if (!outcome.ok ())
        copy.close ();
    return outcome;
}

io_count socket_core::send_constant (std::uint32_t generation, base::bytes_view part, unsigned flags) noexcept
{
    if (part.size () < large_body_bytes_min)
        return send (generation, part, flags);
    base::message adopted;
    if (!adopted.init_adopt (const_cast<std::byte *> (part.data ()), part.size (), nullptr, nullptr).ok ())
        return errc::no_memory;
    const io_count outcome = send (generation, adopted, flags);
    adopted.close ();
    return outcome;
}

io_count socket_core::send (std::uint32_t generation, base::message &part, unsigned flags) noexcept
{
    if ((flags & send_more) == 0 && !staging_.load (std::memory_order_relaxed)) [[likely]] {
        part.set_more (false);
        return send_one (generation, part, flags);
    }
    return send_staged (generation, part, flags);
}

// --- multipart ---------------------------------------------------------------

errc socket_core::stage_locked (base::message &part, bool more) noexcept
try {
    if (staged_.size () >= frames_per_message_max)
        return errc::message_too_long;
    part.set_more (more);
    staged_.push_back (part);
    part.init ();
    return errc::ok;
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

// The last part stays with the caller, also of a socket that was closed while
// it waited. False: another sender's end took it along.
bool socket_core::unstage_locked (base::message &part) noexcept
{
    if (staged_.empty ())
        return false;
    part = staged_.back ();
    staged_.pop_back ();
    return true;
}

errc socket_core::route_staged_locked (std::uint32_t generation, unsigned flags, pipe *&to) noexcept
{
    if (publishes ())
        return put_staged_locked ([&] (std::span<base::message> parts) {
            return publish_parts_locked (generation, parts, flags | send_admitted, to);
        });
    const result<pipe *> found = obtain_pipe_locked (generation, flags | send_admitted);
    if (!found.ok ())
        return found.code ();
    to = found.value ();
    return put_staged_locked (*to);
}

errc socket_core::put_staged_locked (pipe &to) noexcept
{
    if (staged_.size () == 1) {
        base::message only = staged_.front ();
        staged_.clear ();
        const errc bad = put_locked (to, only);
        if (bad != errc::ok && stage_locked (only, false) != errc::ok)
            only.close ();
        return bad;
    }
    return put_staged_locked ([&] (std::span<base::message> parts) { return put_parts_locked (to, parts); });
}

template <class Put> errc socket_core::put_staged_locked (Put put) noexcept
{
    std::vector<base::message> parts;
    parts.swap (staged_);
    const errc bad = put (std::span (parts));
    if (bad == errc::ok)
        parts.clear ();
    if (staged_.empty ())      // the lock was dropped: another sender may have begun
        parts.swap (staged_);  // keeps its memory
    return bad;
}

void socket_core::close_staged_locked () noexcept
{
    for (base::message &part : staged_)
        part.close ();
    staged_.clear ();
}

// The first part of a message is accepted only when there is somewhere for the
// message to go, as with one part.
errc socket_core::admit_first_locked (std::uint32_t generation,
                                      const base::message &part,
                                      unsigned flags) noexcept
{
    return publishes () ? admit_published_locked (generation, part, flags)
                        : obtain_pipe_locked (generation, flags).code ();
}

// One part of a message that is routed as a whole. One that is refused takes
// those before it along, unless the caller was only interrupted.
errc socket_core::send_part_locked (std::uint32_t generation,
                                    base::message &part,
                                    unsigned flags,
                                    pipe *&to) noexcept
{
    const bool more = (flags & send_more) != 0;
    const bool begins = staged_.empty ();
    errc bad = begins ? admit_first_locked (generation, part, flags) : errc::ok;
    if (bad == errc::ok)
        bad = stage_locked (part, more);
    if (bad == errc::ok && !more) {
        bad = route_staged_locked (generation, flags, to);
        if (bad != errc::ok)
            (void)unstage_locked (part);
    }
    if (bad != errc::ok && bad != errc::interrupted && !begins)
        close_staged_locked ();
    return bad;
}

// Parts wait here until the last one comes; the message is routed as one.
io_count socket_core::send_staged (std::uint32_t generation, base::message &part, unsigned flags) noexcept
{
    const std::size_t bytes = part.size ();
    lock ();
    errc bad = check_locked (generation);
    if (bad == errc::ok && traits_.sends == send_rule::none)
        bad = errc::not_supported;
    const bool more = (flags & send_more) != 0;
    if (bad == errc::ok && (refuses_locked (more) || refuses_as_second_locked (more)))
        bad = errc::invalid_argument;
    pipe *to = nullptr;
    if (bad == errc::ok)
        bad = converses () ? talk_part_locked (generation, part, flags, to)
                           : send_part_locked (generation, part, flags, to);
    settle_staging_locked ();
    lane *const out = to == nullptr ? nullptr : lane_of (to);
    unlock ();
    after_unlock (out);
    return bad == errc::ok ? io_count::of (bytes) : io_count (bad);
}

errc socket_core::put_parts_in_lane_locked (lane &out, std::span<base::message> parts) noexcept
{
    const lane::position start = out.where ();
    for (std::size_t i = 0; i < parts.size (); ++i)
        if (!out.push (parts[i])) {
            out.take_back (start, parts.first (i));
            return errc::no_memory;
        }
    out.publish ();
    return errc::ok;
}

// Small parts, when nothing is before them that has to wait. False: another way.
bool socket_core::append_parts_locked (connection &to,
                                       std::span<base::message> parts,
                                       std::size_t bytes) noexcept
{
    const std::size_t heads = (parts.size () - 1) * wire::frame_header_bytes_max;
    if (to.state != connection_state::ready || wish_.conflate || !to.pending.empty ()
        || bytes >= large_body_bytes_min || !to.out.fits (bytes + heads))
        return false;
    const bool was_empty = to.out.empty ();
    std::size_t taken = 0;
    for (base::message &part : parts) {
        taken += to.out.append (part.view (), part.more (), false);
        taken_from (part);
    }
    to.credit.take (taken);
    after_append_locked (to, was_empty);
    return true;
}

errc socket_core::put_parts_in_queue_locked (connection &to,
                                             std::span<base::message> parts,
                                             std::size_t bytes) noexcept
{
    if (append_parts_locked (to, parts, bytes))
        return errc::ok;
    const bool was_idle = unwritten_connections_ == 0;
    if (const errc bad = queue_parts_locked (to, parts, bytes); bad != errc::ok)
        return bad;
    if (to.state == connection_state::ready)
        write_or_leave_locked (to, was_idle);
    return errc::ok;
}

// Without writing.
errc socket_core::queue_parts_locked (connection &to,
                                      std::span<base::message> parts,
                                      std::size_t bytes) noexcept
{
    for (std::size_t i = 0; i < parts.size (); ++i)
        if (const errc bad = queue_pending_locked (to, parts[i]); bad != errc::ok) {
            while (i-- > 0) {
                parts[i] = to.pending.back ();
                to.pending_messages -= !parts[i].more ();
                to.pending_bytes -= parts[i].size ();
                to.pending.pop_back ();
            }
            return bad;
        }
    to.credit.take (bytes);
    if (to.state == connection_state::ready)
        encode_pending_locked (to);
    return errc::ok;
}

// All parts of one message, the last without the more flag. On failure they
// all stay with the caller.
errc socket_core::put_parts_locked (pipe &to, std::span<base::message> parts) noexcept
{
    const std::size_t bytes = bytes_of (parts);
    const errc bad = to.kind == pipe_kind::inproc
                       ? put_parts_in_lane_locked (*static_cast<inproc_end &> (to).out, parts)
                       : put_parts_in_queue_locked (static_cast<connection &> (to), parts, bytes);
    if (bad == errc::ok) {
        to.count_sent (bytes);
        sent_locked ();
    }
    return bad;
}

io_count
socket_core::send_parts (std::uint32_t generation, std::span<base::message> parts, unsigned flags) noexcept
{
    if (parts.empty ())
        return errc::invalid_argument;
    lock ();
    errc bad = may_send_parts_locked (generation, parts.size ());
    if (bad == errc::ok && traits_.single_part) {
        unlock ();
        return send_only_part (generation, parts, flags);
    }
    pipe *to = nullptr;
    for (std::size_t i = 0; bad == errc::ok && i < parts.size (); ++i)
        parts[i].set_more (i + 1 < parts.size ());
    if (bad == errc::ok && converses ()) {
        bad = talk_parts_locked (generation, parts, flags, to);
    } else if (bad == errc::ok && publishes ()) {
        bad = publish_parts_locked (generation, parts, flags, to);
    } else if (bad == errc::ok) {
        const result<pipe *> found = obtain_pipe_locked (generation, flags);
        bad = found.code ();
        to = bad == errc::ok ? found.value () : nullptr;
        if (to != nullptr)
            bad = put_parts_locked (*to, parts);
    }
    lane *const out = to == nullptr ? nullptr : lane_of (to);
    unlock ();
    after_unlock (out);
    return bad == errc::ok ? io_count::of (parts.size ()) : io_count (bad);
}

// --- batches -----------------------------------------------------------------

namespace {

// Messages of those who say whom they talk to have more than one part, or one
// that names its peer.
errc why_no_batch (bool to_somebody, bool in_message) noexcept
{
    if (to_somebody)
        return errc::not_supported;
    return in_message ? errc::wrong_state : errc::ok;
}

}  // namespace

// The pipe of one message of a batch; none for who publishes.
errc socket_core::obtain_next_locked (std::uint32_t generation, unsigned flags, pipe *&to) noexcept
{
    if (publishes ())
        return errc::ok;
    const result<pipe *> found = obtain_pipe_locked (generation, flags);
    if (found.ok ())
        to = found.value ();
    return found.code ();
}

template <class Next>
io_count
socket_core::send_batch (std::uint32_t generation, std::size_t count, unsigned flags, Next next) noexcept
{
    lock ();
    errc bad = check_locked (generation);
    if (bad == errc::ok)
        bad = why_no_batch (sends_no_batches (), !staged_.empty ());
    std::size_t sent = 0;
    lane *out = nullptr;
    while (bad == errc::ok && sent < count) {
        pipe *to = publishes () ? nullptr : choose_locked ();
        if (to == nullptr) {
            bad = obtain_next_locked (generation, sent > 0 ? flags | send_dont_wait : flags, to);
            if (bad != errc::ok)
                break;
        }
        lane *const now = to == nullptr ? nullptr : lane_of (to);
        if (out != nullptr && now != out) [[unlikely]]
            note_news_locked (*out);
        out = now;
        std::size_t bytes = 0;
        bad = next (*this, to, sent, bytes);
        if (bad != errc::ok)
            break;
        ++sent;
        if (to == nullptr) [[unlikely]]
            bad = published_locked (generation);
        else
            sent_locked ();
    }
    unlock ();
    after_unlock (out);
    return sent > 0 || count == 0 ? io_count::of (sent) : io_count (bad);
}

io_count
socket_core::send_many (std::uint32_t generation, std::span<base::message> messages, unsigned flags) noexcept
{
    for (const base::message &each : messages)
        if (!each.valid () || each.more ())
            return errc::invalid_argument;
    return send_batch (generation, messages.size (), flags,
                       [&] (socket_core &self, pipe *to, std::size_t i, std::size_t &bytes) {
                           bytes = messages[i].size ();
                           return self.put_or_publish_locked (to, generation, messages[i], flags);
                       });
}

io_count socket_core::send_packed (std::uint32_t generation,
                                   base::bytes_view bytes,
                                   std::span<const std::uint32_t> sizes,
                                   unsigned flags) noexcept
{
    std::size_t total = 0;
    for (const std::uint32_t size : sizes)
        total += size;
    if (total > bytes.size ())
        return errc::invalid_argument;
    std::size_t at = 0;
    return send_batch (generation, sizes.size (), flags,
                       [&] (socket_core &self, pipe *to, std::size_t i, std::size_t &sent) {
                           sent = sizes[i];
                           base::bytes_view part = bytes.subspan (at, sent);
                           const errc bad = self.put_or_publish_locked (to, generation, part, flags);
                           at += bad == errc::ok ? sent : 0;
                           return bad;
                       });
}

}  // namespace zlink::engine
