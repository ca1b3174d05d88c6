// The end of a partition's order: what was numbered last, as far as a bound, and who
// published it. Its owner appends to it; every other node that follows the partition
// keeps one too, from which the next owner learns how far the last one came.
//
// A publish is known again by its origin and the number that the origin gave it, so
// that one that is tried again stands there once. An origin says which of its numbers it
// still waits for; one that comes while an earlier one is missing has to wait.
//
// Thread rule: one thread at a time. learn() and append() may throw std::bad_alloc, and
// nothing has been numbered then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>

#include "service/epoch.hpp"
#include "service/grant_voter.hpp"

namespace zlink::service {

// A numbered message.
struct log_entry
{
    epoch of{};
    std::uint64_t first = 0;     // number with which the epoch began
    std::uint64_t after = 0;     // number of the epoch before, if that ended in order; 0: it may not have
    std::uint64_t sequence = 0;  // from 1 on, one behind the other
    std::uint64_t origin = 0;
    std::uint64_t origin_number = 0;
    std::shared_ptr<const std::string> octets{};
};

struct log_bounds
{
    std::size_t entries_max = 1024;
    std::size_t bytes_max = std::size_t{1} << 20;  // of octets; one entry may pass it
    std::size_t origins_max = 4096;                // the longest silent one is forgotten
};

// So many publishes of one origin to one partition may be under way.
inline constexpr std::uint64_t publishes_under_way_max = 64;

// What others say was numbered above that is not learned: there is always room for as many
// numbers again before nodes take them for malformed (wire::partition_sequence_max).
inline constexpr std::uint64_t learned_sequence_max = std::uint64_t{1} << 62;

enum class append_outcome : std::uint8_t
{
    numbered,
    repeated,  // it was numbered before: under the sequence that is answered, 0: no longer known
    early,     // an earlier one of its origin is missing
};

class partition_log
{
  public:
    explicit partition_log (const log_bounds &bounds = {}) noexcept : bounds_ (bounds) {}
    partition_log (const partition_log &) = delete;
    partition_log &operator= (const partition_log &) = delete;

    // What somebody else has numbered, in any order. Of two for one place that of the higher
    // epoch stays, of equal ones the first. Above learned_sequence_max it is passed over.
    void learn (const log_entry &entry);

    // An epoch begins: its first number is behind all that is known, and behind what the
    // grantor knows of the last epoch's end. What no longer hangs together with the end is
    // forgotten.
    void open (const epoch &begun, const grant_end &before);
    // waits_from: the lowest number that the origin still waits for, number among them.
    append_outcome append (std::uint64_t origin,
                           std::uint64_t number,
                           std::uint64_t waits_from,
                           std::shared_ptr<const std::string> octets,
                           std::uint64_t &sequence);

    // Of the epoch that was opened last.
    [[nodiscard]] const epoch &current () const noexcept { return current_; }
    [[nodiscard]] std::uint64_t first () const noexcept { return first_; }
    [[nodiscard]] std::uint64_t after () const noexcept { return after_; }
    [[nodiscard]] std::uint64_t tail () const noexcept { return tail_; }
    // The lowest number that is still there; tail + 1: none.
    [[nodiscard]] std::uint64_t lowest () const noexcept
    {
        return entries_.empty () ? tail_ + 1 : entries_.begin ()->first;
    }
    [[nodiscard]] const log_entry *find (std::uint64_t sequence) const noexcept;
    [[nodiscard]] const log_entry *last () const noexcept
    {
        return entries_.empty () ? nullptr : &entries_.rbegin ()->second;
    }
    // Calls told (entry) for each from that number on.
    template <class Told> void for_each_from (std::uint64_t sequence, Told &&told) const
    {
        for (auto at = entries_.lower_bound (sequence); at != entries_.end (); ++at)
            told (at->second);
    }
    [[nodiscard]] std::size_t size () const noexcept { return entries_.size (); }
    [[nodiscard]] std::size_t bytes () const noexcept { return bytes_; }

  private:
    // Which of an origin's numbers have been numbered: the highest, and which of the 64 up to
    // it (bit 0 is the highest).
    struct origin_state
    {
        std::uint64_t highest = 0;
        std::uint64_t seen = 0;
        std::list<std::uint64_t>::iterator in_order{};
    };
    origin_state &state_of (std::uint64_t origin);
    void note (origin_state &of, std::uint64_t number) noexcept;
    [[nodiscard]] static bool has (const origin_state &of, std::uint64_t number) noexcept;
    [[nodiscard]] std::uint64_t sequence_of (std::uint64_t origin, std::uint64_t number) const noexcept;
    void forget_publish (const log_entry &entry) noexcept;
    void insert (const log_entry &entry);
    void trim () noexcept;
    void cut_loose () noexcept;

    const log_bounds bounds_;
    epoch current_{};
    std::uint64_t first_ = 1, after_ = 0, tail_ = 0;
    std::map<std::uint64_t, log_entry> entries_;  // by number
    std::size_t bytes_ = 0;
    std::unordered_map<std::uint64_t, origin_state> origins_;
    std::list<std::uint64_t> origins_in_order_;  // the longest silent first
};

}  // namespace zlink::service
