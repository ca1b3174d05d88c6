// When something of a socket is due: its connections and endpoints by their
// deadlines, the soonest first. Changing one costs the logarithm of how many
// have one; those that have none cost nothing.
//
// An entry is part of what it belongs to, and knows its place: it must leave
// (set to never) before it goes. Thread rule: under the socket lock. Takes
// memory only in reserve(); every entry that may have a deadline needs room.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/clock.hpp"

namespace zlink::engine {

struct connection;
struct endpoint;

// What may have a deadline: one of the two.
struct timed
{
    connection *of_connection = nullptr;
    endpoint *of_endpoint = nullptr;

    [[nodiscard]] base::time_ns deadline () const noexcept { return deadline_; }

    explicit timed (connection *whose) noexcept : of_connection (whose) {}
    explicit timed (endpoint *whose) noexcept : of_endpoint (whose) {}
    timed (const timed &) = delete;
    timed &operator= (const timed &) = delete;

  private:
    friend class deadline_heap;
    static constexpr std::size_t nowhere = SIZE_MAX;

    base::time_ns deadline_ = base::never_ns;
    std::size_t place_ = nowhere;
};

class deadline_heap
{
  public:
    // Throws bad_alloc, and nothing changed.
    void reserve (std::size_t entries)
    {
        if (heap_.capacity () < entries)
            heap_.reserve (std::max (entries, 2 * heap_.capacity ()));
    }
    [[nodiscard]] std::size_t room () const noexcept { return heap_.capacity (); }

    // never_ns: it has none any more.
    void set (timed &which, base::time_ns when) noexcept;
    // The soonest, or null and never_ns.
    [[nodiscard]] timed *first () const noexcept { return heap_.empty () ? nullptr : heap_.front (); }
    [[nodiscard]] base::time_ns soonest () const noexcept
    {
        return heap_.empty () ? base::never_ns : heap_.front ()->deadline_;
    }
    [[nodiscard]] std::size_t size () const noexcept { return heap_.size (); }
    // Forgets them all; they may be gone.
    void clear () noexcept { heap_.clear (); }

  private:
    void put (timed &which, std::size_t at) noexcept
    {
        heap_[at] = &which;
        which.place_ = at;
    }
    void rise (timed &which, std::size_t at) noexcept;
    void sink (timed &which, std::size_t at) noexcept;

    std::vector<timed *> heap_;
};

}  // namespace zlink::engine
