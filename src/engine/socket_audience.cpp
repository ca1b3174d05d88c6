// A publisher's audience that is wholly within the process and has room: as long as the
// choice stays the same, a small message goes into one lane after the other without asking
// anybody first, and who reads them is told in one go. Whatever is otherwise goes the long
// way, which finds out anew how far this one leads.
#include <algorithm>
#include <limits>

#include "engine/socket_core.hpp"

namespace zlink::engine {

// Behind a choice of which all have room, for a message that is still to go: for how many
// more of them that is sure.
void socket_core::find_lanes_locked () noexcept
{
    publishing &own = *topics_;
    const bool plain = !traits_.asks_topics && !traits_.grouped && !wish_.conflate && own.values == nullptr;
    if (!plain || own.chosen.size () > few_lanes::max)
        return;
    std::uint64_t room = std::numeric_limits<std::uint64_t>::max ();
    own.lanes.clear ();
    for (pipe *each : own.chosen) {
        lane *const out = lane_of (each);
        if (out == nullptr || each->behind != nullptr)
            return;
        room = std::min (room, out->sure_room ());
        own.lanes.add (*out);
    }
    own.lanes_room = room - (room > 0);
}

// Of what is in them their readers hear one by one.
void socket_core::note_audience_locked () noexcept
{
    todo_ &= ~std::uint32_t{todo_audience};
    for (std::size_t i = 0; i < topics_->lanes.size (); ++i)
        note_news_locked (topics_->lanes[i]);
}

void socket_core::forget_lanes_locked () noexcept
{
    if (topics_ != nullptr)
        leave_lanes_locked ();
}

// As publish_small. False: it has to go the long way.
bool socket_core::publish_to_lanes_locked (std::uint32_t generation,
                                           const base::joined_part &what,
                                           std::size_t bytes) noexcept
{
    if (check_locked (generation) != errc::ok || bytes >= large_body_bytes_min)
        return false;
    publishing &own = *topics_;
    if (own.choice_is_special || wish_.invert_matching
        || !own.chosen_for.holds_named (own.wanted.changes (), what.front, what.name))
        return false;
    --own.lanes_room;
    todo_ |= todo_audience;
    for (std::size_t i = 0; i < own.lanes.size (); ++i) {
        pipe &to = *own.chosen[i];
        if (own.lanes[i].publish_small (what, bytes)) [[likely]]
            to.count_sent (bytes);
        else
            miss_locked (to, drop_reason::no_memory);
    }
    return true;
}

// Nothing of the socket is needed to tell the readers of these lanes.
bool socket_core::unlock_and_tell_audience (std::uint32_t &todo) noexcept
{
    if (todo != todo_audience) {
        note_audience_locked ();
        todo = todo_;
        return false;
    }
    todo_ = 0;
    if (topics_->lanes.size () == 1) [[likely]] {
        lane &only = topics_->lanes[0];
        lock_.unlock ();
        after_unlock (&only);
        return true;
    }
    const few_lanes lanes = topics_->lanes;
    lock_.unlock ();
    for (std::size_t i = 0; i < lanes.size (); ++i)
        after_unlock (&lanes[i]);
    return true;
}

}  // namespace zlink::engine
