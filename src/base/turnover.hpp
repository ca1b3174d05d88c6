// Blocks of memory that one core writes and another one reads, in turn.
//
// A line that another core has just read or written comes out of that core's own cache,
// several times slower than out of the one that they share. So what comes back is not
// used again at once, which is right for memory that stays on one core: the block that
// has been here longest is, once so much has come back behind it that it has left the
// other core's cache (decision 0042).
//
// Thread rule: any thread. Nobody sleeps here: who does not get the lock soon is
// answered as if there were nothing, or no room; so a forked child, whose parent held it,
// goes to the allocator for ever.
#pragma once

#include <cstddef>

#include "base/lock.hpp"

namespace zlink::base {

// How much has to lie behind a block, and how much is kept: more than a core's own cache
// has, less than the shared one. Measured on one machine: 256 KiB, 2 MiB, 3 MiB, 16 MiB
// gave 8, 20, 37 and 26 GB/s.
inline constexpr std::size_t turnover_bytes = std::size_t{3} << 20;
inline constexpr std::size_t turnover_bytes_max = std::size_t{4} << 20;

// Link: static Node *next (const Node &); static void set_next (Node &, Node *). It may
// be any word that the block does not need meanwhile. All blocks of a turnover are of one
// size, which its callers know.
template <class Node, class Link> class turnover
{
  public:
    constexpr turnover () noexcept = default;

    // The oldest, if it has turned over; else null.
    [[nodiscard]] Node *take (std::size_t block_bytes) noexcept
    {
        return take_above (turnover_bytes / block_bytes);
    }
    // The oldest, whatever its age: no other memory is to be had.
    [[nodiscard]] Node *take_early () noexcept { return take_above (0); }
    // False: it is the caller's.
    [[nodiscard]] bool give (Node *gone, std::size_t block_bytes) noexcept
    {
        if (!lock_.lock_soon ())
            return false;
        const bool room = count_ < turnover_bytes_max / block_bytes;
        if (room) {
            Link::set_next (*gone, nullptr);
            if (count_++ == 0)
                first_ = gone;
            else
                Link::set_next (*last_, gone);
            last_ = gone;
        }
        lock_.unlock ();
        return room;
    }

  private:
    Node *take_above (std::size_t count) noexcept
    {
        if (!lock_.lock_soon ())
            return nullptr;
        Node *taken = nullptr;
        if (count_ > count) {
            taken = first_;
            first_ = Link::next (*taken);
            --count_;
        }
        lock_.unlock ();
        return taken;
    }
    alignas (64) exchange_lock lock_;
    Node *first_ = nullptr;
    Node *last_ = nullptr;
    std::size_t count_ = 0;
};

}  // namespace zlink::base
