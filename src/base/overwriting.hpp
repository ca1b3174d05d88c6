// Writes a message into the memory of one that nobody reads any more, where streams of
// messages of one size come: no memory is given back and taken again for each.
//
// Thread rule: as of the messages.
#pragma once

#include "base/copying.hpp"
#include "base/message.hpp"

namespace zlink::base {

// Its octets stand in memory of its own that nobody else sees, with nothing beside it.
[[nodiscard]] inline bool is_sole (const message &of) noexcept
{
    if (!of.valid () || of.facts () != nullptr || of.has_group ())
        return false;
    const body *const held = of.shared_body ();
    return held == nullptr
           || (held->size_class == body::plain && !of.shared ()
               && held->references.load (std::memory_order_acquire) == 1);
}

// Makes it a message of these octets, where it stands. False: it is left as it is, as it
// is not sole, or of another size.
[[nodiscard]] inline bool overwrite (message &to, bytes_view octets) noexcept
{
    if (to.size () != octets.size () || !is_sole (to))
        return false;
    if (!octets.empty ())
        copy_octets (to.data (), octets.data (), octets.size ());
    to.set_more (false);
    to.set_event (message_event::data);
    to.set_routing_id (0);
    return true;
}

}  // namespace zlink::base
