// When entries of a table are due, the soonest first. Entries are slot numbers.
// Setting one costs the logarithm of how many have a time; those that have none
// cost nothing.
//
// Thread rule: the owner's. Takes memory only in reserve().
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/clock.hpp"

namespace zlink::service {

class due_heap
{
  public:
    using slot = std::uint32_t;
    static constexpr slot none = UINT32_MAX;

    // Slots below count may be set from now on. Throws bad_alloc, and nothing changed.
    void reserve (std::size_t count)
    {
        if (count <= places_.size ())
            return;
        const std::size_t wanted = std::max (count, 2 * places_.size ());
        heap_.reserve (wanted);
        places_.resize (wanted, entry{base::never_ns, nowhere});
    }
    [[nodiscard]] std::size_t room () const noexcept { return places_.size (); }

    // never_ns: it has no time any more. Below room ().
    void set (slot which, base::time_ns when) noexcept
    {
        entry &at = places_[which];
        const base::time_ns before = at.when;
        at.when = when;
        if (when == base::never_ns)
            remove (which);
        else if (at.place == nowhere)
            insert (which);
        else if (when < before)
            rise (at.place);
        else
            sink (at.place);
    }
    [[nodiscard]] base::time_ns of (slot which) const noexcept { return places_[which].when; }

    // none and never_ns: nothing has a time.
    [[nodiscard]] slot first () const noexcept { return heap_.empty () ? none : heap_.front (); }
    [[nodiscard]] base::time_ns soonest () const noexcept
    {
        return heap_.empty () ? base::never_ns : places_[heap_.front ()].when;
    }
    [[nodiscard]] std::size_t size () const noexcept { return heap_.size (); }

  private:
    static constexpr std::uint32_t nowhere = UINT32_MAX;
    struct entry
    {
        base::time_ns when;
        std::uint32_t place;  // in heap_
    };

    void insert (slot which) noexcept
    {
        heap_.push_back (which);
        places_[which].place = static_cast<std::uint32_t> (heap_.size () - 1);
        rise (places_[which].place);
    }
    void remove (slot which) noexcept
    {
        const std::uint32_t hole = places_[which].place;
        if (hole == nowhere)
            return;
        places_[which].place = nowhere;
        const slot last = heap_.back ();
        heap_.pop_back ();
        if (last == which)
            return;
        put (last, hole);
        rise (hole);
        sink (places_[last].place);
    }
    void put (slot which, std::uint32_t at) noexcept
    {
        heap_[at] = which;
        places_[which].place = at;
    }
    // Up while it is sooner than what is above, down while it is later than what is
    // below: the others move into its place.
    void rise (std::uint32_t at) noexcept
    {
        const slot which = heap_[at];
        for (; at > 0; at = (at - 1) / 2) {
            const slot above = heap_[(at - 1) / 2];
            if (places_[above].when <= places_[which].when)
                break;
            put (above, at);
        }
        put (which, at);
    }
    void sink (std::uint32_t at) noexcept
    {
        const slot which = heap_[at];
        for (;;) {
            std::size_t below = 2 * std::size_t{at} + 1;
            if (below >= heap_.size ())
                break;
            if (below + 1 < heap_.size () && when_at (below + 1) < when_at (below))
                ++below;
            if (places_[which].when <= when_at (below))
                break;
            put (heap_[below], at);
            at = static_cast<std::uint32_t> (below);
        }
        put (which, at);
    }
    [[nodiscard]] base::time_ns when_at (std::size_t at) const noexcept { return places_[heap_[at]].when; }

    std::vector<slot> heap_;     // those that have a time
    std::vector<entry> places_;  // by slot
};

}  // namespace zlink::service
