#include "base/turnover.hpp"

namespace zlink::base {

namespace {

void *&link_of (void *block) noexcept { return *static_cast<void **> (block); }

}  // namespace

void *turnover::take_above (std::size_t count) noexcept
{
    if (!lock_.lock_soon ())
        return nullptr;
    void *taken = nullptr;
    if (count_ > count) {
        taken = first_;
        first_ = link_of (taken);
        --count_;
    }
    lock_.unlock ();
    return taken;
}

bool turnover::enter (void *block, std::size_t count_max, bool in_front) noexcept
{
    if (!lock_.lock_soon ())
        return false;
    const bool room = count_ < count_max;
    if (room) {
        const bool alone = first_ == nullptr;
        link_of (block) = in_front ? first_ : nullptr;
        if (!alone && !in_front)
            link_of (last_) = block;
        if (alone || in_front)
            first_ = block;
        if (alone || !in_front)
            last_ = block;
        ++count_;
    }
    lock_.unlock ();
    return room;
}

}  // namespace zlink::base
