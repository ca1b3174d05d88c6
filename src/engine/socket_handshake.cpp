// A connection's way through its states, the dial excepted: handshake, ready,
// draining, lost. The reactor's thread drives all of it.
#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "engine/socket_core.hpp"
#include "wire/command.hpp"

namespace zlink::engine {

namespace {

constexpr unsigned kind_shift = 60;
constexpr unsigned generation_shift = 36;
constexpr unsigned index_shift = 16;
constexpr std::uint64_t generation_mask = (1u << 24) - 1;
constexpr std::uint64_t index_mask = (1u << 20) - 1;

std::uint64_t tag (tag_kind kind, std::uint64_t which, std::uint16_t slot) noexcept
{
    return (static_cast<std::uint64_t> (kind) << kind_shift) | (which << index_shift) | slot;
}

// Room that grows by doubling: one after the other costs no copy of all.
template <class T> void make_room (std::vector<T> &list, std::size_t wanted)
{
    if (list.capacity () < wanted)
        list.reserve (std::max (wanted, 2 * list.capacity ()));
}

// What zmq_msg_gets finds on a message of this connection.
class peer_facts final : public base::message_facts
{
  public:
    // What the stream has proved and the handler has said goes before what the
    // peer says of itself.
    peer_facts (const wire::session &from,
                const wire::zap_reply *said,
                const base::stream &by,
                std::string peer_address)
      : address_ (std::move (peer_address)), properties_ (by.peer_facts ())
    {
        if (said != nullptr) {
            properties_.emplace_back ("User-Id", said->user_id);
            for (const auto &[name, value] : said->properties.all ())
                properties_.emplace_back (name, value);
        }
        for (const auto &[name, value] : from.peer_metadata ().all ())
            properties_.emplace_back (name, value);
    }
    [[nodiscard]] const char *find (const char *name) const noexcept override
    {
        const std::string_view wanted = name;
        if (wanted == "Peer-Address")
            return address_.empty () ? nullptr : address_.c_str ();
        const std::string_view real = wanted == "Routing-Id" ? "Identity" : wanted;
        for (const auto &[key, value] : properties_)
            if (key == real)
                return value.c_str ();
        return nullptr;
    }

