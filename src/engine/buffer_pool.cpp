#include "engine/buffer_pool.hpp"

#include <new>

namespace zlink::engine {

namespace {

constexpr std::align_val_t buffer_alignment{64};

}  // namespace

buffer_pool::buffer_pool (std::size_t buffer_bytes, std::size_t keep_max)
  : buffer_bytes_ (buffer_bytes), keeps_ (keep_max > 0), free_ (keep_max - keeps_)
{
}

buffer_pool::~buffer_pool ()
{
    operator delete (newest_.load (std::memory_order_acquire), buffer_alignment);
    for (std::size_t i = 0; i < free_count_; ++i)
        operator delete (free_[i], buffer_alignment);
}

std::byte *buffer_pool::take () noexcept
{
    std::byte *const buffer = take_free ();
    if (account_ != nullptr && buffer != nullptr) [[unlikely]]
        account_->take (buffer_bytes_);
    return buffer;
}

std::byte *buffer_pool::take_free () noexcept
{
    if (newest_.load (std::memory_order_relaxed) != nullptr) [[likely]] {
        std::byte *const newest = newest_.exchange (nullptr, std::memory_order_acquire);
        if (newest != nullptr) [[likely]]
            return newest;
    }
    {
        const base::locked hold (lock_);
        if (free_count_ > 0)
            return free_[--free_count_];
    }
    return static_cast<std::byte *> (operator new (buffer_bytes_, buffer_alignment, std::nothrow));
}

void buffer_pool::give (std::byte *buffer) noexcept
{
    if (buffer == nullptr)
        return;
    if (account_ != nullptr) [[unlikely]]
        account_->give (buffer_bytes_);
    std::byte *const older = keeps_ ? newest_.exchange (buffer, std::memory_order_acq_rel) : buffer;
    if (older != nullptr)
        keep_or_free (older);
}

void buffer_pool::keep_or_free (std::byte *buffer) noexcept
{
    {
        const base::locked hold (lock_);
        if (free_count_ < free_.size ()) {
            free_[free_count_++] = buffer;
            return;
        }
    }
    operator delete (buffer, buffer_alignment);
}

}  // namespace zlink::engine
