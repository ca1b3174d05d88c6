// Messages of one part as a reader finds them, several at once: where each stands. Small
// ones are copied to room that the reader brings; larger ones stay in memory of whoever
// has them, which the reader holds on to.
//
// Of messages of a row (joined_part.hpp) that stand in such memory the first is shown whole;
// those that go on are shown without what they all begin with, to a reader who can tell.
//
// Thread rule: one thread at a time; a hold may be let go of on any.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "base/bytes.hpp"

namespace zlink::base {

// Memory that stays as it is while this lasts. Null: none.
using memory_hold = std::shared_ptr<const void>;

struct placed_parts
{
    bytes_span room{};               // the reader's
    std::span<bytes_view> parts{};   // in order, in room or in what is held
    std::span<memory_hold> holds{};  // null before
    std::size_t held = 0;            // how many of them are not any more; 0 before
    // As many as parts, which say of each whether it goes on behind the one before it. Empty: the
    // reader wants all of them whole. What it subscribes to tells none of a row from another.
    std::span<bool> goes_on{};
};

}  // namespace zlink::base
