// inproc: links between two sockets of one context, without descriptors and
// without a reactor. A link is two lanes; each socket has an end of it.
//
// Nobody holds two socket locks: a link is made under the connecter's lock,
// joined under the binder's, and each side tells the other through the lanes.
#include <algorithm>
#include <functional>
#include <new>

#include "engine/socket_core.hpp"

namespace zlink::engine {

namespace {

// The mark of a link: both sides' together, no mark if either has none.
std::int64_t sum_of_marks (std::int64_t sender, std::int64_t receiver) noexcept
{
    return sender > 0 && receiver > 0 ? sender + receiver : unlimited;
}

link_marks marks_of (const settings &from) noexcept
{
    return {from.send_hwm, from.receive_hwm, from.send_hwm_bytes, from.receive_hwm_bytes, 0};
}

lane *fresh_lane () noexcept
{
    lane *made = take_lane ();
    if (made != nullptr)
        made->holders.store (1, std::memory_order_relaxed);
    return made;
}

}  // namespace

inproc_end *socket_core::new_end_locked (lane *out, lane *in, std::string_view text) noexcept
try {
    const std::size_t pipes = connections_.size () + ends_.size () + 1;
    ready_.reserve (pipes);
    balance_.reserve (pipes);
    closed_links_.reserve (pipes);
    std::list<inproc_end> one (1);  // all that may throw before anything is changed
    inproc_end &made = one.front ();
    made.text = text;
    last_endpoint_.reserve (text.size ());
    made.out = out;
    made.in = in;
    ends_.splice (ends_.end (), one);
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
    if (check_locked (generation) != errc::ok)
        return errc::not_a_socket;
    last_endpoint_ = text;
    bound_names_.push_back (name);
    return {};
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

result<void>
socket_core::bind_inproc (std::uint32_t generation, std::string_view text, const std::string &name)
{
    lock ();
    const errc bad = check_locked (generation);
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
    for (const context::waiting_link &each : owner->take_waiting (name))
        join (self, each.from, each.endpoint_id);
    return {};
}

result<void>
socket_core::connect_inproc (std::uint32_t generation, std::string_view text, const std::string &name)
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
    std::shared_ptr<context> owner;
    lock ();
    errc bad = check_locked (generation);
    if (bad == errc::ok) {
        id = open_end_locked (out, in, text);
        owner = owner_;
        bad = id == 0 ? errc::no_memory : errc::ok;
    }
    unlock ();
    if (bad != errc::ok) {
        release_lane (out);
        release_lane (in);
        return bad;
    }
    return meet_binder (*owner, generation, name, id);
}

// The connecter's end; its id, or 0 when memory is out.
std::uint64_t socket_core::open_end_locked (lane *out, lane *in, std::string_view text) noexcept
{
    inproc_end *const made = new_end_locked (out, in, text);
    if (made == nullptr)
        return 0;
    made->id = next_endpoint_++;
    last_endpoint_ = text;  // reserved with the end
    out->set_limits (wish_.send_hwm > 0 ? wish_.send_hwm : unlimited,
                     wish_.send_hwm_bytes > 0 ? wish_.send_hwm_bytes : unlimited);
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
    if (binder.slot != nullptr)
        join (binder, self, id);
    return {};
} catch (const std::bad_alloc &) {
    const holding here (*this);
    const auto found =
      std::find_if (ends_.begin (), ends_.end (), [id] (const inproc_end &end) { return end.id == id; });
    if (generation == generation_ && found != ends_.end ())
        close_end_locked (*found);
    return errc::no_memory;
}

// Brings the connecter's end and the binder together. False when either is
// gone or the binder takes no more peers.
bool socket_core::join (socket_ref binder, socket_ref connecter, std::uint64_t id) noexcept
{
    socket_core &from = *connecter.slot;
    lane *out = nullptr;
    lane *in = nullptr;
    link_marks wishes;
    from.lock ();
    if (from.generation_ == connecter.generation && from.phase_ == phase::open)
        for (inproc_end &end : from.ends_)
            if (end.id == id && !end.joined) {
                end.joined = true;
                ++from.peers_;
                out = end.out;
                in = end.in;
                wishes = marks_of (from.wish_);
                wishes.place = std::hash<std::string_view> () (end.text);
                out->holders.fetch_add (1, std::memory_order_relaxed);
                in->holders.fetch_add (1, std::memory_order_relaxed);
                from.peer_changes_.sequence.fetch_add (1, std::memory_order_seq_cst);
                from.todo_ |= todo_wake_everybody;
                if (from.wish_.immediate)
                    from.attach_locked (end);
            }
    from.unlock ();
    if (out == nullptr)
        return false;

    socket_core &to = *binder.slot;
    to.lock ();
    bool joined = to.generation_ == binder.generation && to.phase_ == phase::open;
    joined = joined && to.accept_end_locked (in, out, wishes);
    to.unlock ();
    if (joined) {
        signal_reader (*out);  // what was sent before the bind
        signal_writer (*out);  // the mark is higher now
    } else {
        in->writer_closed.store (true, std::memory_order_release);
        out->reader_closed.store (true, std::memory_order_release);
        signal_reader (*in);
        signal_writer (*out);
        release_lane (out);
        release_lane (in);
    }
    return joined;
}

bool socket_core::accept_end_locked (lane *out, lane *in, const link_marks &peer) noexcept
{
    if (traits_.single_peer && !balance_.empty ())
        return false;
    inproc_end *const made = new_end_locked (out, in, {});
    if (made == nullptr)
        return false;
    made->joined = true;
    made->place = peer.place;
    out->set_limits (sum_of_marks (wish_.send_hwm, peer.receive_hwm),
                     sum_of_marks (wish_.send_hwm_bytes, peer.receive_hwm_bytes));
    in->set_limits (sum_of_marks (peer.send_hwm, wish_.receive_hwm),
                    sum_of_marks (peer.send_hwm_bytes, wish_.receive_hwm_bytes));
    ++peers_;
    ++counters_.connections_made;
    attach_locked (*made);
    notify_everybody_locked ();
    return true;
}

result<void> socket_core::unbind_inproc (std::uint32_t generation, const std::string &name) noexcept
{
    lock ();
    const errc bad = check_locked (generation);
    const std::shared_ptr<context> owner = owner_;
    if (bad == errc::ok)
        std::erase (bound_names_, name);
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
        const auto found = std::find_if (ends_.begin (), ends_.end (), [text] (const inproc_end &end) {
            return end.id != 0 && end.text == text;
        });
        if (found == ends_.end ())
            bad = errc::no_such_endpoint;
        else
            close_end_locked (*found);
    }
    unlock ();
    return bad;
}

