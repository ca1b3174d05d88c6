#include "engine/deadline_heap.hpp"

namespace zlink::engine {

void deadline_heap::set (timed &which, base::time_ns when) noexcept
{
    if (which.deadline_ == when)
        return;
    const base::time_ns before = which.deadline_;
    which.deadline_ = when;
    if (before == base::never_ns) {
        heap_.push_back (&which);  // there is room
        rise (which, heap_.size () - 1);
        return;
    }
    const std::size_t at = which.place_;
    if (when != base::never_ns) {
        if (when < before)
            rise (which, at);
        else
            sink (which, at);
        return;
    }
    which.place_ = timed::nowhere;
    timed &last = *heap_.back ();
    heap_.pop_back ();
    if (&last == &which)
        return;
    rise (last, at);
    sink (last, last.place_);
}

void deadline_heap::rise (timed &which, std::size_t at) noexcept
{
    while (at > 0) {
        const std::size_t above = (at - 1) / 2;
        if (heap_[above]->deadline_ <= which.deadline_)
            break;
        put (*heap_[above], at);
        at = above;
    }
    put (which, at);
}

void deadline_heap::sink (timed &which, std::size_t at) noexcept
{
    for (;;) {
        std::size_t below = 2 * at + 1;
        if (below + 1 < heap_.size () && heap_[below + 1]->deadline_ < heap_[below]->deadline_)
            ++below;
        if (below >= heap_.size () || heap_[below]->deadline_ >= which.deadline_)
            break;
        put (*heap_[below], at);
        at = below;
    }
    put (which, at);
}

}  // namespace zlink::engine
