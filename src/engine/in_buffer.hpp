// What a connection has read and the caller has not yet taken: a slab that is
// sliced into frames in place, a buffer of its own for the rest of a large
// body, and the parts of a multipart message that is still incomplete.
//
// peek() finds the next deliverable part: of a single-part message it is a
// slice of the slab or a whole body; parts of a multipart message are held
// back until the last has come. consume() takes it.
// A receive into the caller's memory may lend that memory as a landing: a large
// body whose header has come, or one of the last one's size that may come next,
// is read straight into it.
// Reading may overlap with parsing: the holder of the rx claim reads into the
// slices that prepare() gave; others parse what was committed before.
// Thread rule: every member under the socket lock; what prepare() gave
// belongs to the claim holder until commit().
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "base/message.hpp"
#include "base/reason.hpp"
#include "base/same_octets.hpp"
#include "engine/buffer_pool.hpp"
#include "engine/limits.hpp"
#include "wire/framing.hpp"

namespace zlink::engine {

enum class front_status : std::uint8_t
{
    part,        // front() is the next part of a complete message
    command,     // front() is a command's body
    need_bytes,  // read more
    violation,   // why() says what
};

struct front_part
{
    base::bytes_view bytes{};    // valid until consume()
    base::body *held = nullptr;  // set when the part owns a body of its own
    bool more = false;
    bool of_pair = false;  // the body of a DISH's message, whose group stands before it

    // A field at a time: assigned as a whole it is copied in two overlapping halves, each of
    // which waits until the stores before it have left the store buffer (10 ns a message).
    void show (base::bytes_view what, bool and_more = false, bool pair = false) noexcept
    {
        bytes = what;
        held = nullptr;
        more = and_more;
        of_pair = pair;
    }
};

class in_buffer
{
  public:
    in_buffer (buffer_pool &slabs) noexcept : slabs_ (slabs), held_bytes_ (slabs.account ()) {}
    ~in_buffer () { reset (); }
    in_buffer (const in_buffer &) = delete;
    in_buffer &operator= (const in_buffer &) = delete;

    void set_framing (wire::framing framing) noexcept { framing_ = framing; }
    [[nodiscard]] wire::framing framing () const noexcept { return framing_; }
    void set_message_bytes_max (std::int64_t bytes) noexcept { message_bytes_max_ = bytes; }

