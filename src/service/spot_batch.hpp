// Messages that one who reads for itself takes as they were read: the memory with them,
// and where each stands in it. Nothing is copied once more.
//
// Thread rule: whoever guards it; nothing here locks or blocks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/copying.hpp"
#include "base/placed_parts.hpp"
#include "service/limits.hpp"
#include "service/spot_queue.hpp"

namespace zlink::service {

// Where messages stand that were read at once: some in room, others in what is held.
struct spot_memory
{
    std::vector<std::byte> room{};
    std::array<base::memory_hold, spot_batch_holds> holds{};
    std::size_t held = 0;

    // Nobody looks at what is held any more.
    void let_go () noexcept
    {
        while (held > 0)
            holds[--held].reset ();
    }
    // For the next ones; what stood there is gone. Throws bad_alloc.
    void clear ()
    {
        let_go ();
        room.resize (spot_batch_bytes);
    }
    void swap (spot_memory &other) noexcept
    {
        room.swap (other.room);
        holds.swap (other.holds);
        std::swap (held, other.held);
    }
    // A part that stands in another one stands here, too, and that is what it becomes.
    void take_over (base::bytes_view &part, const spot_memory &of) noexcept
    {
        const std::byte *const begin = of.room.data ();
        const std::less<> before;
        if (before (part.data (), begin) || !before (part.data (), begin + of.room.size ())) {
            if (held == 0) {
                holds = of.holds;
                held = of.held;
            }
            return;
        }
        std::byte *const there = room.data () + (part.data () - begin);
        base::copy_octets (there, part.data (), part.size ());
        part = {there, part.size ()};
    }
};

class spot_batch
{
  public:
    [[nodiscard]] bool empty () const noexcept { return next_ == count_; }
    // Before each add(). False: no memory.
    [[nodiscard]] bool ready () noexcept { return !empty () || prepare (); }
    // add() has no room before next() has answered all.
    [[nodiscard]] bool full () const noexcept { return count_ == spot_batch_messages && !empty (); }
    [[nodiscard]] std::size_t room () const noexcept { return spot_batch_messages - count_; }
    // It borrows from memory that trade() will bring; at most spot_batch_messages of them.
    void add (const spot_plain &what) noexcept { entries_[count_++] = what; }
    // That memory becomes this one's. The other gets what this one had, and in it what is
    // left to hand out, and the front with it.
    void trade (spot_memory &other, std::span<base::bytes_view> left, base::bytes_view &front) noexcept
    {
        memory_.swap (other);
        other.let_go ();
        for (base::bytes_view &each : left)
            other.take_over (each, memory_);
        if (!left.empty ())
            other.take_over (front, memory_);
    }

    // The oldest; valid until the next call, and so is what it borrows. Null: there is none.
    [[nodiscard]] const spot_plain *next () noexcept
    {
        if (next_ != count_) [[likely]]
            return &entries_[next_++];
        memory_.let_go ();
        return nullptr;
    }

  private:
    // What next() has answered is gone.
    [[nodiscard]] bool prepare () noexcept
    try {
        next_ = count_ = 0;
        entries_.resize (spot_batch_messages);
        memory_.clear ();
        return true;
    } catch (const std::bad_alloc &) {
        return false;
    }

    spot_memory memory_;
    std::vector<spot_plain> entries_;
    std::size_t count_ = 0;
    std::size_t next_ = 0;
};

}  // namespace zlink::service
