// One direction of an inproc link: a ring of segments between two sockets.
//
// The producer works under its socket's lock, the consumer under its own;
// between them stand only the published and consumed counters, so nobody
// ever holds two socket locks. Small bodies stand in the ring, larger ones
// pass by reference. A message becomes visible as a whole.
//
// Waking: the consumer marks the lane *listed* while it will look at it
// again by itself. After publishing and releasing its lock (a full barrier)
// the producer reads the mark and signals the consumer's socket if it is
// down. The consumer takes the mark down first and looks once more after.
//
// Lanes are type-stable: their memory is reused, never freed, so both sides
// may look at one after they let go of their locks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/atomic.hpp"
#include "base/bytes.hpp"
#include "base/joined_part.hpp"
#include "base/lock.hpp"
#include "base/message.hpp"
#include "base/placed_parts.hpp"
#include "base/turnover.hpp"
#include "engine/byte_budget.hpp"
#include "engine/limits.hpp"
#include "engine/pipe.hpp"
#include "engine/queue_age.hpp"
#include "wire/row.hpp"

namespace zlink::engine {

class socket_core;
struct inproc_end;

struct lane_front
{
    base::bytes_view bytes{};
    base::message *whole = nullptr;  // set when the part is a message of its own
    bool more = false;
    bool command = false;  // push_command's
};

// A message of a row, without what all of the row begin with.
struct lane_row_item
{
    base::bytes_view octets{};        // behind their size, as in a row (wire/row.hpp)
    std::size_t message_bytes = 0;    // of all of it
    const void *beginning = nullptr;  // lane::beginning() when the first of the row was at the front
};

// A message of two parts that stand one behind the other.
struct lane_pair
{
    base::bytes_view first{};
    base::bytes_view second{};
};

class lane
{
  public:
    // --- producer, under its socket's lock ---

    // Room by both marks. Reads the consumer's counter only when what it saw
    // last is used up.
    [[nodiscard]] bool has_room () noexcept;
    // From now on a small message needs no memory, as long as the consumer keeps
    // up. False when there is none.
    [[nodiscard]] bool prepare () noexcept;
    // Adds one part, invisible until publish(). False when memory is out.
    bool push (base::bytes_view body, bool more) noexcept;
    bool push (base::message &part) noexcept;  // takes the content on success
    // The body of a command, which counts as a message and is for who knows it
    // only: see wire/command.hpp. False when memory is out.
    bool push_command (base::bytes_view body) noexcept;
    // So many messages are missing before the next one; the consumer's socket is
    // told when it gets there. False when memory is out.
    bool push_gap (std::uint64_t messages) noexcept;
    // Makes the parts pushed since the last publish() visible as one message.
    void publish () noexcept
    {
        published_bytes_ += unpublished_bytes_;
        unpublished_bytes_ = 0;
        published_.store (published_.load (std::memory_order_relaxed) + 1, std::memory_order_release);
    }
    // A whole message, which may stand in two places, together lane_inline_bytes_max at
    // most: pushed and published. bytes: wire::joined_bytes() of it. False when memory is out.
    // Of a row in which it follows the one before it, only its own octets are written.
    bool publish_small (const base::joined_part &what, std::size_t bytes) noexcept;
    // So many small messages more have room for certain; 0 where that takes has_room().
    [[nodiscard]] std::uint64_t sure_room () noexcept;
    // Takes back the parts, all pushed as messages, since where() answered from:
    // they stand in parts again.
    class position;
    [[nodiscard]] position where () const noexcept;
    void take_back (const position &from, std::span<base::message> parts) noexcept;
    // Publishes part in place of a part that the consumer has not taken yet:
    // CONFLATE. Takes the content on success; false when memory is out. Not to
    // be mixed with push().
    bool replace (base::message &part) noexcept;
    // How many parts replace() has put another one in place of.
    [[nodiscard]] std::uint64_t replaced () const noexcept { return replaced_; }
    // Bytes published and not yet taken, for a producer that would rather
    // write to warm memory.
    [[nodiscard]] std::uint64_t queued_bytes () const noexcept
    {
        return published_bytes_ - consumed_bytes_.load (std::memory_order_acquire);
    }
    // Messages published and not yet taken.
    [[nodiscard]] std::uint64_t untaken_messages () const noexcept
    {
        return published_.load (std::memory_order_relaxed) - consumed_.load (std::memory_order_acquire);
    }
    void set_limits (std::int64_t messages, std::int64_t bytes) noexcept;
    // Between the two there is no room, whatever the consumer takes: what the
    // producer keeps elsewhere goes first.
    void hold () noexcept;
    void let_through () noexcept;
    // What is held from now on counts there; before the first push. Null: nowhere.
    void charge_to (byte_budget *account) noexcept { account_ = reader_account_ = account; }
    [[nodiscard]] bool within_budget () const noexcept;

