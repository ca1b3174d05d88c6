// A pool of equal buffers, for arenas and slabs: an idle connection owns
// neither. Thread rule: any thread (leaf lock; the newest of the free buffers
// changes hands without it). Keeps a bounded number of free buffers, most
// recently used first, the rest go back to the system.
#pragma once

#include <cstddef>
#include <vector>

#include "base/atomic.hpp"
#include "base/lock.hpp"
#include "engine/byte_budget.hpp"

namespace zlink::engine {

class buffer_pool
{
  public:
    buffer_pool (std::size_t buffer_bytes, std::size_t keep_max);  // throws bad_alloc
    ~buffer_pool ();
    buffer_pool (const buffer_pool &) = delete;
    buffer_pool &operator= (const buffer_pool &) = delete;

    // nullptr when memory is out.
    [[nodiscard]] std::byte *take () noexcept;
    void give (std::byte *buffer) noexcept;  // null is fine
    [[nodiscard]] std::size_t buffer_bytes () const noexcept { return buffer_bytes_; }

    // From now on what is taken counts there; before the first is taken. Null:
    // nowhere.
    void charge_to (byte_budget *account) noexcept { account_ = account; }
    [[nodiscard]] byte_budget *account () const noexcept { return account_; }

  private:
    [[nodiscard]] std::byte *take_free () noexcept;
    void keep_or_free (std::byte *buffer) noexcept;

    const std::size_t buffer_bytes_;
    byte_budget *account_ = nullptr;
    const bool keeps_;
    base::atomic<std::byte *> newest_{nullptr};
    base::exchange_lock lock_;
    std::vector<std::byte *> free_;  // places for the older ones
    std::size_t free_count_ = 0;     // of which so many are in use
};

}  // namespace zlink::engine
