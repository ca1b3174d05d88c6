// How a receiver passes its time before it sleeps, beyond a short look: on one
// core it gives it away, and it gets up for the next message of a steady pace.
// Decisions 0027 and 0028.
#include <algorithm>

#include "engine/socket_leading.hpp"

namespace zlink::engine {

namespace {

// How often a receiver on the only core gives it away before it sleeps. Who is
// runnable gets it at the first; the second is for a third thread in between.
constexpr int yields_on_one_core = 2;

// A yield that took long may have cost all of that: at most this part of the
// time is lost.
constexpr time_ns yield_pays_after = 256;

}  // namespace

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