    // --- consumer, under its socket's lock ---

    // Has an earlier look seen a complete message that is still there?
    [[nodiscard]] bool seen_readable () const noexcept { return taken_ != seen_published_; }
    // Is a complete message there?
    [[nodiscard]] bool readable () noexcept { return seen_readable () || look_again (); }
    // As readable(), but gives a producer that is just ahead a little time.
    [[nodiscard]] bool readable_soon () noexcept { return seen_readable () || look_again_soon (); }
    // The next part; only when readable() or inside a message. Valid until this thread asks
    // a lane again, or lets go of the lock.
    [[nodiscard]] lane_front front () noexcept
    {
        auto *const at = reinterpret_cast<record *> (head_->data + head_at_);
        if (at->kind == record_inline) [[likely]]
            return {{reinterpret_cast<std::byte *> (at + 1), at->size}, nullptr, at->more};
        return front_beside ();
    }
    // The next message, if it is such a pair; to be taken by consume() twice. False: it is not,
    // as far as can be told without going on. Only when readable().
    [[nodiscard]] bool front_pair (lane_pair &out) noexcept
    {
        const lane_front head = front ();
        if (!head.more || head.whole != nullptr)
            return false;
        const auto *const next =
          reinterpret_cast<const record *> (head.bytes.data () + padded (head.bytes.size ()));
        if (next->kind != record_inline || next->more)
            return false;
        out = {head.bytes, {reinterpret_cast<const std::byte *> (next + 1), next->size}};
        return true;
    }
    // In which what front() has shown stands, if that is no part of its own.
    [[nodiscard]] const void *memory () const noexcept { return head_; }
    // Where the record at the front stands: by it a row is known while its memory is kept.
    [[nodiscard]] const void *beginning () const noexcept { return head_->data + head_at_; }
    // The next message, if it goes on in a row; to be taken by consume(). False: it does not.
    // Only when readable().
    [[nodiscard]] bool front_row_item (lane_row_item &out) noexcept
    {
        const auto *const at = reinterpret_cast<const record *> (head_->data + head_at_);
        if (at->kind != record_row_item)
            return false;
        const record *const first = row_of (*at);
        const base::bytes_view octets = octets_of (*at);
        out = {octets, first->row_at + octets.size (), first};
        return true;
    }
    // Does front() show where it stands, and not a copy?
    [[nodiscard]] bool front_stands () const noexcept
    {
        return reinterpret_cast<const record *> (head_->data + head_at_)->kind != record_row_item;
    }
    // Messages behind the one at the front that the last look saw.
    [[nodiscard]] std::uint64_t seen_behind () const noexcept { return seen_published_ - taken_ - 1; }
    // It stays while this lasts, whatever is consumed and whatever becomes of the lane; an
    // account does not count it then. Throws bad_alloc.
    [[nodiscard]] base::memory_hold keep_memory () const;
    // A part of its own has been moved out or closed: before consume().
    void let_go (std::size_t body_bytes) noexcept
    {
        if (reader_account_ != nullptr) [[unlikely]]
            give_body_back (body_bytes);
    }
    // Takes what front() found, which has gone over the marks; a part of its own has
    // been moved out or closed before. body_bytes is its size, for the mark in bytes.
    void consume (std::size_t body_bytes) noexcept
    {
        const auto *at = reinterpret_cast<const record *> (head_->data + head_at_);
        head_at_ += sizeof (record) + padded (at->size);
        latest_shown_ = false;
        inside_message_ = at->more;
        taken_bytes_ += body_bytes;
        if (inside_message_)
            return;
        ++taken_;
        consumed_bytes_.store (taken_bytes_, std::memory_order_relaxed);
        consumed_.store (taken_, std::memory_order_release);
    }
    // Takes what front() found, and closes a part of its own.
    void drop (const lane_front &part) noexcept
    {
        const std::size_t body_bytes = part.bytes.size ();
        if (part.whole != nullptr) {
            part.whole->close ();
            let_go (body_bytes);
        }
        consume (body_bytes);
    }
    // Messages that wait, as far as the last look saw.
    [[nodiscard]] std::uint64_t queued () noexcept
    {
        look_again ();
        return seen_published_ - taken_;
    }
    // How many parts the message at the front has. Only when readable().
    [[nodiscard]] std::size_t parts_left () noexcept;
    [[nodiscard]] bool inside_message () const noexcept { return inside_message_; }
    // What there is waits since now, unless it already did; and: there is nothing.
    void start_waiting (std::uint64_t now) noexcept;
    void stop_waiting () noexcept { waiting_since_.store (0, std::memory_order_relaxed); }
    // Called for by note_turn_locked() of the consumer's socket.
    void turn_waiting (std::uint64_t now) noexcept;

