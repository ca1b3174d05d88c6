// How those who wait for a gateway share its socket: one reads for all, the others
// sleep until something is there for them, or they are to read.
#include <algorithm>
#include <new>
#include <utility>

#include "service/gateway.hpp"
#include "service/gateway_names.hpp"

namespace zlink::service {

using base::errc;
using base::io_count;
using base::result;
using base::time_ns;

namespace {

// Whose handlers this thread calls, and has more to call at once.
constinit thread_local const gateway *calls_more_handlers = nullptr;

}  // namespace

bool gateway::more_follow () const noexcept { return calls_more_handlers == this; }

// --- who sleeps --------------------------------------------------------------------

void gateway::list_locked (waiting &which) noexcept
{
    which.asleep = true;
    which.next = nullptr;
    which.before = last_asleep_;
    (last_asleep_ == nullptr ? first_asleep_ : last_asleep_->next) = &which;
    last_asleep_ = &which;
}

void gateway::unlist_locked (waiting &which) noexcept
{
    if (!std::exchange (which.asleep, false))
        return;
    (which.before == nullptr ? first_asleep_ : which.before->next) = which.next;
    (which.next == nullptr ? last_asleep_ : which.next->before) = which.before;
}

// By whoever lets go of the lock; without memory at once.
void gateway::wake_locked (waiting &which, work &owed) noexcept
{
    if (!which.asleep)
        return;
    unlist_locked (which);
    which.word.fetch_add (1, std::memory_order_release);
    try {
        owed.wake.push_back (&which);
    } catch (const std::bad_alloc &) {
        world_.sleep.wake (which.word, 1);
    }
}

// Their thread may be the one that reads, and sleep in there.
void gateway::wake_handlers_locked (work &owed) noexcept
{
    if (leader_ == &handlers_)
        owed.kick |= owed.self != &handlers_;
    else
        wake_locked (handlers_, owed);
}

// Who has waited longest reads from now on.
void gateway::hand_on_locked (work &owed) noexcept
{
    if (leader_ == nullptr || leader_ != owed.self)
        return;
    leader_ = nullptr;
    if (first_asleep_ != nullptr)
        wake_locked (*first_asleep_, owed);
}

// Somebody may be there now, for what waits to be sent.
void gateway::room_locked (work &owed) noexcept
{
    table_.room ();
    for (waiting *each = first_asleep_; each != nullptr;) {
        waiting *const next = each->next;
        if (each->sends)
            wake_locked (*each, owed);
        each = next;
    }
}

// --- waiting -----------------------------------------------------------------------

// Until it is done, or until (requests end by the table, and never by that), or a
// signal. The lock is held before and afterwards.
void gateway::await_locked (waiting &self, time_ns until, work &owed) noexcept
{
    owed.self = &self;
    for (;;) {
        settle_locked (owed);  // which may end it
        if (self.done)
            break;
        if (self.interrupted && self.id != 0) {
            force_locked (at (self.id), call_status::interrupted);
            continue;
        }
        if (self.id == 0 && (self.interrupted || closed_ || !inbox_.empty () || until <= owed.now_ns))
            break;
        const bool hedges = self.id != 0 && at (self.id).options.hedge_at_ns > owed.now_ns;
        wait_turn_locked (self, hedges ? std::min (until, at (self.id).options.hedge_at_ns) : until, owed);
    }
    hand_on_locked (owed);
}

void gateway::wait_turn_locked (waiting &self, time_ns until, work &owed) noexcept
{
    if (leader_ == nullptr)
        leader_ = &self;
    if (leader_ == &self) {
        leave (owed);
        owed.due_ns = std::min (owed.due_ns, until);
        read_one_locked (owed);
        return;
    }
    list_locked (self);
    const std::uint32_t expected = self.word.load (std::memory_order_relaxed);
    leave (owed);
    socket::flush_own_tails ();
    const base::wait_outcome outcome = world_.sleep.wait (self.word, expected, until);
    owed.now_ns = world_.time.now_ns ();
    lock_.lock ();
    unlist_locked (self);
    self.interrupted = outcome == base::wait_outcome::interrupted;
    if (table_.next_due () <= owed.now_ns)
        table_.expire (owed.now_ns);
}

// The lead is ours. The lock is free before, and held afterwards.
void gateway::read_one_locked (work &owed) noexcept
{
    io_count got = socket::receive_headed (socket_, ahead_, owed.due_ns);
    const bool otherwise = got.code () == errc::in_progress;
    if (otherwise)
        got = read_message ();
    owed.now_ns = world_.time.now_ns ();
    lock_.lock ();
    seen_ns_ = owed.now_ns;
    more_read_ = !otherwise && got.ok () && got.size () == ahead_.size ();
    if (otherwise && got.ok ())
        take_locked (std::span (incoming_).first (got.size ()), owed);
    else if (got.ok ())
        take_ahead_locked (std::span (ahead_).first (got.size ()), owed);
    else if (got.code () == errc::terminated || got.code () == errc::not_a_socket)
        closed_locked (owed);
    else if (owed.self != nullptr)
        owed.self->interrupted = got.code () == errc::interrupted;
    if (table_.next_due () <= owed.now_ns)
        table_.expire (owed.now_ns);
}

// What came at once: one settling for all.
void gateway::take_ahead_locked (std::span<base::headed_message> all, work &owed) noexcept
{
    for (std::size_t i = 1; i < all.size (); ++i)
        if (all[i].head_again) [[unlikely]]
            all[i].parts[0].copy_from (all[i - 1].parts[0]);
    std::optional<provider_number> from;
    for (base::headed_message &each : all) {
        if (!each.name_again)
            from = provider_of (each.name.view ());
        if (from)
            take_from_locked (*from, each.parts, owed);
        each.close ();
        each.init ();
    }
}

// What is there, into incoming_, which grows if it has to. Without memory the message is lost.
io_count gateway::read_message () noexcept
{
    std::size_t needed = 0;
    const io_count got = socket::receive_parts (socket_, incoming_, socket::io_dont_wait, &needed);
    if (got.ok () || got.code () != errc::message_too_long) [[likely]]
        return got;
    try {
        const std::size_t had = incoming_.size ();
        incoming_.resize (needed);
        for (std::size_t i = had; i < needed; ++i)
            incoming_[i].init ();
    } catch (const std::bad_alloc &) {
        for (bool more = true; more;) {
            more =
              socket::receive (socket_, incoming_[0], socket::io_dont_wait).ok () && incoming_[0].more ();
            incoming_[0].close ();
            incoming_[0].init ();
        }
        return errc::no_memory;
    }
    return socket::receive_parts (socket_, incoming_, socket::io_dont_wait, &needed);
}

// What has come and nobody has read, while nobody waits.
void gateway::drain_locked (work &owed) noexcept
{
    while (leader_ == nullptr && !closed_) {
        leader_ = &reader_;
        lock_.unlock ();
        const io_count got = read_message ();
        lock_.lock ();
        leader_ = nullptr;
        if (!got.ok ())
            break;
        take_locked (std::span (incoming_).first (got.size ()), owed);
    }
    if (leader_ == nullptr && first_asleep_ != nullptr)
        wake_locked (*first_asleep_, owed);
}

// --- handlers ----------------------------------------------------------------------

void gateway::serve_handlers () noexcept
{
    work owed{.now_ns = world_.time.now_ns (), .self = &handlers_};
    lock_.lock ();
    for (;;) {
        settle_locked (owed);
        if (first_handled_ != nullptr) {
            call_handlers_locked (owed);
            continue;
        }
        if (closed_)
            break;
        const time_ns due = std::min (table_.next_due (), providers_.next_probe ());
        wait_turn_locked (handlers_, due, owed);
    }
    hand_on_locked (owed);
    leave (owed);
}

// Those that are over. Somebody else may read meanwhile.
void gateway::call_handlers_locked (work &owed) noexcept
{
    hand_on_locked (owed);
    handled *next = std::exchange (first_handled_, nullptr);
    last_handled_ = nullptr;
    const bool more_read = more_read_;
    leave (owed);
    handled *called = nullptr;
    while (next != nullptr) {
        handled *const now = std::exchange (next, next->next);
        calls_more_handlers = next != nullptr || more_read ? this : nullptr;
        now->call ();
        now->next = std::exchange (called, now);
    }
    calls_more_handlers = nullptr;
    owed.now_ns = world_.time.now_ns ();
    lock_.lock ();
    give_handled_locked (called);
}

result<void> gateway::start_handlers ()
{
    if (handlers_run_.load (std::memory_order_acquire)) [[likely]]
        return {};
    const holding one_at_a_time (dial_lock_);
    if (thread_ != nullptr)
        return {};
    if (const result<void> opened = open_kicker (); !opened.ok ())
        return opened;
    base::thread_options named;
    named.name = "zlink-gateway";
    base::result<std::unique_ptr<base::joinable>> made =
      world_.threads.start (named, [this] { serve_handlers (); });
    if (!made.ok ())
        return made.failure ();
    thread_ = std::move (made.value ());
    handlers_run_.store (true, std::memory_order_release);
    return {};
}

// Whoever reads is woken by a message of our own.
result<void> gateway::open_kicker ()
{
    if (kicker_ != nullptr)
        return {};
    std::string place = "inproc://zlink.gateway.";
    for (std::uint64_t bits = world_.dice.next (); bits != 0; bits >>= 4)
        place.push_back ("0123456789abcdef"[bits & 15]);
    const result<void> bound = socket::bind (socket_, place);
    if (!bound.ok ())
        return bound;
    const result<void *> made = socket::open (context_, static_cast<int> (socket::socket_type::dealer));
    if (!made.ok ())
        return made.failure ();
    kicker_ = made.value ();
    return socket::connect (kicker_, place);
}

void gateway::kick () noexcept
{
    if (kicker_ != nullptr)
        (void)socket::send (kicker_, base::bytes_view (), socket::io_dont_wait);
}

}  // namespace zlink::service