// A connect is one attempt, made for good; a bind knows those who are here.
result<endpoint_report>
socket_core::report_inproc (std::uint32_t generation, std::string_view text, std::string_view name) noexcept
{
    lock ();
    endpoint_report answer;
    errc bad = check_locked (generation);
    if (bad == errc::ok) {
        answer.is_listener =
          std::find (bound_names_.begin (), bound_names_.end (), name) != bound_names_.end ();
        const std::size_t place = std::hash<std::string_view> () (text);
        bool found = answer.is_listener;
        for (const inproc_end &end : ends_)
            if (answer.is_listener ? end.id == 0 && end.place == place : end.id != 0 && end.text == text) {
                found = true;
                ++answer.attempts;
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
    detach_locked (which);
    unlist_locked (which);
    if (inside_ == &which)
        inside_ = nullptr;
    if (which.joined) {
        --peers_;
        peer_changes_.sequence.fetch_add (1, std::memory_order_seq_cst);
        todo_ |= todo_wake_everybody;
    }
    which.out->writer.store (nullptr, std::memory_order_release);
    which.out->writer_end = nullptr;
    which.in->reader.store (nullptr, std::memory_order_release);
    which.in->reader_end = nullptr;
    closed_links_.emplace_back (which.out, which.in);  // reserved with the end
    todo_ |= todo_lanes;
    ends_.remove_if ([&which] (const inproc_end &each) { return &each == &which; });
}

void socket_core::close_end_locked (inproc_end &which) noexcept
{
    which.out->writer_closed.store (true, std::memory_order_release);
    which.in->reader_closed.store (true, std::memory_order_release);
    remove_end_locked (which);
}

// The other side closed, and what it had sent has been read.
void socket_core::end_gone_locked (inproc_end &which) noexcept
{
    ++counters_.connections_lost;
    close_end_locked (which);
    notify_senders_locked ();
}

void socket_core::inproc_readable_locked (inproc_end &which) noexcept
{
    lane &in = *which.in;
    if (traits_.receives == receive_rule::none) {
        while (in.readable ()) {
            const lane_front part = in.front ();
            const std::size_t size = part.bytes.size ();
            if (part.whole != nullptr)
                part.whole->close ();
            in.consume (size);
        }
        if (in.writer_closed.load (std::memory_order_acquire))
            end_gone_locked (which);
        return;
    }
    if (in.listed.load (std::memory_order_relaxed))
        return;
    in.listed.store (true, std::memory_order_relaxed);
    list_locked (which);
    notify_receivers_locked ();
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
