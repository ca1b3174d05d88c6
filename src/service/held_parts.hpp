// The parts of a message that somebody keeps: closed when they are let go of. A few stand
// inside, more are elsewhere.
//
// Thread rule: one thread at a time. Taking memory may throw std::bad_alloc, and
// nothing has changed then.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "base/overwriting.hpp"

namespace zlink::service {

class held_parts
{
  public:
    static constexpr std::size_t inside = 3;  // a name, a head and a body
    static constexpr std::size_t spare_bytes_max = 4096;

    held_parts () noexcept {}  // few_ is not cleared
    // The same bodies once more.
    explicit held_parts (std::span<base::message> of)
    {
        reserve (of.size ());
        share_all (of);
    }
    ~held_parts () { clear (); }
    held_parts (held_parts &&other) noexcept { take_over (other); }
    held_parts &operator= (held_parts &&other) noexcept
    {
        if (this != &other) {
            clear ();
            take_over (other);
        }
        return *this;
    }
    held_parts (const held_parts &) = delete;
    held_parts &operator= (const held_parts &) = delete;

    // Behind it so many are taken without memory.
    void reserve (std::size_t count)
    {
        if (count <= capacity ())
            return;
        std::vector<base::message> larger (std::max (count, 2 * capacity ()));
        std::copy_n (data (), size_, larger.data ());
        many_.swap (larger);
    }
    // Takes the content; the part is empty afterwards.
    void take (base::message &part)
    {
        reserve (size_ + 1);
        data ()[size_] = part;
        data ()[size_++].set_event (base::message_event::data);
        part.init ();
    }
    // As the only one; where there was one before that is not large, that is in its place
    // now, else nothing.
    void take_alone (base::message &part) noexcept
    {
        if (size_ != 1 || !many_.empty () || few_[0].size () > spare_bytes_max) [[unlikely]]
            clear_to_one ();
        std::swap (few_[0], part);
        few_[0].set_event (base::message_event::data);
    }
    void take_all (std::span<base::message> from)
    {
        reserve (size_ + from.size ());
        for (base::message &each : from)
            take (each);
    }
    // The same bodies once more, as the end of a message.
    void share_all (std::span<base::message> from)
    {
        reserve (size_ + from.size ());
        for (std::size_t i = 0; i < from.size (); ++i) {
            base::message &made = data ()[size_++];
            made.init ();
            made.copy_from (from[i]);
            made.set_more (i + 1 < from.size ());
        }
    }
    void clear () noexcept
    {
        for (base::message &each : all ())
            each.close ();
        size_ = 0;
        many_.clear ();
    }

    // As clear (), but a small body of ours that nobody else has stays, as the only part:
    // the next one may be written over it.
    void let_go () noexcept
    {
        if (size_ != 1 || data ()->size () > spare_bytes_max || !base::is_sole (*data ()))
            clear ();
    }

    [[nodiscard]] bool empty () const noexcept { return size_ == 0; }
    [[nodiscard]] std::size_t size () const noexcept { return size_; }
    [[nodiscard]] base::message &operator[] (std::size_t at) noexcept { return data ()[at]; }
    [[nodiscard]] std::span<base::message> all () noexcept { return {data (), size_}; }

  private:
    [[nodiscard]] std::size_t capacity () const noexcept { return many_.empty () ? inside : many_.size (); }
    [[nodiscard]] base::message *data () noexcept { return many_.empty () ? few_.data () : many_.data (); }
    void clear_to_one () noexcept
    {
        clear ();
        few_[0].init ();
        size_ = 1;
    }
    void take_over (held_parts &other) noexcept
    {
        size_ = std::exchange (other.size_, 0);
        many_ = std::exchange (other.many_, {});
        if (many_.empty ())
            std::copy_n (other.few_.data (), size_, few_.data ());
    }

    std::size_t size_ = 0;
    std::array<base::message, inside> few_;  // while many_ is empty
    std::vector<base::message> many_;
};

}  // namespace zlink::service