    // --- either side ---

    base::atomic<bool> listed{false};
    base::atomic<bool> writer_waits{false};
    base::atomic<bool> writer_closed{false};
    base::atomic<bool> reader_closed{false};
    // How many of the link's ends hold this lane; the last to let go gives it
    // back to the pool.
    base::atomic<unsigned> holders{0};
    // Who is at the ends; written under that socket's lock.
    base::atomic<socket_core *> reader{nullptr};
    base::atomic<socket_core *> writer{nullptr};
    inproc_end *reader_end = nullptr;  // guarded by the reader's socket lock
    inproc_end *writer_end = nullptr;  // guarded by the writer's

    // In ticks: no message that is published and not yet taken is older. 0: there
    // is none, or it has just come.
    [[nodiscard]] std::uint64_t waiting_since () const noexcept
    {
        return waiting_since_.load (std::memory_order_relaxed);
    }
    // For the consumer: would the producer's wait be over by the low-water rule?
    [[nodiscard]] bool writer_may_go_on () const noexcept;

    // Drops all content and makes the lane as new. Both ends are gone.
    void recycle () noexcept;

  private:
    enum record_kind : std::uint8_t
    {
        record_inline,
        record_message,
        record_latest,    // the message stands in latest_
        record_command,   // of push_command()
        record_row_item,  // begins as another one in the segment, with a number that follows
        record_jump,      // the rest of the segment is unused; go on in the next
        record_gap,       // a number of messages is missing here
    };
    // What stands between messages, from here on.
    static constexpr record_kind record_first_mark = record_jump;
    struct record
    {
        std::uint16_t size = 0;
        record_kind kind = record_inline;
        bool more = false;
        // Of the first of a row: where its own octets begin, behind its number. Of one that
        // goes on: where in the segment the first is, in steps of eight octets.
        std::uint16_t row_at = 0;
        std::uint16_t in_row = 0;  // how many of the row are before it
    };
    static_assert (sizeof (record) == 8 && lane_inline_bytes_max <= UINT16_MAX);
    struct segment
    {
        segment *next = nullptr;
        base::atomic<std::uint32_t> kept_by{1};  // the lane, and whoever reads it in place
        alignas (base::message) std::byte data[lane_segment_bytes];
        std::byte shown[lane_row_front_bytes_max + wire::row_mark_bytes + wire::row_item_bytes_max];
    };

    static constexpr unsigned holiday_min = 16;
    [[nodiscard]] static constexpr std::size_t padded (std::size_t bytes) noexcept
    {
        return (bytes + 7) & ~std::size_t{7};
    }

