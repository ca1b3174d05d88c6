// The parts of a message that somebody keeps: closed when they are let go of.
//
// Thread rule: one thread at a time. Taking memory may throw std::bad_alloc, and
// nothing has changed then.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "base/message.hpp"

namespace zlink::service {

class held_parts
{
  public:
    held_parts () = default;
    // The same bodies once more.
    explicit held_parts (std::span<base::message> of)
    {
        parts_.resize (of.size ());
        for (std::size_t i = 0; i < of.size (); ++i) {
            parts_[i].init ();
            parts_[i].copy_from (of[i]);
            parts_[i].set_more (i + 1 < of.size ());
        }
    }
    ~held_parts () { clear (); }
    held_parts (held_parts &&other) noexcept : parts_ (std::exchange (other.parts_, {})) {}
    held_parts &operator= (held_parts &&other) noexcept
    {
        clear ();
        parts_ = std::exchange (other.parts_, {});
        return *this;
    }
    held_parts (const held_parts &) = delete;
    held_parts &operator= (const held_parts &) = delete;

    void reserve (std::size_t count) { parts_.reserve (count); }
    // Takes the content; the part is empty afterwards.
    void take (base::message &part)
    {
        parts_.push_back (part);
        parts_.back ().set_event (base::message_event::data);
        part.init ();
    }
    void take_all (std::span<base::message> from)
    {
        parts_.reserve (parts_.size () + from.size ());
        for (base::message &each : from)
            take (each);
    }
    void clear () noexcept
    {
        for (base::message &each : parts_)
            each.close ();
        parts_.clear ();
    }
    // They are the caller's to close.
    [[nodiscard]] std::vector<base::message> release () noexcept { return std::exchange (parts_, {}); }

    [[nodiscard]] bool empty () const noexcept { return parts_.empty (); }
    [[nodiscard]] std::size_t size () const noexcept { return parts_.size (); }
    [[nodiscard]] base::message &operator[] (std::size_t at) noexcept { return parts_[at]; }
    [[nodiscard]] std::span<base::message> all () noexcept { return parts_; }

  private:
    std::vector<base::message> parts_;
};

}  // namespace zlink::service