    // Finds what is at the front.
    front_status peek () noexcept { return peek_slab_part () ? front_status::part : peek_slowly (); }
    // The hot path: a single-part frame that stands complete in the slab.
    // False: peek() knows more.
    [[nodiscard]] bool peek_slab_part () noexcept
    {
        if (parts_.empty () && large_ == nullptr && begin_ < end_) [[likely]] {
            wire::frame_head head;
            const base::bytes_view rest{slab_ + begin_, end_ - begin_};
            if (wire::decode_frame_header (framing_, rest, head) == wire::head_status::complete && !head.more
                && !head.command && head.body_size <= rest.size () - head.header_bytes
                && head.body_size <= static_cast<std::uint64_t> (message_bytes_max_)) [[likely]] {
                front_.show (rest.subspan (head.header_bytes, static_cast<std::size_t> (head.body_size)));
                front_bytes_ = head.header_bytes + static_cast<std::size_t> (head.body_size);
                return true;
            }
        }
        return false;
    }
    // DISH: as peek(), but a message of two parts, of which the first is its group,
    // is shown as its body. What has come otherwise is not paired().
    front_status peek_group () noexcept
    {
        grouped_ = true;
        return peek_slab_pair () ? front_status::part : peek_slowly ();
    }
    [[nodiscard]] bool peek_slab_pair () noexcept;
    // The first of the two frames, header and all, if its header is a short one; else
    // empty. Only when peek_slab_pair(); valid until more is read.
    [[nodiscard]] base::bytes_view short_group_frame () const noexcept
    {
        constexpr std::size_t header = wire::short_pair::header_bytes;
        const base::bytes_view frame{group_.data () - header, group_.size () + header};
        return wire::begins_short_pair (framing_, frame) ? frame : base::bytes_view ();
    }
    // As peek_slab_pair(), directly behind consume() of one whose first frame was this:
    // another one that begins with the same octets, its second frame a short one.
    [[nodiscard]] bool peek_slab_pair_like (base::bytes_view first_frame) noexcept
    {
        constexpr std::size_t header = wire::short_pair::header_bytes;
        const base::bytes_view rest{slab_ + begin_, end_ - begin_};
        const std::size_t first = first_frame.size ();
        if (rest.size () < first + header || !base::same_octets (rest.first (first), first_frame))
            return false;
        const base::bytes_view second = rest.subspan (first);
        const std::size_t size = wire::short_last_frame_bytes (second);
        if (size < header || size - header > static_cast<std::uint64_t> (message_bytes_max_))
            return false;
        front_.bytes = second.subspan (header, size - header);
        front_bytes_ = first + size;
        return true;
    }
    [[nodiscard]] bool paired () const noexcept { return front_.of_pair; }
    // Valid as long as the front is.
    [[nodiscard]] base::bytes_view group () const noexcept { return group_; }
    // What peek_slab_part() has found and nobody takes yet is found again without
    // a second look, as long as nothing moved it.
    void remember_slab_part () noexcept { remembered_ = slab_ + begin_; }
    void forget_slab_part () noexcept { remembered_ = nullptr; }
    [[nodiscard]] bool remembers_slab_part () const noexcept
    {
        return remembered_ != nullptr && remembered_ == slab_ + begin_;
    }
    [[nodiscard]] const front_part &front () const noexcept { return front_; }
    [[nodiscard]] base::close_reason why () const noexcept { return why_; }

    // Takes what peek() found. For a part with a body of its own the caller
    // has taken that reference or uses drop_front().
    void consume () noexcept
    {
        if (front_bytes_ != 0) [[likely]] {
            begin_ += front_bytes_;
            return;
        }
        consume_held ();
    }
    void drop_front () noexcept;
    // Moves the front into a message and consumes it; false when memory is
    // out, and then nothing was taken.
    bool take_front (base::message &to) noexcept;

    // Makes part the only held part, to be found by the next peek(): for
    // CONFLATE. Nothing else may be held. False when memory is out, and the part is as it was;
    // not where one was reserved.
    bool put_back (base::message &part) noexcept;
    [[nodiscard]] bool reserve_part () noexcept;
    // The rest of a message whose first parts were taken, for one that outlives
    // its connection. Nothing else may be held here.
    void take_rest (in_buffer &from) noexcept;
    // Calls visit(body) for the commands that stand whole in the slab, behind
    // whatever nobody has taken; none while a large body is on its way.
    template <class Visit> void each_waiting_command (Visit visit) const noexcept
    {
        if (large_ != nullptr || landed_)
            return;
        base::bytes_view rest{slab_ + begin_, end_ - begin_};
        for (wire::frame_head head;
             wire::decode_frame_header (framing_, rest, head) == wire::head_status::complete
             && head.body_size <= rest.size () - head.header_bytes;) {
            rest = rest.subspan (head.header_bytes);
            const auto size = static_cast<std::size_t> (head.body_size);
            if (head.command)
                visit (rest.first (size));
            rest = rest.subspan (size);
        }
    }
    // The front is not the first part of its message.
    [[nodiscard]] bool inside_message () const noexcept { return parts_taken_ > 0; }
    // A message is being put together or taken apart.
    [[nodiscard]] bool holds_parts () const noexcept { return !parts_.empty (); }
    // All of it: peek() shows the first part that is not taken, and gathers nothing.
    [[nodiscard]] bool holds_message () const noexcept { return parts_complete_; }
    // One more part of it; the last comes without the more flag. False when
    // memory is out; the part is the caller's then.
    bool add_rest (const base::message &part) noexcept;
    // How many parts the message at the front has that are not taken yet.
    // Only after peek() answered part.
    [[nodiscard]] std::size_t parts_left () const noexcept
    {
        return parts_complete_ && !is_held_pair () ? parts_.size () - parts_taken_ : 1;
    }
    // The last prepare() had no memory.
    [[nodiscard]] bool memory_missing () const noexcept { return memory_missing_; }
    // A read would find room: also where all but the front of a frame, which
    // stands at the slab's end, has been taken.
    [[nodiscard]] bool has_room () const noexcept
    {
        const std::size_t capacity = slabs_.buffer_bytes ();
        return slab_ == nullptr || begin_ == end_ || end_ < capacity || begin_ >= capacity / 2
               || large_waits_;
    }

