// How a receiver passes its time before it sleeps: how long it looks, on one core
// it gives it away, and it gets up for the next message of a steady pace.
// Decisions 0027, 0028 and 0050.
#include <algorithm>
#include <utility>

#include "engine/socket_leading.hpp"

namespace zlink::engine {

namespace {

// How often a receiver on the only core gives it away before it sleeps. Who is
// runnable gets it at the first; the second is for a third thread in between.
constexpr int yields_on_one_core = 2;

// A yield that took long may have cost all of that: at most this part of the
// time is lost.
constexpr time_ns yield_pays_after = 256;

// A receiver that took this many messages since its last wait is streaming:
// looking longer brings it nothing.
constexpr std::uint64_t streaming_messages = 32;

}  // namespace

void socket_core::sent_large () noexcept { own_burst ().sent_large (); }

void socket_core::see_whether_it_answers_locked () noexcept { answers_ = own_burst ().take_spoke (); }

// How long to look before sleeping; 0: not at all. Where there is no set, all come
// through lanes: the next large one says again that it is.
time_ns socket_core::patience_locked (int others_waiting) noexcept
{
    const auto cores = static_cast<int> (owner_->world.sleep.cores ());
    if (!wish_.adaptive_spin || (cores > 1 && others_waiting >= cores))
        return 0;
    const bool streams =
      messages_taken_locked () - at_last_wait_ > streaming_messages && only_reads_locked ();
    const std::size_t large_bytes = inner_ == nullptr ? std::exchange (large_bytes_, 0) : large_bytes_;
    return streams ? 0 : spin_.begin (large_bytes, !in_no_hurry_locked ());
}

// Looks for as long as its patience lasts. Without the lock.
void socket_core::spin_for_it (leading &turn) noexcept
{
    const time_ns from = owner_->world.time.now_ns ();
    turn.looked = from;
    spin_on_set (turn, from + turn.patience);
    turn.looked -= from;
}

void socket_core::looked_locked (bool seen, time_ns took) noexcept
{
    seen ? spin_.seen_after (took) : spin_.failed_after (took);
}

// Where there is one core, who has the news can only run when we give it away:
// that alone spares both of us a sleep and a wake. But a third one keeps it for
// milliseconds, where a wake would have brought it back at once; then nobody
// yields for so long that this is paid for. Without the lock.
socket_core::look socket_core::yield_for_word (const wait_word &word, std::uint32_t sequence) noexcept
{
    base::world &world = owner_->world;
    const time_ns from = world.time.now_ns ();
    if (from < yields_again_.load (std::memory_order_relaxed))
        return look::nothing;
    for (int i = 0; i < yields_on_one_core; ++i) {
        world.sleep.yield ();
        const time_ns taken = world.time.now_ns () - from;
        const bool moved = word.sequence.load (std::memory_order_acquire) != sequence;
        if (taken >= spin_ns)
            yields_again_.store (from + taken * yield_pays_after, std::memory_order_relaxed);
        if (moved || taken >= spin_ns)
            return moved ? look::moved : look::nothing;
    }
    return look::nothing;
}

// Chooses whether the leader gets up for the next message. This and
// note_pace_locked are asked only with SPIN on.
void socket_core::expect_locked (leading &turn, int others_waiting) noexcept
{
    const time_ns due = pace_.due ();
    if (due == 0 || due + pace_late_ns > turn.deadline)
        return;
    const unsigned cores = owner_->world.sleep.cores ();
    if (cores < 2 || others_waiting >= static_cast<int> (cores) || now_ns () > due + pace_late_ns)
        return;
    if (!rise_.should_spin ())
        return;
    turn.due = due;
    const time_ns takes = rise_takes_.expected ();
    turn.early = takes + pace_early_ns + (pace_.awake () ? 0 : takes);
}

// Sleeps until shortly before it is due and looks until shortly after that.
// Without the lock.
void socket_core::get_up_for_it (leading &turn) noexcept
{
    base::clock &time = owner_->world.time;
    const time_ns rise = turn.due - turn.early;
    if (time.now_ns () < rise) {
        sleep_in_set (turn, rise, true);
        if (turn.has_news () || turn.interrupted)
            return;
        turn.took_to_rise = std::max<time_ns> (time.now_ns () - rise, 0);
    }
    turn.slept = false;
    spin_on_set (turn, turn.due + pace_late_ns);
}

void socket_core::note_pace_locked (const leading &turn) noexcept
{
    if (turn.due != 0) {
        const bool met = turn.has_news () && !turn.late_look;
        met ? rise_.succeeded () : rise_.failed ();
        if (turn.took_to_rise >= 0)
            rise_takes_.took (turn.took_to_rise);
    }
    if (turn.count > 0 && (turn.slept || turn.due != 0))
        pace_.came (now_ns (), !turn.slept);
}

}  // namespace zlink::engine
