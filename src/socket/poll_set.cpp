#include "socket/poll_set.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "socket/entries.hpp"
#include "socket/facade.hpp"
#include "socket/poll_look.hpp"
#include "socket/poll_sources.hpp"

namespace zlink::socket {

using base::errc;
using base::result;

namespace {

constexpr std::size_t events_at_once = 64;

// So few cost less to be looked at than to be asked.
constexpr std::size_t few_items = 3;

}  // namespace

// --- members -----------------------------------------------------------------

result<void> poll_set::assign (std::span<const poll_item> items) noexcept
try {
    given_up_ = false;
    gather (items);
    drop_unlinked ();
    return {};
} catch (const std::bad_alloc &) {
    clear ();
    return errc::no_memory;
}

// Links the items with the sources of their sockets. What wants to be looked
// at anew is hot then.
void poll_set::gather (std::span<const poll_item> items)
{
    take_noted ();
    items_.assign (items.begin (), items.end ());
    next_.assign (items.size (), poll_source::no_item);
    forget_members ();
    reported_.reserve (items.size ());
    for (const auto &[socket, each] : by_socket_) {
        each->first_item = poll_source::no_item;
        each->ready = each->interest;  // kept for the comparison
        each->interest = 0;
    }
    for (std::size_t at = items_.size (); at-- > 0;) {
        items_[at].ready = 0;
        if (items_[at].socket == nullptr)
            continue;
        poll_source &its = source_of (items_[at].socket);
        next_[at] = std::exchange (its.first_item, at);
        its.interest |= items_[at].interest;
    }
    for (std::size_t at = 0; at < items_.size (); ++at)
        if (items_[at].socket == nullptr)
            plain_.push_back (at);
    hot_.reserve (by_socket_.size ());
    for (const auto &[socket, each] : by_socket_) {
        if (std::exchange (each->ready, 0) != each->interest || each->asked.slot == nullptr)
            heat (*each);
        if ((each->interest & event_out) != 0)
            writers_.push_back (each);
    }
}

poll_source &poll_set::source_of (void *socket)
{
    if (const auto found = by_socket_.find (socket); found != by_socket_.end ())
        return *found->second;
    if (sources_ == nullptr)
        sources_ = std::make_shared<poll_sources> ();
    std::vector<poll_source *> &unused = sources_->unused;
    if (unused.empty ()) {
        unused.reserve (sources_->all.size () + 1);
        unused.push_back (&sources_->all.emplace_back (*sources_, sources_->all.size ()));
    }
    poll_source &fresh = *unused.back ();
    by_socket_.emplace (socket, &fresh);
    unused.pop_back ();
    fresh.socket = socket;
    return fresh;
}

// Sources that no item is linked with.
void poll_set::drop_unlinked () noexcept
{
    for (auto next = by_socket_.begin (); next != by_socket_.end ();) {
        poll_source &which = *next->second;
        if (which.first_item != poll_source::no_item) {
            ++next;
            continue;
        }
        let_go (which);
        which.socket = nullptr;
        sources_->unused.push_back (&which);  // reserved when it was made
        next = by_socket_.erase (next);
    }
    std::erase_if (hot_, [] (const poll_source *each) { return !each->hot; });
}

void poll_set::let_go (poll_source &which) noexcept
{
    leave_poller (which);
    if (which.asked.slot != nullptr)
        which.asked.slot->unwatch (which.asked.generation, {sources_, &which});
    which.asked = {};
    which.ready = 0;
    which.hot = false;
}

void poll_set::leave_poller (poll_source &which) noexcept
{
    if (which.kernel == base::no_handle)
        return;
    // A closed socket's handle may be somebody else's by now. What one that
    // lingers still tells is stale.
    const target now = resolve (which.socket);
    if (which.asked == engine::socket_ref{now.slot, now.generation})
        sources_->poller->remove (which.kernel);
    by_kernel_.erase (which.kernel);
    which.kernel = base::no_handle;
}

void poll_set::leave_sockets () noexcept
{
    for (const auto &[socket, each] : by_socket_)
        if (each->asked.slot != nullptr)
            each->asked.slot->unwatch (each->asked.generation, {sources_, each});
    by_socket_.clear ();
    by_kernel_.clear ();
    hot_.clear ();
    sources_.reset ();
    stale_ = false;
}

// What is known of items_.
void poll_set::forget_members () noexcept
{
    plain_.clear ();
    reported_.clear ();
    writers_.clear ();
    looked_at_ = 0;
}

void poll_set::clear () noexcept
{
    leave_sockets ();
    forget_members ();
    items_.clear ();
    next_.clear ();
    given_up_ = false;
}

void poll_set::forsake () noexcept
{
    // Not released: sockets that nobody may touch any more share it.
    new (&sources_) std::shared_ptr<poll_sources>;
    by_socket_.clear ();
    clear ();
}

// With a poller that knows nobody who has gone; looks at everybody.
errc poll_set::rebuild ()
{
    const std::vector<poll_item> again = items_;
    clear ();
    const errc bad = assign (again).code ();
    return bad == errc::ok ? look () : bad;
}

void poll_set::heat (poll_source &which) noexcept
{
    if (which.hot || which.socket == nullptr)
        return;
    which.hot = true;
    which.ready = 0;
    hot_.push_back (&which);  // reserved
}

// --- one wait ----------------------------------------------------------------

void poll_set::forget_ready () noexcept
{
    for (const std::size_t at : reported_)
        items_[at].ready = 0;
    reported_.clear ();
    looked_at_ = 0;
}

void poll_set::note_ready (poll_source &which, unsigned now) noexcept
{
    which.ready = now & which.interest;
    if (which.ready == 0)
        return;
    for (std::size_t at = which.first_item; at != poll_source::no_item; at = next_[at]) {
        items_[at].ready = now & items_[at].interest;
        if (items_[at].ready != 0)
            reported_.push_back (at);  // reserved
    }
}

void poll_set::take_noted () noexcept
{
    if (sources_ == nullptr || sources_->noted.load (std::memory_order_acquire) == nullptr)
        return;
    poll_source *next = sources_->noted.exchange (nullptr, std::memory_order_acq_rel);
    while (next != nullptr) {
        poll_source &which = *std::exchange (next, next->next_noted);
        // Before the look: what is noted from now on puts it on the list again.
        which.on_list.store (false, std::memory_order_release);
        heat (which);
    }
}

// At those that have not been looked at in this round.
errc poll_set::look () noexcept
{
    for (; looked_at_ < hot_.size (); ++looked_at_) {
        poll_source &which = *hot_[looked_at_];
        const result<unsigned> now = look_at (which.socket);
        if (!now.ok ())
            return now.code ();
        note_ready (which, now.value ());
    }
    return errc::ok;
}

errc poll_set::make_poller () noexcept
{
    if (sources_->poller != nullptr)
        return errc::ok;
    result<std::unique_ptr<base::poller>> made = world_.pollers.make ();
    if (made.ok ())
        sources_->poller = std::move (made).value ();
    return made.code ();
}

// Of those that are hot: what is ready stays so, the others are asked to tell
// and cool. Who wants to write is looked at in the next wait anyway: asked only
// before a sleep.
errc poll_set::ask_sockets (bool sleeps)
{
    for (poll_source *each : hot_) {
        if (each->ready != 0 || (!sleeps && (each->interest & event_out) != 0))
            continue;
        errc bad = make_poller ();
        if (bad == errc::ok)
            bad = ask_socket (*each);
        if (bad != errc::ok)
            return bad;
        each->hot = each->ready != 0;
    }
    std::erase_if (hot_, [] (const poll_source *each) { return !each->hot; });
    looked_at_ = hot_.size ();
    return errc::ok;
}

errc poll_set::ask_socket (poll_source &which)
{
    const target to = resolve (which.socket);
    if (to.slot == nullptr)
        return why_not_found (which.socket, errc::not_a_socket);
    const engine::socket_ref meant{to.slot, to.generation};
    if (which.asked.slot != nullptr && which.asked != meant)
        let_go (which);  // the handle has come to another one
    which.asked = meant;
    base::io_handle kernel = base::no_handle;
    const bool for_room = of_all_ || (which.interest & event_out) != 0;
    const result<unsigned> now = to.slot->watch (to.generation, {sources_, &which}, kernel, for_room);
    if (!now.ok ())
        return now.code ();
    note_ready (which, now.value ());
    if ((which.interest & event_in) == 0)
        kernel = base::no_handle;
    return which.kernel == kernel ? errc::ok : join_poller (which, kernel);
}

errc poll_set::join_poller (poll_source &which, base::io_handle kernel)
{
    leave_poller (which);
    if (kernel == base::no_handle)
        return errc::ok;
    poll_source *&member = by_kernel_[kernel];
    if (member != nullptr)
        member->kernel = base::no_handle;  // a closed socket's, whose number has come to this one
    member = &which;
    which.tag = (std::uint64_t{++sources_->memberships} << 32) | which.index;
    which.kernel = kernel;
    return sources_->poller->add (kernel, base::interest_read, which.tag).code ();
}

void poll_set::take_event (const base::poll_event &told) noexcept
{
    if (told.tag == base::wake_tag)
        return;
    poll_source &which = sources_->all[told.tag & UINT32_MAX];
    if (which.kernel != base::no_handle && which.tag == told.tag)
        heat (which);
    else
        stale_ = true;
}

errc poll_set::ask_poller (base::time_ns timeout_ns) noexcept
{
    std::array<base::poll_event, events_at_once> events;
    for (std::size_t rounds = by_kernel_.size () / events.size () + 1; rounds > 0; --rounds) {
        const result<std::size_t> got = sources_->poller->wait (events, timeout_ns);
        if (!got.ok ())
            return timeout_ns == 0 ? errc::ok : got.code ();
        for (std::size_t i = 0; i < got.value (); ++i)
            take_event (events[i]);
        if (got.value () < events.size ())
            break;
        timeout_ns = 0;
    }
    return errc::ok;
}

// The plain handles, and the poller beside them.
errc poll_set::ask_list (base::time_ns timeout_ns)
{
    const bool has_poller = sources_ != nullptr && sources_->poller != nullptr;
    entries_.clear ();
    if (has_poller)
        entries_.push_back ({sources_->poller->handle (), base::interest_read, 0});
    for (const std::size_t at : plain_)
        entries_.push_back ({items_[at].handle, kernel_interest_of (items_[at]), 0});
    const result<std::size_t> woken = world_.pollers.wait_list (entries_, timeout_ns, {});
    if (!woken.ok ())
        return woken.code ();
    take_handles (has_poller ? 1 : 0);
    return has_poller && entries_.front ().ready != 0 ? ask_poller (0) : errc::ok;
}

void poll_set::take_handles (std::size_t first_entry) noexcept
{
    for (std::size_t i = 0; i < plain_.size (); ++i) {
        poll_item &item = items_[plain_[i]];
        item.ready = ready_bits_of (item, entries_[first_entry + i].ready);
        if (item.ready != 0)
            reported_.push_back (plain_[i]);  // reserved
    }
}

// For no longer than timeout_ns.
errc poll_set::ask_kernel (base::time_ns timeout_ns)
{
    const bool has_poller = sources_ != nullptr && sources_->poller != nullptr;
    const bool all_hot = by_kernel_.empty () || hot_.size () == by_socket_.size ();
    if (timeout_ns == 0 && plain_.empty () && all_hot)
        return errc::ok;
    if (!has_poller)
        return ask_list (timeout_ns);
    if (timeout_ns != 0)
        sources_->asleep.store (true, std::memory_order_seq_cst);
    if (sources_->noted.load (std::memory_order_seq_cst) != nullptr)
        timeout_ns = 0;
    const errc bad = plain_.empty () ? ask_poller (timeout_ns) : ask_list (timeout_ns);
    sources_->asleep.store (false, std::memory_order_relaxed);
    return bad;
}

// Asks everybody, sleeps if nothing is ready, and looks at those who told.
errc poll_set::step (base::time_ns timeout_ns)
{
    errc bad = ask_sockets (timeout_ns != 0 && reported_.empty ());
    if (!reported_.empty ())
        timeout_ns = 0;
    if (timeout_ns != 0)
        engine::socket_core::flush_left_tails ();
    if (bad == errc::ok)
        bad = ask_kernel (timeout_ns);
    take_noted ();
    return bad == errc::ok ? look () : bad;
}

// At those of whom it is known that it is worth it.
errc poll_set::look_first () noexcept
{
    forget_ready ();
    for (poll_source *each : writers_)
        heat (*each);
    take_noted ();
    return look ();
}

// Nothing would be found by asking.
bool poll_set::all_ready () const noexcept
{
    return plain_.empty () && !reported_.empty () && reported_.size () >= hot_.size ()
           && hot_.size () == by_socket_.size ();
}

result<std::size_t> poll_set::wait_kept (std::int64_t timeout_ms) noexcept
try {
    if (items_.size () <= few_items && plain_.empty ()) {
        const result<std::size_t> found = look_at_all (items_);
        if (!found.ok () || found.value () > 0 || timeout_ms == 0)
            return found;
    }
    errc bad = look_first ();
    if (bad == errc::ok && all_ready ())
        return reported_.size ();
    const base::time_ns deadline = poll_deadline (world_, reported_.empty () ? timeout_ms : 0);
    while (bad == errc::ok) {
        const base::time_ns left = time_left (world_, deadline);
        bad = step (left);
        if (bad == errc::ok && stale_)
            bad = rebuild ();
        else if (bad == errc::ok && (!reported_.empty () || left == 0))
            return reported_.size ();
    }
    return bad;
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

result<std::size_t> poll_set::wait (std::int64_t timeout_ms) noexcept
{
    if (given_up_)
        return poll (world_, items_, timeout_ms);
    const result<std::size_t> found = wait_kept (timeout_ms);
    if (found.ok () || found.code () == errc::interrupted)
        return found;
    if (found.code () == errc::not_a_socket || found.code () == errc::terminated) {
        clear ();
        return found;
    }
    leave_sockets ();
    forget_members ();
    given_up_ = true;
    return poll (world_, items_, timeout_ms);
}

}  // namespace zlink::socket
