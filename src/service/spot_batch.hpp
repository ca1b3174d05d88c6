// Messages that one who reads for itself takes as they were read: the memory with them,
// and where each stands in it. Nothing is copied once more.
//
// Thread rule: whoever guards it; nothing here locks or blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <vector>

#include "base/bytes.hpp"
#include "base/copying.hpp"
#include "service/limits.hpp"
#include "service/spot_queue.hpp"

namespace zlink::service {

class spot_batch
{
  public:
    [[nodiscard]] bool empty () const noexcept { return next_ == count_; }
    // Before each add(). False: no memory.
    [[nodiscard]] bool ready () noexcept { return !empty () || prepare (); }
    // add() has no room before next() has answered all.
    [[nodiscard]] bool full () const noexcept { return count_ == spot_batch_messages && !empty (); }
    // It borrows from memory that trade() will bring; at most spot_batch_messages of them.
    void add (const spot_plain &what) noexcept { entries_[count_++] = what; }
    // That memory becomes this one's. The other gets what this one had, and in it what
    // stands from an octet on as it was.
    void trade (std::vector<std::byte> &other, std::size_t from, std::size_t bytes) noexcept
    {
        memory_.swap (other);
        if (bytes != 0)
            base::copy_octets (other.data () + from, memory_.data () + from, bytes);
    }

    // The oldest; valid until the next call, and so is what it borrows. Null: there is none.
    [[nodiscard]] const spot_plain *next () noexcept
    {
        return next_ == count_ ? nullptr : &entries_[next_++];
    }

  private:
    // What next() has answered is gone.
    [[nodiscard]] bool prepare () noexcept
    try {
        next_ = count_ = 0;
        entries_.resize (spot_batch_messages);
        memory_.resize (spot_batch_bytes);
        return true;
    } catch (const std::bad_alloc &) {
        return false;
    }

    std::vector<std::byte> memory_;
    std::vector<spot_plain> entries_;
    std::size_t count_ = 0;
    std::size_t next_ = 0;
};

}  // namespace zlink::service
