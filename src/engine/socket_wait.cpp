// Waiting: one leader sleeps in the inner set, where the kernel wakes it
// directly; everybody else sleeps on a word.
//
// No wake is lost: a waiter reads the word's sequence under the lock, raises
// its mark after the unlock and compares the sequence once more; whoever has
// news moves the sequence under the lock and looks at the mark after it.
#include <algorithm>
#include <utility>

#include "base/atomic.hpp"
#include "base/word_look.hpp"
#include "engine/lull.hpp"
#include "engine/socket_leading.hpp"

namespace zlink::engine {

namespace {

// Counts threads inside blocking calls, for the length of a scope.
class inside
{
  public:
    explicit inside (base::atomic<int> &count) noexcept : count_ (count)
    {
        others_ = count_.fetch_add (1, std::memory_order_relaxed);
    }
    ~inside () { count_.fetch_sub (1, std::memory_order_relaxed); }
    inside (const inside &) = delete;
    inside &operator= (const inside &) = delete;
    [[nodiscard]] int others () const noexcept { return others_; }

  private:
    base::atomic<int> &count_;
    int others_ = 0;
};

constexpr std::size_t if_patient (bool is_patient, std::size_t bytes) noexcept
{
    return is_patient ? bytes : 0;
}

}  // namespace

time_ns socket_core::deadline_after (std::int64_t timeout_ms) noexcept
{
    return timeout_ms < 0 ? base::never_ns : now_ns () + timeout_ms * base::ns_per_ms;
}

errc socket_core::wait_readable_locked (time_ns &deadline) noexcept
{
    if (!tails_.empty ()) {
        flush_tails_locked ();
        return errc::ok;
    }
    if (deadline == 0)
        deadline = deadline_after (wish_.receive_timeout_ms);
    see_whether_it_answers_locked ();
    ++receivers_.waiting;
    const bool lead = inner_ != nullptr && !has_leader_;
    const errc outcome = lead ? lead_locked (deadline) : wait_word_locked (receivers_, deadline, true);
    --receivers_.waiting;
    at_last_wait_ = messages_taken_locked ();
    wrote_at_last_wait_ = burst_.wrote_at ();
    return outcome;
}

errc socket_core::wait_writable_locked (time_ns &deadline) noexcept
{
    if (deadline == 0)
        deadline = deadline_after (wish_.send_timeout_ms);
    for (pipe *each : balance_)
        if (each->kind == pipe_kind::inproc)
            static_cast<inproc_end *> (each)->out->writer_waits.store (true, std::memory_order_seq_cst);
    ++senders_.waiting;
    // A consumer that took messages before it could see the mark owes no wake.
    const bool late = inproc_room_locked ();
    const errc outcome = late ? errc::ok : wait_for_room_locked (deadline);
    --senders_.waiting;
    const bool others = senders_.waiting > 0 || watchers_wait_ || handle_set_ != nullptr;
    for (pipe *each : balance_)
        if (each->kind == pipe_kind::inproc && !others && each->behind == nullptr)
            static_cast<inproc_end *> (each)->out->writer_waits.store (false, std::memory_order_relaxed);
    inproc_room_locked ();
    // Whoever gives up may have been the one who was woken.
    if (outcome != errc::ok && senders_.waiting > 0 && choose_locked () != nullptr)
        tell_senders_locked (urgency::soon);
    return outcome;
}

// Whom the budget holds back looks again by itself, too.
errc socket_core::wait_for_room_locked (time_ns deadline) noexcept
{
    const bool held = held_back_.load (std::memory_order_relaxed);
    const time_ns until = held ? std::min (deadline, now_ns () + budget_look_ns) : deadline;
    const errc outcome = wait_word_locked (senders_, until, false);
    return outcome == errc::would_block && until < deadline ? errc::ok : outcome;
}

bool socket_core::inproc_room_locked () noexcept
{
    bool any = false;
    for (std::size_t i = balance_active_; i < balance_.size (); ++i) {
        pipe &which = *balance_[i];
        if (which.kind == pipe_kind::inproc && pipe_available_locked (which)) {
            activate_locked (which);
            any = true;
        }
    }
    return any;
}

// Looks at the word a little longer: for `took`, which becomes how long it did. Without
// the lock.
socket_core::look
socket_core::spin_on_word (const wait_word &word, std::uint32_t sequence, time_ns &took) noexcept
{
    base::world &world = owner_->world;
    const time_ns patience = std::exchange (took, 0);
    if (world.sleep.cores () == 1)
        return yield_for_word (word, sequence);
    const bool moved = base::look_at_word (world.time, world.sleep, word.sequence, sequence, patience, took);
    return moved ? look::moved : look::nothing;
}

// Sleeps until the word moves. errc::ok: look again.
errc socket_core::wait_word_locked (wait_word &word, time_ns deadline, bool receiving) noexcept
{
    const inside here (owner_->threads_waiting);
    const std::uint32_t sequence = word.sequence.load (std::memory_order_relaxed);
    time_ns looked = receiving ? patience_locked (here.others ()) : 0;
    const bool spin = looked > 0;
    look seen = look::nothing;
    base::wait_outcome outcome = base::wait_outcome::woken;
    {
        const away gone (*this);
        flush_left_tails ();
        if (spin)
            seen = spin_on_word (word, sequence, looked);
        if (seen == look::nothing) {
            word.sleepers.fetch_add (1, std::memory_order_seq_cst);
            outcome = owner_->world.sleep.wait (word.sequence, sequence, deadline);
            word.sleepers.fetch_sub (1, std::memory_order_seq_cst);
        }
    }
    if (spin)
        looked_locked (seen == look::moved, looked);
    ++wakes_;
    if (outcome == base::wait_outcome::interrupted)
        return errc::interrupted;
    const bool late =
      outcome == base::wait_outcome::timed_out && word.sequence.load (std::memory_order_relaxed) == sequence;
    return late ? errc::would_block : errc::ok;
}

// Looks at the inner set until then. Giving the core away may take a time
// slice on a busy machine: what is found after that is no success. Who only reads large
// bodies looks seldom: what it does not fetch in pieces costs it fewer calls.
void socket_core::spin_on_set (leading &turn, time_ns until) noexcept
{
    base::world &world = owner_->world;
    lull between = lull::patient (turn.patient_bytes);
    for (;;) {
        if (turn.patient_bytes > 0)
            between.pass (world);
        const result<std::size_t> seen = inner_->wait (turn.events, 0);
        turn.count = seen.ok () ? seen.value () : 0;
        turn.moved = receivers_.sequence.load (std::memory_order_acquire) != turn.sequence;
        if (turn.count > 0 || turn.moved || turn.late_look)
            return;
        world.sleep.yield ();
        turn.looked = world.time.now_ns ();
        turn.late_look = turn.looked >= until;
    }
}

// Sleeps in the set until then, unless there is news.
void socket_core::sleep_in_set (leading &turn, time_ns until, bool keenly) noexcept
{
    leader_phase_.store (leader_asleep, std::memory_order_seq_cst);
    if (receivers_.sequence.load (std::memory_order_seq_cst) == turn.sequence) {
        const time_ns left =
          until == base::never_ns ? -1 : std::max<time_ns> (until - owner_->world.time.now_ns (), 0);
        const result<std::size_t> seen =
          keenly ? inner_->wait_keenly (turn.events, left) : inner_->wait (turn.events, left);
        turn.slept = true;
        turn.count = seen.ok () ? seen.value () : 0;
        turn.interrupted = seen.code () == errc::interrupted;
    }
    leader_phase_.store (leader_awake, std::memory_order_seq_cst);
}

// The part without the lock: look a little longer, then sleep in the set.
void socket_core::lead_unlocked (leading &turn) noexcept
{
    flush_left_tails ();
    if (turn.due != 0)
        get_up_for_it (turn);
    else if (turn.patience > 0)
        spin_for_it (turn);
    if (!turn.has_news () && !turn.interrupted)
        sleep_in_set (turn, turn.deadline, false);
}

errc socket_core::lead_locked (time_ns deadline) noexcept
{
    const inside here (owner_->threads_waiting);
    has_leader_ = true;
    leading turn;
    turn.sequence = receivers_.sequence.load (std::memory_order_relaxed);
    turn.deadline = deadline;
    if (wish_.adaptive_spin) {
        expect_locked (turn, here.others ());
        turn.patience =
          turn.due == 0 && owner_->world.sleep.cores () > 1 ? patience_locked (here.others ()) : 0;
        turn.patient_bytes = if_patient (turn.patience > 0 && in_no_hurry_locked (), large_bytes_);
    }
    {
        const away gone (*this);
        lead_unlocked (turn);
    }
    has_leader_ = false;
    if (wish_.adaptive_spin)
        note_pace_locked (turn);
    ++poll_calls_;
    wakes_ += turn.slept;
    if (turn.patience > 0)
        looked_locked (!turn.slept && !turn.late_look, turn.looked);
    take_events_locked (std::span (turn.events.data (), turn.count));
    if (receivers_.waiting > 1)
        notify_receivers_locked ();  // the baton: another one leads while we work
    if (turn.interrupted)
        return errc::interrupted;
    const bool unchanged =
      turn.count == 0 && turn.slept && receivers_.sequence.load (std::memory_order_relaxed) == turn.sequence;
    const bool late = deadline != base::never_ns && unchanged && now_ns () >= deadline;
    return late ? errc::would_block : errc::ok;
}

// Events of the inner set: connections with something to read.
void socket_core::take_events_locked (std::span<const base::poll_event> events) noexcept
{
    constexpr std::uint64_t which_mask = (std::uint64_t{1} << 44) - 1;
    for (const base::poll_event &each : events) {
        if (each.tag == base::wake_tag)
            continue;
        connection *const which = find_locked ((each.tag >> 16) & which_mask);
        if (which == nullptr)
            continue;
        // It is told once, and maybe before the handshake is seen to be done.
        which->hangup = which->hangup || (each.ready & base::ready_hangup) != 0;
        if (which->state != connection_state::ready)
            continue;
        which->maybe_readable = true;
        if (!which->rx_claimed)
            list_locked (*which);
    }
    // Polls sleep on the set too, and what we took they will not see there.
    if (!events.empty ())
        tell_watchers_locked ();
}

// Looks for new arrivals without waiting. How many events there were, or 0 when
// nothing is to be read.
std::size_t socket_core::harvest_locked () noexcept
{
    if (inner_ == nullptr)
        return 0;
    std::array<base::poll_event, events_per_harvest_max> events;
    result<std::size_t> seen{std::size_t{0}};
    {
        const away gone (*this);
        seen = inner_->wait (events, 0);
    }
    ++poll_calls_;
    if (!seen.ok () || seen.value () == 0)
        return 0;
    const std::span found (events.data (), seen.value ());
    // A kick that was meant for the sleeping leader: passed on.
    if (has_leader_ && std::ranges::any_of (found, [] (const base::poll_event &each) {
            return each.tag == base::wake_tag;
        }))
        todo_ |= todo_wake_receiver;
    take_events_locked (found);
    return ready_.empty () ? 0 : found.size ();
}

}  // namespace zlink::engine