    // Where to read to; 0 slices when memory is out or the slab is full of
    // frames that nobody took. The rx claim is held. Into the slab at most
    // slab_bytes_max, and less behind a large body. What lands must be taken, or
    // discard_landing() called, before the lock is dropped again behind commit().
    using read_slices = std::array<base::bytes_span, 3>;
    std::size_t
    prepare (read_slices &slices, std::size_t slab_bytes_max, base::bytes_span landing = {}) noexcept;
    // Part of what prepare() gave is the caller's buffer.
    [[nodiscard]] bool lands () const noexcept { return !landing_.empty (); }
    // Behind a read of so many bytes, before commit() and without the lock: a
    // body is landing and its end is still to come.
    [[nodiscard]] bool landing_goes_on (std::size_t bytes) const noexcept;
    // Behind a read that brought nothing only where commit_is_due ().
    void commit (std::size_t bytes) noexcept;
    // The beginning of a body stands nowhere but in the caller's buffer.
    [[nodiscard]] bool commit_is_due () const noexcept { return lands () && !landing_is_guess_; }
    // A body of this size was taken: the next may be like it.
    void expect_body (std::size_t bytes) noexcept
    {
        if (bytes >= landing_bytes_min) [[unlikely]]
            expected_bytes_ = bytes;
    }
    void discard_landing () noexcept;

    // Puts bytes in front of what will be read: those that followed the
    // handshake. False when memory is out.
    bool preload (base::bytes_view bytes) noexcept;

    // Gives an empty slab back. Not while the rx claim is held.
    void release_slab () noexcept;
    // There will be no prepare() any more before reset(): what is left in the slab
    // moves to memory of its own size, if that is much less and to be had. Not
    // while the rx claim is held, nor between a look at the front and its use.
    void shrink () noexcept;
    // Forgets everything.
    void reset () noexcept;
    // Its stream is gone, and another may come to be read behind what is here: of what
    // has come only the whole messages stay, without the commands among them. True:
    // there are some. Not while the rx claim is held. Of a message that was taken in part
    // nothing stays.
    bool keep_messages () noexcept;

    [[nodiscard]] bool idle () const noexcept
    {
        return begin_ == end_ && large_ == nullptr && parts_.empty () && !landed_;
    }

    // What was read and not taken yet; of parts that are held their bodies.
    [[nodiscard]] std::size_t unread_bytes () const noexcept;

  private:
    // ZMTP's header of every body above 255 bytes.
    static constexpr std::size_t long_header_bytes = 9;

