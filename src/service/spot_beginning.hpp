// How messages begin for which it is known what is to be done with them: those of one
// publisher to one topic begin with the same octets, up to their number.
//
// Thread rule: whoever guards it; nothing here locks or blocks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/bytes.hpp"
#include "base/same_octets.hpp"
#include "service/spot_queue.hpp"
#include "wire/spot_message.hpp"

namespace zlink::service {

class spot_beginning
{
  public:
    // Of a whole message, or the first of a row, without other flags and without fields.
    // changes: what is known holds until they are more.
    void keep (base::bytes_view message, const spot_plain &what, std::uint64_t changes) noexcept
    {
        publisher_ = what.publisher;
        changes_ = changes;
        size_ = what.topic.size () + 1 + wire::spot_number_in_head;
        std::memcpy (octets_.data (), message.data (), size_);
    }
    void forget () noexcept { size_ = 0; }
    // Of those that were kept.
    [[nodiscard]] bool is_row () const noexcept
    {
        const std::size_t head = size_ - wire::spot_number_in_head;
        return size_ != 0
               && octets_[head + wire::spot_flags_in_head] == static_cast<std::byte> (wire::spot_flag_row);
    }
    // How long what they begin with is, with the number.
    [[nodiscard]] std::size_t bytes () const noexcept { return size_ + sizeof (std::uint64_t); }
    // Something is known, and so many changes have not altered it.
    [[nodiscard]] bool known (std::uint64_t changes) const noexcept
    {
        return size_ != 0 && changes == changes_;
    }
    // True: another of them, which out then shows; of a row the first, with the body of all.
    // Only while it is known.
    [[nodiscard]] bool holds (base::bytes_view message, spot_plain &out) const noexcept
    {
        const std::size_t head = bytes ();
        if (message.size () < head
            || !base::same_octets (base::bytes_view (octets_).first (size_), message.first (size_)))
            return false;
        out.topic = base::as_text (message.first (size_ - wire::spot_number_in_head - 1));
        out.publisher = publisher_;
        out.number = base::load_u64_be (message.data () + size_);
        out.body = message.subspan (head);
        return true;
    }

  private:
    std::array<std::byte, wire::spot_opening_bytes_max> octets_{};
    std::size_t size_ = 0;  // 0: none
    std::uint64_t publisher_ = 0;
    std::uint64_t changes_ = 0;
};

}  // namespace zlink::service
