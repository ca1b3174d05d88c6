// A pool of equal buffers, for arenas and slabs: an idle connection owns
// neither. Thread rule: any thread (leaf lock). Keeps a bounded number of
// free buffers, most recently used first, the rest go back to the system.
#pragma once

#include <cstddef>
#include <vector>

#include "base/lock.hpp"

namespace zlink::engine {

class buffer_pool
{
  public:
    buffer_pool (std::size_t buffer_bytes, std::size_t keep_max) noexcept;
    ~buffer_pool ();
    buffer_pool (const buffer_pool &) = delete;
    buffer_pool &operator= (const buffer_pool &) = delete;

    // nullptr when memory is out.
    [[nodiscard]] std::byte *take () noexcept;
    void give (std::byte *buffer) noexcept;  // null is fine
    [[nodiscard]] std::size_t buffer_bytes () const noexcept { return buffer_bytes_; }

  private:
    const std::size_t buffer_bytes_;
    const std::size_t keep_max_;
    base::exchange_lock lock_;
    std::vector<std::byte *> free_;
};

}  // namespace zlink::engine
