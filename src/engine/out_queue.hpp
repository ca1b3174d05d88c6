// What a connection has still to write: encoded frames in arenas and large
// bodies by reference, in order.
//
// Appending and writing may overlap: the holder of the tx claim writes the
// slices it gathered while others append behind them under the socket lock;
// nothing that was gathered moves until advance() commits the write.
// Thread rule: every member under the socket lock.
// Allocation: arenas from the pool, one at most in steady state.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "base/copying.hpp"
#include "base/joined_part.hpp"
#include "base/message.hpp"
#include "engine/buffer_pool.hpp"
#include "wire/framing.hpp"
#include "wire/row.hpp"

namespace zlink::engine {

// What a write finished.
struct written
{
    std::int64_t messages = 0;  // whose last byte is now with the kernel
    std::int64_t bytes = 0;     // of frames, headers included
};

// What recover() gives back after a lost connection.
struct recovered
{
    std::vector<base::message> parts;  // whole messages in order, more flags set
    std::uint64_t cut = 0;             // messages partly written whose bytes were not ours
};

// What take_back() gives back.
struct taken_back
{
    // Said in the queue: so many messages are missing before parts[before].
    struct gap
    {
        std::size_t before = 0;
        std::uint64_t messages = 0;
    };
    std::vector<base::message> parts;  // whole messages in order, more flags set
    std::vector<gap> gaps;             // in order
};

class out_queue
{
  public:
    explicit out_queue (buffer_pool &arenas);  // throws bad_alloc
    ~out_queue ();
    out_queue (const out_queue &) = delete;
    out_queue &operator= (const out_queue &) = delete;

    void set_framing (wire::framing framing) noexcept { framing_ = framing; }
    [[nodiscard]] wire::framing framing () const noexcept { return framing_; }

    [[nodiscard]] bool empty () const noexcept { return unwritten_bytes_ == 0; }
    [[nodiscard]] std::size_t unwritten_bytes () const noexcept { return unwritten_bytes_; }

    // More than one arena's worth is waiting: time to write.
    [[nodiscard]] bool arena_full () const noexcept { return !sealed_.empty (); }
    [[nodiscard]] std::size_t sealed_chunks () const noexcept { return sealed_.size (); }

    // Room for one small frame in the open arena?
    [[nodiscard]] bool fits (std::size_t body_bytes) const noexcept
    {
        return open_.data != nullptr && open_.end + body_bytes + wire::frame_header_bytes_max <= arena_bytes_;
    }

    // Seals the open arena and opens a new one. False when memory is out.
    bool open_arena () noexcept;

    // Appends one frame of a size that fits(); answers the frame's size.
    std::size_t append (base::bytes_view body, bool more, bool command) noexcept
    {
        std::byte *const at = open_.data + open_.end;
        const std::size_t head = wire::encode_frame_header (framing_, at, body.size (), more, command);
        if (!body.empty ())
            base::copy_octets (at + head, body.data (), body.size ());
        return appended (head + body.size (), more, command);
    }
    // Two of them, a head that is not empty and what it stands in front of, that fit together.
    std::size_t append_pair (base::bytes_view head, base::bytes_view body) noexcept
    {
        std::byte *const at = open_.data + open_.end;
        std::size_t taken = wire::encode_frame_header (framing_, at, head.size (), true, false);
        base::copy_few_octets (at + taken, head.data (), head.size ());
        taken += head.size ();
        taken += wire::encode_frame_header (framing_, at + taken, body.size (), false, false);
        if (!body.empty ())
            base::copy_octets (at + taken, body.data (), body.size ());
        return appended (taken + body.size (), false, false);
    }
    // The same of a part that stands in two places, in the last frame: where that ends with
    // the one before in its row, and nobody has been shown it. Each counts as a message; what
    // is written is counted by frames until all of an arena is. 0: it does not go on.
    std::size_t append_to_row (const base::joined_part &what) noexcept
    {
        return goes_on (what) ? grow (what) : 0;
    }
    // The same in a frame of its own, in which the next of its row may go on.
    std::size_t append_joined (const base::joined_part &what, bool may_go_on) noexcept
    {
        std::byte *const at = open_.data + open_.end;
        const std::size_t size = wire::joined_bytes (what);
        std::size_t head = wire::long_frame_header_bytes;
        if (what.row != 0 && may_go_on && framing_ <= wire::framing::zmtp_3) {
            wire::write_long_frame_header (at, size);
            grows_ = true;
            last_ = {what.row, what.number + 1, open_.end, size};
        } else {
            head = wire::encode_frame_header (framing_, at, size, false, false);
        }
        wire::write_joined (at + head, what);
        return appended (head + size, false, false);
    }

    // Appends a frame of any size by copying. False when memory is out; then
    // nothing was appended.
    bool append_copy (base::bytes_view body, bool more, bool command) noexcept;

    // Appends a frame whose body is shared; takes over the reference on
    // success. False when memory is out.
    bool append_body (base::body *held, bool more) noexcept;

