// Slots, the lock's after-work, opening and closing.
#include <algorithm>
#include <array>
#include <mutex>
#include <new>
#include <utility>

#include "base/atomic.hpp"
#include "base/lasting.hpp"
#include "engine/forked.hpp"
#include "engine/socket_core.hpp"

namespace zlink::engine {

namespace {

// All slots there ever were. Never freed: a stale handle must find a lock.
struct slot_pool
{
    base::exchange_lock lock;
    std::array<base::atomic<socket_core *>, sockets_max + 1> slots{};
    std::size_t made = 0;
    std::vector<std::uint16_t> free;
};

constinit base::lasting<slot_pool> slots;

void give_slot_back (std::uint16_t slot) noexcept
{
    slot_pool &to = *slots.get ();
    const base::locked hold (to.lock);
    to.free.push_back (slot);  // reserved when the slot was made
}

}  // namespace

void forsake_slots () noexcept { slots.forsake (); }

socket_core &socket_core::at (std::uint16_t slot) noexcept
{
    return *slots.get ()->slots[slot].load (std::memory_order_acquire);
}

result<socket_ref>
socket_core::create (std::shared_ptr<context> owner, const pattern_traits &traits, const settings &wish)
{
    slot_pool *const from = slots.get ();
    if (from == nullptr)
        return errc::no_memory;
    std::unique_ptr<publishing> topics = make_topics (traits, *owner);
    socket_core *slot = nullptr;
    {
        const base::locked hold (from->lock);
        if (!from->free.empty ()) {
            slot = from->slots[from->free.back ()].load (std::memory_order_relaxed);
            from->free.pop_back ();
        } else if (from->made <= sockets_max) {
            from->free.reserve (from->made + 1);  // so that giving back cannot fail
            slot = new socket_core;
            slot->slot_ = static_cast<std::uint16_t> (from->made);
            from->slots[from->made++].store (slot, std::memory_order_release);
        }
    }
    if (slot == nullptr)
        return errc::too_many_sockets;
    slot->lock ();
    slot->owner_ = std::move (owner);
    slot->traits_ = traits;
    slot->routes_.store (traits.sends == send_rule::address, std::memory_order_relaxed);
    slot->budget_ = slot->owner_->account ();
    slot->topics_ = std::move (topics);
    try {
        slot->ready_.reserve (1);  // for what topics_ tells
        slot->apply_settings_locked (wish);
    } catch (const std::bad_alloc &) {
        owner = std::move (slot->owner_);
        topics = std::move (slot->topics_);
        slot->unlock ();
        give_slot_back (slot->slot_);
        return errc::no_memory;
    }
    slot->burst_.reset (slot->owner_->world.time);
    if (++slot->generation_ == 0)
        ++slot->generation_;
    slot->phase_ = phase::open;
    const bool from_anywhere =
      traits.sends == send_rule::number || (traits.sends == send_rule::address && !slot->wish_.short_names);
    if (from_anywhere)
        slot->talk_.next_name = static_cast<std::uint32_t> (slot->owner_->world.dice.next ());
    slot->settle_plain_locked ();
    const socket_ref made{slot, slot->generation_};
    slot->unlock ();
    return made;
}

// All of them, or it throws and none.
void socket_core::apply_settings_locked (const settings &wish)
{
    settings copy = wish;
    const auto clamp = [] (std::size_t asked, std::size_t least) {
        return asked == 0 ? 0 : std::max (asked, least);
    };
    const std::size_t arena = clamp (wish.arena_bytes, arena_bytes_min);
    const std::size_t slab = clamp (wish.slab_bytes, slab_bytes_min);
    // Connections keep the pool they were made with: it changes before the
    // first one or not at all.
    if (connections_.empty ()) {
        auto arenas = arena == 0 ? nullptr : std::make_unique<buffer_pool> (arena, 4);
        auto slabs = slab == 0 ? nullptr : std::make_unique<buffer_pool> (slab, 4);
        for (buffer_pool *each : {arenas.get (), slabs.get ()})
            if (each != nullptr)
                each->charge_to (budget_);
        own_arenas_ = std::move (arenas);
        own_slabs_ = std::move (slabs);
    }
    settle_values_locked (copy);
    forget_lanes_locked ();
    wish_ = std::move (copy);
    settle_plain_locked ();
}

result<void> socket_core::configure (std::uint32_t generation, const settings &wish) noexcept
{
    return with (generation, [&wish] (socket_core &self) -> result<void> {
        try {
            self.apply_settings_locked (wish);
        } catch (const std::bad_alloc &) {
            return errc::no_memory;
        }
        return {};
    });
}

// --- after the unlock -------------------------------------------------------

bool socket_core::wake_needs_kernel (std::uint32_t todo) const noexcept
{
    // Behind the unlock's barrier: a waiter that these reads miss has not yet
    // raised its mark and will see the sequence that we moved.
    if ((todo & ~(todo_wake_receiver | todo_wake_sender)) != 0)
        return true;
    if ((todo & todo_wake_receiver) != 0
        && (leader_phase_.load (std::memory_order_seq_cst) == leader_asleep
            || receivers_.sleepers.load (std::memory_order_seq_cst) > 0))
        return true;
    return (todo & todo_wake_sender) != 0 && senders_.sleepers.load (std::memory_order_seq_cst) > 0;
}

void socket_core::unlock_and_do (std::uint32_t todo) noexcept
{
    if ((todo & todo_audience) != 0 && unlock_and_tell_audience (todo))
        return;
    if (todo == todo_news && news_.size () <= news_at_once) {
        unlock_and_tell ();
        return;
    }
    if ((todo & ~(todo_wake_receiver | todo_wake_sender)) == 0) {
        todo_ = 0;
        lock_.unlock ();
        if (!wake_needs_kernel (todo)) [[likely]]
            return;
        lock_.lock ();
        if (phase_ == phase::unused) {  // it ended meanwhile, and woke all who slept
            lock_.unlock ();
            return;
        }
        todo |= todo_;
    }
    bool finish = false;
    do {
        todo_ = 0;
        finish = (todo & todo_finish) != 0;
        ++users_;
        perform (todo);
        --users_;
        if (finishable_locked ())
            finish = true;
        todo = todo_ & ~std::uint32_t{todo_finish};
    } while (todo != 0);
    const bool on_reactor = reactor_ != nullptr;
    if (finish && on_reactor && reactor_->post (*this)) {
        // Not as a user of the slot: the turn that we ask for must find none.
        // The context keeps the reactor.
        const std::shared_ptr<context> owner = owner_;
        reactor *const by = reactor_;
        lock_.unlock ();
        by->wake ();
        return;
    }
    lock_.unlock ();
    if (finish && !on_reactor)
        finish_if_done ();
}

// Nothing but readers of lanes has to be told: nothing of the socket is needed
// for that.
void socket_core::unlock_and_tell () noexcept
{
    std::array<lane *, news_at_once> news;
    const std::size_t count = take_news_locked (news);
    todo_ = 0;
    lock_.unlock ();
    for (std::size_t i = 0; i < count; ++i)
        after_unlock (news[i]);
}

// Locked on entry and exit; the lock is dropped in between, while users_
// keeps the slot and its pollers alive.
void socket_core::perform (std::uint32_t todo) noexcept
{
    std::vector<std::unique_ptr<base::stream>> streams;
    std::vector<std::unique_ptr<base::listener>> listeners;
    std::unique_ptr<verdict_source> judges;
    std::vector<event_record> closed;
    std::array<lane *, news_at_once> news{};
    const std::size_t news_count = (todo & todo_news) != 0 ? take_news_locked (news) : 0;
    if ((todo & todo_bury) != 0) {
        streams.swap (doomed_);
        listeners.swap (doomed_listeners_);
        judges = std::move (doomed_judges_);
        closed.swap (told_when_buried_);
    }
    std::shared_ptr<const sink_list> sinks = (todo & todo_tell) != 0 ? sinks_ : nullptr;
    if ((todo & todo_watchers) != 0)
        wake_watchers_locked ();
    lock_.unlock ();

    wake_waiters (todo);
    if ((todo & todo_raise_handle) != 0 && handle_set_ != nullptr)
        handle_set_->wake ();
    if ((todo & todo_wake_reactor) != 0 && reactor_ != nullptr)
        reactor_->wake ();
    for (std::size_t i = 0; i < news_count; ++i)
        after_unlock (news[i]);
    streams.clear ();
    listeners.clear ();
    while (judges != nullptr)
        judges = std::move (judges->next);
    speak (todo, std::move (sinks));
    lock_.lock ();
    tell_buried_locked (closed);
    if ((todo & todo_lanes) != 0)
        tell_lanes_locked ();
    if ((todo & todo_bury) != 0)
        bury_locked ();
}

// To those who listen; the lock is dropped.
void socket_core::speak (std::uint32_t todo, std::shared_ptr<const sink_list> sinks) noexcept
{
    if (sinks != nullptr)
        for (const auto &each : *sinks)
            each->deliver ();
    sinks.reset ();  // perhaps the last to know them
    if ((todo & todo_warn) != 0)
        owner_->say_warnings ();
    const bool freed = owner_->budget.take_freed ();
    if (freed || (todo & todo_resume) != 0)
        owner_->resume_held ();
}

// One by one, so that the list keeps the room that was reserved: closing a
// link takes no memory. The lock is dropped in between.
void socket_core::tell_lanes_locked () noexcept
{
    while (!closed_links_.empty ()) {
        const auto [out, in] = closed_links_.back ();
        closed_links_.pop_back ();
        lock_.unlock ();
        signal_reader (*out);
        signal_writer (*in);
        release_lane (out);
        release_lane (in);
        lock_.lock ();
    }
}

// Likewise. With other users about, the last of them to come back does it.
void socket_core::bury_locked () noexcept
{
    while (users_ == 1 && !graveyard_.empty ()) {
        std::unique_ptr<connection> dead = std::move (graveyard_.back ());
        graveyard_.pop_back ();
        fold_locked (*dead);
        lock_.unlock ();
        dead.reset ();
        lock_.lock ();
    }
}

// One by one, the lock dropped in between, as a copy of the list would take memory; from
// the end, as those who leave meanwhile move others to the front.
void socket_core::wake_watchers_locked () noexcept
{
    for (std::size_t left = watchers_.size (); left > 0; left = std::min (left, watchers_.size ())) {
        std::shared_ptr<base::watcher> next = watchers_[--left];
        lock_.unlock ();
        next->wake ();
        next.reset ();
        lock_.lock ();
    }
}

void socket_core::wake_waiters (std::uint32_t todo) noexcept
{
    base::waiter &sleep = owner_->world.sleep;
    const bool leader_sleeps =
      inner_ != nullptr && leader_phase_.load (std::memory_order_seq_cst) == leader_asleep;
    if ((todo & todo_wake_everybody) != 0) {
        if (leader_sleeps)
            inner_->wake ();
        for (wait_word *word : {&receivers_, &senders_, &peer_changes_})
            sleep.wake (word->sequence, INT32_MAX);
        return;
    }
    if ((todo & todo_wake_receiver) != 0) {
        if (leader_sleeps)
            inner_->wake ();
        else if (receivers_.sleepers.load (std::memory_order_seq_cst) > 0)
            sleep.wake (receivers_.sequence, 1);
    }
    if ((todo & todo_wake_sender) != 0 && senders_.sleepers.load (std::memory_order_seq_cst) > 0)
        sleep.wake (senders_.sequence,
                    names_peers () ? INT32_MAX : 1);  // each has its own
}

void socket_core::wake_receiver_locked () noexcept
{
    if (receivers_.waiting == 0)
        return;
    receivers_.sequence.fetch_add (1, std::memory_order_seq_cst);
    todo_ |= todo_wake_receiver;
}

void socket_core::notify_receivers_locked () noexcept
{
    wake_receiver_locked ();
    notify_watchers_locked ();
}

void socket_core::wake_sender_locked () noexcept
{
    if (senders_.waiting == 0)
        return;
    senders_.sequence.fetch_add (1, std::memory_order_seq_cst);
    todo_ |= todo_wake_sender;
}

void socket_core::notify_senders_locked () noexcept
{
    wake_sender_locked ();
    notify_watchers_locked ();
}

// A sender that wakes the next one only to fight with it for the lock serves
// nobody: while it goes on itself the wake may wait for the dirty tick.
void socket_core::tell_senders_locked (urgency when) noexcept
{
    if (when == urgency::at_once || reactor_ == nullptr) {
        notify_senders_locked ();
        return;
    }
    notify_watchers_locked ();
    if (senders_.waiting == 0 || sender_wake_owed_)
        return;
    sender_wake_owed_ = true;
    join_dirty_locked ();
}

void socket_core::join_dirty_locked () noexcept
{
    if (dirty_ || reactor_ == nullptr)
        return;
    dirty_ = true;
    if (reactor_->join_dirty (*this))
        todo_ |= todo_wake_reactor;
}

void socket_core::tell_watchers_locked () noexcept
{
    if (!std::exchange (watchers_wait_, false))
        return;
    note_watchers_locked ();
    todo_ |= todo_watchers;
}

void socket_core::note_watchers_locked () noexcept
{
    for (const auto &each : watchers_)
        each->note ();
}

void socket_core::notify_watchers_locked () noexcept
{
    tell_watchers_locked ();
    if (handle_set_ != nullptr && !handle_raised_) {
        handle_raised_ = true;
        todo_ |= todo_raise_handle;
    }
}

void socket_core::notify_everybody_locked () noexcept
{
    for (wait_word *word : {&receivers_, &senders_, &peer_changes_})
        word->sequence.fetch_add (1, std::memory_order_seq_cst);
    todo_ |= todo_wake_everybody;
    notify_watchers_locked ();
}

void socket_core::post_locked () noexcept
{
    if (reactor_ != nullptr && reactor_->post (*this))
        todo_ |= todo_wake_reactor;
}

void socket_core::schedule_locked (time_ns when) noexcept
{
    if (reactor_ != nullptr && when != base::never_ns && reactor_->schedule (*this, when))
        todo_ |= todo_wake_reactor;
}

// Closing is a system call and waits for the unlock. Without memory to
// remember it by it is made here and now.
void socket_core::doom_locked (std::unique_ptr<base::stream> gone) noexcept
try {
    if (gone == nullptr)
        return;
    doomed_.push_back (std::move (gone));
    todo_ |= todo_bury;
} catch (const std::bad_alloc &) {
}

void socket_core::doom_locked (std::unique_ptr<base::listener> gone) noexcept
try {
    if (gone == nullptr)
        return;
    doomed_listeners_.push_back (std::move (gone));
    todo_ |= todo_bury;
} catch (const std::bad_alloc &) {
}

void socket_core::doom_locked (std::unique_ptr<verdict_source> gone) noexcept
{
    if (gone == nullptr)
        return;
    gone->next = std::move (doomed_judges_);
    doomed_judges_ = std::move (gone);
    todo_ |= todo_bury;
}

// --- closing -----------------------------------------------------------------

void socket_core::stop (std::uint32_t generation) noexcept
{
    lock ();
    if (generation == generation_ && phase_ == phase::open && !stopped_) {
        stopped_ = true;
        settle_plain_locked ();
        notify_everybody_locked ();
    }
    if (generation == generation_)
        tell_context_ends_locked ();
    unlock ();
}

result<void> socket_core::close (std::uint32_t generation) noexcept
{
    lock ();
    if (generation != generation_ || phase_ != phase::open) {
        unlock ();
        return errc::not_a_socket;
    }
    phase_ = phase::closing;
    settle_plain_locked ();
    start_closing_locked ();
    const bool served = reactor_ != nullptr;
    if (served)
        post_locked ();
    const std::shared_ptr<context> owner = owner_;
    unlock ();
    owner->forget_names ({this, generation});
    if (!served)
        finish_if_done ();
    return {};
}

void socket_core::start_closing_locked () noexcept
{
    notify_everybody_locked ();
    talk_.close_envelope ();
    inside_ = nullptr;
    linger_until_ = wish_.linger_ms < 0 ? base::never_ns : now_ns () + wish_.linger_ms * base::ns_per_ms;
    while (!ends_.empty ())
        close_end_locked (ends_.front (), leave_reason_locked ());
    for (endpoint &each : endpoints_)
        if (!each.is_dialer ())
            remove_endpoint_locked (each);
}

bool socket_core::finishable_locked () const noexcept
{
    // Asked behind every call that was away: many connections cost nothing here,
    // and endpoints are looked at only when all of those have gone.
    return phase_ == phase::closing && users_ == 0 && connections_.size () == free_indices_.size ()
           && std::ranges::none_of (endpoints_, [] (const endpoint &each) { return each.busy; });
}

namespace {

// Behind the end of everything that was declared after it.
class freed_at_the_end
{
  public:
    explicit freed_at_the_end (context &of) noexcept : of_ (of) {}
    ~freed_at_the_end ()
    {
        if (of_.budget.take_freed ())
            of_.resume_held ();
    }
    freed_at_the_end (const freed_at_the_end &) = delete;
    freed_at_the_end &operator= (const freed_at_the_end &) = delete;

