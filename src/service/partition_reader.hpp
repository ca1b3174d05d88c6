// A subscriber's side of one partition: hands on what was numbered in its order, each
// once, and tells what is missing.
//
// Live messages come from the owner in one stream, and answers to what it is asked for
// stand in line with them. A hole is asked for once more, at the owner, from its ring;
// what that does not have any more is told as a gap. A new owner's numbers go on behind
// what it has learned: the reader tells an epoch's beginning in front of its first
// message, or when the owner says so, and whether something may be lost in between.
//
// Within an epoch numbers only rise. Where a new epoch begins at or below what was handed
// on (the new owner had not heard of it), the event says where it goes on, and that this
// subscriber has seen what others may not have.
//
// Thread rule: one thread at a time. Events are appended; may throw std::bad_alloc, and
// then the reader has to be told that it missed something (doubted()).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/clock.hpp"
#include "service/epoch.hpp"
#include "service/partition_log.hpp"

namespace zlink::service {

// From where a subscriber wants a partition.
enum class read_from : std::uint8_t
{
    now,       // what is numbered from now on
    last,      // and so many before that, as far as they are there
    sequence,  // that number on; what is not there any more is a gap
};

// What a reader asks the owner for.
struct replay_wish
{
    std::uint64_t token = 0;  // comes back with the answer
    read_from how = read_from::now;
    std::uint64_t value = 0;
};

// Where an owner stands.
struct owner_place
{
    epoch of{};
    std::uint64_t first = 1;  // of the epoch
    std::uint64_t after = 0;
    std::uint64_t tail = 0;  // the last that it has numbered
};

struct reader_event
{
    enum class kind : std::uint8_t
    {
        message,  // entry
        gap,      // from up to to are missing for good
        epoch,    // entry.of begins at from; last is the last that was seen before
        another,  // a second owner with the number of the current epoch was heard, and refused
        owner,    // entry.origin owns it in entry.of; 0: nobody is known to. Told by the host
    };
    kind what = kind::message;
    log_entry entry{};
    std::uint64_t from = 0, to = 0;
    epoch before{};
    std::uint64_t last = 0;
    bool loss_possible = false;
};

struct reader_counters
{
    std::uint64_t delivered = 0;
    std::uint64_t missing = 0;   // in gaps
    std::uint64_t refused = 0;   // of lower epochs
    std::uint64_t another = 0;   // of second owners
    std::uint64_t repeated = 0;  // seen before
    std::uint64_t asked = 0;     // times
};

class partition_reader
{
  public:
    partition_reader (read_from how, std::uint64_t value) noexcept : how_ (how), value_ (value) {}
    partition_reader (const partition_reader &) = delete;
    partition_reader &operator= (const partition_reader &) = delete;

    using events = std::vector<reader_event>;

    // A live message of an owner.
    void take (const log_entry &entry, events &out);
    // An owner says that it is there.
    void announced (const owner_place &owner, events &out);
    // One with that epoch is to be there: lower ones are refused from now on.
    void heard_of (const epoch &owner, events &out) { (void)accepts (owner, out); }
    // A part of an answer, in order; and its end.
    void replayed (std::uint64_t token, const owner_place &owner, const log_entry &entry, events &out);
    void replay_ended (std::uint64_t token, const owner_place &owner, events &out);
    // Something may be missing, of what came or what was asked.
    void doubted () noexcept { needs_ask_ = true; }

    // What the owner is to be asked now; it is asked again when no answer comes.
    [[nodiscard]] std::optional<replay_wish> next (base::time_ns now) noexcept;
    [[nodiscard]] base::time_ns next_due () const noexcept;

    [[nodiscard]] bool joined () const noexcept { return joined_; }
    [[nodiscard]] std::uint64_t expected () const noexcept { return expected_; }
    [[nodiscard]] const epoch &owner () const noexcept { return owner_.current (); }
    [[nodiscard]] const reader_counters &counters () const noexcept { return counters_; }

  private:
    [[nodiscard]] bool accepts (const epoch &from, events &out);
    [[nodiscard]] std::uint64_t base_of (const epoch &of, std::uint64_t first) const noexcept;
    void
    begin_epoch (const epoch &of, std::uint64_t first, std::uint64_t after, std::uint64_t base, events &out);
    void miss (std::uint64_t from, std::uint64_t to, events &out);
    void place (const log_entry &entry, bool is_replay, events &out);
    void ask (std::uint64_t from) noexcept;

    const read_from how_;
    const std::uint64_t value_;
    epoch_watch owner_;
    bool joined_ = false;  // expected_ is known
    epoch at_{};           // of what was handed on last; number 0: nothing yet
    std::uint64_t expected_ = 0;
    bool needs_ask_ = true;
    bool asking_ = false;
    std::uint64_t ask_from_ = 0;     // to be asked for; 0: what is expected
    std::uint64_t asked_value_ = 0;  // was
    std::uint64_t token_ = 0;
    base::time_ns asked_ns_ = 0;
    reader_counters counters_{};
};

// How long an answer is waited for before the owner is asked again.
inline constexpr base::time_ns replay_again_ns = 500 * base::ns_per_ms;

}  // namespace zlink::service
