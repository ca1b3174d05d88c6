#include "service/partition_log.hpp"

#include <algorithm>

namespace zlink::service {

// --- origins -------------------------------------------------------------------------

partition_log::origin_state &partition_log::state_of (std::uint64_t origin)
{
    if (const auto known = origins_.find (origin); known != origins_.end ()) {
        origins_in_order_.splice (origins_in_order_.end (), origins_in_order_, known->second.in_order);
        return known->second;
    }
    origins_in_order_.push_back (origin);
    try {
        origin_state &made = origins_[origin];
        made.in_order = std::prev (origins_in_order_.end ());
        if (origins_.size () > bounds_.origins_max) {
            origins_.erase (origins_in_order_.front ());
            origins_in_order_.pop_front ();
        }
        return made;
    } catch (...) {
        origins_in_order_.pop_back ();
        throw;
    }
}

void partition_log::note (origin_state &of, std::uint64_t number) noexcept
{
    if (number > of.highest) {
        const std::uint64_t up = number - of.highest;
        of.seen = up >= 64 ? 0 : of.seen << up;
        of.seen |= 1;
        of.highest = number;
    } else if (of.highest - number < 64) {
        of.seen |= std::uint64_t{1} << (of.highest - number);
    }
}

// What is too long ago to be known was numbered, or given up by its origin.
bool partition_log::has (const origin_state &of, std::uint64_t number) noexcept
{
    if (number > of.highest)
        return false;
    return of.highest - number >= 64 || (of.seen >> (of.highest - number) & 1) != 0;
}

// It does not stand where it was numbered: it may be published again.
void partition_log::forget_publish (const log_entry &entry) noexcept
{
    const auto known = origins_.find (entry.origin);
    if (known == origins_.end () || entry.origin_number > known->second.highest)
        return;
    const std::uint64_t back = known->second.highest - entry.origin_number;
    if (back < 64)
        known->second.seen &= ~(std::uint64_t{1} << back);
}

std::uint64_t partition_log::sequence_of (std::uint64_t origin, std::uint64_t number) const noexcept
{
    for (auto at = entries_.rbegin (); at != entries_.rend (); ++at)
        if (at->second.origin == origin && at->second.origin_number == number)
            return at->first;
    return 0;
}

// --- entries -------------------------------------------------------------------------

void partition_log::insert (const log_entry &entry)
{
    entries_.emplace (entry.sequence, entry);
    bytes_ += entry.octets->size ();
    tail_ = std::max (tail_, entry.sequence);
    trim ();
}

void partition_log::trim () noexcept
{
    while (entries_.size () > 1 && (entries_.size () > bounds_.entries_max || bytes_ > bounds_.bytes_max)) {
        bytes_ -= entries_.begin ()->second.octets->size ();
        entries_.erase (entries_.begin ());
    }
}

void partition_log::learn (const log_entry &entry)
{
    if (entry.sequence > learned_sequence_max)
        return;
    const auto known = entries_.find (entry.sequence);
    if (known != entries_.end ()) {
        if (!is_above (entry.of.number, known->second.of.number))
            return;
        bytes_ -= known->second.octets->size ();
        forget_publish (known->second);
        entries_.erase (known);
    }
    note (state_of (entry.origin), entry.origin_number);
    insert (entry);
}

// Keeps what hangs together with the entry of the highest epoch: nothing behind that was
// numbered in it, and nothing in front of a hole.
void partition_log::cut_loose () noexcept
{
    auto end = entries_.end ();
    for (auto at = entries_.begin (); at != entries_.end (); ++at)
        if (end == entries_.end () || !is_above (end->second.of.number, at->second.of.number))
            end = at;
    if (end == entries_.end ())
        return;
    auto begin = end;
    while (begin != entries_.begin ()) {
        const auto before = std::prev (begin);
        const log_entry &next = begin->second;
        const bool one_epoch = before->second.of == next.of;
        const bool rises = is_above (next.of.number, before->second.of.number);
        if (before->first + 1 != next.sequence || (!one_epoch && (!rises || next.sequence != next.first)))
            break;
        begin = before;
    }
    for (auto behind = std::next (end); behind != entries_.end (); ++behind)
        forget_publish (behind->second);
    entries_.erase (std::next (end), entries_.end ());
    entries_.erase (entries_.begin (), begin);
    bytes_ = 0;
    for (const auto &[number, entry] : entries_) {
        bytes_ += entry.octets->size ();
        if (const auto origin = origins_.find (entry.origin); origin != origins_.end ())
            note (origin->second, entry.origin_number);
    }
    tail_ = entries_.rbegin ()->first;
}

void partition_log::open (const epoch &begun, const grant_end &before)
{
    cut_loose ();
    const std::uint64_t last_number = entries_.empty () ? 0 : entries_.rbegin ()->second.of.number;
    const bool told = before.of.number != 0 && !is_above (last_number, before.of.number)
                      && before.last_sequence <= learned_sequence_max;
    after_ = told && before.last_sequence == tail_ ? before.of.number : 0;
    if (told && before.last_sequence > tail_) {
        entries_.clear ();  // they are not the end
        bytes_ = 0;
        tail_ = before.last_sequence;
    }
    current_ = begun;
    first_ = tail_ + 1;
}

append_outcome partition_log::append (std::uint64_t origin,
                                      std::uint64_t number,
                                      std::uint64_t waits_from,
                                      std::shared_ptr<const std::string> octets,
                                      std::uint64_t &sequence)
{
    origin_state &from = state_of (origin);
    if (has (from, number)) {
        sequence = sequence_of (origin, number);
        return append_outcome::repeated;
    }
    // What is too long ago counts as numbered, and is not looked at however far back an origin waits.
    const std::uint64_t known_from = from.highest - std::min (from.highest, publishes_under_way_max - 1);
    for (std::uint64_t earlier = std::max (waits_from, known_from); earlier < number; ++earlier)
        if (!has (from, earlier))
            return append_outcome::early;
    insert ({current_, first_, after_, tail_ + 1, origin, number, std::move (octets)});
    note (from, number);
    sequence = tail_;
    return append_outcome::numbered;
}

const log_entry *partition_log::find (std::uint64_t sequence) const noexcept
{
    const auto found = entries_.find (sequence);
    return found == entries_.end () ? nullptr : &found->second;
}

}  // namespace zlink::service