  private:
    context &of_;
};

}  // namespace

void socket_core::finish_if_done () noexcept
{
    lock ();
    if (!finishable_locked ()) {
        lock_.unlock ();
        return;
    }
    for (endpoint &each : endpoints_)
        each.removed = true;
    // From here on the slot is nobody's: a stale generation meets unused.
    phase_ = phase::unused;
    const socket_ref gone{this, generation_};
    std::shared_ptr<context> owner = std::move (owner_);
    const freed_at_the_end behind_all (*owner);
    const auto inner = std::move (inner_);
    const auto handle_set = std::move (handle_set_);
    const auto arenas = std::move (own_arenas_);  // outlive the connections that use them
    const auto slabs = std::move (own_slabs_);
    const auto streams = std::move (doomed_);
    const auto judges = std::move (doomed_judges_);
    const auto policies = std::move (policies_);
    auto listeners = std::move (doomed_listeners_);
    farewell last{std::move (sinks_), std::move (told_when_buried_), events_told_};
    const auto dead = std::move (graveyard_);
    const auto rest = std::move (rest_);  // what is left of a message may have a release function
    std::vector<base::message> staged;    // likewise; a sender that waited had its last part back
    staged.swap (staged_);
    reset_locked ();
    reactor *const by = reactor_;
    reactor_ = nullptr;
    todo_ = 0;
    lock_.unlock ();
    for (base::message &part : staged)
        part.close ();
    if (rest != nullptr && rest->facts != nullptr)
        rest->facts->drop ();
    if (by != nullptr)
        by->forget (*this);
    listeners.clear ();
    last.say (*owner);
    owner->say_warnings ();
    give_slot_back (slot_);
    owner->forget_names (gone);
    owner->dismiss (gone);
}

void socket_core::reset_locked () noexcept
{
    doomed_.clear ();
    doomed_listeners_.clear ();
    graveyard_.clear ();
    deadlines_.clear ();
    attention_.clear ();
    endpoints_changed_ = any_ended_ = unguarded_said_ = false;
    forget_list_locked ();
    admissions_ = 0;
    connections_.clear ();
    free_indices_.clear ();
    endpoints_.clear ();
    ends_.clear ();
    expected_ends_.clear ();
    balance_.clear ();
    balance_active_ = balance_next_ = 0;
    ready_.clear ();
    ready_next_ = 0;
    tails_.clear ();
    unwritten_connections_ = 0;
    inside_ = nullptr;
    talk_.reset ();
    topics_.reset ();
    interruptions_.reset ();
    interruptions_due_ = 0;
    news_.clear ();
    news_left_ = false;
    label_due_ = false;
    stopped_ = plain_send_ = plain_receive_ = receive_more_ = dirty_ = handle_raised_ = handle_stays_true_ =
      told_readable_ = has_leader_ = sender_wake_owed_ = false;
    since_harvest_ = 0;
    at_last_wait_ = wrote_at_last_wait_ = 0;
    large_bytes_ = 0;
    answers_ = false;
    small_reads_ = 0;
    gone_ = {};
    taken_before_harvest_ = read_calls_ = poll_calls_ = wakes_ = events_lost_ = round_trip_ns_ = 0;
    budget_holds_ = 0;
    held_back_.store (false, std::memory_order_relaxed);
    read_declined_ = false;
    spin_.reset ();
    yields_again_.store (0, std::memory_order_relaxed);
    pace_ = {};
    rise_.reset ();
    peers_ = 0;
    last_endpoint_.clear ();
    bound_names_.clear ();
    closed_links_.clear ();
    watchers_.clear ();
    watchers_wait_ = false;
    sinks_.reset ();
    told_when_buried_.clear ();
    events_told_ = last_connection_id_ = 0;
    lease_armed_ = lease_pending_ = false;
    lease_at_ = linger_until_ = base::never_ns;
    lease_interval_ = lease_first_ns;
    lease_idle_since_ = 0;
    lease_seen_calls_ = lease_seen_reads_ = receive_calls_ = 0;
}

std::string socket_core::describe (std::uint32_t generation)
{
    const holding here (*this);
    std::string line;
    if (generation == generation_ && phase_ != phase::unused) {
        line = traits_.name;
        line += phase_ == phase::open ? " open" : " closing";
        for (const endpoint &each : endpoints_)
            line += (each.made_by_bind () ? " bind " : " connect ") + each.text;
        for (const bound_name &each : bound_names_)
            line += " bind inproc://" + each.name;
        for (const inproc_end &each : ends_)
            if (each.id != 0)
                line += " connect " + each.text;
        std::int64_t queued = 0;
        for (const auto &each : connections_)
            if (each != nullptr)
                queued += each->queued_messages ();
        line += ", " + std::to_string (queued) + " messages unwritten";
    }
    return line;
}

}  // namespace zlink::engine
