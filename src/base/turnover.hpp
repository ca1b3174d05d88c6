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
// has, less than the shared one. Decisions 0042 and 0052 have what was measured.
inline constexpr std::size_t turnover_bytes = std::size_t{6} << 20;
inline constexpr std::size_t turnover_bytes_max = std::size_t{8} << 20;

// The first word of a block is the turnover's while it is here. All blocks of one are of
// one size, which its callers know.
class turnover
{
  public:
    constexpr turnover () noexcept = default;

    // The oldest, if it has turned over; else null.
    [[nodiscard]] void *take (std::size_t block_bytes) noexcept
    {
        return take_above (turnover_bytes / block_bytes);
    }
    // The oldest, whatever its age: no other memory is to be had.
    [[nodiscard]] void *take_early () noexcept { return take_above (0); }
    // False: it is the caller's.
    [[nodiscard]] bool give (void *block, std::size_t block_bytes) noexcept
    {
        return enter (block, turnover_bytes_max / block_bytes, false);
    }
    // As the one that is taken next: for memory that stays on its core.
    [[nodiscard]] bool give_in_front (void *block, std::size_t block_bytes) noexcept
    {
        return enter (block, turnover_bytes_max / block_bytes, true);
    }

  private:
    void *take_above (std::size_t count) noexcept;
    bool enter (void *block, std::size_t count_max, bool in_front) noexcept;

    alignas (64) exchange_lock lock_;
    void *first_ = nullptr;  // null when there is none
    void *last_ = nullptr;
    std::size_t count_ = 0;
};

}  // namespace zlink::base
