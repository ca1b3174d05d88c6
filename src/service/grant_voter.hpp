// A grantor's side of grants (docs/protocol/grants.md): for each partition the highest
// epoch it has voted for, whose that is and until when. One registry alone grants with
// its vote; of a fixed list it takes the votes of a majority.
//
// The rules, by which two owners never number at a time:
//   - No vote for another holder before the lease of the last vote has run out.
//   - No vote for a number that is not above the highest, but for the very epoch that
//     was voted for last: that is how leases are renewed.
//   - No vote for one lease after the start, because votes from before it may run yet;
//     but what was recorded as the highest is renewed, and after a clean end, which is
//     recorded with the leases that run, only those stand in the way.
//   - A vote for a fresh epoch is told when it is recorded, where there is a record.
//
// A state machine: no socket, no clock, no disk. now is of a clock that goes on while
// the machine sleeps, and never goes back. Thread rule: one thread at a time. claim()
// and restore() may throw std::bad_alloc, and nothing has changed then.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.hpp"
#include "service/epoch.hpp"
#include "service/grant_limits.hpp"

namespace zlink::service {

// Which partition: of a topic, by its number.
struct partition_ref
{
    std::string_view topic{};
    std::uint32_t partition = 0;
    bool operator== (const partition_ref &) const = default;
};

enum class grant_fault : std::uint8_t
{
    none,      // it is granted
    held,      // by another, until the pause is over
    settling,  // the grantor has just started: until the pause is over
    stale,     // the number is not above the highest
    no_room,   // one partition too many
    no_disk,   // what must be recorded cannot be
};

// How an epoch ended whose owner said so: all that it numbered.
struct grant_end
{
    epoch of{};
    std::uint64_t last_sequence = 0;
    bool operator== (const grant_end &) const = default;
};

struct grant_answer
{
    grant_fault fault = grant_fault::none;
    epoch highest{};                // that this grantor knows of; behind a grant, the granted
    grant_end before{};             // of a grant: the last that ended in order, as far as known
    base::time_ns lease_ns = 0;     // of a grant, from when it was asked for
    base::time_ns pause_ns = 0;     // of held and settling
    bool must_be_recorded = false;  // before it is told
    bool for_all = false;           // all grantors decide in one place: it is the answer of all
};

// What is recorded of a partition.
struct grant_record
{
    epoch highest{};
    std::uint64_t holder = 0;
    bool running = false;  // of a clean end: its lease had not run out
    grant_end end{};
    bool operator== (const grant_record &) const = default;
};

class grant_voter
{
  public:
    grant_voter (base::time_ns started, base::time_ns lease) noexcept : started_ (started), lease_ (lease) {}
    grant_voter (const grant_voter &) = delete;
    grant_voter &operator= (const grant_voter &) = delete;

    // --- before the first claim, from the record ---
    void restore (const partition_ref &which, const grant_record &found);
    // The end before this start was clean: running says which leases are to be waited for.
    void ended_cleanly () noexcept { clean_ = true; }
    void set_lease (base::time_ns lease) noexcept { lease_ = lease; }
    // What it was before the start: leases of before may be as long as that.
    void lease_was (base::time_ns lease) noexcept { lease_before_ = lease; }

    // A holder asks for an epoch, or for its renewal.
    [[nodiscard]] grant_answer
    claim (base::time_ns now, const partition_ref &which, const epoch &wanted, std::uint64_t holder);
    // A holder numbers no more under that epoch; counted are all numbers up to last, when
    // it knows. True: that is news, to be recorded when convenient.
    bool release (const partition_ref &which,
                  const epoch &given_up,
                  std::uint64_t holder,
                  const std::uint64_t *last_sequence) noexcept;
    // What had to be recorded of that epoch is, safely: its renewals need not be.
    void recorded (const partition_ref &which, const epoch &of) noexcept;

    [[nodiscard]] bool settled (base::time_ns now) const noexcept { return clean_ || now >= settles_at (); }
    // Of a start behind an end that was not clean.
    [[nodiscard]] base::time_ns settles_at () const noexcept
    {
        return started_ + std::max (lease_, lease_before_);
    }
    [[nodiscard]] base::time_ns lease () const noexcept { return lease_; }
    [[nodiscard]] std::size_t size () const noexcept { return votes_.size (); }
    [[nodiscard]] const grant_record *find (const partition_ref &which) const noexcept;
    // Calls told (partition_ref, grant_record) for each, running as at now: of a grantor
    // that has not settled all leases may run that were recorded before its start.
    template <class Told> void for_each (base::time_ns now, Told &&told) const
    {
        for (const auto &[which, given] : votes_) {
            grant_record record = given.record;
            record.running = now < given.until || !settled (now);
            told (partition_ref{which.first, which.second}, record);
        }
    }

  private:
    struct vote
    {
        grant_record record{};
        bool is_recorded = false;
        base::time_ns until = INT64_MIN;
    };
    using key = std::pair<std::string, std::uint32_t>;
    struct order
    {
        using is_transparent = void;
        using ref = std::pair<std::string_view, std::uint32_t>;
        bool operator() (const auto &a, const auto &b) const noexcept
        {
            return ref (a.first, a.second) < ref (b.first, b.second);
        }
    };
    using vote_map = std::map<key, vote, order>;

    [[nodiscard]] grant_answer renew (base::time_ns now, vote &of) noexcept;
    [[nodiscard]] grant_answer refuse (grant_fault why, const vote *of, base::time_ns pause) const noexcept;

    base::time_ns started_, lease_;
    base::time_ns lease_before_ = 0;
    bool clean_ = false;
    vote_map votes_;
};

}  // namespace zlink::service
