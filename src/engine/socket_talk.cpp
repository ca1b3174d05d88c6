// The patterns that say whom they talk to: ROUTER and STREAM, which name their
// peers, and REQ and REP, which take turns. Source: RFC 28; docs/guarantees.md.
//
// Reading: a message is admitted when it is at the front and its turn has
// come; inside_ is its pipe from then on, and what belongs to the pattern
// (envelope, delimiter) is gone from it. Sending: the first part decides where
// a message goes, and nothing of it is seen before the last.
#include <algorithm>
#include <array>
#include <cstring>
#include <new>

#include "engine/socket_core.hpp"
#include "engine/taken.hpp"

namespace zlink::engine {

namespace {

std::array<std::byte, 4> bytes_of (std::uint32_t number) noexcept
{
    std::array<std::byte, 4> bytes;
    base::store_u32_be (bytes.data (), number);
    return bytes;
}

}  // namespace

// --- whose turn it is --------------------------------------------------------

errc socket_core::may_send_locked () const noexcept
{
    const bool reading = inside_ != nullptr;
    switch (traits_.sends) {
    case send_rule::none:
        return errc::not_supported;
    case send_rule::request:
        return wish_.relaxed || (!talk_.awaited && !reading) ? errc::ok : errc::wrong_state;
    case send_rule::reply:
        return talk_.awaited && !reading ? errc::ok : errc::wrong_state;
    default:
        return errc::ok;
    }
}

errc socket_core::may_receive_locked () const noexcept
{
    const bool reading = inside_ != nullptr;
    switch (traits_.receives) {
    case receive_rule::none:
        return errc::not_supported;
    case receive_rule::replies:
        return talk_.awaited || reading ? errc::ok : errc::wrong_state;
    case receive_rule::requests:
        return !talk_.awaited || reading ? errc::ok : errc::wrong_state;
    default:
        return errc::ok;
    }
}

// A ROUTER that drops, and a REP, never wait for room.
bool socket_core::writable_locked () noexcept
{
    if (may_send_locked () != errc::ok)
        return false;
    if (publishes () || traits_.never_full)
        return true;
    const bool waits =
      traits_.sends == send_rule::address ? wish_.mandatory : traits_.sends != send_rule::reply;
    return !waits || choose_locked () != nullptr || refresh_locked (true, urgency::at_once);
}

// What another thread or an event loop waits for may be there since before the
// turn changed: nothing will tell of it again.
void socket_core::notify_after_talk_locked () noexcept
{
    if (traits_.sends != send_rule::address)
        notify_watchers_locked ();
}

// The pattern may not use the pipe any more.
void socket_core::forget_pipe_locked (pipe &which) noexcept
{
    if (talk_.to == &which) {
        talk_.to = nullptr;
        talk_.in_bytes = is_bare (which);
        talk_.lost_why = drop_reason::peer_lost;
    }
    if (talk_.partner == &which)
        talk_.partner = nullptr;
    if (!which.name_kept)
        talk_.routes.remove (which);
}

// --- ROUTER: where to --------------------------------------------------------

pipe *socket_core::route_locked (std::string_view name) noexcept
{
    pipe *const found = talk_.routes.find (name);
    return found != nullptr && found->attached && !cannot_send (*found) ? found : nullptr;
}

bool socket_core::route_has_room_locked (std::string_view name) noexcept
{
    pipe *const to = route_locked (name);
    return to == nullptr || pipe_available_locked (*to);
}

pipe *socket_core::numbered_locked (std::uint32_t number) noexcept
{
    pipe *const to = number == 0 ? nullptr : talk_.routes.find (number);
    return to != nullptr && to->attached && !cannot_send (*to) ? to : nullptr;
}

result<pipe *>
socket_core::obtain_numbered_locked (std::uint32_t generation, std::uint32_t number, unsigned flags) noexcept
{
    const std::array<std::byte, 4> name = bytes_of (number);
    return number == 0 ? result<pipe *> (errc::host_unreachable)
                       : obtain_route_locked (generation, base::as_text (name), flags);
}

result<bool> socket_core::peer_has_room (std::uint32_t generation, std::string_view name) noexcept
{
    const holding here (*this);
    if (const errc bad = check_locked (generation); bad != errc::ok)
        return bad;
    if (traits_.sends != send_rule::address)
        return errc::not_supported;
    pipe *const to = route_locked (name);
    if (to == nullptr)
        return errc::host_unreachable;
    if (pipe_available_locked (*to))
        return true;
    const bool room = refresh_route_locked (*to);
    const errc bad = check_locked (generation);
    return bad == errc::ok ? result<bool> (room) : result<bool> (bad);
}

// Has it room after all? The lock may drop, and the pipe with it.
bool socket_core::refresh_route_locked (pipe &which) noexcept
{
    const bool room = which.kind == pipe_kind::stream
                        ? refresh_one_locked (static_cast<connection &> (which), urgency::soon)
                        : pipe_available_locked (which);
    if (room)
        activate_locked (which);
    return room;
}

// Is all that waits for the peer being written at this moment? It may have it already, and ask
// again, before who writes can say so: one message above the mark goes behind it then.
bool socket_core::may_have_gone_locked (const pipe &which) const noexcept
{
    if (which.kind != pipe_kind::stream || !which.attached || !budget_allows_locked (which))
        return false;
    const auto &wire = static_cast<const connection &> (which);
    return wire.offered_bytes > 0 && wire.out.unwritten_bytes () <= wire.offered_bytes
           && wire.pending.empty () && !wire.tx_dead && !wire.credit.held;
}

// Null: nowhere, and talk_.lost_why says why.
result<pipe *>
socket_core::obtain_route_locked (std::uint32_t generation, std::string_view name, unsigned flags) noexcept
{
    time_ns deadline = 0;
    for (bool refreshed = false;; refreshed = true) {
        if (const errc bad = check_locked (generation); bad != errc::ok)
            return bad;
        pipe *const to = route_locked (name);
        talk_.lost_why = to == nullptr ? drop_reason::unroutable : drop_reason::full;
        if (to == nullptr)
            return wish_.mandatory ? result<pipe *> (errc::host_unreachable) : result<pipe *> (to);
        if (pipe_available_locked (*to)) [[likely]]
            return to;
        deactivate_locked (*to);
        if (wish_.mandatory) {
            if (const errc bad = wait_for_credit_locked (generation, flags, deadline, &name); bad != errc::ok)
                return bad;
        } else if (refreshed || !refresh_route_locked (*to)) {
            if (const errc bad = check_locked (generation); bad != errc::ok)
                return bad;
            pipe *const still = route_locked (name);
            return still != nullptr && may_have_gone_locked (*still) ? still : nullptr;
        }
    }
}

// --- sending, part by part ---------------------------------------------------

errc socket_core::talk_part_locked (std::uint32_t generation,
                                    base::message &part,
                                    unsigned flags,
                                    pipe *&to) noexcept
{
    if (talk_.ending)
        return errc::wrong_state;
    bool more = (flags & send_more) != 0;
    const bool begins = !talk_.sending;
    if (begins) {
        if (const errc bad = begin_talk_locked (generation, part.view (), flags); bad != errc::ok)
            return bad;
        talk_.sending = true;
        if (traits_.sends == send_rule::address) {
            talk_.sending = more;
            gone_.of (drop_reason::unroutable) += !more;  // a name, and nothing for it
            taken_from (part);
            return errc::ok;
        }
    }
    more = more && !talks_in_bytes_locked ();  // of bytes there are no parts
    errc bad = above_packet (talk_.to, part.view ()) ? errc::message_too_long : stage_locked (part, more);
    if (bad == errc::ok && more)
        return bad;
    if (bad == errc::ok) {
        bad = end_talk_locked (generation, flags, to);
        if (bad == errc::ok || !unstage_locked (part))
            return bad;
    }
    // A request that is refused as a whole has not begun, whatever refuses it.
    if (bad != errc::interrupted || (begins && traits_.sends == send_rule::request))
        abandon_talk_locked ();
    return bad;
}

// The message that was begun is undone; a reply is still due.
void socket_core::abandon_talk_locked () noexcept
{
    talk_.sending = false;
    talk_.to = nullptr;
    if (traits_.sends == send_rule::reply) {
        while (staged_.size () > talk_.envelope_parts) {
            staged_.back ().close ();
            staged_.pop_back ();
        }
        staged_.swap (talk_.envelope);
    }
    close_staged_locked ();
}

// The name before a ROUTER's message, of a peer that has room. in_progress: it
// has to go the long way.
io_count socket_core::send_first (std::uint32_t generation, base::bytes_view part) noexcept
{
    lock ();
    pipe *to = nullptr;
    if (check_locked (generation) == errc::ok && traits_.sends == send_rule::address && !talk_.sending
        && staged_.empty ())
        to = route_locked (base::as_text (part));
    const bool room = to != nullptr && pipe_available_locked (*to);
    if (room) {
        talk_.to = to;
        talk_.sending = true;
    }
    unlock ();
    return room ? io_count::of (part.size ()) : io_count (errc::in_progress);
}

// The second and last part of a ROUTER's message, from the caller's memory.
// in_progress: it has to go the long way.
io_count socket_core::send_second (std::uint32_t generation, base::bytes_view part, unsigned flags) noexcept
{
    lock ();
    pipe *const to = talk_.to;
    if (check_locked (generation) != errc::ok || traits_.sends != send_rule::address || !talk_.sending
        || to == nullptr || !staged_.empty () || above_packet (to, part)) {
        unlock ();
        return errc::in_progress;
    }
    talk_.sending = false;
    talk_.to = nullptr;
    if (part.size () <= 1 && ends_peer (*to, part)) {
        end_peer_locked (*to);
        unlock ();
        return io_count::of (part.size ());
    }
    if (auto *const wire = small_target_locked (*to, part.size ()); wire != nullptr) [[likely]] {
        append_locked (*wire, part);
        unlock ();
        return io_count::of (part.size ());
    }
    sending_no_wait_ = (flags & send_dont_wait) != 0;
    lane *const out = lane_of (to);
    const errc bad = put_locked (*to, part);
    unlock ();
    after_unlock (out);
    return bad == errc::ok ? io_count::of (part.size ()) : io_count (bad);
}

errc socket_core::begin_talk_locked (std::uint32_t generation,
                                     base::bytes_view first,
                                     unsigned flags) noexcept
{
    if (traits_.sends == send_rule::request)
        return begin_request_locked (generation, flags);
    if (traits_.sends == send_rule::reply)
        return begin_reply_locked ();
    const result<pipe *> found = obtain_route_locked (generation, base::as_text (first), flags);
    talk_.to = found.ok () ? found.value () : nullptr;
    talk_.in_bytes = wire::is_bare (wish_.speaks);
    return found.code ();
}

// What came before the request is no reply to it.
errc socket_core::begin_request_locked (std::uint32_t generation, unsigned flags) noexcept
{
    if (const errc bad = may_send_locked (); bad != errc::ok)
        return bad;
    if (const errc bad = obtain_pipe_locked (generation, flags).code (); bad != errc::ok)
        return bad;
    discard_arrivals_locked ();
    if (const errc bad = check_locked (generation); bad != errc::ok)
        return bad;
    // The lock was dropped: another thread may have asked meanwhile.
    if (talk_.sending || !staged_.empty () || may_send_locked () != errc::ok)
        return errc::wrong_state;
    talk_.awaited = false;
    talk_.partner = nullptr;
    return stage_prefix_locked ();
}

errc socket_core::stage_prefix_locked () noexcept
{
    errc bad = errc::ok;
    base::message part;
    if (wish_.correlate) {
        (void)part.init_copy (bytes_of (++talk_.request));  // small enough to stand inside
        bad = stage_locked (part, true);
    }
    part.init ();
    if (bad == errc::ok)
        bad = stage_locked (part, true);
    if (bad != errc::ok)
        close_staged_locked ();
    return bad;
}

errc socket_core::begin_reply_locked () noexcept
{
    if (const errc bad = may_send_locked (); bad != errc::ok)
        return bad;
    staged_.swap (talk_.envelope);
    talk_.envelope_parts = staged_.size ();
    return errc::ok;
}

// The message is whole. On failure its parts are still staged.
errc socket_core::end_talk_locked (std::uint32_t generation, unsigned flags, pipe *&to) noexcept
{
    talk_.ending = true;
    errc bad = choose_target_locked (generation, flags, to);
    talk_.ending = false;
    if (bad != errc::ok)
        return bad;
    talk_.sending = false;
    talk_.to = nullptr;
    if (to == nullptr) {
        drop_staged_locked ();
        notify_after_talk_locked ();
        return errc::ok;
    }
    if (ends_peer (*to, staged_.back ().view ())) {
        close_staged_locked ();  // before the lock may drop
        end_peer_locked (*to);
        return errc::ok;
    }
    bad = put_staged_locked (*to);
    if (bad == errc::ok)
        notify_after_talk_locked ();
    else
        take_turn_back_locked (to);
    return bad;
}

// Sets what is to be so before the lock may drop: a reply may be quick.
errc socket_core::choose_target_locked (std::uint32_t generation, unsigned flags, pipe *&to) noexcept
{
    switch (traits_.sends) {
    case send_rule::request: {
        const result<pipe *> found = obtain_pipe_locked (generation, flags | send_admitted);
        if (!found.ok ())
            return found.code ();
        to = talk_.partner = found.value ();
        talk_.awaited = true;
        return errc::ok;
    }
    case send_rule::reply:
        to = reply_target_locked ();
        talk_.awaited = false;
        talk_.partner = nullptr;
        return errc::ok;
    default:
        to = talk_.to;
        return to != nullptr || !wish_.mandatory ? errc::ok
                                                 : errc::host_unreachable;  // it went between the parts
    }
}

// Null: it has gone, or has no room, and talk_.lost_why says which.
pipe *socket_core::reply_target_locked () noexcept
{
    pipe *const to = talk_.partner;
    talk_.lost_why = drop_reason::peer_lost;
    if (to == nullptr || cannot_send (*to))
        return nullptr;
    const bool room = pipe_available_locked (*to) || refresh_route_locked (*to);
    if (talk_.partner != to)
        return nullptr;
    talk_.lost_why = drop_reason::full;
    return room || may_have_gone_locked (*to) ? to : nullptr;
}

// What has no other meaning between bytes or packets ends the peer: an empty
// message, where there are packets a single zero.
bool socket_core::ends_peer (const pipe &to, base::bytes_view part) noexcept
{
    if (to.kind != pipe_kind::stream)
        return false;
    const auto &wire = static_cast<const connection &> (to);
    const bool in_packets = wire.out.framing () == wire::framing::packets;
    return wire.bare () && part.size () == (in_packets ? 1u : 0u) && (!in_packets || part[0] == std::byte{0});
}

// What was sent goes out first; tell: who reads is told that it has gone. The lock
// may drop.
void socket_core::end_peer_locked (pipe &to, bool tell) noexcept
{
    auto &wire = static_cast<connection &> (to);
    if (wire.dialled_by != nullptr) {
        wire.dialled_by->removed = endpoints_changed_ = true;
        deadlines_.set (wire.dialled_by->due, base::never_ns);
    }
    drain_locked (wire, tell);
    if (wire.state == connection_state::draining && !wire.read_first)
        watch_progress_locked (wire, now_ns ());
    post_locked ();
}

// Nobody can wish for it any more: only its peer's reading keeps it here.
void socket_core::watch_progress_locked (connection &ended, time_ns now) noexcept
{
    ended.must_progress = true;
    ended.sent_at_look = ended.passed.wire_bytes_sent;
    deadlines_.set (ended.due, now + ended_stall_max_ns);
}

// Memory was out: as before the last part.
void socket_core::take_turn_back_locked (pipe *to) noexcept
{
    talk_.awaited = traits_.sends == send_rule::reply;
    if (traits_.sends == send_rule::reply)
        talk_.partner = to;
}

void socket_core::drop_staged_locked () noexcept
{
    close_staged_locked ();
    ++gone_.of (talk_.lost_why);
}

// --- sending whole messages --------------------------------------------------

// On failure they all stay with the caller.
errc socket_core::talk_parts_locked (std::uint32_t generation,
                                     std::span<base::message> parts,
                                     unsigned flags,
                                     pipe *&to) noexcept
{
    if (traits_.sends == send_rule::address)
        return address_parts_locked (generation, parts, flags, to);
    if (talk_.sending || talk_.ending)
        return errc::wrong_state;
    if (const errc bad = begin_talk_locked (generation, parts[0].view (), flags); bad != errc::ok)
        return bad;
    const std::size_t before = staged_.size ();
    errc bad = errc::ok;
    std::size_t staged = 0;
    while (bad == errc::ok && staged < parts.size ()) {
        bad = stage_locked (parts[staged], staged + 1 < parts.size ());
        staged += bad == errc::ok;
    }
    if (bad == errc::ok)
        bad = end_talk_locked (generation, flags | send_dont_wait, to);
    if (bad == errc::ok)
        return bad;
    for (std::size_t i = 0; i < staged; ++i)
        parts[i] = staged_[before + i];
    staged_.resize (before);
    abandon_talk_locked ();
    settle_staging_locked ();
    return bad;
}

errc socket_core::address_parts_locked (std::uint32_t generation,
                                        std::span<base::message> parts,
                                        unsigned flags,
                                        pipe *&to) noexcept
{
    const result<pipe *> found = obtain_route_locked (generation, base::as_text (parts[0].view ()), flags);
    if (!found.ok ())
        return found.code ();
    to = found.value ();
    const std::span<base::message> rest = parts.subspan (1);
    if (to == nullptr || rest.empty ()) {
        ++gone_.of (to == nullptr ? talk_.lost_why : drop_reason::unroutable);
        to = nullptr;
        for (base::message &part : parts)
            taken_from (part);
        return errc::ok;
    }
    if (rest.size () > 1 && is_bare (*to))
        return errc::invalid_argument;
    if (above_packet (to, rest[0].view ()))
        return errc::message_too_long;
    if (ends_peer (*to, rest[0].view ())) {
        end_peer_locked (*to);
        to = nullptr;
        for (base::message &part : parts)
            taken_from (part);
        return errc::ok;
    }
    sending_no_wait_ = (flags & send_dont_wait) != 0;
    const errc bad = rest.size () == 1 ? put_locked (*to, rest[0]) : put_parts_locked (*to, rest);
    if (bad == errc::ok)
        taken_from (parts[0]);
    return bad;
}

// --- sending by number -------------------------------------------------------

// SERVER, PEER: to whom the message names; plain bytes name nobody.
errc socket_core::send_numbered_locked (
  std::uint32_t generation, base::bytes_view bytes, base::message *part, unsigned flags, lane *&out) noexcept
{
    if (const errc bad = check_locked (generation); bad != errc::ok)
        return bad;
    const std::uint32_t number = part != nullptr ? part->routing_id () : 0;
    pipe *to = numbered_locked (number);
    const bool room = to != nullptr && pipe_available_locked (*to);
    connection *const wire = room ? small_target_locked (*to, bytes.size ()) : nullptr;
    if (wire != nullptr) [[likely]] {
        append_locked (*wire, bytes);
        taken_from (*part);
        return errc::ok;
    }
    if (!room) {
        const result<pipe *> found = obtain_numbered_locked (generation, number, flags);
        if (!found.ok ())
            return found.code ();
        to = found.value ();
    }
    out = lane_of (to);
    sending_no_wait_ = (flags & send_dont_wait) != 0;
    part->set_routing_id (0);  // it is not the receiver's
    const errc bad = put_locked (*to, *part);
    if (bad != errc::ok)
        part->set_routing_id (number);
    return bad;
}

// --- reading -----------------------------------------------------------------

bool socket_core::talk_readable_locked () noexcept
{
    if (may_receive_locked () != errc::ok)
        return false;
    if (talk_front_locked () != nullptr)
        return true;
    return harvest_locked () && may_receive_locked () == errc::ok && talk_front_locked () != nullptr;
}

// As obtain_front_locked, of what the pattern admits.
result<pipe *>
socket_core::obtain_talk_front_locked (std::uint32_t generation, unsigned flags, time_ns deadline) noexcept
{
    for (;;) {
        if (const errc bad = check_locked (generation); bad != errc::ok)
            return bad;
        if (const errc bad = may_receive_locked (); bad != errc::ok) {
            --receive_calls_;  // it looks at nothing: others have to
            return bad;
        }
        pipe *const found = talk_front_locked ();
        if (const errc bad = check_locked (generation); bad != errc::ok)
            return bad;
        if (found != nullptr)
            return found;
        if (const errc bad = await_front_locked (generation, flags, deadline); bad != errc::ok)
            return bad;
    }
}

// As begin_receive, until a time of the caller's. The lock is held on success.
result<pipe *> socket_core::begin_talk_receive (std::uint32_t generation, time_ns deadline) noexcept
{
    lock ();
    ++receive_calls_;
    errc bad = check_locked (generation);
    if (bad == errc::ok && traits_.receives != receive_rule::labelled)
        bad = errc::not_supported;
    if (bad == errc::ok) {
        if (since_harvest_ >= harvest_interval_messages && connections_.size () > 1) {
            taken_before_harvest_ += std::exchange (since_harvest_, 0);
            harvest_locked ();
        }
        const result<pipe *> found = obtain_talk_front_locked (generation, 0, deadline);
        if (found.ok ())
            return found;
        bad = found.code ();
    }
    unlock ();
    return bad;
}

// A batch takes what has one part. What was admitted may have been looked at
// before its envelope went.
bool socket_core::begin_batch_locked (pipe &from) noexcept
{
    if (!label_due_ && from.kind == pipe_kind::stream)
        (void)static_cast<connection &> (from).in.peek ();
    return !label_due_;
}

// As front_pipe_locked, of what the pattern admits.
pipe *socket_core::talk_front_locked () noexcept
{
    for (;;) {
        if (inside_ == nullptr && !talk_.notices.empty ())
            show_notice_locked ();
        if (inside_ != nullptr)
            return inside_;
        pipe *const from = front_pipe_locked ();
        if (from == nullptr && inside_ == nullptr && !talk_.notices.empty ())
            continue;  // looking has met somebody's end
        if (from == nullptr || inside_ != nullptr)
            return inside_;
        // Looking may have dropped the lock, and the turn may be another's.
        if (may_receive_locked () != errc::ok)
            return nullptr;
        lane *const in = credit_due (from);
        if (admit_locked (*from))
            return from;
        let_writer_go_on_locked (in);
        if (phase_ != phase::open)
            return nullptr;
    }
}

// The message at the front of a pipe. False: it was dropped.
bool socket_core::admit_locked (pipe &from) noexcept
{
    inside_ = &from;
    if (from.kind == pipe_kind::stream)
        static_cast<connection &> (from).in.forget_slab_part ();
    if (traits_.receives == receive_rule::labelled)
        return label_due_ = true;
    return traits_.receives == receive_rule::replies ? open_reply_locked (from) : open_request_locked (from);
}

// Delimiter, and number if there are numbers; from whom we asked.
bool socket_core::open_reply_locked (pipe &from) noexcept
{
    if (talk_.partner != nullptr && talk_.partner != &from) {
        drop_message_locked (from, drop_reason::unasked);
        return false;
    }
    const std::size_t prefix = wish_.correlate ? 2 : 1;
    const bool good = count_parts_locked (from) > prefix
                      && (!wish_.correlate || skip_part_locked (from, bytes_of (talk_.request)))
                      && skip_part_locked (from, {});
    if (good)
        talk_.awaited = false;
    else
        drop_message_locked (from, drop_reason::malformed);
    return good;
}

// Never the last part. True: it was as expected.
bool socket_core::skip_part_locked (pipe &from, base::bytes_view expected) noexcept
{
    base::message part;
    if (!take_part_locked (from, part))
        return false;
    const bool same = base::as_text (part.view ()) == base::as_text (expected);
    part.close ();
    return same;
}

// All up to the first empty part is the envelope; something must follow.
bool socket_core::open_request_locked (pipe &from) noexcept
{
    talk_.close_envelope ();
    drop_reason why = drop_reason::malformed;
    for (std::size_t left = count_parts_locked (from); left > 1; --left) {
        base::message part;
        if (!take_part_locked (from, part)) {
            why = drop_reason::no_memory;
            break;
        }
        const bool bottom = part.size () == 0;
        if (!keep_envelope_locked (part)) {
            part.close ();
            why = drop_reason::no_memory;
            break;
        }
        if (bottom) {
            talk_.partner = &from;
            talk_.awaited = true;
            return true;
        }
    }
    talk_.close_envelope ();
    drop_message_locked (from, why);
    return false;
}

bool socket_core::keep_envelope_locked (base::message &part) noexcept
try {
    talk_.envelope.push_back (part);
    return true;
} catch (const std::bad_alloc &) {
    return false;
}

void socket_core::discard_arrivals_locked () noexcept
{
    if (inside_ != nullptr)
        drop_message_locked (*inside_, drop_reason::unasked);
    for (std::size_t i = 0; i < discarded_per_request_max; ++i) {
        pipe *const from = front_pipe_locked ();
        if (from == nullptr || phase_ != phase::open)
            return;
        lane *const in = credit_due (from);
        drop_message_locked (*from, drop_reason::unasked);
        let_writer_go_on_locked (in);
    }
}

// --- labels ------------------------------------------------------------------

errc socket_core::take_label_locked (base::message &part) noexcept
{
    base::message label;
    if (!label.init_copy (base::as_bytes (inside_->name)).ok ())
        return errc::no_memory;
    if (inside_->kind == pipe_kind::stream)
        label.set_facts (static_cast<connection *> (inside_)->facts);
    label.set_more (true);
    part.close ();
    part = label;
    label_due_ = false;
    receive_more_ = true;
    return errc::ok;
}

io_count socket_core::give_label (base::message &part) noexcept
{
    const errc bad = take_label_locked (part);
    leave_receive_locked ();
    unlock ();
    return bad == errc::ok ? io_count::of (part.size ()) : io_count (bad);
}

io_count socket_core::give_label (base::bytes_span buffer) noexcept
{
    const std::string &name = inside_->name;
    const std::size_t size = name.size ();
    if (!buffer.empty ())
        std::memcpy (buffer.data (), name.data (), std::min (size, buffer.size ()));
    label_due_ = false;
    receive_more_ = true;
    leave_receive_locked ();
    unlock ();
    return io_count::of (size);
}

}  // namespace zlink::engine