  private:
    std::string address_;
    std::vector<std::pair<std::string, std::string>> properties_;
};

}  // namespace

std::uint64_t socket_core::tag_of (const connection &which) const noexcept
{
    const std::uint64_t name =
      ((which.generation & generation_mask) << (generation_shift - index_shift)) | which.index;
    return tag (tag_kind::connection, name, slot_);
}

std::uint64_t socket_core::tag_of (const endpoint &which) const noexcept
{
    return tag (tag_kind::listener, which.id, slot_);
}

std::uint64_t socket_core::tag_of_inner () const noexcept
{
    return tag (tag_kind::inner_set, generation_, slot_);
}

void socket_core::dispatch (const base::poll_event &event) noexcept
{
    constexpr std::uint64_t which_mask = (std::uint64_t{1} << (kind_shift - index_shift)) - 1;
    const auto kind = static_cast<tag_kind> (event.tag >> kind_shift);
    at (static_cast<std::uint16_t> (event.tag))
      .event (kind, (event.tag >> index_shift) & which_mask, event.ready);
}

connection *socket_core::find_locked (std::uint64_t which) noexcept
{
    const auto index = static_cast<std::size_t> (which & index_mask);
    if (index >= connections_.size () || connections_[index] == nullptr)
        return nullptr;
    connection &found = *connections_[index];
    const std::uint64_t generation = which >> (generation_shift - index_shift);
    return (found.generation & generation_mask) == generation ? &found : nullptr;
}

// For one more of either kind than there are, and for what those bring who
// dropped the lock. Throws bad_alloc.
void socket_core::reserve_deadlines_locked ()
{
    deadlines_.reserve (connections_.size () + endpoints_.size () + 2 + users_);
}

connection *socket_core::new_connection_locked () noexcept
try {
    if (free_indices_.empty ()) {
        if (connections_.size () > index_mask)
            return nullptr;
        const std::size_t wanted = connections_.size () + 1;
        make_room (graveyard_, wanted);  // so that burying cannot fail
        const std::size_t pipes = wanted + ends_.size () + expected_ends_.size ();
        make_room (ready_, pipes + 1);  // and what topics_ tells
        make_room (balance_, pipes);
        if (topics_ != nullptr)
            for (auto *each : {&topics_->chosen, &topics_->for_all})
                make_room (*each, pipes);
        if (traits_.sends == send_rule::address)
            talk_.routes.reserve (pipes);
        make_room (tails_, wanted);
        make_room (attention_, wanted);
        make_room (free_indices_, wanted);
        reserve_deadlines_locked ();
        connections_.emplace_back ();  // the last that may throw
        free_indices_.push_back (static_cast<std::uint32_t> (connections_.size () - 1));
    }
    buffer_pool &arenas = own_arenas_ ? *own_arenas_ : owner_->arenas;
    buffer_pool &slabs = own_slabs_ ? *own_slabs_ : owner_->slabs;
    auto made = std::make_unique<connection> (arenas, slabs);
    made->index = free_indices_.back ();
    made->generation = next_generation_++;
    made->credit.set_marks (wish_.send_hwm, wish_.send_hwm_bytes);
    made->credit.refill ();
    made->out.set_framing (wish_.speaks);
    free_indices_.pop_back ();
    connection *const fresh = made.get ();
    connections_[fresh->index] = std::move (made);
    return fresh;
} catch (const std::bad_alloc &) {
    return nullptr;
}

// Interest of the reactor's set in this connection. The lock is dropped.
bool socket_core::watch_locked (connection &which, std::uint32_t interest) noexcept
{
    const bool known = std::exchange (which.in_outer, true);
    which.outer_interest = interest;
    const base::io_handle handle = which.stream->handle ();
    const std::uint64_t tag = tag_of (which);
    result<void> outcome;
    {
        const away gone (*this);
        outcome = known ? reactor_->set ().modify (handle, interest, tag)
                        : reactor_->set ().add (handle, interest, tag);
    }
    return outcome.ok ();
}

void socket_core::start_handshake_locked (connection &which) noexcept
try {
    which.state = connection_state::handshaking;
    deadlines_.set (which.due, limit_after (wish_.handshake_ms));
    which.ready_since_ns = now_ns ();
    if (!begin_opening_locked (which)) {
        lose_locked (which, base::close_reason::local_close, 0);
        return;
    }
    wire::session_config config;
    config.speaks = which.out.framing ();
    config.silent = which.of_datagrams;
    config.type = static_cast<wire::socket_type> (traits_.type);
    config.secured = wish_.secured;
    config.secured.judged = true;
    config.secured.always_asks = policies_.any != nullptr;
    config.secrets = owner_->world.secrets;
    config.identity = wish_.routing_id;
    config.properties = wish_.properties;
    if (traits_.asks_topics && wish_.wants_gaps)
        config.properties.emplace_back (gap_property, "1");
    // Where the application leaves no room, subscribers do without.
    if (traits_.takes_topics && !traits_.grouped)
        (void)add_property (config.properties, pattern_property, std::to_string (patterns_per_peer_max));
    config.send_identity = wire::socket_type_sends_identity (config.type);
    // To peers of the web it says that we are newer than what the upgrade has settled.
    if ((config.send_identity && !config.identity.empty ()) || is_opening_locked (which))
        (void)add_property (config.properties, kin_property, "1");
    // A ROUTER says so only to whom it has a name for.
    if (traits_.sends == send_rule::address && which.dialled_by == nullptr)
        config.order = wire::ready_order::after_peer;
    which.session = std::make_unique<wire::session> (std::move (config));
    if (!is_opening_locked (which))
        which.session->start ();
    if (which.session->status () == wire::session_status::failed)
        lose_locked (which, which.session->reason (), 0);
    else
        run_handshake_locked (which);
} catch (const std::bad_alloc &) {
    lose_locked (which, base::close_reason::out_of_memory, 0);
}

// Goes on with the handshake as far as it will go now. Both claims are held
// meanwhile, and free afterwards.
void socket_core::run_handshake_locked (connection &which) noexcept
{
    if (which.claimed () || which.state != connection_state::handshaking)
        return;
    which.rx_claimed = which.tx_claimed = true;
    try {
        if (which.in_outer || watch_locked (which, base::interest_read)) {
            advance_handshake_locked (which);
            // Thousands may be at it at once, and each waits for its peer most of the time.
            if (which.stream != nullptr)
                which.stream->rest ();
        } else
            lose_locked (which, base::close_reason::limit_reached, 0);
    } catch (const std::bad_alloc &) {
        lose_locked (which, base::close_reason::out_of_memory, 0);
    }
    if (which.state == connection_state::handshaking)
        await_handshake_locked (which);
    if (which.state == connection_state::handshaking || which.state == connection_state::lost)
        which.rx_claimed = which.tx_claimed = false;
    if (which.state == connection_state::lost)
        erase_locked (which);
}

// One step: write what the session says, read what the peer says, until
// neither moves. A full kernel does not keep us from reading: the peer may
// wait for just that before it reads itself.
void socket_core::advance_handshake_locked (connection &which)
{
    while (which.state == connection_state::handshaking && !which.leaving) {
        if (is_opening_locked (which) && !open_stream_locked (which))
            return;
        if (which.session->wants_verdict () && !judge_locked (which))
            return;
        if (which.session->status () == wire::session_status::ready && !name_peer_locked (which))
            return;
        if (!write_session_locked (which))
            return;
        if (which.session->status () == wire::session_status::ready) {
            if (which.session->output ().empty ())
                become_ready_locked (which);
            return;
        }
        if (!read_session_locked (which))
            return;
    }
}

// What the reactor's set, which tells levels, is to watch for until the
// handshake goes on: only what the next step can use up, or it would tell the
// same for ever. Once the session is ready the rest of the input is not its.
void socket_core::await_handshake_locked (connection &which) noexcept
{
    std::uint32_t interest = 0;
    if (is_opening_locked (which))
        interest = opening_interest_locked (which);
    else if (which.session->status () == wire::session_status::need_more)
        interest |= base::interest_read;
    if (!is_opening_locked (which) && !which.session->output ().empty () && !which.waits_for_name)
        interest |= base::interest_write;
    if (interest != which.outer_interest && !watch_locked (which, interest))
        lose_locked (which, base::close_reason::limit_reached, 0);
}

// As far as the kernel takes it. False when the handshake is over.
bool socket_core::write_session_locked (connection &which)
{
    while (!which.session->output ().empty ()) {
        const base::bytes_view all = which.session->output ();
        result<std::size_t> outcome{std::size_t{0}};
        {
            const away gone (*this);
            outcome = which.stream->write (std::span (&all, 1));
        }
        ++which.passed.write_calls;
        if (which.state != connection_state::handshaking)
            return false;
        if (outcome.code () == errc::would_block)
            return true;
        if (!outcome.ok ()) {
            warn_answer_locked (which, base::close_reason::write_failed, outcome.failure ());
            lose_locked (which, base::close_reason::write_failed, outcome.failure ().os_code);
            return false;
        }
        which.session->output_drained (outcome.value ());
        which.passed.wire_bytes_sent += outcome.value ();
    }
    return true;
}

// False when there is nothing to read now or the handshake is over.
bool socket_core::read_session_locked (connection &which)
{
    std::array<std::byte, 4096> buffer;
    const base::bytes_span whole (buffer);
    result<std::size_t> outcome{std::size_t{0}};
    {
        const away gone (*this);
        outcome = which.stream->read (std::span (&whole, 1));
    }
    ++which.passed.read_calls;
    if (which.state != connection_state::handshaking)
        return false;
    if (!outcome.ok ()) {
        if (outcome.code () == errc::would_block)
            return false;
        warn_answer_locked (which, base::close_reason::read_failed, outcome.failure ());
        lose_locked (which, why_unreadable (*which.stream, errc::connection_reset),
                     outcome.failure ().os_code);
        return false;
    }
    if (outcome.value () == 0) {
        lose_locked (which,
                     which.session->waits_for_entry () ? base::close_reason::turned_away
                                                       : base::close_reason::peer_closed,
                     0);
        return false;
    }
    const base::bytes_view have (buffer.data (), outcome.value ());
    which.passed.wire_bytes_received += have.size ();
    std::size_t consumed = 0;
    const wire::session_status status = which.session->feed (have, consumed);
    if (status == wire::session_status::failed) {
        end_session_locked (which);
        return false;
    }
    // What stands behind the handshake is the peer's first frames.
    if (status == wire::session_status::ready) {
        const base::bytes_view early = have.subspan (consumed);
        which.early.assign (early.begin (), early.end ());
    }
    return true;
}

// It has failed, and may have a last word.
void socket_core::end_session_locked (connection &which)
{
    if (write_session_locked (which))
        lose_locked (which, which.session->reason (), which.session->refused_status ());
}

// PAIR has one peer. True when this one is turned away.
bool socket_core::refuse_peer_locked (connection &which) noexcept
{
    if (!traits_.single_peer)
        return false;
    const bool taken = std::ranges::any_of (balance_, [&which] (const pipe *each) { return each != &which; });
    if (taken)
        lose_locked (which, base::close_reason::second_peer, 0);
    return taken;
}

void socket_core::become_ready_locked (connection &which) noexcept
try {
    if (refuse_peer_locked (which))
        return;
    const wire::session &session = *which.session;
    if (which.in.framing () != session.frames ())
        drop_unread_locked (which);
    which.out.set_framing (session.frames ());
    which.in.set_framing (session.frames ());
    const bool endless =
      wish_.message_bytes_max < 0 || session.frames () == wire::framing::raw || which.of_datagrams;
    which.in.set_message_bytes_max (endless ? INT64_MAX : wish_.message_bytes_max);
    if (traits_.grouped && traits_.filters)
        (void)which.in.peek_group ();  // pairs of frames are shown as one from now on
    which.peer_identity = std::string (session.peer_identity ());
    forget_facts_locked (which);
    which.facts = new peer_facts (session, which.verdict.get (), *which.stream, which.peer_address);
    settle_stream_locked (which);
    const bool sealed = session.seals ();
    if (!(sealed ? seal_stream_locked (which) : which.in.preload (which.early))) {
        lose_locked (which, base::close_reason::out_of_memory, 0);
        return;
    }
    const base::io_handle handle = which.stream->handle ();
    const std::uint64_t tag = tag_of (which);
    which.in_outer = inner_ == nullptr;
    result<void> added;
    {
        const away gone (*this);
        constexpr std::uint32_t wish = base::interest_read | base::interest_edge;
        if (inner_ != nullptr) {
            reactor_->set ().remove (handle);
            added = inner_->add (handle, wish, tag);
        } else {
            added = reactor_->set ().modify (handle, wish, tag);
        }
    }
    if (which.state != connection_state::handshaking)
        return;
    if (!added.ok ()) {
        lose_locked (which, base::close_reason::limit_reached, added.failure ().os_code);
        return;
    }
    open_traffic_locked (which);
} catch (const std::bad_alloc &) {
    lose_locked (which, base::close_reason::out_of_memory, 0);
}

// The session is made, the inner set watches: traffic may begin.
void socket_core::open_traffic_locked (connection &which) noexcept
{
    const bool beats = which.session->heartbeats () && wish_.heartbeat_ms > 0;
    const std::int64_t timeout_ms =
      wish_.heartbeat_timeout_ms < 0 ? wish_.heartbeat_ms : wish_.heartbeat_timeout_ms;
    which.beat.start (beats ? now_ns () : 0, beats ? wish_.heartbeat_ms * base::ns_per_ms : 0,
                      timeout_ms * base::ns_per_ms, which.dialled_by != nullptr);
    which.topics_as_commands = which.session->subscribe_commands ();
    which.takes_patterns = traits_.filters && takes_patterns_of (*which.session);
    which.tells_gaps = traits_.takes_topics && wants_gaps_of (*which.session);
    which.missed = 0;  // of the last stream
    which.heard = which.asked_heard = which.pings_ahead = 0;
    which.looked_behind = UINT64_MAX;  // at nothing yet
    const bool wants_all =
      traits_.takes_topics && !traits_.grouped && !which.session->peer_forwards_subscriptions ();
    which.session.reset ();
    forget_verdict_locked (which);
    which.state = connection_state::ready;
    which.ready_since_ns = now_ns ();
    tell_connection_locked (event_kind::ready, which);
    notice_locked (which, base::message_event::connected);
    deadlines_.set (which.due, which.beat.next ());
    which.rx_claimed = which.tx_claimed = false;
    ++which.passed.handshakes_done;
    ++peers_;
    peer_changes_.sequence.fetch_add (1, std::memory_order_seq_cst);
    if (which.ever_ready)
        ++which.passed.reconnects;
    which.ever_ready = true;
    if (which.dialled_by != nullptr) {
        endpoint &from = *which.dialled_by;
        from.last_reason = base::close_reason::none;
        from.last_os_error = 0;
        from.interval_ms = 0;
        from.next_address = 0;
    }
    if (phase_ == phase::open)
        attach_locked (which);
    which.maybe_readable = true;
    list_locked (which);
    greet_locked (which);
    encode_pending_locked (which);
    notify_everybody_locked ();
    welcome_locked (which);
    if (wants_all && !change_topic_locked (which, {}, false))
        return;
    if (!ask_for_all_locked (which))
        return;
    flush_locked (which, combine_rounds_max);
    // What came with the handshake makes no event any more.
    start_lease_locked ();
    post_locked ();
}

// --- loss --------------------------------------------------------------------

// Takes the connection out of every list of the socket.
void socket_core::unhook_locked (connection &which) noexcept
{
    unlist_locked (which);
    keep_rest_locked (which);
    forget_topics_locked (which);
    if (which.in_tails) {
        std::erase (tails_, &which);
        which.in_tails = false;
    }
    if (which.state == connection_state::ready || which.state == connection_state::draining) {
        if (!which.out.empty () && --unwritten_connections_ == 0)
            burst_.wrote ();
        if (which.state == connection_state::ready) {
            notice_goer_locked (which);
            --peers_;
            note_gone_locked ();
        }
    }
}

// Who waits for peers, or for room at this one, looks again.
void socket_core::note_gone_locked () noexcept
{
    peer_changes_.sequence.fetch_add (1, std::memory_order_seq_cst);
    senders_.sequence.fetch_add (1, std::memory_order_seq_cst);
    todo_ |= todo_wake_everybody;
}

void socket_core::lose_locked (connection &which, base::close_reason reason, int os_error) noexcept
{
    if (which.state == connection_state::lost)
        return;
    const bool was_ready =
      which.state == connection_state::ready || which.state == connection_state::draining;
    which.waits_for_name = false;
    const bool shaking = which.state == connection_state::handshaking;
    if (was_ready)
        ++which.passed.connections_lost;
    else if (shaking)
        ++which.passed.handshakes_failed;
    if (which.state == connection_state::ready)
        tell_interruption_locked (which);
    tell_loss_locked (which, reason, os_error);
    warn_loss_locked (which, reason, os_error);
    unhook_locked (which);
    which.state = connection_state::lost;
    which.reason = reason;
    which.os_error = os_error;
    deadlines_.set (which.due, base::never_ns);
    if (which.dialled_by != nullptr) {
        which.dialled_by->last_reason = reason;
        which.dialled_by->last_os_error = os_error;
        which.dialled_by->given_up = shaking && wish_.stop_at_handshake;
        // A stream of bytes has no other to go on in.
        if (wish_.immediate || (which.bare () && was_ready))
            detach_locked (which);
    } else {
        if (endpoint *const by = endpoint_of_locked (which.accepted_by); by != nullptr) {
            by->last_reason = reason;
            by->last_os_error = os_error;
        }
        detach_locked (which);
    }
    if (!which.claimed ())
        erase_locked (which);
}

// What a dialer's connection had still to write waits for the next session.
void socket_core::keep_queue_locked (connection &which) noexcept
{
    recovered kept = which.out.recover ();
    drop_locked (which, drop_reason::cut, kept.cut);
    const auto count = static_cast<std::size_t> (std::count_if (
      kept.parts.begin (), kept.parts.end (), [] (const auto &part) { return !part.more (); }));
    std::size_t put_back = 0;
    try {
        for (auto part = kept.parts.rbegin (); part != kept.parts.rend (); ++part, ++put_back)
            which.pending.push_front (*part);
        which.pending_messages += static_cast<std::int64_t> (count);
        for (const base::message &part : kept.parts)
            which.pending_bytes += part.size ();
    } catch (const std::bad_alloc &) {
        for (; put_back > 0; --put_back)
            which.pending.pop_front ();
        drop_locked (which, drop_reason::no_memory, count);
        for (base::message &part : kept.parts)
            part.close ();
    }
    if (which.behind != nullptr)
        keep_backlog_locked (which);
    which.credit.refill ();
    which.credit.messages -= which.pending_messages;
    which.credit.bytes -= static_cast<std::int64_t> (which.pending_bytes);
    if (which.pending.empty ())
        which.waiting.stop ();
    if (which.credit.available ()) {
        activate_locked (which);
        notify_senders_locked ();
    }
}

// Subscriptions are said anew to the next session.
void socket_core::settle_queue_locked (connection &which) noexcept
{
    if (wish_.immediate || traits_.asks_topics || (which.bare () && which.ever_ready))
        drop_queue_locked (which);
    else
        keep_queue_locked (which);
}

void socket_core::drop_queue_locked (connection &which) noexcept
{
    const auto unwritten = static_cast<std::uint64_t> (which.out.unwritten_messages ());
    recovered gone = which.out.recover ();
    std::uint64_t count = drop_backlog_locked (which) + static_cast<std::uint64_t> (which.pending_messages);
    if (!gone.parts.empty ())  // several messages may stand in one of them
        count += unwritten - gone.cut;
    for (base::message &part : gone.parts)
        part.close ();
    for (base::message &part : which.pending)
        part.close ();
    drop_reason why = drop_reason::closed;
    if (!which.leaving && which.dialled_by != nullptr && wish_.immediate)
        why = drop_reason::immediate;
    else if (!which.leaving
             && (phase_ == phase::open || (which.dialled_by != nullptr && which.dialled_by->ended)))
        why = drop_reason::peer_lost;
    drop_locked (which, which.bare () ? why : drop_reason::cut, gone.cut);
    drop_locked (which, why, count);
    which.pending.clear ();
    which.pending_messages = 0;
    which.pending_bytes.clear ();
    which.waiting.stop ();
    which.credit.refill ();
}

// A dialer without its connection is over.
void socket_core::part_locked (endpoint &by, connection &which) noexcept
{
    if (by.opened != nullptr)
        doom_locked (std::move (by.opened));
    by.dialled = nullptr;
    by.removed = endpoints_changed_ = true;
    which.dialled_by = nullptr;
    deadlines_.set (by.due, base::never_ns);
}

void socket_core::forget_facts_locked (connection &which) noexcept
{
    if (which.facts != nullptr)
        std::exchange (which.facts, nullptr)->drop ();
}

// What came unread by a dialer's stream waits for its reader, and does not keep the
// next stream waiting: nobody has to read it, and a relaxed REQ may ask on instead.
// Where what is read tells whom to answer, or what became of the connection is read, too,
// all is as it came: they go on only behind it.
bool socket_core::outlives_stream_locked (const connection &which) const noexcept
{
    const bool asks_on = traits_.receives == receive_rule::replies && wish_.relaxed;
    return which.dialled_by != nullptr && !which.dialled_by->removed && !which.leaving
           && phase_ == phase::open && (traits_.receives == receive_rule::fair || asks_on)
           && traits_.sends != send_rule::number && !wish_.wants_gaps && wish_.peer_again.empty ()
           && !wish_.recall && !which.bare () && !which.of_datagrams;
}

// True: there is something.
bool socket_core::keep_unread_locked (connection &which) noexcept
{
    if (outlives_stream_locked (which) && which.in.keep_messages ())
        return true;
    which.in.reset ();
    unlist_locked (which);
    forget_facts_locked (which);
    return false;
}

// The next stream's frames are of another form: nothing can stand behind these.
void socket_core::drop_unread_locked (connection &which) noexcept
{
    while (which.in.peek () == front_status::part)
        drop_unwanted_locked (which);
}

// The stream is done with and nobody holds a claim: lets go of it. A dialer's
// connection stays for its next attempt unless it is to leave.
void socket_core::erase_locked (connection &which) noexcept
{
    if (which.claimed () || connections_[which.index].get () != &which)
        return;  // its claim's holder, or somebody before us, sees to it
    if (which.state != connection_state::lost) {
        tell_loss_locked (which, which.reason, which.os_error);
        unhook_locked (which);
        which.state = connection_state::lost;
    }
    doom_locked (std::move (which.stream));
    which.session.reset ();
    forget_verdict_locked (which);
    which.owes = false;
    which.proxy.reset ();
    const bool unread = keep_unread_locked (which);
    note_freed_locked ();
    which.in_outer = which.tx_armed = which.tx_dead = which.rx_ended = false;
    which.maybe_readable = which.hangup = which.read_first = false;
    recall_locked (which);
    endpoint *const by = which.dialled_by;
    if (by != nullptr && !which.leaving) {
        settle_queue_locked (which);
        const bool wanted = phase_ == phase::open || which.has_output ();
        if (wanted && !by->removed) {
            retry_locked (*by);
            if (unread)
                list_locked (which);
            return;
        }
    }
    which.name_kept = false;
    detach_locked (which);
    drop_queue_locked (which);
    if (by != nullptr)
        part_locked (*by, which);
    const std::uint32_t index = which.index;
    deadlines_.set (which.due, base::never_ns);
    dismiss_locked (which);
    note_freed_locked ();
    graveyard_.push_back (std::move (connections_[index]));
    free_indices_.push_back (index);
    todo_ |= todo_bury;
    post_locked ();
}

// --- draining ----------------------------------------------------------------

// Our close or disconnect: nothing more comes in, what is queued goes out.
void socket_core::drain_locked (connection &which, bool tell) noexcept
{
    if (which.state == connection_state::draining || which.leaving)
        return;
    if (which.state != connection_state::ready) {
        const bool wait = which.has_output () && !which.leaving && linger_until_ != 0 && wish_.linger_ms != 0
                          && which.dialled_by != nullptr && !which.dialled_by->removed;
        if (wait && phase_ == phase::closing)
            return;  // goes on dialling until LINGER is over
        which.leaving = true;
        lose_locked (which, leave_reason_locked (), 0);
        if (which.state == connection_state::lost)
            erase_locked (which);
        return;
    }
    which.name_kept = false;
    if (tell)
        notice_locked (which, base::message_event::disconnected);
    detach_locked (which);
    unlist_locked (which);
    keep_rest_locked (which);
    forget_topics_locked (which);
    --peers_;
    note_gone_locked ();
    which.state = connection_state::draining;
    attend_to_locked (which);
    deadlines_.set (which.due, linger_until_);
    advance_drain_locked (which);
}

void socket_core::advance_drain_locked (connection &which) noexcept
{
    if (which.claimed ())
        return;
    if (which.stream == nullptr) {  // the peer has left, and its stream was given back
        which.leaving = true;
        which.reason = leave_reason_locked ();
        erase_locked (which);
        return;
    }
    if (!which.read_first) {
        if (which.has_output () && !which.tx_dead) {
            // The peer may be closing, too, and writing to us: who reads nothing
            // then is waited for as it waits.
            if (!which.rx_ended && discard_locked (which) == discarded::gone)
                return;
            flush_locked (which, combine_rounds_max);
            return;  // flush, the kernel's event or the deadline bring us back
        }
        which.read_first = true;
        which.in.reset ();
        const time_ns latest = now_ns () + drain_read_max_ns;
        deadlines_.set (which.due, std::min (which.due.deadline (), latest));
        which.rx_claimed = true;
        {
            const away gone (*this);
            which.stream->shutdown_write ();
        }
        watch_locked (which, base::interest_read);
        which.rx_claimed = false;
        if (which.state == connection_state::lost) {
            erase_locked (which);  // was left to us
            return;
        }
    }
    // Closing with unread input would reset the connection under what the peer
    // has not read yet.
    const discarded what = discard_locked (which);
    if (what == discarded::gone)
        return;
    if (which.rx_ended || what == discarded::all_taken || owner_->terminating ()) {
        which.leaving = true;
        which.reason = leave_reason_locked ();
        erase_locked (which);
    }
}

// Reads and throws away what there is, of which a turn takes a bounded part; an
// end is noted.
socket_core::discarded socket_core::discard_locked (connection &which) noexcept
{
    std::array<std::byte, 16 * 1024> sink;
    const base::bytes_span whole (sink);
    result<std::size_t> outcome{std::size_t{0}};
    bool pending = true;
    unsigned reads = discards_per_look_max;
    which.rx_claimed = true;
    {
        const away gone (*this);
        do
            outcome = which.stream->read (std::span (&whole, 1));
        while (outcome.ok () && outcome.value () > 0 && --reads > 0);
        pending = which.stream->output_pending ();
    }
    which.rx_claimed = false;
    if (which.state == connection_state::lost) {
        erase_locked (which);  // was left to us
        return discarded::gone;
    }
    if (reads == 0)
        post_locked ();
    else
        which.rx_ended = which.rx_ended || outcome.code () != errc::would_block;
    return pending || reads == 0 ? discarded::output_pending : discarded::all_taken;
}

}  // namespace zlink::engine
