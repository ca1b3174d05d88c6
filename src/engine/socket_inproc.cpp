// inproc: links between two sockets of one context, without descriptors and
// without a reactor. A link is two lanes; each socket has an end of it.
//
// Nobody holds two socket locks: a link is made under the connecter's lock,
// joined under the binder's, and each side tells the other through the lanes.
#include <algorithm>
#include <functional>
#include <new>

#include "engine/socket_core.hpp"
#include "wire/limits.hpp"

namespace zlink::engine {

namespace {

// The mark of a link: both sides' together, no mark if either has none. A
// sender that keeps backlogs has its share there.
std::int64_t mark_of_link (std::int64_t sender, std::int64_t receiver, bool keeps_backlogs) noexcept
{
    if (sender <= 0 || receiver <= 0)
        return unlimited;
    return keeps_backlogs ? receiver : sender + receiver;
}

// CONFLATE at the reading end. Among the messages of an XSUB stand its topics,
// which nothing takes the place of.
bool keeps_newest (const settings &from, const pattern_traits &type) noexcept
{
    return from.conflate && type.receives != receive_rule::none && !type.takes_topics;
}

// Who keeps only the newest makes room at every message, and has no mark.
std::int64_t receive_mark (std::int64_t set, bool keeps_newest) noexcept { return keeps_newest ? 0 : set; }

link_marks marks_of (const settings &from, const pattern_traits &type)
{
    const bool newest = keeps_newest (from, type);
    return {from.send_hwm,
            receive_mark (from.receive_hwm, newest),
            from.send_hwm_bytes,
            receive_mark (from.receive_hwm_bytes, newest),
            from.keeps_backlogs (),
            from.wants_gaps,
            type.takes_topics && !type.grouped,
            0,
            from.routing_id};
}

lane *fresh_lane () noexcept
{
    lane *made = take_lane ();
    if (made != nullptr)
        made->holders.store (1, std::memory_order_relaxed);
    return made;
}

}  // namespace

// With what expect_end_locked has laid by, which stays there on failure. name: by which a ROUTER is to know
// the peer, or null as long as it is not known. Null when memory is out or the
// name is another's.
inproc_end *
socket_core::new_end_locked (lane *out, lane *in, std::string_view text, const std::string *name) noexcept
try {
    inproc_end &made = expected_ends_.front ();
    made.text = text;
    last_endpoint_.reserve (text.size ());  // the last that may throw
    made.out = out;
    made.in = in;
    if (name != nullptr && enter_route_locked (made, *name) != errc::ok)
        return nullptr;
    made.connection_id = ++last_connection_id_;
    out->charge_to (budget_);
    ends_.splice (ends_.end (), expected_ends_, expected_ends_.begin ());
    out->writer_end = &made;
    out->writer.store (this, std::memory_order_release);
    in->reader_end = &made;
    in->reader.store (this, std::memory_order_release);
    return &made;
} catch (const std::bad_alloc &) {
    return nullptr;
}

result<void> socket_core::note_bound_name (std::uint32_t generation,
                                           std::string_view text,
                                           const std::string &name) noexcept
try {
    const holding here (*this);
    if (const errc bad = check_locked (generation); bad != errc::ok)
        return bad;
    last_endpoint_ = text;
    bound_name fresh;
    fresh.name = name;
    fresh.id = next_endpoint_++;
    fresh.place = std::hash<std::string_view> () (text);
    bound_names_.push_back (std::move (fresh));
    return {};
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

// Whoever is reached by inproc is a socket, and has messages.
errc socket_core::may_link_locked (std::uint32_t generation) const noexcept
{
    const errc bad = check_locked (generation);
    const bool elsewhere = wire::is_bare (wish_.speaks) || traits_.datagrams == datagram_rule::raw;
    return bad == errc::ok && elsewhere ? errc::incompatible_protocol : bad;
}

result<void>
socket_core::bind_inproc (std::uint32_t generation, std::string_view text, const std::string &name)
{
    lock ();
    const errc bad = may_link_locked (generation);
    const std::shared_ptr<context> owner = owner_;
    unlock ();
    if (bad != errc::ok)
        return bad;
    const socket_ref self{this, generation};
    if (const auto bound = owner->bind_name (name, self); !bound.ok ())
        return bound;
    if (const auto noted = note_bound_name (generation, text, name); !noted.ok ()) {
        owner->unbind_name (name, self);
        return noted;
    }
    bool owes = false;  // they are asked later
    for (auto each = owner->take_waiting (name); !each.empty (); each = owner->take_waiting (name)) {
        if (join (self, each.mapped ().from, each.mapped ().endpoint_id, owes) == errc::ok)
            continue;
        owner->wait_on (std::move (each));
        (void)unbind_inproc (generation, name);
        return errc::no_memory;
    }
    return {};
}

result<void> socket_core::connect_inproc (std::uint32_t generation,
                                          std::string_view text,
                                          const std::string &name,
                                          std::uint32_t &number)
{
    lane *const out = fresh_lane ();
    lane *const in = fresh_lane ();
    if (out == nullptr || in == nullptr) {
        for (lane *each : {out, in})
            if (each != nullptr)
                release_lane (each);
        return errc::no_memory;
    }
    std::uint64_t id = 0;
    bool owes = false;
    std::shared_ptr<context> owner;
    lock ();
    errc bad = may_link_locked (generation);
    if (bad == errc::ok) {
        id = open_end_locked (out, in, text);
        owes = id != 0 && ends_.back ().topics_due;
        number = id != 0 ? ends_.back ().number : 0;
        owner = owner_;
        if (id == 0)
            bad = connect_name_taken_locked () ? errc::address_in_use : errc::no_memory;
    }
    unlock ();
    if (bad != errc::ok) {
        release_lane (out);
        release_lane (in);
        return bad;
    }
    if (owes) {
        drop_end (generation, id);
        return errc::no_memory;
    }
    return meet_binder (*owner, generation, name, id);
}

// The connecter's end; its id, or 0 when memory is out.
std::uint64_t socket_core::open_end_locked (lane *out, lane *in, std::string_view text) noexcept
{
    const bool named = !wish_.connect_name.empty () || traits_.sends == send_rule::number;
    if (connect_name_taken_locked () || !expect_end_locked ())
        return 0;
    inproc_end *const made = new_end_locked (out, in, text, named ? &wish_.connect_name : nullptr);
    if (made == nullptr) {
        expected_ends_.pop_front ();
        return 0;
    }
    made->name_kept = named;
    wish_.connect_name.clear ();
    made->id = next_endpoint_++;
    last_endpoint_ = text;                             // reserved with the end
    out->start_waiting (owner_->world.time.ticks ());  // for a bind
    out->set_limits (wish_.send_hwm > 0 ? wish_.send_hwm : unlimited,
                     wish_.send_hwm_bytes > 0 ? wish_.send_hwm_bytes : unlimited);
    greet_locked (*made);
    welcome_locked (*made);
    ask_for_all_locked (*made);
    if (!wish_.immediate && (!traits_.single_peer || balance_.empty ()))
        attach_locked (*made);
    return made->id;
}

result<void> socket_core::meet_binder (context &owner,
                                       std::uint32_t generation,
                                       const std::string &name,
                                       std::uint64_t id) noexcept
try {
    const socket_ref self{this, generation};
    const socket_ref binder = owner.find_name_or_wait (name, {self, id});
    bool owes = false;
    if ((binder.slot == nullptr || join (binder, self, id, owes) == errc::ok) && !owes)
        return {};
    drop_end (generation, id);
    return errc::no_memory;
} catch (const std::bad_alloc &) {
    drop_end (generation, id);
    return errc::no_memory;
}

// A connect that could not be made after all.
void socket_core::drop_end (std::uint32_t generation, std::uint64_t id) noexcept
{
    const holding here (*this);
    const auto found = std::ranges::find_if (ends_, [id] (const inproc_end &end) { return end.id == id; });
    if (generation == generation_ && found != ends_.end ())
        close_end_locked (*found, base::close_reason::out_of_memory);
}

// What an end of a link takes, for those who are on their way. False when
// memory is out.
bool socket_core::expect_end_locked () noexcept
try {
    std::list<inproc_end> one (1);
    const std::size_t pipes = connections_.size () + ends_.size () + expected_ends_.size () + 1;
    ready_.reserve (pipes + 1);  // and what topics_ tells
    balance_.reserve (pipes);
    news_.reserve (pipes);
    if (topics_ != nullptr)
        topics_->chosen.reserve (pipes);
    if (traits_.grouped)
        one.front ().name.reserve (base::group_name_max);  // see lane_shows_group_locked
    if (names_peers ()) {
        one.front ().name.reserve (wire::identity_bytes_max);
        one.front ().route = talk_.routes.make_place (pipes);
    }
    closed_links_.reserve (2 * pipes);  // it may be closed after it was retired
    expected_ends_.splice (expected_ends_.end (), one);
    return true;
} catch (const std::bad_alloc &) {
    return false;
}

// The connecter's end is as good as joined from now on. host_unreachable: it is
// gone; no_memory: nothing has happened.
errc socket_core::offer_end_locked (std::uint64_t id, const link_marks &binder, link_offer &offer) noexcept
{
    const auto found =
      std::ranges::find_if (ends_, [id] (const inproc_end &end) { return end.id == id && !end.joined; });
    if (found == ends_.end ())
        return errc::host_unreachable;
    try {
        offer = {found->out, found->in, marks_of (wish_, traits_)};
    } catch (const std::bad_alloc &) {
        return errc::no_memory;
    }
    offer.marks.place = std::hash<std::string_view> () (found->text);
    found->keeps_newest = keeps_newest (wish_, traits_);
    return join_end_locked (*found, binder);
}

// Brings the connecter's end and the binder together, unless either is gone
// or the binder takes no more peers. no_memory: nothing has happened. owes: one
// of them could not ask the other for all it wants.
errc socket_core::join (socket_ref binder, socket_ref connecter, std::uint64_t id, bool &owes) noexcept
{
    socket_core &to = *binder.slot;
    link_marks about_binder;
    if (to.read_marks (binder.generation, about_binder) != errc::ok)
        return errc::no_memory;
    to.lock ();
    const bool here = to.lives_locked (binder.generation);
    const bool prepared = !here || to.expect_end_locked ();
    to.unlock ();
    if (!prepared)
        return errc::no_memory;

    socket_core &from = *connecter.slot;
    link_offer offer;
    from.lock ();
    const errc offered = from.lives_locked (connecter.generation)
                           ? from.offer_end_locked (id, about_binder, offer)
                           : errc::host_unreachable;
    const bool from_owes = offered == errc::ok && offer.out->writer_end->topics_due;
    from.unlock ();

    to.lock ();
    const bool joined = offered == errc::ok && to.lives_locked (binder.generation)
                        && to.accept_end_locked (offer.in, offer.out, offer.marks);
    if (!joined && here && to.lives_locked (binder.generation))
        to.expected_ends_.pop_front ();
    owes = from_owes || (joined && offer.in->writer_end->topics_due);
    to.unlock ();
    if (offered != errc::ok)
        return offered == errc::no_memory ? offered : errc::ok;
    tell_of_meeting (offer, joined);
    return errc::ok;
}

// Both sides, without their locks; what the connecter offered is let go of, if
// nobody took it.
void socket_core::tell_of_meeting (const link_offer &offer, bool joined) noexcept
{
    if (joined) {
        signal_reader (*offer.out);  // what was sent before the bind
        signal_reader (*offer.in);   // a probe
        signal_writer (*offer.out);  // the mark is higher now
    } else {
        offer.in->writer_closed.store (true, std::memory_order_release);
        offer.out->reader_closed.store (true, std::memory_order_release);
        signal_reader (*offer.in);
        signal_writer (*offer.out);
        release_lane (offer.out);
        release_lane (offer.in);
    }
}

bool socket_core::accept_end_locked (lane *out, lane *in, const link_marks &peer) noexcept
{
    if (traits_.single_peer && !balance_.empty ())
        return false;
    inproc_end *const made = new_end_locked (out, in, {}, &peer.name);
    if (made == nullptr)
        return false;
    made->joined = true;
    if (!in->readable ())
        in->stop_waiting ();
    made->tells_gaps = peer.wants_gaps && traits_.takes_topics;
    made->takes_patterns = traits_.filters && peer.takes_patterns;
    made->place = peer.place;
    const bool keeps = wish_.keeps_backlogs ();
    out->set_limits (mark_of_link (wish_.send_hwm, peer.receive_hwm, keeps),
                     mark_of_link (wish_.send_hwm_bytes, peer.receive_hwm_bytes, keeps));
    const bool newest = made->keeps_newest = keeps_newest (wish_, traits_);
    const std::int64_t bytes = receive_mark (wish_.receive_hwm_bytes, newest);
    in->set_limits (
      mark_of_link (peer.send_hwm, receive_mark (wish_.receive_hwm, newest), peer.keeps_backlogs),
      mark_of_link (peer.send_hwm_bytes, bytes, peer.keeps_backlogs));
    ++peers_;
    ++made->passed.handshakes_done;
    for (bound_name &each : bound_names_)
        each.attempts += each.place == peer.place;
    made->ready_since_ns = now_ns ();
    tell_end_locked (event_kind::ready, *made);
    notice_locked (*made, base::message_event::connected);
    greet_locked (*made);
    welcome_locked (*made);
    ask_for_all_locked (*made);
    attach_locked (*made);
    notify_everybody_locked ();
    return true;
}

errc socket_core::read_marks (std::uint32_t generation, link_marks &to) noexcept
try {
    const holding here (*this);
    if (generation == generation_)
        to = marks_of (wish_, traits_);
    return errc::ok;
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

// The connecter's side of a meeting. Answers as offer_end_locked.
errc socket_core::join_end_locked (inproc_end &end, const link_marks &binder) noexcept
{
    if (const errc bad = enter_route_locked (end, binder.name); bad != errc::ok) {
        if (bad == errc::no_memory)
            return bad;
        close_end_locked (end, base::close_reason::identity_taken);
        return errc::host_unreachable;
    }
    end.joined = true;
    end.tells_gaps = binder.wants_gaps && traits_.takes_topics;
    end.takes_patterns = traits_.filters && binder.takes_patterns;
    ask_by_patterns_locked (end);
    ++end.passed.handshakes_done;
    ++peers_;
    end.out->holders.fetch_add (1, std::memory_order_relaxed);
    end.in->holders.fetch_add (1, std::memory_order_relaxed);
    peer_changes_.sequence.fetch_add (1, std::memory_order_seq_cst);
    todo_ |= todo_wake_everybody;
    if (wish_.immediate)
        attach_locked (end);
    end.ready_since_ns = now_ns ();
    tell_end_locked (event_kind::ready, end);
    notice_locked (end, base::message_event::connected);
    return errc::ok;
}

bool socket_core::connect_name_taken_locked () noexcept
{
    return !wish_.connect_name.empty () && talk_.routes.find (wish_.connect_name) != nullptr;
}

result<void> socket_core::unbind_inproc (std::uint32_t generation, const std::string &name) noexcept
{
    lock ();
    const errc bad = check_locked (generation);
    const std::shared_ptr<context> owner = owner_;
    if (bad == errc::ok)
        std::erase_if (bound_names_, [&name] (const bound_name &each) { return each.name == name; });
    unlock ();
    if (bad != errc::ok)
        return bad;
    return owner->unbind_name (name, {this, generation}) ? result<void> ()
                                                         : result<void> (errc::no_such_endpoint);
}

result<void> socket_core::disconnect_inproc (std::uint32_t generation, std::string_view text) noexcept
{
    lock ();
    errc bad = check_locked (generation);
    if (bad == errc::ok) {
        const auto found = std::ranges::find_if (
          ends_, [text] (const inproc_end &end) { return end.id != 0 && end.text == text; });
        if (found == ends_.end ())
            bad = errc::no_such_endpoint;
        else
            close_end_locked (*found, base::close_reason::disconnected);
    }
    unlock ();
    return bad;
}

result<void> socket_core::prepare_links (std::uint32_t generation) noexcept
{
    return with (generation, [] (socket_core &self) -> result<void> {
        const bool all =
          std::ranges::all_of (self.ends_, [] (const inproc_end &each) { return each.out->prepare (); });
        return all ? result<void> () : result<void> (errc::no_memory);
    });
}

result<void> socket_core::lift_marks (std::uint32_t generation) noexcept
{
    return with (generation, [] (socket_core &self) -> result<void> {
        for (const inproc_end &each : self.ends_)
            each.out->set_limits (unlimited, unlimited);
        (void)self.inproc_room_locked ();
        return {};
    });
}

// A connect is one attempt, made for good; a bind counts those who came.
result<endpoint_report>
socket_core::report_inproc (std::uint32_t generation, std::string_view text, std::string_view name) noexcept
{
    lock ();
    endpoint_report answer;
    errc bad = check_locked (generation);
    if (bad == errc::ok) {
        for (const bound_name &each : bound_names_)
            if (each.name == name) {
                answer.is_listener = true;
                answer.attempts = each.attempts;
            }
        const std::size_t place = std::hash<std::string_view> () (text);
        bool found = answer.is_listener;
        for (const inproc_end &end : ends_)
            if (answer.is_listener ? end.id == 0 && end.place == place : end.id != 0 && end.text == text) {
                found = true;
                answer.attempts += !answer.is_listener;
                answer.connected += end.joined;
            }
        if (!found)
            bad = errc::no_such_endpoint;
    }
    unlock ();
    if (bad != errc::ok)
        return bad;
    return answer;
}

// --- ends ------------------------------------------------------------------------

void socket_core::remove_end_locked (inproc_end &which) noexcept
{
    recall_locked (which);
    if (which.joined)
        notice_locked (which, base::message_event::disconnected);
    which.name_kept = false;
    forget_lanes_locked ();
    detach_locked (which);
    unlist_locked (which);
    keep_rest_locked (which);
    forget_topics_locked (which);
    if (which.joined) {
        --peers_;
        note_gone_locked ();
    }
    which.out->writer.store (nullptr, std::memory_order_release);
    which.out->writer_end = nullptr;
    which.in->reader.store (nullptr, std::memory_order_release);
    which.in->reader_end = nullptr;
    // What nobody will ever take: the peer is gone first, or never came.
    if (!which.joined)
        drop_locked (which, drop_reason::closed, which.out->untaken_messages ());
    else if (which.out->reader_closed.load (std::memory_order_acquire))
        drop_locked (which, drop_reason::peer_lost, which.out->untaken_messages ());
    std::erase (news_, which.out);
    closed_links_.emplace_back (which.out, which.in);  // reserved with the end; whose reader is told
    fold_locked (which);
    todo_ |= todo_lanes;
    ends_.remove_if ([&which] (const inproc_end &each) { return &each == &which; });
}

void socket_core::close_end_locked (inproc_end &which, base::close_reason reason) noexcept
{
    if (which.joined)
        tell_end_locked (event_kind::lost, which, reason);
    if (which.behind != nullptr)
        leave_backlog_locked (which);
    which.out->writer_closed.store (true, std::memory_order_release);
    // Who sees that nobody reads any more may take back what was not read.
    keep_rest_locked (which);
    which.in->reader.store (nullptr, std::memory_order_release);
    which.in->reader_end = nullptr;
    which.in->reader_closed.store (true, std::memory_order_release);
    remove_end_locked (which);
}

void socket_core::lose_end_locked (inproc_end &which, base::close_reason reason) noexcept
{
    ++which.passed.connections_lost;
    close_end_locked (which, reason);
    notify_senders_locked ();
}

// The other side closed, and what it had sent has been read.
void socket_core::end_gone_locked (inproc_end &which) noexcept
{
    lose_end_locked (which, base::close_reason::peer_closed);
}

// The message at the front, for a socket that receives none.
void socket_core::drop_unread_locked (inproc_end &from) noexcept
{
    lane &in = *from.in;
    do {
        in.drop (in.front ());
    } while (in.inside_message ());
    drop_locked (from, drop_reason::unwanted, 1);
}

// What came before it gives way. False where there is nobody to tell.
bool socket_core::newest_came_locked (inproc_end &which) noexcept
{
    if (inside_ != &which)
        skip_to_latest_locked (which);
    return !which.listed
           && (which.in->readable () || which.in->writer_closed.load (std::memory_order_acquire));
}

void socket_core::inproc_readable_locked (inproc_end &which) noexcept
{
    lane &in = *which.in;
    if (traits_.takes_topics && !take_topics_from_lane_locked (which))
        return;
    if (traits_.receives == receive_rule::none) {
        while (in.readable ()) {
            drop_unread_locked (which);
            if (traits_.takes_topics && !take_topics_from_lane_locked (which))
                return;
        }
        if (in.writer_closed.load (std::memory_order_acquire))
            end_gone_locked (which);
        return;
    }
    if (in.listed.load (std::memory_order_relaxed))
        return;
    // Only topics came: the next are told of, too, and not when somebody receives.
    if (traits_.takes_topics) {
        const bool closed = in.writer_closed.load (std::memory_order_acquire);
        if (!in.readable ()) {
            if (closed)
                end_gone_locked (which);
            return;
        }
    }
    if (which.keeps_newest && !newest_came_locked (which))
        return;
    // Those who watch are noted first: a sender that finds the lane listed tells
    // nobody itself. Who keeps only the newest is told of every message.
    notify_receivers_locked ();
    in.listed.store (!which.keeps_newest, std::memory_order_release);
    in.start_waiting (owner_->world.time.ticks ());
    list_locked (which);
}

void socket_core::inproc_writable_locked (inproc_end &which) noexcept
{
    lane &out = *which.out;
    if (out.reader_closed.load (std::memory_order_acquire)) {
        detach_locked (which);
        if (!which.in->readable ())
            end_gone_locked (which);
        else
            inproc_readable_locked (which);
        return;
    }
    out.writer_waits.store (false, std::memory_order_relaxed);
    if (which.behind != nullptr)
        catch_up_locked (which);
    activate_locked (which);
    notify_senders_locked ();
}

void socket_core::signal_reader (lane &of) noexcept
{
    socket_core *const to = of.reader.load (std::memory_order_acquire);
    if (to == nullptr)
        return;
    to->lock ();
    if (of.reader.load (std::memory_order_relaxed) == to && of.reader_end != nullptr)
        to->inproc_readable_locked (*of.reader_end);
    to->unlock ();
}

void socket_core::signal_writer (lane &of) noexcept
{
    socket_core *const to = of.writer.load (std::memory_order_acquire);
    if (to == nullptr)
        return;
    to->lock ();
    if (of.writer.load (std::memory_order_relaxed) == to && of.writer_end != nullptr)
        to->inproc_writable_locked (*of.writer_end);
    to->unlock ();
}

}  // namespace zlink::engine
