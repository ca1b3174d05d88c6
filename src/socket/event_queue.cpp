#include "socket/event_queue.hpp"

#include <new>
#include <utility>

namespace zlink::socket {

using engine::event_record;

bool event_queue::push (const event_record &what) noexcept
{
    const bool last = what.kind == engine::event_kind::stopped;
    const base::locked hold (lock_);
    if (ended_)
        return true;
    ended_ = last;
    if (waiting_.size () >= events_max_ && !last) {
        ++lost_;
        return false;
    }
    try {
        event_record &place = last ? end_ = what : waiting_.emplace_back (what);
        place.lost_before = std::exchange (lost_, 0);
    } catch (const std::bad_alloc &) {
        ++lost_;
        return false;
    }
    end_waits_ = last;
    return true;
}

bool event_queue::pop (event_record &oldest) noexcept
{
    const base::locked hold (lock_);
    if (waiting_.empty ()) {
        if (end_waits_)
            oldest = std::move (end_);
        return std::exchange (end_waits_, false);
    }
    oldest = std::move (waiting_.front ());
    waiting_.pop_front ();
    return true;
}

bool event_queue::ended () noexcept
{
    const base::locked hold (lock_);
    return ended_;
}

}  // namespace zlink::socket
