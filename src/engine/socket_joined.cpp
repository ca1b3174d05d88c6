// A publisher's message of one part that stands in two places, as services send it: what
// is small, and finds room with everybody who wants it, is copied from both to where it
// goes. Whatever is otherwise goes the long way, in one piece.
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
    const bool plain = wire.state == connection_state::ready && wire.pending.empty () && !wire.bare ();
    return plain && (wire.out.fits (bytes) || (wire.out.open_arena () && wire.out.fits (bytes)));
}

// Who gets it stands in topics_->chosen. False: it is not as simple as that.
bool socket_core::chooses_joined_locked (std::uint32_t generation,
                                         base::bytes_view front,
                                         std::size_t bytes) noexcept
{
    if (check_locked (generation) != errc::ok || !traits_.takes_topics || traits_.grouped || wish_.conflate)
        return false;
    if (!chosen_as_before_locked (front)) {
        if (topics_->choice_is_special || wish_.invert_matching)
            return false;
        choose_by_topic_locked (front);
    }
    if (topics_->chosen.empty ())
        return true;
    topics_->all_have_room =
      std::ranges::all_of (topics_->chosen, [&] (pipe *each) { return takes_joined_locked (*each, bytes); });
    look_at_lanes_locked ();
    return topics_->all_have_room;
}

// To one of several, without writing. False when memory is out.
bool socket_core::join_quietly_locked (pipe &to, base::bytes_view front, base::bytes_view rest) noexcept
{
    if (lane *const out = lane_of (&to); out != nullptr) {
        if (!out->publish_small (front, rest))
            return false;
        note_news_locked (*out);
        return true;
    }
    auto &wire = static_cast<connection &> (to);
    unwritten_connections_ += wire.out.empty ();
    wire.credit.take (wire.out.append_joined (front, rest, false, false));
    full_arenas_ = full_arenas_ || wire.out.arena_full ();
    if (!wire.in_tails && !wire.tx_claimed && !wire.tx_armed)
        mark_tail_locked (wire);
    return true;
}

void socket_core::join_to_chosen_locked (base::bytes_view front, base::bytes_view rest) noexcept
{
    const bool was_idle = unwritten_connections_ == 0;
    for (pipe *each : topics_->chosen)
        if (join_quietly_locked (*each, front, rest))
            each->count_sent (front.size () + rest.size ());
        else
            miss_locked (*each, drop_reason::no_memory);
    write_to_many_locked (was_idle);
}

// To the only one who wants it. False when memory is out.
bool socket_core::join_to_only_locked (pipe &to, base::bytes_view front, base::bytes_view rest) noexcept
{
    if (lane *const out = lane_of (&to); out != nullptr) {
        if (!out->publish_small (front, rest))
            return false;
        to.count_sent (front.size () + rest.size ());
        return true;
    }
    auto &wire = static_cast<connection &> (to);
    const bool was_empty = wire.out.empty ();
    wire.credit.take (wire.out.append_joined (front, rest, false, false));
    wire.count_sent (front.size () + rest.size ());
    after_append_locked (wire, was_empty);
    return true;
}

io_count
socket_core::send_joined (std::uint32_t generation, base::bytes_view front, base::bytes_view rest) noexcept
{
    const std::size_t bytes = front.size () + rest.size ();
    if (bytes >= std::min (large_body_bytes_min, lane_inline_bytes_max)
        || staging_.load (std::memory_order_relaxed))
        return errc::in_progress;
    lock ();
    if (knows_lanes_locked () && publish_to_lanes_locked (generation, front, rest)) {
        sent_locked ();
        unlock ();
        return io_count::of (bytes);
    }
    if (!chooses_joined_locked (generation, front, bytes)) [[unlikely]] {
        unlock ();
        return errc::in_progress;
    }
    const auto &chosen = topics_->chosen;
    lane *out = nullptr;
    bool done = true;
    if (chosen.size () == 1) {
        out = lane_of (chosen.front ());
        done = join_to_only_locked (*chosen.front (), front, rest);
    } else if (!chosen.empty ()) {
        join_to_chosen_locked (front, rest);
    }
    sent_locked ();
    unlock ();
    after_unlock (out);
    return done ? io_count::of (bytes) : io_count (errc::no_memory);
}

}  // namespace zlink::engine
