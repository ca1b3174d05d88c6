#include "socket/event_queue.hpp"

#include <new>
#include <utility>

namespace zlink::socket {

bool event_queue::push (const engine::event_record &what) noexcept
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
        waiting_.push_back (what);
    } catch (const std::bad_alloc &) {
        ++lost_;
        return false;
    }
    waiting_.back ().lost_before = std::exchange (lost_, 0);
    return true;
}

bool event_queue::pop (engine::event_record &oldest) noexcept
{
    const base::locked hold (lock_);
    if (waiting_.empty ())
        return false;
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
