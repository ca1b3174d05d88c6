// What an in_buffer shows a DISH: a message of two frames, group and body, as one.
#include "engine/in_buffer.hpp"

namespace zlink::engine {

// Both frames stand complete in the slab.
bool in_buffer::peek_slab_pair () noexcept
{
    if (!parts_.empty () || large_ != nullptr || landed_ || begin_ >= end_)
        return false;
    const base::bytes_view first{slab_ + begin_, end_ - begin_};
    if (wire::short_pair pair; wire::decode_short_pair (framing_, first, pair)
                               && pair.second_bytes <= static_cast<std::uint64_t> (message_bytes_max_))
      [[likely]] {
        constexpr std::size_t header = wire::short_pair::header_bytes;
        group_ = first.subspan (header, pair.first_bytes);
        front_.show (first.subspan (2 * header + pair.first_bytes, pair.second_bytes), false, true);
        front_bytes_ = 2 * header + pair.first_bytes + pair.second_bytes;
        return true;
    }
    return peek_long_pair (first);
}

// The same of frames in any form.
bool in_buffer::peek_long_pair (base::bytes_view first) noexcept
{
    wire::frame_head head;
    if (wire::decode_frame_header (framing_, first, head) != wire::head_status::complete || !head.more
        || head.command || head.body_size > base::group_name_max
        || head.header_bytes + head.body_size >= first.size ())
        return false;
    const auto group_size = static_cast<std::size_t> (head.body_size);
    const base::bytes_view group = first.subspan (head.header_bytes, group_size);
    const base::bytes_view rest = first.subspan (head.header_bytes + group_size);
    if (wire::decode_frame_header (framing_, rest, head) != wire::head_status::complete || head.more
        || head.command || head.body_size > rest.size () - head.header_bytes
        || head.body_size > static_cast<std::uint64_t> (message_bytes_max_))
        return false;
    const auto body_size = static_cast<std::size_t> (head.body_size);
    group_ = group;
    front_.show (rest.subspan (head.header_bytes, body_size), false, true);
    front_bytes_ = first.size () - rest.size () + head.header_bytes + body_size;
    return true;
}

bool in_buffer::show_held_pair () noexcept
{
    if (parts_.size () != 2 || parts_taken_ != 0 || parts_[0].size () > base::group_name_max)
        return false;
    group_ = parts_[0].view ();
    front_.show (parts_[1].view (), false, true);
    front_bytes_ = 0;
    return true;
}

}  // namespace zlink::engine
