// A publisher's message of one part that stands in two places, as services send it: what
// is small, and finds room with everybody who wants it, is copied from both to where it
// goes. Whatever is otherwise goes the long way, in one piece.
//
// The short way is one function for the compiler: the calls in it were a tenth of what
// publishing a small message costs.
#include <algorithm>

#include "engine/socket_core.hpp"

namespace zlink::engine {

// A frame of that size can be appended for it now.
bool socket_core::takes_joined_locked (pipe &which, std::size_t bytes) noexcept
{
    if (!pipe_available_locked (which))
        return false;
    if (which.kind == pipe_kind::inproc)
        return true;
    auto &wire = static_cast<connection &> (which);
    const bool plain = wire.state == connection_state::ready && wire.pending.empty ();
    return plain && (wire.out.fits (bytes) || (wire.out.open_arena () && wire.out.fits (bytes)));
}

// Of a publisher that may send now, and keeps nothing of its messages of one part.
bool socket_core::joins_locked (std::uint32_t generation) const noexcept
{
    return check_locked (generation) == errc::ok && traits_.takes_topics && !traits_.grouped
           && !wish_.conflate && topics_->values == nullptr;
}

// The connection that takes so many bytes just so, if it is the only one chosen; else null.
[[gnu::always_inline]] inline connection *socket_core::only_joined_locked (std::size_t bytes) noexcept
{
    if (topics_->chosen.size () != 1)
        return nullptr;
    pipe &only = *topics_->chosen.front ();
    if (!pipe_available_locked (only))
        return nullptr;
    if (connection *const ready = small_target_locked (only, bytes); ready != nullptr) [[likely]]
        return ready;
    // The first of a burst finds no arena.
    const bool takes = only.kind == pipe_kind::stream && takes_joined_locked (only, bytes);
    return takes ? static_cast<connection *> (&only) : nullptr;
}

// All who get it have room for so many bytes.
bool socket_core::all_join_locked (std::size_t bytes) noexcept
{
    topics_->all_have_room =
      std::ranges::all_of (topics_->chosen, [&] (pipe *each) { return takes_joined_locked (*each, bytes); });
    look_at_lanes_locked ();
    return topics_->all_have_room;
}

// Who gets it stands in topics_->chosen. False: it is not as simple as that.
[[gnu::always_inline]] inline bool socket_core::chooses_joined_locked (base::bytes_view front) noexcept
{
    if (chosen_as_before_locked (front)) [[likely]]
        return true;
    if (topics_->choice_is_special || wish_.invert_matching)
        return false;
    choose_by_topic_locked (front);
    return true;
}

// What is taken back is kept one by one: then each has a frame of its own.
[[gnu::always_inline]] inline std::size_t
socket_core::append_joined_locked (out_queue &to, const base::joined_part &what) noexcept
{
    const std::size_t taken = to.append_to_row (what);
    return taken != 0 ? taken : to.append_joined (what, !wish_.keeps_backlogs ());
}

// To one of several, without writing. False when memory is out.
bool socket_core::join_quietly_locked (pipe &to, const base::joined_part &what, std::size_t bytes) noexcept
{
    if (lane *const out = lane_of (&to); out != nullptr) {
        if (!out->publish_small (what, bytes))
            return false;
        note_news_locked (*out);
        return true;
    }
    auto &wire = static_cast<connection &> (to);
    unwritten_connections_ += wire.out.empty ();
    wire.credit.take (append_joined_locked (wire.out, what));
    full_arenas_ = full_arenas_ || wire.out.arena_full ();
    if (!wire.in_tails && !wire.tx_claimed && !wire.tx_armed)
        mark_tail_locked (wire);
    return true;
}

void socket_core::join_to_chosen_locked (const base::joined_part &what, std::size_t bytes) noexcept
{
    const bool was_idle = unwritten_connections_ == 0;
    for (pipe *each : topics_->chosen)
        if (join_quietly_locked (*each, what, bytes))
            each->count_sent (bytes);
        else
            miss_locked (*each, drop_reason::no_memory);
    write_to_many_locked (was_idle);
}

[[gnu::always_inline]] inline void
socket_core::append_joined_locked (connection &to, const base::joined_part &what, std::size_t bytes) noexcept
{
    const bool was_empty = to.out.empty ();
    to.credit.take (append_joined_locked (to.out, what));
    to.count_sent (bytes);
    after_append_locked (to, was_empty);
}

// False: it has to go the long way.
[[gnu::always_inline]] inline bool
socket_core::join_locked (std::uint32_t generation, const base::joined_part &what, std::size_t bytes) noexcept
{
    if (!joins_locked (generation) || !chooses_joined_locked (what.front))
        return false;
    if (connection *const only = only_joined_locked (bytes); only != nullptr) [[likely]] {
        append_joined_locked (*only, what, bytes);
        return true;
    }
    if (topics_->chosen.empty ())
        return true;
    if (!all_join_locked (bytes))
        return false;
    join_to_chosen_locked (what, bytes);
    return true;
}

std::uint64_t socket_core::unread_bytes (std::uint32_t generation) noexcept
{
    lock ();
    const bool waited_for = generation == generation_ && wish_.no_drop && ends_.size () == 1;
    const std::uint64_t bytes = waited_for ? ends_.front ().out->queued_bytes () : 0;
    unlock ();
    return bytes;
}

io_count socket_core::send_joined (std::uint32_t generation, const base::joined_part &what) noexcept
{
    const std::size_t bytes = wire::joined_bytes (what);
    if (bytes >= std::min (large_body_bytes_min, lane_inline_bytes_max)
        || staging_.load (std::memory_order_relaxed))
        return errc::in_progress;
    lock ();
    const bool done = (knows_lanes_locked () && publish_to_lanes_locked (generation, what, bytes))
                      || join_locked (generation, what, bytes);
    if (done) [[likely]]
        sent_locked ();
    unlock ();
    return done ? io_count::of (bytes) : io_count (errc::in_progress);
}

}  // namespace zlink::engine
