#include "service/grant_claim.hpp"

#include <algorithm>
#include <bit>

namespace zlink::service {

void grant_claim::want () noexcept
{
    if (state_ != claim_state::idle)
        return;
    state_ = claim_state::asking;
    next_round_ = INT64_MIN;
    failures_ = 0;
}

void grant_claim::give_up (const std::uint64_t *last_sequence) noexcept
{
    if (state_ == claim_state::held) {
        released_ = current_;
        knows_end_ = last_sequence != nullptr;
        last_sequence_ = knows_end_ ? *last_sequence : 0;
        to_release_ = all ();
    } else if (state_ == claim_state::asking && round_open_) {
        take_back ();
    }
    state_ = claim_state::idle;
    round_open_ = false;
    unasked_ = 0;
}

void grant_claim::hurry () noexcept
{
    if (state_ != claim_state::asking)
        return;
    failures_ = 0;
    if (!round_open_)
        next_round_ = INT64_MIN;
}

void grant_claim::heard_of (const epoch &seen) noexcept
{
    if (is_above (seen.number, highest_))
        highest_ = seen.number;
}

void grant_claim::connected (std::size_t grantor) noexcept
{
    const mask bit = mask{1} << grantor;
    if (round_open_ && ((yes_ | no_) & bit) == 0)
        unasked_ |= bit;
}

// The votes of a round that has failed, and those that are still to come.
void grant_claim::take_back () noexcept
{
    released_ = asked_;
    knows_end_ = false;
    to_release_ = all () & ~unasked_ & ~no_;
}

void grant_claim::begin_round (base::time_ns now) noexcept
{
    round_open_ = true;
    ++round_;
    began_ = now;
    unasked_ = all ();
    yes_ = no_ = 0;
    for_all_ = false;
    lease_ = base::never_ns;
    best_end_ = {};
    pauses_.fill (base::never_ns);
    if (state_ == claim_state::held) {
        asked_ = current_;
    } else {
        asked_ = {number_above (highest_), dice_.next ()};
        highest_ = asked_.number;
    }
}

void grant_claim::answered (base::time_ns now,
                            std::size_t grantor,
                            std::uint64_t round,
                            const grant_answer &answer) noexcept
{
    heard_of (answer.highest);
    const mask bit = mask{1} << grantor;
    if (!round_open_ || round != round_ || ((yes_ | no_) & bit) != 0 || grantor >= grantors_)
        return;
    unasked_ &= ~bit;
    pauses_[grantor] = 0;
    for_all_ = for_all_ || answer.for_all;
    if (answer.fault == grant_fault::none && answer.lease_ns >= grant_lease_min_ns) {
        yes_ |= bit;
        lease_ = std::min (lease_, std::min (answer.lease_ns, grant_lease_max_ns));
        if (is_above (answer.before.of.number, best_end_.of.number))
            best_end_ = answer.before;
    } else {
        no_ |= bit;
        const bool hurries = answer.fault == grant_fault::held && state_ == claim_state::asking
                             && failures_ < grant_rounds_in_hurry;
        pauses_[grantor] =
          std::clamp<base::time_ns> (answer.pause_ns, 0, hurries ? grant_pause_in_hurry_ns : base::never_ns);
    }
    if (static_cast<std::size_t> (std::popcount (yes_)) >= needed ())
        win (now);
    else if (static_cast<std::size_t> (std::popcount (no_)) > grantors_ - needed ())
        fail (now);
}

void grant_claim::win (base::time_ns now) noexcept
{
    const base::time_ns ends = began_ + lease_;
    const bool fresh = state_ != claim_state::held;
    round_open_ = false;
    unanswered_ = false;
    if (now >= ends) {  // the answers took too long: the votes are of no use
        next_round_ = now;
        if (fresh)
            take_back ();
        return;
    }
    failures_ = 0;
    if (fresh) {
        current_ = asked_;
        before_ = best_end_;
        state_ = claim_state::held;
    }
    ends_ = ends;
    stops_ = ends - grant_margin_of (lease_);
    next_round_ = began_ + grant_renewal_of (lease_);
}

// How long until a majority may say yes, by what they have said.
base::time_ns grant_claim::pause_wanted () const noexcept
{
    std::array<base::time_ns, grantors_max> sorted = pauses_;
    std::sort (sorted.begin (), sorted.begin () + static_cast<std::ptrdiff_t> (grantors_));
    return sorted[needed () - 1];
}

void grant_claim::fail (base::time_ns now) noexcept
{
    round_open_ = false;
    const base::time_ns wanted = pause_wanted ();
    unanswered_ = wanted == base::never_ns;
    if (state_ != claim_state::held)
        take_back ();
    const base::time_ns longest =
      std::min (grant_pause_first_ns << std::min (failures_, 5U), grant_pause_last_ns);
    const auto chance = static_cast<base::time_ns> (dice_.next () % static_cast<std::uint64_t> (longest));
    ++failures_;
    const base::time_ns told = unanswered_ ? 0 : std::min (wanted, grant_lease_max_ns);
    // Alone before one grantor, who has heard of a higher number asks at once.
    next_round_ = now + told + (grantors_ == 1 && failures_ == 1 && told == 0 && !unanswered_ ? 0 : chance);
}

void grant_claim::advance (base::time_ns now) noexcept
{
    if (state_ == claim_state::held && now >= ends_) {
        state_ = claim_state::asking;
        round_open_ = false;
        next_round_ = now;
        released_ = current_;
        knows_end_ = false;
        to_release_ = all ();
    }
    if (state_ == claim_state::idle)
        return;
    if (round_open_ && now >= began_ + grant_round_ns)
        fail (now);
    if (!round_open_ && now >= next_round_ && to_release_ == 0)
        begin_round (now);
}

std::optional<grant_question> grant_claim::next () noexcept
{
    grant_question asked;
    if (to_release_ != 0) {
        asked.grantor = static_cast<std::size_t> (std::countr_zero (to_release_));
        to_release_ &= to_release_ - 1;
        asked.is_release = true;
        asked.of = released_;
        asked.knows_end = knows_end_;
        asked.last_sequence = last_sequence_;
        return asked;
    }
    if (!round_open_ || unasked_ == 0)
        return std::nullopt;
    asked.grantor = static_cast<std::size_t> (std::countr_zero (unasked_));
    unasked_ &= unasked_ - 1;
    asked.round = round_;
    asked.of = asked_;
    return asked;
}

base::time_ns grant_claim::next_due () const noexcept
{
    if (state_ == claim_state::idle)
        return base::never_ns;
    base::time_ns due = round_open_ ? began_ + grant_round_ns : next_round_;
    if (state_ == claim_state::held)
        due = std::min (due, ends_);
    return due;
}

}  // namespace zlink::service
