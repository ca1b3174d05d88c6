// What waits for one subscription: messages and gaps in the order in which they came,
// up to a number and a size, and what becomes of those that are too many.
//
// Small messages stand in blocks of memory one behind the other; larger ones keep
// references to their parts. Nothing is dropped without being counted, and the next
// thing that is taken behind a drop is a gap that says how many.
//
// Thread rule: whoever guards it; nothing here locks or blocks. Taking memory may fail,
// which drops the message as any other, with a reason of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/bytes.hpp"
#include "base/message.hpp"

namespace zlink::service {

// What becomes of a message for which there is no room.
enum class spot_policy : std::uint8_t
{
    drop_newest,  // it is dropped
    drop_oldest,  // the oldest that waits is
    conflate,     // of each topic the newest alone waits; above the number of topics the oldest goes
    block,        // the node reads no further: everything behind waits, and in the end publishers
    disconnect,   // the subscription ends
};

// Why messages are missing, in front of the next.
enum class spot_gap : std::uint8_t
{
    none,
    queue_full,      // of this subscription, as its policy says
    out_of_memory,   //
    publisher_full,  // a node had no room for us
    connection,      // to a node broke; how many is not known
};

// A message of one part, whose head has no fields; borrowed.
struct spot_plain
{
    std::string_view topic{};
    base::bytes_view body{};
    std::uint64_t publisher = 0;
    std::uint64_t number = 0;
};

// A message as it is stored or taken; borrowed. Of one part its octets are body, and
// parts is empty, or they are both; of several parts body is empty.
struct spot_item
{
    std::string_view topic{};
    std::uint64_t publisher = 0;
    std::uint64_t number = 0;
    base::bytes_view body{};
    std::span<base::message> parts{};
    base::bytes_view fields{};      // of its head, for partitions
    spot_gap gap = spot_gap::none;  // else: no message, but so many are missing
    std::uint64_t missing = 0;      // 0: not known

    // A field at a time: as one value it is cleared before, which takes as long as to read it.
    void show (const spot_plain &what) noexcept
    {
        topic = what.topic;
        publisher = what.publisher;
        number = what.number;
        body = what.body;
        parts = {};
        fields = {};
        gap = spot_gap::none;
        missing = 0;
    }
    // So much of it; of a message of one part without fields that is all.
    [[nodiscard]] spot_plain plain () const noexcept { return {topic, body, publisher, number}; }
};

struct spot_bounds
{
    spot_policy policy = spot_policy::drop_newest;
    std::size_t messages_max = 100'000;
    std::size_t bytes_max = std::size_t{256} << 20;
};

struct spot_queue_counters
{
    std::uint64_t queued = 0;
    std::uint64_t dropped = 0;    // for want of room or memory, and what others report: push_gap()
    std::uint64_t conflated = 0;  // a newer one took the place
};

// Memory in which messages stand one behind the other. Whoever has taken one reads it
// without a lock.
class spot_block
{
  public:
    spot_block () noexcept = default;
    ~spot_block () { clear (); }
    spot_block (spot_block &&other) noexcept { swap (other); }
    spot_block &operator= (spot_block &&other) noexcept;

    // The oldest; what it borrows is valid until the next call. False: there is none.
    [[nodiscard]] bool next (spot_item &out) noexcept;
    [[nodiscard]] bool empty () const noexcept { return read_ == written_; }
    void clear () noexcept;

  private:
    friend class spot_queue;
    struct record;

    void swap (spot_block &other) noexcept;
    // Nothing stands in it afterwards. False: no memory.
    [[nodiscard]] bool reserve (std::size_t bytes) noexcept;
    [[nodiscard]] std::size_t room () const noexcept { return capacity_ - written_; }
    [[nodiscard]] std::size_t messages () const noexcept { return messages_; }  // gaps are none
    [[nodiscard]] std::size_t bytes () const noexcept { return written_ - read_; }
    [[nodiscard]] std::size_t message_bytes () const noexcept { return bytes () - gap_bytes_; }
    [[nodiscard]] record *front () const noexcept;
    [[nodiscard]] std::size_t front_bytes () const noexcept;
    [[nodiscard]] spot_gap front_gap () const noexcept;
    [[nodiscard]] std::uint64_t front_missing () const noexcept;
    // There is room.
    void write (const spot_item &what, std::size_t bytes) noexcept;
    void take_front (spot_block &from) noexcept;
    void drop_front () noexcept;
    void count (const record &which, std::ptrdiff_t by) noexcept;
    void forget_shown () noexcept;

    std::unique_ptr<std::byte[]> memory_;
    std::size_t capacity_ = 0;
    std::size_t read_ = 0;
    std::size_t written_ = 0;
    std::size_t messages_ = 0;  // what next() has answered is still counted
    std::size_t gap_bytes_ = 0;
    record *shown_ = nullptr;  // what next() has answered
};

class spot_queue
{
  public:
    // May throw bad_alloc.
    explicit spot_queue (const spot_bounds &bounds) : bounds_ (bounds) {}