    // The last record, if it is of a row.
    struct growing_row
    {
        std::uint64_t row = 0;  // 0: it is not
        std::uint64_t next = 0;
        std::size_t end = 0;  // tail_at_ behind it
        std::uint16_t first = 0;
        std::uint16_t items = 0;
    };
    // What goes on in a row stands where its body is as well aligned as others' are: copying is
    // quicker there.
    static constexpr std::size_t row_item_lead_bytes = sizeof (record) - wire::row_mark_bytes;
    [[nodiscard]] static base::bytes_view octets_of (const record &at) noexcept
    {
        return base::bytes_view (reinterpret_cast<const std::byte *> (&at + 1), at.size)
          .subspan (row_item_lead_bytes);
    }
    // The record with which its row begins; in the segment at the head.
    [[nodiscard]] const record *row_of (const record &at) const noexcept
    {
        return reinterpret_cast<const record *> (head_->data) + at.row_at;
    }
    // The row (not 0) goes on with it, in the segment where it began.
    [[nodiscard]] bool goes_on (const base::joined_part &what) const noexcept
    {
        return what.row == row_.row && what.number == row_.next && tail_at_ == row_.end
               && tail_at_ + 3 * sizeof (record) + padded (what.rest.size ()) <= lane_segment_bytes;
    }
    [[gnu::noinline]] bool publish_of_row (const base::joined_part &what, std::size_t bytes) noexcept;
    record *add_joined (const base::joined_part &what, std::size_t bytes) noexcept;
    void go_on (const base::joined_part &what) noexcept;
    void begin_row (const base::joined_part &what, record &first) noexcept;
    [[nodiscard]] lane_front show_row_item (const record &at) noexcept;

    bool look_again () noexcept;
    bool look_again_soon () noexcept;
    lane_front front_beside () noexcept;
    bool pause_on_heels () noexcept;
    std::byte *reserve (std::size_t payload_bytes) noexcept;
    std::byte *reserve_anew (std::size_t need) noexcept;
    static segment *fresh_segment () noexcept;
    static void release_segment (segment *gone) noexcept;
    void next_segment () noexcept;
    void count_body (const base::message &part) noexcept;
    void give_body_back (std::size_t bytes) noexcept;
    void give_back (std::size_t bytes) noexcept;
    record *skip_marks () noexcept;
    record *skip_all_marks () noexcept;
    void skip_mark (const record &at) noexcept;
    void note_turn () noexcept;

    // Producer's line.
    alignas (64) segment *tail_ = nullptr;
    std::size_t tail_at_ = 0;
    std::uint64_t seen_consumed_ = 0;
    std::uint64_t published_bytes_ = 0;
    std::uint64_t unpublished_bytes_ = 0;
    bool held_ = false;               // and limit_messages_ is 0
    byte_budget *account_ = nullptr;  // of bodies by reference, and segments behind the first
    growing_row row_{};
    std::uint64_t replaced_ = 0;
    base::atomic<std::int64_t> limit_messages_{unlimited};  // 0: has_room() looks closely
    base::atomic<std::int64_t> mark_{unlimited};
    base::atomic<std::int64_t> limit_bytes_{unlimited};

    alignas (64) base::atomic<std::uint64_t> published_{0};

    // Consumer's line.
    alignas (64) segment *head_ = nullptr;
    std::size_t head_at_ = 0;
    std::uint64_t taken_ = 0;
    std::uint64_t seen_published_ = 0;
    std::uint64_t taken_bytes_ = 0;
    unsigned pause_count_ = 1;
    unsigned pause_holiday_ = 0;
    unsigned next_holiday_ = holiday_min;
    byte_budget *reader_account_ = nullptr;  // account_, on this line
    queue_age waiting_{};
    base::atomic<std::uint64_t> waiting_since_{0};
    bool inside_message_ = false;
    bool latest_shown_ = false;           // latest_taken_ is the record at the front
    const record *item_shown_ = nullptr;  // of a row, a copy of which stands in the segment

    alignas (64) base::atomic<std::uint64_t> consumed_{0};
    base::atomic<std::uint64_t> consumed_bytes_{0};

    // CONFLATE: the newest message, swapped under a lock of its own.
    base::exchange_lock latest_lock_;
    bool latest_waiting_ = false;
    base::message latest_{};
    base::message latest_taken_{};

    static base::turnover segments_;  // of all lanes
};

class lane::position
{
    friend class lane;
    segment *in_ = nullptr;  // null: the lane had none
    std::size_t at_ = 0;
};

// The pool of lanes; never shrinks. nullptr when memory is out.
[[nodiscard]] lane *take_lane () noexcept;
// Lets go of one end's hold.
void release_lane (lane *gone) noexcept;
// In a forked child: the pool of the parent is left alone.
void forsake_lanes () noexcept;

}  // namespace zlink::engine
