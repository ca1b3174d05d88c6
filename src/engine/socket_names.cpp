// By what a ROUTER or a STREAM knows its peers: their own names or names that it makes up,
// who keeps a name that two want, and what it tells of comers and goers. A SERVER
// and a PEER make all names up, which are numbers.
// Source: RFC 28, 41, 51; docs/guarantees.md.
#include <algorithm>
#include <new>

#include "engine/socket_core.hpp"
#include "wire/command.hpp"

namespace zlink::engine {

// --- leaving -----------------------------------------------------------------

result<void> socket_core::disconnect_peer (std::uint32_t generation, std::string_view name) noexcept
{
    const holding here (*this);
    if (const errc bad = check_locked (generation); bad != errc::ok)
        return bad;
    if (traits_.sends != send_rule::address)
        return errc::not_supported;
    pipe *const who = talk_.routes.find (name);
    if (who == nullptr)
        return errc::host_unreachable;
    if (who->kind == pipe_kind::inproc)
        close_end_locked (static_cast<inproc_end &> (*who), base::close_reason::disconnected);
    else
        end_peer_locked (*who, true);
    return {};
}

// --- entering ----------------------------------------------------------------

// A zero and a number: no peer may call itself so. Where no peer has a name the
// number is enough, and 0 is nobody's.
void socket_core::make_name_locked (std::string &name)
{
    const bool short_name = wish_.short_names || traits_.sends == send_rule::number;
    do {
        std::uint32_t number = short_name ? ++talk_.next_name : talk_.next_name++;
        if (number == 0 && short_name)
            number = ++talk_.next_name;
        name.assign (short_name ? 0 : 1, '\0');
        for (unsigned shift = 32; shift > 0; shift -= 8)
            name.push_back (static_cast<char> (number >> (shift - 8) & 255));
    } while (talk_.routes.find (name) != nullptr);
    talk_.made_name = name;
}

// Lists a pipe under what its peer said, or under a name of our making, which
// is the only kind where names are numbers.
// address_in_use: another pipe has the name, and a right to it.
errc socket_core::enter_route_locked (pipe &which, std::string_view said) noexcept
try {
    if (!names_peers () || which.routed)
        return errc::ok;
    const bool numbered = traits_.sends == send_rule::number;
    if (numbered)
        said = {};
    if (said.empty ())
        make_name_locked (which.name);
    else
        which.name = said;
    which.number = numbered ? base::load_u32_be (base::as_bytes (which.name).data ()) : 0;
    pipe *const holder = talk_.routes.find (which.name);
    if (holder != nullptr && !give_up_name_locked (*holder))
        return errc::address_in_use;
    return add_route_locked (which);
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

// An end of a link has brought the memory for it.
errc socket_core::add_route_locked (pipe &which) noexcept
{
    if (which.kind == pipe_kind::inproc)
        return talk_.routes.add (which, static_cast<inproc_end &> (which).route).code ();
    return talk_.routes.add (which).code ();
}

// Nothing can be sent to it any more.
bool socket_core::dying (const pipe &which) noexcept
{
    if (which.kind == pipe_kind::inproc)
        return static_cast<const inproc_end &> (which).out->reader_closed.load (std::memory_order_acquire);
    const auto &wire = static_cast<const connection &> (which);
    return wire.tx_dead || wire.rx_ended || wire.leaving || wire.state == connection_state::lost;
}

// True: the holder is not listed any more. What it has sent is still handed
// out, under the name.
bool socket_core::give_up_name_locked (pipe &holder) noexcept
{
    if (holder.name_kept || (!dying (holder) && !wish_.handover))
        return false;
    forget_pipe_locked (holder);
    if (!dying (holder))
        retire_locked (holder);
    return true;
}

// Another has taken its place: what it had sent is read, to its end.
void socket_core::retire_locked (pipe &which) noexcept
{
    if (which.kind == pipe_kind::inproc) {
        auto &end = static_cast<inproc_end &> (which);
        end.out->writer_closed.store (true, std::memory_order_release);
        end.out->holders.fetch_add (1, std::memory_order_relaxed);
        end.in->holders.fetch_add (1, std::memory_order_relaxed);
        closed_links_.emplace_back (end.out, end.in);  // reserved with the end
        todo_ |= todo_lanes;
        detach_locked (which);
        return;
    }
    auto &wire = static_cast<connection &> (which);
    if (wire.state != connection_state::ready) {
        lose_locked (wire, base::close_reason::handed_over, 0);
        return;
    }
    wire.tx_dead = true;
    attend_to_locked (wire);
    wire.reason = base::close_reason::handed_over;
    wire.maybe_readable = true;
    list_locked (wire);
    notify_receivers_locked ();
    post_locked ();
}

// --- two of one name ---------------------------------------------------------

// The session is ready. False: its name is not free yet, or it was turned away.
// Both claims are held.
bool socket_core::name_peer_locked (connection &which)
{
    if (which.name_refused) {
        turn_away_locked (which);
        return false;
    }
    const errc bad = enter_route_locked (which, which.session->peer_identity ());
    if (bad == errc::ok) {
        which.waits_for_name = false;
        return true;
    }
    if (bad != errc::address_in_use)
        lose_locked (which, base::close_reason::out_of_memory, 0);
    else if (!which.waits_for_name)
        ask_holder_locked (which);
    return false;
}

// One of ours learns why; others would never dial again. Both claims are held.
void socket_core::turn_away_locked (connection &newcomer)
{
    if (newcomer.session->peer_property (kin_property) != nullptr) {
        newcomer.session->turn_away (base::close_reason::identity_taken, "the routing id is in use");
        (void)write_session_locked (newcomer);
    }
    lose_locked (newcomer, base::close_reason::identity_taken, 0);
}

// A holder that lives keeps its name: it is asked, if it can be.
void socket_core::ask_holder_locked (connection &newcomer)
{
    pipe *const found = talk_.routes.find (newcomer.session->peer_identity ());
    auto *const holder =
      found != nullptr && found->kind == pipe_kind::stream ? static_cast<connection *> (found) : nullptr;
    if (holder == nullptr || holder->state != connection_state::ready
        || holder->out.framing () != wire::framing::zmtp_3) {
        turn_away_locked (newcomer);
        return;
    }
    const time_ns now = now_ns ();
    newcomer.waits_for_name = true;
    newcomer.holder_id = holder->id;
    newcomer.holder_bytes = holder->passed.wire_bytes_received;
    newcomer.name_deadline = now + name_silence_ns;
    deadlines_.set (newcomer.due, now);  // to look once at what has come already
    say_locked (*holder, wire::make_ping (0, {}));
    schedule_locked (newcomer.due.deadline ());
}

// The reactor's, until it is known whether the holder lives.
void socket_core::look_at_holder_locked (connection &newcomer, time_ns now) noexcept
{
    read_for_owner_locked ();
    if (newcomer.state != connection_state::handshaking || !newcomer.waits_for_name)
        return;  // the lock was dropped
    pipe *const found = talk_.routes.find (newcomer.session->peer_identity ());
    auto *const holder =
      found != nullptr && found->kind == pipe_kind::stream ? static_cast<connection *> (found) : nullptr;
    const bool silent = holder != nullptr && holder->id == newcomer.holder_id
                        && holder->passed.wire_bytes_received == newcomer.holder_bytes;
    if (found != nullptr && !dying (*found)) {
        if (!silent) {
            newcomer.name_refused = true;
            run_handshake_locked (newcomer);
            return;
        }
        if (now < newcomer.name_deadline) {
            deadlines_.set (newcomer.due, now + name_look_ns);
            return;
        }
        lose_locked (*holder, base::close_reason::heartbeat_timeout, 0);
    }
    deadlines_.set (newcomer.due, limit_after (wish_.handshake_ms));
    run_handshake_locked (newcomer);
}

// --- comers and goers --------------------------------------------------------

// ROUTER_NOTIFY, STREAM_NOTIFY: a message under the peer's name, empty but for
// who reads packets. DISCONNECT_MSG: one that the application chose.
void socket_core::notice_locked (const pipe &about, base::message_event what) noexcept
try {
    if (!names_peers () || phase_ != phase::open)
        return;
    const bool came = what == base::message_event::connected;
    const bool in_octets =
      about.kind == pipe_kind::stream
      && static_cast<const connection &> (about).out.framing () == wire::framing::packets;
    if (!came && !wish_.peer_gone.empty ())
        push_notice_locked (about, base::message_event::data, wish_.peer_gone);
    if (came ? wish_.notify_connect : wish_.notify_disconnect)
        push_notice_locked (about, what, in_octets ? std::string (1, came ? '\1' : '\0') : std::string ());
} catch (const std::bad_alloc &) {
    ++gone_.of (drop_reason::no_memory);
}

// A stream has ended. What comes back of it is told first, once nobody writes.
void socket_core::notice_goer_locked (connection &which) noexcept
{
    which.goer_due = recalls_locked ();
    if (!which.goer_due)
        notice_locked (which, base::message_event::disconnected);
}

void socket_core::push_notice_locked (const pipe &about, base::message_event what, std::string_view body)
{
    if (talk_.notices.size () - talk_.recalled >= notices_max) {
        ++gone_.of (drop_reason::full);
        return;
    }
    if (traits_.sends == send_rule::number)
        list_beside_locked ();
    talk_.notices.push_back ({about.name, what, std::string (body), {}});
    notify_receivers_locked ();
}

// SERVER, PEER: the oldest notice is the next to be read beside the peers'
// messages. False: there is none, or there was no memory for those that there were.
bool socket_core::show_farewell_locked () noexcept
{
    for (bool shown = false; !shown; talk_.notices.pop_front ()) {
        if (talk_.notices.empty ())
            return false;
        const notice &oldest = talk_.notices.front ();
        shown = show_beside_locked (oldest.body);
        if (shown)
            interruptions_->number = base::load_u32_be (base::as_bytes (oldest.name).data ());
    }
    return true;
}

// The oldest notice becomes the message at the front.
void socket_core::show_notice_locked () noexcept
{
    drop_rest_locked ();
    try {
        rest_ = std::make_unique<connection> (owner_->arenas, owner_->slabs);
        rest_->name = talk_.notices.front ().name;
    } catch (const std::bad_alloc &) {
        rest_.reset ();
    }
    notice &oldest = talk_.notices.front ();
    base::message told;
    std::vector<base::message> parts = std::move (oldest.parts);
    talk_.recalled -= !parts.empty ();
    const bool copied = !parts.empty () || told.init_copy (base::as_bytes (oldest.body)).ok ();
    const base::message_event what = oldest.what;
    talk_.notices.pop_front ();
    if (rest_ == nullptr || !copied
        || !add_told_locked (parts.empty () ? std::span (&told, 1) : std::span (parts), what)) {
        ++gone_.of (drop_reason::no_memory);
        return;
    }
    inside_ = rest_.get ();
    label_due_ = true;
}

// False: there was no memory, and all parts are closed.
bool socket_core::add_told_locked (std::span<base::message> parts, base::message_event what) noexcept
{
    std::size_t added = 0;
    for (; added < parts.size (); ++added) {
        parts[added].set_event (what);
        if (!rest_->in.add_rest (parts[added]))
            break;
    }
    if (added == parts.size ())
        return true;
    for (base::message &part : parts.subspan (added))
        part.close ();
    rest_.reset ();
    return false;
}

// --- what comes back -----------------------------------------------------------

// ROUTER_NOTIFY's 4: what no octet has left of is read again, under the name of
// who was to get it. A stream is done with, and nobody holds a claim.
void socket_core::recall_locked (connection &which) noexcept
{
    if (recalls_locked () && !which.bare ()) {
        taken_back taken;
        if (!which.out.empty () && which.out.take_back (taken))
            which.settled_messages += recall_some_locked (which, taken.parts);
        try {
            std::vector<base::message> waiting (which.pending.begin (), which.pending.end ());
            which.pending.clear ();
            which.pending_messages = 0;
            which.pending_bytes.clear ();
            which.settled_messages += recall_some_locked (which, waiting);
        } catch (const std::bad_alloc &) {
            ++gone_.of (drop_reason::no_memory);  // they wait on, or are dropped, as without
        }
    }
    if (std::exchange (which.goer_due, false))
        notice_locked (which, base::message_event::disconnected);
}

// What nobody reads any more, or nobody ever did.
void socket_core::recall_locked (inproc_end &which) noexcept
{
    if (!recalls_locked () || (which.joined && !which.out->reader_closed.load (std::memory_order_acquire)))
        return;
    std::vector<base::message> parts = take_untaken (*which.out);
    (void)recall_some_locked (which, parts);
}

// Of a lane without a reader, in its place. What there is no memory for stays.
std::vector<base::message> socket_core::take_untaken (lane &from) noexcept
{
    std::vector<base::message> parts;
    try {
        while (from.inside_message ())
            from.drop (from.front ());  // its beginning was read
        while (from.inside_message () || from.readable ()) {
            base::message &part = parts.emplace_back ();
            const lane_front at = from.front ();
            const std::size_t bytes = at.bytes.size ();
            if (at.whole != nullptr) {
                part = *at.whole;
                from.let_go (bytes);
            } else if (!part.init_copy (at.bytes).ok ()) {
                break;
            }
            part.set_more (at.more);
            from.consume (bytes);
        }
    } catch (const std::bad_alloc &) {
    }
    return parts;
}

// How many messages; the others, and one without an end, are closed and counted.
std::size_t socket_core::recall_some_locked (const pipe &from, std::span<base::message> parts) noexcept
{
    std::size_t count = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < parts.size (); ++i) {
        if (parts[i].more () && i + 1 < parts.size ())
            continue;
        const std::span<base::message> whole = parts.subspan (begin, i + 1 - begin);
        begin = i + 1;
        if (!parts[i].more () && recall_one_locked (from, whole)) {
            ++count;
            continue;
        }
        ++gone_.of (drop_reason::peer_lost);
        for (base::message &part : whole)
            part.close ();
    }
    if (count > 0)
        notify_receivers_locked ();
    return count;
}

bool socket_core::recall_one_locked (const pipe &from, std::span<base::message> parts) noexcept
try {
    if (talk_.recalled >= recalled_max)
        return false;
    talk_.notices.push_back (
      {from.name, base::message_event::recalled, {}, std::vector (parts.begin (), parts.end ())});
    ++talk_.recalled;
    return true;
} catch (const std::bad_alloc &) {
    return false;
}

// HELLO_MSG, and PROBE_ROUTER's empty message, before all others.
void socket_core::greet_locked (connection &which) noexcept
{
    if (which.bare ())
        return;
    if (wish_.probe)
        greet_locked (which, {});
    if (!wish_.hello.empty ())
        greet_locked (which, base::as_bytes (wish_.hello));
}

void socket_core::greet_locked (inproc_end &which) noexcept
{
    if (wish_.probe)
        greet_locked (which, {});
    if (!wish_.hello.empty ())
        greet_locked (which, base::as_bytes (wish_.hello));
}

void socket_core::greet_locked (connection &which, base::bytes_view body) noexcept
{
    const bool was_empty = which.out.empty ();
    const std::size_t before = which.out.unwritten_bytes ();
    which.count_sent (body.size ());
    if (!which.out.append_copy (body, false, false)) {
        drop_locked (which, drop_reason::no_memory, 1);
        return;
    }
    which.credit.take (which.out.unwritten_bytes () - before);
    unwritten_connections_ += was_empty;
}

void socket_core::greet_locked (inproc_end &which, base::bytes_view body) noexcept
{
    which.count_sent (body.size ());
    if (which.out->push (body, false))
        which.out->publish ();
    else
        drop_locked (which, drop_reason::no_memory, 1);
}

// --- interruptions -----------------------------------------------------------

// What is no peer's is read from a pipe of its own. Throws bad_alloc.
void socket_core::list_beside_locked ()
{
    if (interruptions_ == nullptr) {
        ready_.reserve (connections_.size () + ends_.size () + expected_ends_.size () + 1);
        interruptions_ = std::make_unique<connection> (owner_->arenas, owner_->slabs);
    }
    list_locked (*interruptions_);
}

// HICCUP_MSG: a dialled connection has broken and will be made anew.
void socket_core::tell_interruption_locked (const connection &which) noexcept
try {
    if (wish_.peer_again.empty () || phase_ != phase::open || which.leaving || which.dialled_by == nullptr
        || which.dialled_by->removed || wish_.reconnect_ms < 0)
        return;
    if (interruptions_due_ >= notices_max) {
        ++gone_.of (drop_reason::full);
        return;
    }
    list_beside_locked ();
    ++interruptions_due_;
    notify_receivers_locked ();
} catch (const std::bad_alloc &) {
    ++gone_.of (drop_reason::no_memory);
}

bool socket_core::show_interruption_locked () noexcept
{
    if (names_peers ())
        return show_farewell_locked ();
    bool shown = false;
    for (; !shown && interruptions_due_ != 0; --interruptions_due_)
        shown = show_beside_locked (wish_.peer_again);
    return shown;
}

// It is the next to be read of what is no peer's. False: there is no memory, and it is counted.
bool socket_core::show_beside_locked (std::string_view body) noexcept
{
    base::message told;
    if (told.init_copy (base::as_bytes (body)).ok ()) {
        if (interruptions_->in.put_back (told))
            return true;
        told.close ();
    }
    ++gone_.of (drop_reason::no_memory);
    return false;
}

}  // namespace zlink::engine