    enum class outcome : std::uint8_t
    {
        queued,
        dropped,  // it, or an older one
        full,     // block, disconnect: nothing was done
    };
    // A message; its parts are shared.
    outcome push (const spot_item &what) noexcept;
    // Counts a message that who takes it has at hand, as if it waited until passed().
    // False: something is in front of it, there is no room, or it may be given up later;
    // then it is to be pushed.
    [[nodiscard]] bool pass (const spot_plain &what) noexcept
    {
        const std::size_t bytes = bytes_of (what);
        if (!lets_pass () || !has_room (bytes))
            return false;
        count_passing (1, bytes);
        return true;
    }
    // How many pass for certain, and with how many octets; for pass_many().
    struct passage
    {
        std::size_t messages = 0;
        std::size_t bytes = 0;
    };
    [[nodiscard]] passage free_passage () const noexcept
    {
        if (!lets_pass () || messages_ >= bounds_.messages_max || bytes_ >= bounds_.bytes_max)
            return {};
        return {bounds_.messages_max - messages_, bounds_.bytes_max - bytes_};
    }
    // As pass() of so many of them.
    void pass_many (const passage &what) noexcept { count_passing (what.messages, what.bytes); }
    // For how many push() does not answer full, counted by bytes_queued().
    [[nodiscard]] passage sure_room () const noexcept
    {
        if (bounds_.policy != spot_policy::block && bounds_.policy != spot_policy::disconnect)
            return {SIZE_MAX, SIZE_MAX};
        if (messages_ >= bounds_.messages_max || bytes_ >= bounds_.bytes_max)
            return {};
        return {bounds_.messages_max - messages_, bounds_.bytes_max - bytes_};
    }
    [[nodiscard]] static std::size_t bytes_queued (const spot_item &what) noexcept;
    [[nodiscard]] static std::size_t bytes_of (const spot_plain &what) noexcept
    {
        return what.topic.size () + what.body.size ();
    }
    void passed () noexcept;
    // Room is made by passed(), without anybody who takes.
    [[nodiscard]] bool passing () const noexcept { return passing_messages_ != 0; }
    // A gap that others report; it always has room, and adds up with what stands there. A
    // connection of which it is not known what it lost counts as one message.
    void push_gap (spot_gap why, std::uint64_t missing) noexcept;

    // What waits longest, into a block with nothing in it: several things where none of
    // them is to be given up later. False: nothing waits, or no_memory.
    [[nodiscard]] bool take (spot_block &into) noexcept;

    [[nodiscard]] bool empty () const noexcept
    {
        return blocks_.empty () && line_.empty () && !owed_.any () && !first_.any ();
    }
    [[nodiscard]] std::size_t size () const noexcept { return messages_; }  // messages that wait
    [[nodiscard]] std::size_t bytes () const noexcept { return bytes_; }
    // Holds from the next push on; what waits stays.
    void set_bounds (const spot_bounds &bounds) noexcept;
    [[nodiscard]] const spot_bounds &bounds () const noexcept { return bounds_; }
    [[nodiscard]] const spot_queue_counters &counters () const noexcept { return counters_; }

  private:
    // A gap that is not written yet.
    struct owed_gap
    {
        spot_gap why = spot_gap::none;
        std::uint64_t missing = 0;
        [[nodiscard]] bool any () const noexcept { return why != spot_gap::none; }
    };
    // The newest of a topic.
    struct place
    {
        std::string topic{};
        spot_block block{};
    };

    [[nodiscard]] bool lets_pass () const noexcept
    {
        return empty () && !conflates () && bounds_.policy != spot_policy::drop_oldest;
    }
    void count_passing (std::size_t messages, std::size_t bytes) noexcept
    {
        messages_ += messages;
        bytes_ += bytes;
        passing_messages_ += messages;
        passing_bytes_ += bytes;
        counters_.queued += messages;
    }
    [[nodiscard]] bool has_room (std::size_t bytes) const noexcept
    {
        return messages_ == 0 || (messages_ < bounds_.messages_max && bytes_ + bytes <= bounds_.bytes_max);
    }
    [[nodiscard]] bool append (const spot_item &what, std::size_t bytes) noexcept;
    [[nodiscard]] bool append_behind_gap (const spot_item &what, std::size_t bytes) noexcept;
    [[nodiscard]] bool write_gap (const owed_gap &which) noexcept;
    [[nodiscard]] bool replace (const spot_item &what, std::size_t bytes) noexcept;
    [[nodiscard]] bool enter (const spot_item &what, std::size_t bytes) noexcept;
    [[nodiscard]] spot_block take_from_line () noexcept;
    [[nodiscard]] bool take_gap (owed_gap &which, spot_block &into) noexcept;
    outcome drop (spot_gap why) noexcept;
    bool drop_oldest () noexcept;
    void count_off (std::size_t messages, std::size_t bytes) noexcept;
    [[nodiscard]] bool conflates () const noexcept { return bounds_.policy == spot_policy::conflate; }

    spot_bounds bounds_;
    std::deque<spot_block> blocks_;  // none of them empty
    std::list<place> line_;          // conflate; behind the blocks
    std::unordered_map<std::string_view, std::list<place>::iterator> newest_;
    spot_block spare_;
    std::size_t messages_ = 0;
    std::size_t bytes_ = 0;
    std::size_t passing_messages_ = 0;
    std::size_t passing_bytes_ = 0;
    owed_gap owed_;   // behind all that waits
    owed_gap first_;  // in front of it: the oldest were dropped
    spot_queue_counters counters_{};
};

}  // namespace zlink::service
