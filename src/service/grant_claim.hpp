// An owner's side of grants (docs/protocol/grants.md), for one partition, towards a
// fixed list of grantors: what it asks them, and whether it may number now.
//
// It asks all of them in rounds. A round that gets the votes of a majority gives the
// lease, counted from when the round began: no vote in it can run out sooner. Where the
// grantors decide in one place and say so, one of them is as good as a majority. While it
// holds the lease it renews; when it gets no majority it gives back what votes it got,
// waits by chance or, after some rounds, for as long as the grantors say, and tries with a
// number above all that it has heard of.
//
// A lease that has run out is over for ever: the next one has another epoch. A margin
// before that (limits) it stops numbering already.
//
// A state machine: no socket, no clock. now is of a clock that goes on while the machine
// sleeps. Thread rule: one thread at a time. Takes no memory. The dice outlive it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/clock.hpp"
#include "base/random.hpp"
#include "service/epoch.hpp"
#include "service/grant_limits.hpp"
#include "service/grant_voter.hpp"

namespace zlink::service {

// A message to a grantor.
struct grant_question
{
    std::size_t grantor = 0;
    bool is_release = false;
    std::uint64_t round = 0;  // comes back with the answer
    epoch of{};
    bool knows_end = false;  // of a release
    std::uint64_t last_sequence = 0;
};

enum class claim_state : std::uint8_t
{
    idle,    // it is not wanted
    asking,  // it is wanted, and not held
    held,
};

class grant_claim
{
  public:
    // grantors: 1 to grantors_max.
    grant_claim (std::uint64_t holder, std::size_t grantors, base::random &dice) noexcept
      : holder_ (holder), grantors_ (grantors), dice_ (dice)
    {
    }
    grant_claim (const grant_claim &) = delete;
    grant_claim &operator= (const grant_claim &) = delete;

    // It shall own the partition from now on.
    void want () noexcept;
    // It shall not any more. Told with the last number of the current epoch, if it is held
    // and nothing else was numbered in it; it numbers no more.
    void give_up (const std::uint64_t *last_sequence) noexcept;
    // Who has it may be giving it back: it is asked for soon, and often at first.
    void hurry () noexcept;
    // Others know of this one: the next is above it.
    void heard_of (const epoch &seen) noexcept;

    // A grantor has answered the question of that round.
    void answered (base::time_ns now,
                   std::size_t grantor,
                   std::uint64_t round,
                   const grant_answer &answer) noexcept;
    // The connection to a grantor is new: what was asked on the old one may be lost.
    void connected (std::size_t grantor) noexcept;

    // Lets time pass: leases run out, rounds begin and end.
    void advance (base::time_ns now) noexcept;
    // The next message for a grantor; nothing: none before something happens, or next_due.
    [[nodiscard]] std::optional<grant_question> next () noexcept;
    [[nodiscard]] base::time_ns next_due () const noexcept;

    [[nodiscard]] claim_state state () const noexcept { return state_; }
    // Of held.
    [[nodiscard]] const epoch &current () const noexcept { return current_; }
    [[nodiscard]] const grant_end &before () const noexcept { return before_; }
    [[nodiscard]] bool may_number (base::time_ns now) const noexcept
    {
        return state_ == claim_state::held && now < stops_;
    }
    [[nodiscard]] base::time_ns stops_numbering () const noexcept { return stops_; }
    [[nodiscard]] std::uint64_t holder () const noexcept { return holder_; }
    // In the last round that ended less than a majority has answered at all.
    [[nodiscard]] bool unanswered () const noexcept { return unanswered_; }
    // Not held, and in the last round that ended enough of them have said no.
    [[nodiscard]] bool refused () const noexcept
    {
        return state_ == claim_state::asking && failures_ != 0 && !unanswered_;
    }

  private:
    using mask = std::uint32_t;
    // Votes that are enough.
    [[nodiscard]] std::size_t needed () const noexcept { return for_all_ ? 1 : grantors_ / 2 + 1; }
    [[nodiscard]] mask all () const noexcept { return (mask{1} << grantors_) - 1; }
    void begin_round (base::time_ns now) noexcept;
    void win (base::time_ns now) noexcept;
    void fail (base::time_ns now) noexcept;
    void take_back () noexcept;
    [[nodiscard]] base::time_ns pause_wanted () const noexcept;

    const std::uint64_t holder_;
    const std::size_t grantors_;
    base::random &dice_;
    claim_state state_ = claim_state::idle;
    epoch current_{};
    grant_end before_{};
    std::uint64_t highest_ = 0;  // number that was heard of
    base::time_ns ends_ = 0, stops_ = 0;
    bool unanswered_ = false;

    // The round under way, or the last.
    bool round_open_ = false;
    std::uint64_t round_ = 0;
    epoch asked_{};
    base::time_ns began_ = 0;
    mask unasked_ = 0, yes_ = 0, no_ = 0;
    bool for_all_ = false;
    base::time_ns lease_ = 0;  // the shortest of the votes
    grant_end best_end_{};
    std::array<base::time_ns, grantors_max> pauses_{};  // of the answers; never_ns: none came
    base::time_ns next_round_ = 0;
    unsigned failures_ = 0;

    // Votes to be given back.
    mask to_release_ = 0;
    epoch released_{};
    bool knows_end_ = false;
    std::uint64_t last_sequence_ = 0;
};

}  // namespace zlink::service
