// Messages that one who reads for itself takes as they were read: the memory with them,
// and where each stands in it. Nothing is copied once more.
//
// Thread rule: whoever guards it; nothing here locks or blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "service/limits.hpp"
#include "service/spot_queue.hpp"

namespace zlink::service {

class spot_batch
{
  public:
    [[nodiscard]] bool empty () const noexcept { return next_ == count_; }
    // Before each add(). False: no memory.
    [[nodiscard]] bool ready () noexcept { return !empty () || prepare (); }
    // A message without parts, which borrows from memory that trade() will bring; at most
    // spot_batch_messages of them.
    void add (const spot_item &what) noexcept
    {
        entries_[count_++] = {what.topic, what.body, what.publisher, what.number};
    }
    // That memory becomes this one's. The other gets what this one had, and in it what
    // stands from an octet on as it was.
    void trade (std::vector<std::byte> &other, std::size_t from, std::size_t bytes) noexcept
    {
        memory_.swap (other);
        if (bytes != 0)
            std::memcpy (other.data () + from, memory_.data () + from, bytes);
    }

    // The oldest; what it borrows is valid until the next call. False: there is none.
    [[nodiscard]] bool next (spot_item &out) noexcept
    {
        if (next_ == count_)
            return false;
        const entry &at = entries_[next_++];
        out = {.topic = at.topic, .publisher = at.publisher, .number = at.number, .body = at.body};
        return true;
    }

  private:
    struct entry
    {
        std::string_view topic{};
        base::bytes_view body{};
        std::uint64_t publisher = 0;
        std::uint64_t number = 0;
    };

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
    std::vector<entry> entries_;
    std::size_t count_ = 0;
    std::size_t next_ = 0;
};

}  // namespace zlink::service