    // Appends a frame whose body is the caller's memory for now. The borrow
    // ends with end_borrow(), before the caller's call returns; at most one
    // at a time. False when memory is out.
    bool append_borrowed (base::bytes_view body, bool more) noexcept;
    [[nodiscard]] bool borrowing () const noexcept { return borrowed_ != 0; }
    // Copies what is left of the borrowed body; false when memory is out.
    bool end_borrow () noexcept;
    // Cuts the queue off at the borrowed body: the stream cannot go on.
    void forget_borrowed () noexcept;

    // Fills slices with what is unwritten, in order; returns how many.
    std::size_t gather (std::span<base::bytes_view> slices) const noexcept;

    // Commits a write of so many bytes. Raw messages count as written with the
    // arena that they stand in.
    written advance (std::size_t bytes) noexcept;

    // Gives the empty open arena back, if there is one.
    void release_arena () noexcept;

    // Empties the queue: whole messages that the kernel does not have in full
    // come back as messages; commands are dropped. Loses messages when memory
    // is out, and raw ones always (counted as cut).
    recovered recover () noexcept;

    // Takes out, whole and in order, the messages of which no byte is written,
    // and the GAPs between them; what stays is the rest of one that the kernel
    // has begun, and other commands. Only while nobody writes (nothing is
    // gathered or borrowed). False when memory is out, or frames are raw:
    // nothing has changed then.
    bool take_back (taken_back &to) noexcept;

    // Messages whose last byte is unwritten.
    [[nodiscard]] std::int64_t unwritten_messages () const noexcept { return unwritten_messages_; }

  private:
    // The last frame of the open arena, of a row.
    struct growing
    {
        std::uint64_t row = 0;
        std::uint64_t next = 0;
        std::size_t at = 0;     // its header
        std::size_t bytes = 0;  // of its body
    };
    [[nodiscard]] bool goes_on (const base::joined_part &what) const noexcept
    {
        return grows_ && last_.row == what.row && last_.next == what.number
               && last_.at + wire::long_frame_header_bytes + last_.bytes == open_.end
               && last_.bytes + wire::row_mark_bytes + what.rest.size () <= wire::row_frame_bytes_max;
    }
    std::size_t grow (const base::joined_part &what) noexcept
    {
        const std::size_t taken = wire::write_row_item (open_.data + open_.end, what.rest);
        last_.bytes += taken;
        ++last_.next;
        wire::write_long_frame_header (open_.data + last_.at, last_.bytes);
        return appended (taken, false, false);
    }
    std::size_t appended (std::size_t bytes, bool more, bool command) noexcept
    {
        const bool ends_message = !more && !command;
        open_.end += bytes;
        open_.messages += ends_message;
        open_.ends_more = more;
        unwritten_messages_ += ends_message;
        unwritten_bytes_ += bytes;
        return bytes;
    }
    enum class kind : std::uint8_t
    {
        arena,     // whole frames, ours
        body,      // one frame, the body shared
        borrowed,  // one frame, the body still the caller's
    };

    // begin and end count from the frame's first header byte for a large
    // frame, from the arena's first byte for an arena.
    struct chunk
    {
        std::byte *data = nullptr;
        std::size_t begin = 0;  // first unwritten byte
        std::size_t end = 0;
        std::size_t scan = 0;           // arena: first frame that is not wholly written
        std::size_t message_start = 0;  // arena: first frame of the message that scan is in
        std::int64_t messages = 0;      // that end in here
        std::int64_t counted = 0;       // of these, already reported as written
        base::body *held = nullptr;
        std::size_t body_missing = 0;  // body: leading bytes that are no longer ours
        std::array<std::byte, wire::frame_header_bytes_max> head{};
        std::uint8_t head_bytes = 0;
        kind what = kind::arena;
        bool ends_more = false;  // the last frame in here has the MORE flag
    };

    bool push_large (chunk &large, std::size_t body_bytes, bool more) noexcept;
    bool seal () noexcept;
    static std::size_t gather_chunk (const chunk &from, std::span<base::bytes_view> slices) noexcept;
    std::size_t consume (chunk &from, std::size_t bytes, written &done) noexcept;
    void scan_written (chunk &arena, written &done) const noexcept;
    void drop_chunk (chunk &gone) noexcept;
    void count_body (const base::body &held) noexcept;
    void drop_body (base::body *held) noexcept;
    void recover_chunks (recovered &to);
    struct split;
    static void split_command (base::bytes_view frame, base::bytes_view body, split &at);
    bool split_chunk (chunk &from, split &at) const;
    bool split_arena (chunk &from, split &at) const;
    [[nodiscard]] chunk &chunk_at (std::size_t i) noexcept;
    bool place_commands (split &at) noexcept;
    void cut_off (const split &at) noexcept;
    void recover_arena (const chunk &from, recovered &to) const;
    static void recover_large (chunk &from, recovered &to);

    buffer_pool &arenas_;
    const std::size_t arena_bytes_;
    wire::framing framing_ = wire::framing::zmtp_3;
    mutable bool grows_ = false;  // last_ may: until it is shown to be written, or the arena is another
    chunk open_{};
    std::deque<chunk> sealed_;
    std::size_t unwritten_bytes_ = 0;
    std::int64_t unwritten_messages_ = 0;
    unsigned borrowed_ = 0;
    bool front_continues_ = false;  // what was written before the front ended inside a message
    growing last_{};
};

}  // namespace zlink::engine