    [[nodiscard]] bool take_slab () noexcept;
    [[nodiscard]] bool place_large (base::bytes_span landing) noexcept;
    void give_slab_back () noexcept;
    void make_room () noexcept;
    [[nodiscard]] bool landing_allowed () noexcept;
    [[nodiscard]] bool landing_likely (std::size_t room_bytes) const noexcept;
    [[nodiscard]] bool landing_fits (base::bytes_span landing) noexcept;
    void start_landing (base::bytes_span landing) noexcept;
    std::size_t prepare_guess (read_slices &slices, base::bytes_span landing) noexcept;
    [[nodiscard]] bool guess_is_right () const noexcept;
    void settle_landing (std::size_t bytes) noexcept;
    void put_guess_in_slab (std::size_t bytes) noexcept;
    void spill_landing () noexcept;
    void miss_landing () noexcept;
    [[nodiscard]] bool peek_long_pair (base::bytes_view first) noexcept;
    front_status peek_slowly () noexcept;
    front_status peek_slab () noexcept;
    front_status peek_large () noexcept;
    void absorb () noexcept;
    // Partial frames of this size on are read into a buffer of their own.
    [[nodiscard]] std::size_t direct_bytes_min () const noexcept;
    [[nodiscard]] base::bytes_view large_begun () const noexcept
    {
        return base::bytes_view{slab_ + begin_, end_ - begin_}.subspan (large_head_.header_bytes);
    }
    [[nodiscard]] bool start_large () noexcept;
    front_status hold_part (base::message &part) noexcept;
    front_status show_held () noexcept;
    bool show_held_pair () noexcept;
    // The front is the second of parts_, and the first goes with it.
    [[nodiscard]] bool is_held_pair () const noexcept
    {
        return grouped_ && front_.of_pair && parts_taken_ == 0 && parts_.size () == 2;
    }
    front_status violation (base::close_reason why) noexcept
    {
        why_ = why;
        return front_status::violation;
    }
    void consume_held () noexcept;
    // Of a body what has come of it counts, not what was announced: memory that
    // nobody has written to is not there yet.
    void fill_large (std::size_t bytes) noexcept
    {
        large_filled_ += bytes;
        held_bytes_ += bytes;
    }
    void drop_parts () noexcept;
    void drop_large () noexcept;
    void keep_whole_frames () noexcept;
    void let_go_of_parts () noexcept
    {
        held_bytes_ -= parts_bytes_;
        parts_bytes_ = 0;
        parts_.clear ();
        parts_taken_ = 0;
        parts_complete_ = false;
    }

    buffer_pool &slabs_;
    wire::framing framing_ = wire::framing::zmtp_3;
    std::int64_t message_bytes_max_ = INT64_MAX;

    std::byte *slab_ = nullptr;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    base::body *shrunk_ = nullptr;  // in which slab_ is then

    const std::byte *remembered_ = nullptr;
    front_part front_{};
    std::size_t front_bytes_ = 0;  // of the slab; 0 = the front is held elsewhere

    bool grouped_ = false;  // whole pairs are shown as their second part
    base::bytes_view group_{};

    bool memory_missing_ = false;
    bool large_waits_ = false;  // a large frame that is not all there is at the slab's front
    wire::frame_head large_head_{};
    base::body *large_ = nullptr;  // the body being read
    std::size_t large_filled_ = 0;
    bool reading_large_ = false;  // what prepare() gave begins with the rest of large_
    bool large_more_ = false;
    bool large_command_ = false;

    std::size_t expected_bytes_ = 0;  // of the body that may come next
    base::bytes_span landing_{};      // part of what prepare() gave
    std::size_t landing_filled_ = 0;  // before that
    bool landing_is_guess_ = false;   // its header is read with it
    bool landed_ = false;             // the front stands there
    std::size_t begin_behind_ = 0;    // of the slab, once that is taken
    std::size_t end_behind_ = 0;
    bool spill_failed_ = false;
    unsigned landings_missed_ = 0;  // in a row
    unsigned landings_off_ = 0;     // so many reads do without

    std::vector<base::message> parts_;  // of the message being put together
    std::size_t parts_taken_ = 0;
    bool parts_complete_ = false;
    std::size_t parts_bytes_ = 0;  // of all of parts_, those taken too
    charge held_bytes_;            // they and large_filled_

    base::close_reason why_ = base::close_reason::none;
};

}  // namespace zlink::engine
