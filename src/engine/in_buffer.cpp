#include "engine/in_buffer.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/copying.hpp"
#include "engine/limits.hpp"

namespace zlink::engine {

front_status in_buffer::peek_slowly () noexcept
{
    if (landed_) {
        front_.show (landing_);
        front_bytes_ = 0;
        return front_status::part;
    }
    if (spill_failed_)
        return violation (base::close_reason::out_of_memory);
    if (idle ())  // as most often before a read
        return front_status::need_bytes;
    if (grouped_ && peek_slab_pair ())
        return front_status::part;
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
    parts_bytes_ += part.size ();
    held_bytes_ += part.size ();
    return front_status::need_bytes;
}

front_status in_buffer::show_held () noexcept
{
    if (grouped_ && show_held_pair ())
        return front_status::part;
    base::message &part = parts_[parts_taken_];
    front_.show (part.view (), part.more ());
    front_bytes_ = 0;
    return front_status::part;
}

// Bytes of the large body that a reader brought into the slab, because it had
// been given its slices before the body was found.
void in_buffer::absorb () noexcept
{
    const std::size_t taken = std::min (end_ - begin_, large_->size - large_filled_);
    if (taken == 0)
        return;
    base::copy_octets (large_->data + large_filled_, slab_ + begin_, taken);
    begin_ += taken;
    fill_large (taken);
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
    if (head.body_size > body_bytes_max)
        return violation (base::close_reason::out_of_memory);
    large_waits_ = !whole && head.body_size >= direct_bytes_min ();
    if (!whole) {
        large_head_ = head;  // prepare() goes on with it
        return front_status::need_bytes;
    }
    front_.show (have.first (static_cast<std::size_t> (head.body_size)), head.more);
    front_bytes_ = head.header_bytes + static_cast<std::size_t> (head.body_size);
    return head.command ? front_status::command : front_status::part;
}

bool in_buffer::start_large () noexcept
{
    base::body *const body = base::body::allocate (static_cast<std::size_t> (large_head_.body_size));
    if (body == nullptr)
        return false;
    large_ = body;
    const base::bytes_view have = large_begun ();
    if (!have.empty ())
        base::copy_octets (large_->data, have.data (), have.size ());
    fill_large (have.size ());
    large_more_ = large_head_.more;
    large_command_ = large_head_.command;
    large_waits_ = false;
    begin_ = end_;
    return true;
}

// Not taken in by drop_front(), which runs per message.
[[gnu::noinline]] void in_buffer::consume_held () noexcept
{
    if (landed_) {
        discard_landing ();
        return;
    }
    if (parts_complete_) {
        if (is_held_pair ())
            parts_[parts_taken_++].close ();
        ++parts_taken_;
        if (parts_taken_ == parts_.size ())
            let_go_of_parts ();
        return;
    }
    held_bytes_ -= large_filled_;
    large_ = nullptr;
    large_filled_ = 0;
}

void in_buffer::drop_front () noexcept
{
    if (parts_complete_) [[unlikely]]
        parts_[parts_taken_ + is_held_pair ()].close ();
    else if (front_.held != nullptr)
        front_.held->drop ();
    consume ();
}

bool in_buffer::take_front (base::message &to) noexcept
{
    if (parts_complete_) {
        to = parts_[parts_taken_ + is_held_pair ()];
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
    if (!add_rest (part))
        return false;
    (void)show_held ();
    return true;
}

bool in_buffer::reserve_part () noexcept
try {
    parts_.reserve (1);
    return true;
} catch (const std::bad_alloc &) {
    return false;
}

void in_buffer::take_rest (in_buffer &from) noexcept
{
    parts_.swap (from.parts_);
    std::swap (parts_taken_, from.parts_taken_);
    std::swap (parts_complete_, from.parts_complete_);
    std::swap (parts_bytes_, from.parts_bytes_);
    from.held_bytes_ -= parts_bytes_;
    held_bytes_ += parts_bytes_;
}

bool in_buffer::add_rest (const base::message &part) noexcept
try {
    parts_.push_back (part);
    parts_complete_ = !part.more ();
    parts_bytes_ += part.size ();
    held_bytes_ += part.size ();
    return true;
} catch (const std::bad_alloc &) {
    return false;
}

std::size_t
in_buffer::prepare (read_slices &slices, std::size_t slab_bytes_max, base::bytes_span landing) noexcept
{
    landing_ = {};
    memory_missing_ = !take_slab () || !place_large (landing);
    if (memory_missing_)
        return 0;
    make_room ();
    if (landing_.empty () && landing_likely (landing.size ()) && landing_allowed ())
        return prepare_guess (slices, landing);
    std::size_t count = 0;
    reading_large_ = large_ != nullptr && large_filled_ < large_->size;
    if (reading_large_)
        slices[count++] = {large_->data + large_filled_, large_->size - large_filled_};
    if (!landing_.empty ())
        slices[count++] = landing_.subspan (landing_filled_);
    // Of what follows a large body its header is enough: it may have a place of
    // its own as well.
    if (count > 0)
        slab_bytes_max = std::min (slab_bytes_max, behind_large_bytes_max);
    const std::size_t capacity = slabs_.buffer_bytes ();
    if (end_ < capacity)
        slices[count++] = {slab_ + end_, std::min (capacity - end_, slab_bytes_max)};
    return count;
}

bool in_buffer::take_slab () noexcept
{
    if (slab_ != nullptr)
        return true;
    slab_ = slabs_.take ();
    begin_ = end_ = 0;
    return slab_ != nullptr;
}

// Moves what has come of a large body to where the rest of it will be read.
bool in_buffer::place_large (base::bytes_span landing) noexcept
{
    if (large_waits_ && landing_fits (landing))
        start_landing (landing);
    else if (large_waits_ && !start_large ())
        return false;
    if (large_ != nullptr)
        absorb ();
    return true;
}

void in_buffer::make_room () noexcept
{
    const std::size_t capacity = slabs_.buffer_bytes ();
    if (begin_ == end_) {
        begin_ = end_ = 0;
    } else if (begin_ > 0 && capacity - end_ < capacity / 2) {
        std::memmove (slab_, slab_ + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
    }
}

// --- landings ---------------------------------------------------------------------

bool in_buffer::landing_allowed () noexcept
{
    if (grouped_)
        return false;
    if (landings_off_ == 0)
        return true;
    --landings_off_;
    return false;
}

// Is the caller's buffer the place for the frame whose first bytes are there?
bool in_buffer::landing_fits (base::bytes_span landing) noexcept
{
    return large_head_.body_size >= landing_bytes_min && large_head_.body_size <= landing.size ()
           && !large_head_.more && !large_head_.command && parts_.empty () && landing_allowed ();
}

void in_buffer::start_landing (base::bytes_span landing) noexcept
{
    const base::bytes_view have = large_begun ();
    landing_ = landing.first (static_cast<std::size_t> (large_head_.body_size));
    landing_is_guess_ = false;
    landing_filled_ = have.size ();
    if (!have.empty ())
        base::copy_octets (landing_.data (), have.data (), have.size ());
    large_waits_ = false;
    begin_ = end_;
}

// Is the caller's buffer likely to be the place of what comes next?
bool in_buffer::landing_likely (std::size_t room_bytes) const noexcept
{
    return expected_bytes_ != 0 && expected_bytes_ <= room_bytes && idle ()
           && expected_bytes_ + 2 * long_header_bytes <= slabs_.buffer_bytes ();
}

std::size_t in_buffer::prepare_guess (read_slices &slices, base::bytes_span landing) noexcept
{
    landing_ = landing.first (expected_bytes_);
    landing_is_guess_ = true;
    landing_filled_ = 0;
    const std::size_t rest = slabs_.buffer_bytes () - long_header_bytes - expected_bytes_;
    slices = {base::bytes_span{slab_, long_header_bytes}, landing_,
              base::bytes_span{slab_ + long_header_bytes, std::min (rest, behind_large_bytes_max)}};
    return slices.size ();
}

// The header in the slab's first bytes is that of a lone body of the landing's size.
bool in_buffer::guess_is_right () const noexcept
{
    wire::frame_head head;
    return wire::decode_frame_header (framing_, {slab_, long_header_bytes}, head)
             == wire::head_status::complete
           && head.header_bytes == long_header_bytes && head.body_size == landing_.size () && !head.more
           && !head.command && head.body_size <= static_cast<std::uint64_t> (message_bytes_max_);
}

bool in_buffer::landing_goes_on (std::size_t bytes) const noexcept
{
    if (landing_.empty ())
        return false;
    if (!landing_is_guess_)
        return landing_filled_ + bytes < landing_.size ();
    return bytes >= long_header_bytes && bytes < long_header_bytes + landing_.size () && guess_is_right ();
}

void in_buffer::settle_landing (std::size_t bytes) noexcept
{
    const std::size_t head_bytes = landing_is_guess_ ? long_header_bytes : 0;
    if (landing_is_guess_ && (bytes < long_header_bytes || !guess_is_right ())) {
        put_guess_in_slab (bytes);
        return;
    }
    const std::size_t body_bytes = std::min (bytes - head_bytes, landing_.size () - landing_filled_);
    landing_filled_ += body_bytes;
    if (landing_filled_ < landing_.size ()) {
        spill_landing ();
        return;
    }
    landed_ = true;
    landings_missed_ = 0;
    // The slab is out of sight until the front is taken.
    begin_behind_ = head_bytes;
    end_behind_ = bytes - body_bytes;
    begin_ = end_ = 0;
}

void in_buffer::discard_landing () noexcept
{
    if (!landed_)
        return;
    landed_ = false;
    begin_ = begin_behind_;
    end_ = end_behind_;
}

void in_buffer::miss_landing () noexcept
{
    landings_missed_ = std::min (landings_missed_ + 1, landing_backoff_max);
    landings_off_ = 1u << landings_missed_;
}

// The rest did not come in time, and the buffer is the caller's.
void in_buffer::spill_landing () noexcept
{
    miss_landing ();
    base::body *const body = base::body::allocate (landing_.size ());
    spill_failed_ = body == nullptr;
    if (spill_failed_)
        return;
    large_ = body;
    base::copy_octets (large_->data, landing_.data (), landing_filled_);
    fill_large (landing_filled_);
    large_more_ = large_command_ = false;
    begin_ = end_ = 0;
}

// Something else came: it stands in the slab's first bytes, the landing and the
// slab again.
void in_buffer::put_guess_in_slab (std::size_t bytes) noexcept
{
    miss_landing ();
    const std::size_t head_bytes = std::min (bytes, long_header_bytes);
    const std::size_t body_bytes = std::min (bytes - head_bytes, landing_.size ());
    const std::size_t behind = bytes - head_bytes - body_bytes;
    if (behind > 0)
        std::memmove (slab_ + head_bytes + body_bytes, slab_ + long_header_bytes, behind);
    if (body_bytes > 0)
        base::copy_octets (slab_ + head_bytes, landing_.data (), body_bytes);
    end_ = bytes;
}

void in_buffer::commit (std::size_t bytes) noexcept
{
    large_waits_ = false;  // the next look knows
    if (!landing_.empty ()) {
        settle_landing (bytes);
        return;
    }
    if (reading_large_) {
        const std::size_t taken = std::min (bytes, large_->size - large_filled_);
        fill_large (taken);
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
        base::copy_octets (slices[0].data (), bytes.data (), taken);
        commit (taken);
        bytes = bytes.subspan (taken);
    }
    return true;
}

std::size_t in_buffer::unread_bytes () const noexcept
{
    std::size_t bytes = end_ - begin_ + (large_ != nullptr ? large_filled_ : 0);
    for (std::size_t i = parts_taken_; i < parts_.size (); ++i)
        bytes += parts_[i].size ();
    return bytes;
}

void in_buffer::release_slab () noexcept
{
    if (slab_ == nullptr || begin_ != end_)
        return;
    give_slab_back ();
}

void in_buffer::give_slab_back () noexcept
{
    if (shrunk_ != nullptr) {
        held_bytes_ -= shrunk_->size;
        shrunk_->drop ();
        shrunk_ = nullptr;
    } else {
        slabs_.give (slab_);
    }
    slab_ = nullptr;
    begin_ = end_ = 0;
}

void in_buffer::shrink () noexcept
{
    const std::size_t rest = end_ - begin_;
    if (slab_ == nullptr || shrunk_ != nullptr || rest > slabs_.buffer_bytes () / 2)
        return;
    base::body *const fresh = base::body::allocate (rest);
    if (fresh == nullptr)
        return;
    base::copy_octets (fresh->data, slab_ + begin_, rest);
    give_slab_back ();
    forget_slab_part ();
    held_bytes_ += rest;
    shrunk_ = fresh;
    slab_ = fresh->data;
    end_ = rest;
}

void in_buffer::reset () noexcept
{
    give_slab_back ();
    drop_large ();
    large_waits_ = false;
    landing_ = {};
    landed_ = spill_failed_ = false;
    drop_parts ();
    held_bytes_.clear ();
}

void in_buffer::drop_parts () noexcept
{
    for (std::size_t i = parts_taken_; i < parts_.size (); ++i)
        parts_[i].close ();
    let_go_of_parts ();
}

void in_buffer::drop_large () noexcept
{
    if (large_ != nullptr)
        large_->drop ();
    held_bytes_ -= large_filled_;
    large_ = nullptr;
    large_filled_ = 0;
}

bool in_buffer::keep_messages () noexcept
{
    forget_slab_part ();
    front_status front = peek ();
    for (; front == front_status::command; front = peek ())
        drop_front ();
    if (front == front_status::violation)
        reset ();
    if (!parts_complete_ || inside_message ())
        drop_parts ();
    if (large_ != nullptr && (large_filled_ < large_->size || large_command_ || large_more_))
        drop_large ();
    large_waits_ = false;
    if (slab_ != nullptr)
        keep_whole_frames ();
    return !idle ();
}

// Closes up what stays of the slab.
void in_buffer::keep_whole_frames () noexcept
{
    base::bytes_view rest{slab_ + begin_, end_ - begin_};
    std::size_t kept = begin_;   // end of the frames that have been looked at
    std::size_t whole = begin_;  // of the last message among them
    for (wire::frame_head head;
         wire::decode_frame_header (framing_, rest, head) == wire::head_status::complete
         && head.body_size <= rest.size () - head.header_bytes;) {
        const std::size_t size = head.header_bytes + static_cast<std::size_t> (head.body_size);
        if (!head.command) {
            std::memmove (slab_ + kept, rest.data (), size);
            kept += size;
            whole = head.more ? whole : kept;
        }
        rest = rest.subspan (size);
    }
    end_ = whole;
    release_slab ();
}

}  // namespace zlink::engine
