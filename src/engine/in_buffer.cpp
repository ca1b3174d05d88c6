#include "engine/in_buffer.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "engine/limits.hpp"

namespace zlink::engine {

namespace {

// ZMTP's header of every body above 255 bytes.
constexpr std::size_t long_header_bytes = 9;

}  // namespace

front_status in_buffer::peek_slowly () noexcept
{
    if (landed_) {
        front_ = {landing_, nullptr, false};
        front_bytes_ = 0;
        return front_status::part;
    }
    for (;;) {
        if (parts_complete_)
            return show_held ();
        const bool in_message = !parts_.empty ();
        const front_status status = large_ != nullptr ? peek_large () : peek_slab ();
        if (status != front_status::part)
            return status;
        if (!front_.more && !in_message)
            return status;
        base::message part;
        if (!take_front (part))
            return violation (base::close_reason::out_of_memory);
        const front_status held = hold_part (part);
        if (held == front_status::violation)
            return held;
    }
}

front_status in_buffer::hold_part (base::message &part) noexcept
{
    const bool more = part.more ();
    if (parts_.size () >= frames_per_message_max) {
        part.close ();
        return violation (base::close_reason::too_many_frames);
    }
    try {
        parts_.push_back (part);
    } catch (const std::bad_alloc &) {
        part.close ();
        return violation (base::close_reason::out_of_memory);
    }
    parts_complete_ = !more;
    return front_status::need_bytes;
}

front_status in_buffer::show_held () noexcept
{
    base::message &part = parts_[parts_taken_];
    front_ = {part.view (), nullptr, part.more ()};
    front_bytes_ = 0;
    return front_status::part;
}

// Bytes of the large body that a reader brought into the slab, because it had
// been given its slices before the body was found.
void in_buffer::absorb () noexcept
{
    const std::size_t taken = std::min (end_ - begin_, large_->size - large_filled_);
    if (taken > 0)
        std::memcpy (large_->data + large_filled_, slab_ + begin_, taken);
    begin_ += taken;
    large_filled_ += taken;
}

front_status in_buffer::peek_large () noexcept
{
    absorb ();
    if (large_filled_ < large_->size)
        return front_status::need_bytes;
    front_ = {{large_->data, large_->size}, large_, large_more_};
    front_bytes_ = 0;
    return large_command_ ? front_status::command : front_status::part;
}

std::size_t in_buffer::direct_bytes_min () const noexcept
{
    return std::min (direct_read_bytes_min, slabs_.buffer_bytes () / 2);
}

front_status in_buffer::peek_slab () noexcept
{
    const base::bytes_view rest{slab_ + begin_, end_ - begin_};
    wire::frame_head head;
    switch (wire::decode_frame_header (framing_, rest, head)) {
    case wire::head_status::need_more:
        return front_status::need_bytes;
    case wire::head_status::malformed:
        return violation (base::close_reason::frame_malformed);
    case wire::head_status::complete:
        break;
    }
    if (head.body_size > static_cast<std::uint64_t> (message_bytes_max_))
        return violation (base::close_reason::message_too_large);
    const base::bytes_view have = rest.subspan (head.header_bytes);
    const bool whole = head.body_size <= have.size ();
    if (head.command && head.body_size > command_bytes_max)
        return violation (base::close_reason::command_malformed);
    if (!whole)
        return head.body_size >= direct_bytes_min () ? start_large (head, have) : front_status::need_bytes;
    front_ = {have.first (static_cast<std::size_t> (head.body_size)), nullptr, head.more};
    front_bytes_ = head.header_bytes + static_cast<std::size_t> (head.body_size);
    return head.command ? front_status::command : front_status::part;
}

front_status in_buffer::start_large (const wire::frame_head &head, base::bytes_view have) noexcept
{
    large_ = base::body::allocate (static_cast<std::size_t> (head.body_size));
    if (large_ == nullptr)
        return violation (base::close_reason::out_of_memory);
    if (!have.empty ())
        std::memcpy (large_->data, have.data (), have.size ());
    large_filled_ = have.size ();
    large_more_ = head.more;
    large_command_ = head.command;
    begin_ = end_;
    return front_status::need_bytes;
}

void in_buffer::consume_held () noexcept
{
    if (landed_) {
        landed_ = false;
        return;
    }
    if (parts_complete_) {
        ++parts_taken_;
        if (parts_taken_ == parts_.size ()) {
            parts_.clear ();
            parts_taken_ = 0;
            parts_complete_ = false;
        }
        return;
    }
    large_ = nullptr;
    large_filled_ = 0;
}

void in_buffer::drop_front () noexcept
{
    if (parts_complete_)
        parts_[parts_taken_].close ();
    else if (front_.held != nullptr)
        front_.held->drop ();
    consume ();
}

bool in_buffer::take_front (base::message &to) noexcept
{
    if (parts_complete_) {
        to = parts_[parts_taken_];
    } else if (front_.held != nullptr) {
        to.init_body (front_.held);
        to.set_more (front_.more);
    } else {
        if (!to.init_copy (front_.bytes).ok ())
            return false;
        to.set_more (front_.more);
    }
    consume ();
    return true;
}

bool in_buffer::put_back (base::message &part) noexcept
{
    part.set_more (false);
    if (hold_part (part) == front_status::violation)
        return false;
    (void)show_held ();
    return true;
}

std::size_t
in_buffer::prepare (read_slices &slices, std::size_t slab_bytes_max, base::bytes_span landing) noexcept
{
    if (slab_ == nullptr) {
        slab_ = slabs_.take ();
        if (slab_ == nullptr)
            return 0;
        begin_ = end_ = 0;
    }
    const std::size_t capacity = slabs_.buffer_bytes ();
    if (large_ != nullptr)
        absorb ();
    if (begin_ == end_) {
        begin_ = end_ = 0;
    } else if (begin_ > 0 && capacity - end_ < capacity / 2) {
        std::memmove (slab_, slab_ + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
    }
    std::size_t count = 0;
    landing_ = {};
    if (!landing.empty () && landing_likely (landing.size ())) {
        landing_ = landing.first (expected_bytes_);
        slices[count++] = {slab_, long_header_bytes};
        slices[count++] = landing_;
        const std::size_t rest = capacity - long_header_bytes - expected_bytes_;
        slices[count++] = {slab_ + long_header_bytes, std::min (rest, slab_bytes_max)};
        return count;
    }
    reading_large_ = large_ != nullptr && large_filled_ < large_->size;
    if (reading_large_)
        slices[count++] = {large_->data + large_filled_, large_->size - large_filled_};
    if (end_ < capacity)
        slices[count++] = {slab_ + end_, std::min (capacity - end_, slab_bytes_max)};
    return count;
}

// Is the caller's buffer the right place for what comes next?
bool in_buffer::landing_likely (std::size_t room_bytes) noexcept
{
    if (expected_bytes_ == 0 || expected_bytes_ > room_bytes || !idle ()
        || expected_bytes_ + 2 * long_header_bytes > slabs_.buffer_bytes ())
        return false;
    if (landings_off_ == 0)
        return true;
    --landings_off_;
    return false;
}

// What was read stands in the slab's first bytes, the landing and the slab
// again. Leaves it at the landing if it is just one message, else in the slab.
void in_buffer::settle_landing (std::size_t bytes) noexcept
{
    const std::size_t head_bytes = std::min (bytes, long_header_bytes);
    const std::size_t landed = std::min (bytes - head_bytes, landing_.size ());
    const std::size_t behind = bytes - head_bytes - landed;
    wire::frame_head head;
    const bool fits =
      behind == 0 && landed == landing_.size ()
      && wire::decode_frame_header (framing_, {slab_, head_bytes}, head) == wire::head_status::complete
      && head.header_bytes == long_header_bytes && head.body_size == landed && !head.more && !head.command
      && head.body_size <= static_cast<std::uint64_t> (message_bytes_max_);
    if (fits) {
        landed_ = true;
        landings_missed_ = 0;
        return;
    }
    landings_missed_ = std::min (landings_missed_ + 1, landing_backoff_max);
    landings_off_ = 1u << landings_missed_;
    if (behind > 0)
        std::memmove (slab_ + head_bytes + landed, slab_ + long_header_bytes, behind);
    if (landed > 0)
        std::memcpy (slab_ + head_bytes, landing_.data (), landed);
    end_ = bytes;
}

void in_buffer::commit (std::size_t bytes) noexcept
{
    if (!landing_.empty ()) {
        settle_landing (bytes);
        return;
    }
    if (reading_large_) {
        const std::size_t taken = std::min (bytes, large_->size - large_filled_);
        large_filled_ += taken;
        bytes -= taken;
    }
    end_ += bytes;
}

bool in_buffer::preload (base::bytes_view bytes) noexcept
{
    while (!bytes.empty ()) {
        read_slices slices;
        if (prepare (slices, slabs_.buffer_bytes ()) == 0)
            return false;
        const std::size_t taken = std::min (bytes.size (), slices[0].size ());
        std::memcpy (slices[0].data (), bytes.data (), taken);
        commit (taken);
        bytes = bytes.subspan (taken);
    }
    return true;
}

void in_buffer::release_slab () noexcept
{
    if (slab_ == nullptr || begin_ != end_)
        return;
    slabs_.give (slab_);
    slab_ = nullptr;
    begin_ = end_ = 0;
}

void in_buffer::reset () noexcept
{
    slabs_.give (slab_);
    slab_ = nullptr;
    begin_ = end_ = 0;
    if (large_ != nullptr)
        large_->drop ();
    large_ = nullptr;
    large_filled_ = 0;
    landing_ = {};
    landed_ = false;
    for (std::size_t i = parts_taken_; i < parts_.size (); ++i)
        parts_[i].close ();
    parts_.clear ();
    parts_taken_ = 0;
    parts_complete_ = false;
}

}  // namespace zlink::engine
