#include "engine/buffer_pool.hpp"

#include <new>

namespace zlink::engine {

namespace {

constexpr std::align_val_t buffer_alignment{64};

}  // namespace

buffer_pool::buffer_pool (std::size_t buffer_bytes, std::size_t keep_max)
  : buffer_bytes_ (buffer_bytes), keep_max_ (keep_max)
{
    free_.reserve (keep_max);
}

buffer_pool::~buffer_pool ()
{
    for (std::byte *buffer : free_)
        operator delete (buffer, buffer_alignment);
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
    {
        const base::locked hold (lock_);
        if (!free_.empty ()) {
            std::byte *buffer = free_.back ();
            free_.pop_back ();
            return buffer;
        }
    }
    return static_cast<std::byte *> (operator new (buffer_bytes_, buffer_alignment, std::nothrow));
}

void buffer_pool::give (std::byte *buffer) noexcept
{
    if (buffer == nullptr)
        return;
    if (account_ != nullptr) [[unlikely]]
        account_->give (buffer_bytes_);
    {
        const base::locked hold (lock_);
        if (free_.size () < keep_max_) {
            free_.push_back (buffer);  // reserved in the constructor
            return;
        }
    }
    operator delete (buffer, buffer_alignment);
}

}  // namespace zlink::engine
