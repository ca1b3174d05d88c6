// Receiving: slice messages out of what was read, read more, wait.
#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <utility>

#include "base/copying.hpp"
#include "engine/socket_core.hpp"
#include "wire/command.hpp"

namespace zlink::engine {

namespace {

constexpr std::size_t placed_at_once = 32;  // of those that stand together

}  // namespace

// --- the ready list ------------------------------------------------------------

void socket_core::list_locked (pipe &which) noexcept
{
    if (which.listed)
        return;
    which.listed = true;
    which.ready_index = ready_.size ();
    ready_.push_back (&which);  // reserved when the pipe was made
}

void socket_core::unlist_locked (pipe &which) noexcept
{
    if (!which.listed)
        return;
    which.listed = false;
    ready_.back ()->ready_index = which.ready_index;
    ready_[which.ready_index] = ready_.back ();
    ready_.pop_back ();
    if (ready_next_ >= ready_.size ())
        ready_next_ = 0;
}

// --- fronts ----------------------------------------------------------------------

// Is a part of this connection's to be had? May drop the lock; what it
// answers is true at the moment of answering.
bool socket_core::connection_front_locked (connection &which) noexcept
{
    for (;;) {
        switch (which.in.peek ()) {
        case front_status::part:
            return true;
        case front_status::command:
            command_locked (which, which.in.front ().bytes);
            if (which.state != connection_state::ready)
                return false;
            which.in.drop_front ();
            if (let_notice_be_next_locked ())
                return false;
            continue;
        case front_status::violation:
            lose_locked (which, which.in.why (), 0);
            return false;
        case front_status::need_bytes:
            break;
        }
        if (!read_on_locked (which))
            return false;
    }
}

// The slab has no complete part: reads, if there may be something to read.
// False when the connection has nothing to show for now, or is gone.
bool socket_core::read_on_locked (connection &which) noexcept
{
    if (which.rx_claimed) {
        unlist_locked (which);  // the reader lists it again
        return false;
    }
    if (which.rx_ended) {
        lose_locked (which, which.reason, which.os_error);
        return false;
    }
    if (topics_ != nullptr && &which == &topics_->told) {
        if (show_topic_notice_locked ())
            return true;
        unlist_locked (which);
        return false;
    }
    if (&which == interruptions_.get ()) {
        if (show_interruption_locked ())
            return true;
        unlist_locked (which);
        return false;
    }
    if (!which.maybe_readable) {
        unlist_locked (which);
        which.in.release_slab ();
        note_freed_locked ();
        return false;
    }
    if (!fill_locked (which) && which.in.memory_missing ()) {
        lose_locked (which, base::close_reason::out_of_memory, 0);
        return false;
    }
    // The lock was dropped; the object stays until the caller lets go of the
    // lock for good, its connection may not.
    return which.state == connection_state::ready;
}

bool socket_core::inproc_front_locked (inproc_end &which) noexcept
{
    lane &in = *which.in;
    if (in.readable_soon ()) [[likely]]
        return true;
    in.listed.exchange (false, std::memory_order_seq_cst);
    if (in.readable ()) {
        in.listed.store (!which.keeps_newest, std::memory_order_relaxed);
        return true;
    }
    in.stop_waiting ();
    unlist_locked (which);
    note_freed_locked ();
    if (in.writer_closed.load (std::memory_order_acquire) && !in.readable ())
        end_gone_locked (which);
    return false;
}

pipe *socket_core::front_pipe_locked () noexcept
{
    if (inside_ != nullptr) [[unlikely]]
        return inside_;
    while (!ready_.empty ()) {
        if (ready_next_ >= ready_.size ())
            ready_next_ = 0;
        pipe &next = *ready_[ready_next_];
        const bool there = next.kind == pipe_kind::stream
                             ? connection_front_locked (static_cast<connection &> (next))
                             : inproc_front_locked (static_cast<inproc_end &> (next));
        if (there) [[likely]] {
            if (!looks_at_fronts_ || passes_locked (next)) [[likely]]
                return &next;
        }
        if (phase_ != phase::open)
            return nullptr;
    }
    return nullptr;
}

bool socket_core::readable_locked () noexcept
{
    if (traits_.receives != receive_rule::fair) [[unlikely]]
        return talk_readable_locked ();
    if (front_pipe_locked () != nullptr)
        return true;
    return harvest_locked () && front_pipe_locked () != nullptr;
}

result<pipe *>
socket_core::obtain_front_locked (std::uint32_t generation, unsigned flags, base::bytes_span landing) noexcept
{
    if (traits_.receives != receive_rule::fair) [[unlikely]]
        return obtain_talk_front_locked (generation, flags);
    time_ns deadline = 0;
    for (;;) {
        if (const errc bad = check_locked (generation); bad != errc::ok)
            return bad;
        landing_ = landing;  // for the first read, which takes it away
        pipe *const found = front_pipe_locked ();
        landing_ = {};
        if (found != nullptr) {
            const errc bad = check_locked (generation);
            if (bad == errc::ok)
                return found;
            if (found->kind == pipe_kind::stream)
                static_cast<connection *> (found)->in.discard_landing ();
            return bad;
        }
        const errc bad = owes_topics_locked () ? await_topics_locked (generation, flags, deadline)
                                               : await_front_locked (generation, flags, deadline);
        if (bad != errc::ok)
            return bad;
    }
}

// As await_front_locked; what is owed is tried again first, and soon.
errc socket_core::await_topics_locked (std::uint32_t generation, unsigned flags, time_ns &deadline) noexcept
{
    if (pay_topics_locked ())
        return errc::ok;
    if (deadline == 0)
        deadline = deadline_after (wish_.receive_timeout_ms);
    const bool waits = (flags & send_dont_wait) == 0 && wish_.receive_timeout_ms != 0;
    time_ns until = std::min (deadline, now_ns () + topics_look_ns);
    const errc outcome = await_front_locked (generation, flags, until);
    return outcome == errc::would_block && waits && until < deadline ? errc::ok : outcome;
}

// Nothing is there. errc::ok: look again.
errc socket_core::await_front_locked (std::uint32_t generation, unsigned flags, time_ns &deadline) noexcept
{
    if ((flags & send_dont_wait) != 0 || wish_.receive_timeout_ms == 0) {
        if (harvest_locked ())
            return errc::ok;
        flush_tails_locked ();
        return errc::would_block;
    }
    // Looking may have dropped the lock: whoever ends the wait before it
    // begins moves no word that we would compare.
    const errc bad = check_locked (generation);
    return bad != errc::ok ? bad : wait_readable_locked (deadline);
}

// --- dropping ----------------------------------------------------------------------

// The message at the front of a pipe goes nowhere.
void socket_core::drop_message_locked (pipe &from, drop_reason why) noexcept
{
    inside_ = &from;
    for (bool more = true; more;)
        (void)copy_part_locked (from, {}, more);
    inside_ = nullptr;
    ++from.passed.of (why);
    if (ready_.size () > 1 && ++ready_next_ >= ready_.size ())
        ready_next_ = 0;
}

// What was dropped made room; whoever waits for it is another socket.
void socket_core::let_writer_go_on_locked (lane *in) noexcept
{
    if (in == nullptr)
        return;
    const away gone (*this);
    after_receive (in);
}

// --- commands --------------------------------------------------------------------

void socket_core::command_locked (connection &which, base::bytes_view body) noexcept
{
    const wire::command said = wire::parse_command (body);
    switch (said.kind) {
    case wire::command_kind::ping:
        if (which.pings_ahead > 0)
            --which.pings_ahead;
        else
            answer_ping_locked (which, said);
        return;
    case wire::command_kind::pong:
        note_round_trip_locked (which, said.data);
        if (traits_.asks_topics)
            note_heard_locked (which, said.data);
        return;
    case wire::command_kind::malformed:
        lose_locked (which, base::close_reason::command_malformed, 0);
        return;
    case wire::command_kind::ready:
        lose_locked (which, base::close_reason::command_unexpected, 0);
        return;
    case wire::command_kind::error:
        lose_locked (which, base::close_reason::refused_by_peer, 0);
        return;
    default:
        hear_of_topics_locked (which, said);
        return;
    }
}

// Only of a connection that is ready are commands looked at.
void socket_core::answer_ping_locked (connection &which, const wire::command &ping) noexcept
{
    const time_ns now = now_ns ();
    which.beat.bear (now, ping.ttl_deciseconds * 100 * base::ns_per_ms);
    if (which.out.unwritten_bytes () <= answers_behind_bytes_max) {
        say_locked (which, wire::make_pong (ping.data));
        if (which.beat.ping_due_soon (now))
            say_ping_locked (which, now);
    }
    deadlines_.set (which.due, which.beat.next ());
    schedule_locked (which.due.deadline ());
}

// What the peer asks behind messages that nobody takes is answered without them, and
// what it answers is heard.
void socket_core::look_behind_locked (connection &which) noexcept
{
    if (which.state != connection_state::ready || which.bare () || which.of_datagrams
        || which.looked_behind == which.passed.wire_bytes_received)
        return;
    which.looked_behind = which.passed.wire_bytes_received;
    std::uint64_t pings = 0;
    which.in.each_waiting_command ([&] (base::bytes_view body) {
        const wire::command said = wire::parse_command (body);
        if (said.kind == wire::command_kind::ping && ++pings > which.pings_ahead)
            answer_ping_locked (which, said);
        else if (said.kind == wire::command_kind::pong && traits_.asks_topics)
            note_heard_locked (which, said.data);
    });
    which.pings_ahead = std::max (which.pings_ahead, pings);
}

// A command of ours, behind what is queued.
void socket_core::say_locked (connection &which, const wire::command &what) noexcept
{
    std::array<std::byte, 64> body;
    const std::size_t size = wire::encode_command_body (body.data (), what);
    const bool was_empty = which.out.empty ();
    const std::size_t before = which.out.unwritten_bytes ();
    if (which.out.append_copy ({body.data (), size}, false, true)) {
        which.credit.bytes -= static_cast<std::int64_t> (which.out.unwritten_bytes () - before);
        unwritten_connections_ += was_empty;
        mark_tail_locked (which);
    }
}

// It carries the time at which it was sent.
void socket_core::say_ping_locked (connection &which, time_ns now) noexcept
{
    ++which.passed.heartbeats_sent;
    std::array<std::byte, sizeof (std::uint64_t)> context;
    base::store_u64_be (context.data (), static_cast<std::uint64_t> (now));
    say_locked (which, wire::make_ping (static_cast<std::uint16_t> (wish_.heartbeat_ttl_ms / 100), context));
}

void socket_core::note_round_trip_locked (connection &which, base::bytes_view context) noexcept
{
    if (context.size () != sizeof (std::uint64_t))
        return;
    const auto sent = static_cast<time_ns> (base::load_u64_be (context.data ()));
    const time_ns now = now_ns ();
    if (sent <= 0 || sent > now)
        return;
    ++which.passed.heartbeats_answered;
    which.round_trip_ns = static_cast<std::uint64_t> (now - sent);
    round_trip_ns_ = which.round_trip_ns;
}

// --- taking ----------------------------------------------------------------------

// Takes the part at the front; what does not fit is cut off.
[[gnu::always_inline]] inline std::size_t socket_core::copy_from_lane_locked (lane &from,
                                                                              const lane_front &part,
                                                                              base::bytes_span to,
                                                                              bool &more) noexcept
{
    const std::size_t size = part.bytes.size ();
    more = part.more;
    if (size > 0 && !to.empty ())
        base::copy_octets (to.data (), part.bytes.data (), std::min (size, to.size ()));
    if (part.whole == nullptr) [[likely]] {
        from.consume (size);
        return size;
    }
    large_bytes_ = size;
    from.drop (part);
    return size;
}

std::size_t socket_core::copy_part_locked (pipe &from, base::bytes_span to, bool &more) noexcept
{
    if (from.kind == pipe_kind::stream) {
        in_buffer &in = static_cast<connection &> (from).in;
        if (inside_ == &from)
            (void)in.peek ();
        const front_part &part = in.front ();
        const std::size_t size = part.bytes.size ();
        more = part.more;
        if (size > 0 && !to.empty () && part.bytes.data () != to.data ())  // it may have landed there
            base::copy_octets (to.data (), part.bytes.data (), std::min (size, to.size ()));
        in.expect_body (size);
        in.drop_front ();
        return size;
    }
    lane &in = *static_cast<inproc_end &> (from).in;
    return copy_from_lane_locked (in, in.front (), to, more);
}

bool socket_core::take_unmarked_part_locked (pipe &from, base::message &to) noexcept
{
    if (from.kind == pipe_kind::stream) {
        auto &wire = static_cast<connection &> (from);
        if (inside_ == &from)
            (void)wire.in.peek ();
        if (!wire.in.take_front (to))
            return false;
        to.set_facts (wire.facts);
        return true;
    }
    lane &in = *static_cast<inproc_end &> (from).in;
    const lane_front part = in.front ();
    const std::size_t size = part.bytes.size ();
    if (part.whole != nullptr) {
        large_bytes_ = size;
        to = *part.whole;
        in.let_go (size);
    } else if (!to.init_copy (part.bytes).ok ()) {
        return false;
    }
    to.set_more (part.more);
    in.consume (size);
    return true;
}

namespace {

// What it takes the place of is counted. False: memory is out.
bool take_newer (connection &from, base::message &newest, bool &any) noexcept
{
    base::message part;
    if (!from.in.take_front (part))
        return false;
    newest.close ();
    newest = part;
    from.passed.of (drop_reason::conflated) += any;
    any = true;
    return true;
}

}  // namespace

// CONFLATE: only the newest of what has arrived counts.
void socket_core::skip_to_latest_locked (pipe &which) noexcept
{
    if (which.kind == pipe_kind::inproc) {
        lane &in = *static_cast<inproc_end &> (which).in;
        while (in.queued () > 1 && !traits_.takes_topics) {
            do
                in.drop (in.front ());
            while (in.inside_message ());
            ++which.passed.of (drop_reason::conflated);
        }
        return;
    }
    auto &wire = static_cast<connection &> (which);
    base::message newest;
    newest.init ();
    bool any = false;
    while (wire.state == connection_state::ready && connection_front_locked (wire)
           && take_newer (wire, newest, any))
        ;
    if (any && !wire.in.put_back (newest))
        newest.close ();
    if (any && wire.state == connection_state::ready)
        list_locked (wire);
}

// The same of what has been read, while nobody receives: what is older makes
// room, so that the newest is read, too. The connection stays, be it at its end.
void socket_core::leave_latest_locked (connection &which) noexcept
{
    base::message newest;
    newest.init ();
    bool any = false;
    for (front_status front = which.in.peek (); which.state == connection_state::ready;
         front = which.in.peek ()) {
        if (front == front_status::command) {
            command_locked (which, which.in.front ().bytes);
            if (which.state == connection_state::ready)
                which.in.drop_front ();
        } else if (front != front_status::part || !take_newer (which, newest, any)) {
            break;
        }
    }
    if (any && !which.in.put_back (newest))
        newest.close ();
    if (any && which.state == connection_state::ready)
        list_locked (which);
}

// The pipe goes. Of a message whose first part was handed out the rest is
// here already: it moves to a pipe that is no connection and goes out from
// there.
void socket_core::keep_rest_locked (pipe &from) noexcept
{
    if (inside_ != &from)
        return;
    drop_rest_locked ();
    try {
        rest_ = std::make_unique<connection> (owner_->arenas, owner_->slabs);
        rest_->name = from.name;
    } catch (const std::bad_alloc &) {
        rest_.reset ();
    }
    const bool moved = rest_ != nullptr && move_rest_locked (from, *rest_);
    inside_ = moved ? rest_.get () : nullptr;
    label_due_ = label_due_ && moved;
    if (!moved) {
        ++from.passed.of (drop_reason::no_memory);
        warn_locked (warning::dropped (drop_reason::no_memory, 1), traits_.name);
    }
}

bool socket_core::move_rest_locked (pipe &from, connection &to) noexcept
{
    if (from.kind == pipe_kind::stream) {
        auto &wire = static_cast<connection &> (from);
        to.facts = wire.facts;
        if (to.facts != nullptr)
            to.facts->retain ();
        to.in.take_rest (wire.in);
        if (to.in.holds_parts ())
            return true;
    }
    for (bool more = true; more;) {
        base::message part;
        if (!take_part_locked (from, part))
            return false;
        more = part.more ();
        if (!to.in.add_rest (part)) {
            part.close ();
            return false;
        }
    }
    return true;
}

void socket_core::drop_rest_locked () noexcept
{
    if (rest_ != nullptr && rest_->facts != nullptr)
        rest_->facts->drop ();
    if (rest_ != nullptr)
        gone_ += rest_->passed;
    rest_.reset ();
}

void socket_core::leave_more_locked () noexcept
{
    if (receivers_.waiting > 0)
        notify_receivers_locked ();
    if (handle_set_ != nullptr)
        notify_watchers_locked ();
    if (!lease_pending_ && reactor_ != nullptr) [[unlikely]]
        start_lease_locked ();
}

lane *socket_core::credit_due (pipe *from) noexcept
{
    return from->kind == pipe_kind::inproc ? static_cast<inproc_end *> (from)->in : nullptr;
}

void socket_core::after_receive (lane *in) noexcept
{
    if (in != nullptr && in->writer_waits.load (std::memory_order_seq_cst) && in->writer_may_go_on ())
        signal_writer (*in);
}

// The front pipe, with the lock held on success and dropped on failure.
result<pipe *> socket_core::begin_receive (std::uint32_t generation, unsigned flags) noexcept
{
    lock ();
    ++receive_calls_;
    return begin_receive_locked (generation, flags);
}

result<pipe *> socket_core::begin_receive_locked (std::uint32_t generation,
                                                  unsigned flags,
                                                  base::bytes_span landing) noexcept
{
    errc bad = check_locked (generation);
    if (bad == errc::ok) [[likely]] {
        if (since_harvest_ >= harvest_interval_messages && connections_.size () > 1) [[unlikely]] {
            taken_before_harvest_ += std::exchange (since_harvest_, 0);
            harvest_locked ();
        }
        const result<pipe *> found = obtain_front_locked (generation, flags, landing);
        if (found.ok ()) [[likely]] {
            if (wish_.conflate && inside_ == nullptr) [[unlikely]]
                skip_to_latest_locked (*found.value ());
            return found;
        }
        bad = found.code ();
    }
    unlock ();
    return bad;
}

// The pipe of which next_is_beside_locked() is true, if it has something for
// the application.
pipe *socket_core::source_beside_locked (std::uint32_t generation) noexcept
{
    if (generation != generation_ || !front_is_next_locked ())
        return nullptr;
    pipe &next = *ready_[ready_next_];
    const bool there = next.kind == pipe_kind::stream ? static_cast<connection &> (next).in.peek_slab_part ()
                                                      : static_cast<inproc_end &> (next).in->readable_soon ();
    return there && (!looks_at_topics_ || passes_by_topic_locked (front_locked (next))) ? &next : nullptr;
}

// The part that peek_slab_part() has shown, the last of its message.
[[gnu::always_inline]] inline io_count socket_core::give_body (connection &from,
                                                               base::bytes_span buffer) noexcept
{
    const base::bytes_view body = from.in.front ().bytes;
    if (!body.empty () && !buffer.empty ())
        base::copy_octets (buffer.data (), body.data (), std::min (body.size (), buffer.size ()));
    from.in.expect_body (body.size ());
    from.in.consume ();
    received_locked (from, body.size (), false);
    leave_receive_locked ();
    unlock ();
    return io_count::of (body.size ());
}

// front_pipe_locked() where topics say what is wanted: first by what is kept of them. Out of the
// way of batches without topics.
pipe *socket_core::wanted_next_locked (std::uint32_t generation) noexcept
{
    pipe *const beside = next_is_beside_locked () ? source_beside_locked (generation) : nullptr;
    return beside != nullptr ? beside : front_pipe_locked ();
}

// What source_beside_locked() would find is taken, and the lock dropped. False:
// it would find nothing.
bool socket_core::take_beside_locked (std::uint32_t generation, base::bytes_span to, io_count &taken) noexcept
{
    if (generation != generation_ || !front_is_next_locked ())
        return false;
    pipe &from = *ready_[ready_next_];
    if (from.kind == pipe_kind::stream) {
        auto &wire = static_cast<connection &> (from);
        if (!wire.in.peek_slab_part () || !passes_plainly_locked (wire.in.front ().bytes))
            return false;
        taken = give_body (wire, to);
        return true;
    }
    lane &in = *static_cast<inproc_end &> (from).in;
    if (!in.readable_soon ())
        return false;
    const lane_front part = in.front ();
    if (!passes_plainly_locked (part.bytes))
        return false;
    bool more = false;
    const std::size_t size = copy_from_lane_locked (in, part, to, more);
    received_locked (from, size, more);
    leave_receive_locked ();
    unlock ();
    after_receive (&in);
    taken = io_count::of (size);
    return true;
}

io_count socket_core::receive (std::uint32_t generation, base::bytes_span buffer, unsigned flags) noexcept
{
    lock ();
    if (connection *const from = receive_source_locked (generation); from != nullptr) [[likely]]
        return give_body (*from, buffer);
    if (next_is_beside_locked ()) {
        io_count taken = io_count::of (0);
        if (take_beside_locked (generation, buffer, taken))
            return taken;
    }
    if (connection *const from = label_source_locked (generation); from != nullptr) {
        if (inside_ != nullptr)
            return give_body (*from, buffer);
        inside_ = from;
        from->in.remember_slab_part ();
        return give_label (buffer);
    }
    const result<pipe *> found = begin_receive_locked (generation, flags, buffer);
    if (!found.ok ())
        return found.code ();
    if (label_due_) [[unlikely]]
        return give_label (buffer);
    pipe *const from = found.value ();
    lane *const in = credit_due (from);
    bool more = false;
    const std::size_t size = copy_part_locked (*from, buffer, more);
    received_locked (*from, size, more);
    leave_receive_locked ();
    unlock ();
    after_receive (in);
    return io_count::of (size);
}

io_count socket_core::receive (std::uint32_t generation, base::message &part, unsigned flags) noexcept
{
    lock ();
    pipe *plain = receive_source_locked (generation);
    if (plain == nullptr && next_is_beside_locked ())
        plain = source_beside_locked (generation);
    const result<pipe *> found =
      plain != nullptr ? result<pipe *> (plain) : begin_receive_locked (generation, flags);
    if (!found.ok ())
        return found.code ();
    if (label_due_) [[unlikely]]
        return give_label (part);
    pipe *const from = found.value ();
    lane *const in = credit_due (from);
    base::message taken;
    const bool done = take_part_locked (*from, taken);
    if (done)
        received_locked (*from, taken.size (), taken.more ());
    leave_receive_locked ();
    unlock ();
    after_receive (in);
    if (!done)
        return errc::no_memory;
    part.close ();
    part = taken;
    return io_count::of (part.size ());
}

std::size_t socket_core::count_parts_locked (pipe &from) noexcept
{
    return from.kind == pipe_kind::stream ? static_cast<connection &> (from).in.parts_left ()
                                          : static_cast<inproc_end &> (from).in->parts_left ();
}

io_count socket_core::receive_parts (std::uint32_t generation,
                                     std::span<base::message> parts,
                                     unsigned flags,
                                     std::size_t *needed,
                                     time_ns deadline) noexcept
{
    const result<pipe *> found =
      deadline != 0 ? begin_talk_receive (generation, deadline) : begin_receive (generation, flags);
    if (!found.ok ())
        return found.code ();
    pipe *const from = found.value ();
    const std::size_t count = count_parts_locked (*from) + label_due_;
    if (needed != nullptr)
        *needed = count;
    if (count > parts.size ()) {
        leave_receive_locked ();
        unlock ();
        return errc::message_too_long;
    }
    lane *const in = credit_due (from);
    std::size_t taken = label_due_ && take_label_locked (parts[0]) == errc::ok;
    while (!label_due_ && taken < count) {
        base::message part;
        if (!take_part_locked (*from, part))
            break;
        received_locked (*from, part.size (), part.more ());
        parts[taken].close ();
        parts[taken++] = part;
    }
    leave_receive_locked ();
    unlock ();
    after_receive (in);
    return taken == count ? io_count::of (count) : io_count (errc::no_memory);
}

template <class Take>
io_count
socket_core::receive_batch (std::uint32_t generation, std::size_t count, unsigned flags, Take take) noexcept
{
    if (count == 0)
        return errc::invalid_argument;
    std::size_t taken = 0;
    errc bad = errc::ok;
    const result<pipe *> first = begin_receive (generation, flags);
    if (!first.ok ())
        return first.code ();
    pipe *from = first.value ();
    if (traits_.receives != receive_rule::fair) [[unlikely]] {
        count = 1;  // then it is the other side's turn
        if (!begin_batch_locked (*from)) {
            bad = errc::wrong_state;
            from = nullptr;
        }
    }
    lane *in = nullptr;
    while (from != nullptr) {
        const bool several = from->kind == pipe_kind::stream
                               ? static_cast<connection *> (from)->in.front ().more
                               : static_cast<inproc_end *> (from)->in->front ().more;
        if (several) {
            bad = errc::wrong_state;
            break;
        }
        lane *const lane_now = credit_due (from);
        if (in != nullptr && in != lane_now)
            break;
        in = lane_now;
        std::size_t bytes = 0;
        bad = take (*this, *from, taken, bytes);
        if (bad != errc::ok)
            break;
        ++taken;
        received_locked (*from, bytes, false);
        if (taken == count)
            break;
        from = looks_at_topics_ ? wanted_next_locked (generation) : front_pipe_locked ();
        if (phase_ != phase::open)
            break;
    }
    leave_receive_locked ();
    unlock ();
    after_receive (in);
    return taken > 0 ? io_count::of (taken) : io_count (bad);
}

io_count socket_core::receive_many (std::uint32_t generation,
                                    std::span<base::message> messages,
                                    unsigned flags) noexcept
{
    return receive_batch (generation, messages.size (), flags,
                          [&] (socket_core &self, pipe &from, std::size_t i, std::size_t &bytes) {
                              base::message part;
                              if (!self.take_part_locked (from, part))
                                  return errc::no_memory;
                              messages[i].close ();
                              messages[i] = part;
                              bytes = part.size ();
                              return errc::ok;
                          });
}

// Behind a message of a connection that alone has something: those that stand whole in its
// slab, until one has no room or is not as plain.
std::size_t socket_core::pack_more_locked (connection &from,
                                           base::bytes_span &room,
                                           std::span<std::uint32_t> sizes) noexcept
{
    std::size_t taken = 0;
    while (taken < sizes.size () && from.in.peek_slab_part ()) {
        const base::bytes_view body = from.in.front ().bytes;
        if (body.size () > room.size () || !passes_plainly_locked (body))
            break;
        if (!body.empty ())
            base::copy_octets (room.data (), body.data (), body.size ());
        room = room.subspan (body.size ());
        sizes[taken++] = static_cast<std::uint32_t> (body.size ());
        from.in.expect_body (body.size ());
        from.in.consume ();
        received_locked (from, body.size (), false);
    }
    return taken;
}

io_count socket_core::receive_packed (std::uint32_t generation,
                                      base::bytes_span buffer,
                                      std::span<std::uint32_t> sizes,
                                      unsigned flags) noexcept
{
    base::bytes_span room = buffer.first (std::min<std::size_t> (buffer.size (), UINT32_MAX));
    return receive_batch (
      generation, sizes.size (), flags,
      [&] (socket_core &self, pipe &from, std::size_t &taken, std::size_t &bytes) {
          const std::size_t size = front_locked (from).size ();
          if (size > room.size ())
              return errc::message_too_long;
          bool more = false;
          bytes = self.copy_part_locked (from, room.first (size), more);
          sizes[taken] = static_cast<std::uint32_t> (bytes);
          room = room.subspan (bytes);
          if (from.kind == pipe_kind::stream && self.plain_beside_ && self.ready_.size () == 1)
              taken +=
                self.pack_more_locked (static_cast<connection &> (from), room, sizes.subspan (taken + 1));
          return errc::ok;
      });
}

// would_block: there is no hold left for the memory in which the front stands; in_progress:
// there is none at all. May throw bad_alloc.
errc socket_core::hold_memory (const lane &of, base::placed_parts &to)
{
    if (to.held > 0 && to.holds[to.held - 1].get () == of.memory ())
        return errc::ok;
    if (to.held == to.holds.size ())
        return to.held == 0 ? errc::in_progress : errc::would_block;
    to.holds[to.held] = of.keep_memory ();
    ++to.held;
    return errc::ok;
}

// Larger parts stay where they are, and so do small ones of which many stand together.
// in_progress: it is to be copied; would_block: there is no hold left for the memory that it
// stands in.
errc socket_core::place_from_lane_locked (inproc_end &from, base::placed_parts &to, placing &at) noexcept
try {
    lane &in = *from.in;
    const lane_front front = in.front ();
    const bool alone = plain_beside_ && ready_.size () == 1;
    const bool small = alone && in.seen_behind () >= placed_messages_min;
    if (front.whole != nullptr || (front.bytes.size () < placed_bytes_min && !small))
        return errc::in_progress;
    const void *row = in.beginning ();
    if (lane_row_item item; in.front_row_item (item)) {
        if (!alone)
            return errc::in_progress;
        if (front.bytes.size () > at.room.size ())
            return errc::message_too_long;
        row = item.beginning;
    }
    if (const errc held = hold_memory (in, to); held != errc::ok)
        return held;
    at.bytes = front.bytes.size ();
    at.parts[0] = front.bytes;
    if (row != in.beginning ()) {
        base::copy_octets (at.room.data (), front.bytes.data (), at.bytes);
        at.parts[0] = at.room.first (at.bytes);
        at.room = at.room.subspan (at.bytes);
    }
    in.consume (at.bytes);
    if (alone)
        at.beside = place_more_locked (from, row, small, at);
    return errc::ok;
} catch (const std::bad_alloc &) {
    return errc::in_progress;
}

// Behind it, of a lane that alone has something, those that stand in the same memory: until
// one is not as plain. row: where the row begins that the one before may be of.
std::size_t
socket_core::place_more_locked (inproc_end &from, const void *row, bool small, const placing &at) noexcept
{
    lane &in = *from.in;
    const void *const held = in.memory ();
    const std::size_t room = at.parts.size () - 1;
    const bool rows = !at.goes_on.empty ();
    std::size_t placed = 0;
    for (; placed < room && in.seen_readable (); ++placed) {
        lane_row_item item;
        if (rows && in.front_row_item (item) && item.beginning == row) [[likely]] {
            at.goes_on[placed + 1] = true;
        } else {
            const lane_front front = in.front ();
            const std::size_t size = front.bytes.size ();
            if (in.memory () != held || (size < placed_bytes_min && !small) || front.whole != nullptr
                || front.more || front.command || !in.front_stands () || !passes_plainly_locked (front.bytes))
                break;
            item = {front.bytes, size, nullptr};
            row = in.beginning ();
        }
        at.parts[placed + 1] = item.octets;
        in.consume (item.message_bytes);
        received_locked (from, item.message_bytes, false);
    }
    return placed;
}

// Into the room that is left; behind a part of a connection those that stand whole in its
// slab, too.
errc socket_core::place_copy_locked (pipe &from, placing &at) noexcept
{
    const std::size_t size = front_locked (from).size ();
    if (size > at.room.size ())
        return errc::message_too_long;
    bool more = false;
    at.bytes = copy_part_locked (from, at.room.first (size), more);
    at.parts[0] = at.room.first (at.bytes);
    at.room = at.room.subspan (at.bytes);
    if (from.kind != pipe_kind::stream || !plain_beside_ || ready_.size () != 1)
        return errc::ok;
    std::array<std::uint32_t, placed_at_once> sizes;
    for (std::size_t count = placed_at_once; count == placed_at_once;) {
        const std::byte *stands = at.room.data ();
        const std::span<base::bytes_view> left = at.parts.subspan (1 + at.beside);
        count = pack_more_locked (static_cast<connection &> (from), at.room,
                                  std::span (sizes).first (std::min (left.size (), placed_at_once)));
        for (std::size_t i = 0; i < count; ++i) {
            left[i] = {stands, sizes[i]};
            stands += sizes[i];
        }
        at.beside += count;
    }
    return errc::ok;
}

io_count
socket_core::receive_placed (std::uint32_t generation, base::placed_parts &to, unsigned flags) noexcept
{
    placing at{.room = to.room};
    std::ranges::fill (to.goes_on, false);
    return receive_batch (generation, to.parts.size (), flags,
                          [&] (socket_core &self, pipe &from, std::size_t &taken, std::size_t &bytes) {
                              at.parts = to.parts.subspan (taken);
                              at.goes_on = to.goes_on.empty () ? to.goes_on : to.goes_on.subspan (taken);
                              at.beside = 0;
                              errc outcome = errc::in_progress;
                              if (from.kind == pipe_kind::inproc)
                                  outcome =
                                    self.place_from_lane_locked (static_cast<inproc_end &> (from), to, at);
                              if (outcome == errc::in_progress)
                                  outcome = self.place_copy_locked (from, at);
                              taken += at.beside;
                              bytes = at.bytes;
                              return outcome;
                          });
}

}  // namespace zlink::engine
