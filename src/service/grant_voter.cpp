#include "service/grant_voter.hpp"

namespace zlink::service {

void grant_voter::restore (const partition_ref &which, const grant_record &found)
{
    vote &made = votes_[key (which.topic, which.partition)];
    made.record = found;
    made.is_recorded = true;
    made.until = found.running ? settles_at () : INT64_MIN;
}

const grant_record *grant_voter::find (const partition_ref &which) const noexcept
{
    const auto found = votes_.find (order::ref (which.topic, which.partition));
    return found == votes_.end () ? nullptr : &found->second.record;
}

grant_answer grant_voter::refuse (grant_fault why, const vote *of, base::time_ns pause) const noexcept
{
    grant_answer answer;
    answer.fault = why;
    answer.pause_ns = pause;
    if (of != nullptr)
        answer.highest = of->record.highest;
    return answer;
}

grant_answer grant_voter::renew (base::time_ns now, vote &of) noexcept
{
    of.until = now + lease_;
    grant_answer answer;
    answer.highest = of.record.highest;
    answer.before = of.record.end;
    answer.lease_ns = lease_;
    answer.must_be_recorded = !of.is_recorded;
    return answer;
}

void grant_voter::recorded (const partition_ref &which, const epoch &of) noexcept
{
    const auto found = votes_.find (order::ref (which.topic, which.partition));
    if (found != votes_.end () && found->second.record.highest == of)
        found->second.is_recorded = true;
}

grant_answer
grant_voter::claim (base::time_ns now, const partition_ref &which, const epoch &wanted, std::uint64_t holder)
{
    const auto found = votes_.find (order::ref (which.topic, which.partition));
    vote *const known = found == votes_.end () ? nullptr : &found->second;
    // What was voted for last is voted for again, also by who has just started and read
    // it from the record: nobody else can have got a vote since.
    if (known != nullptr && known->record.highest == wanted && known->record.holder == holder)
        return renew (now, *known);
    if (!settled (now))
        return refuse (grant_fault::settling, known, settles_at () - now);
    if (known != nullptr && known->record.holder != holder && now < known->until)
        return refuse (grant_fault::held, known, known->until - now);
    if (!is_above (wanted.number, known == nullptr ? 0 : known->record.highest.number))
        return refuse (grant_fault::stale, known, 0);
    if (known == nullptr && votes_.size () >= granted_partitions_max)
        return refuse (grant_fault::no_room, known, 0);
    vote &given = known != nullptr ? *known : votes_[key (which.topic, which.partition)];
    given.record.highest = wanted;
    given.record.holder = holder;
    given.is_recorded = false;
    return renew (now, given);
}

bool grant_voter::release (const partition_ref &which,
                           const epoch &given_up,
                           std::uint64_t holder,
                           const std::uint64_t *last_sequence) noexcept
{
    const auto found = votes_.find (order::ref (which.topic, which.partition));
    if (found == votes_.end ())
        return false;
    vote &of = found->second;
    if (of.record.highest != given_up || of.record.holder != holder)
        return false;
    of.until = INT64_MIN;
    if (last_sequence != nullptr)
        of.record.end = {given_up, *last_sequence};
    return true;
}

}  // namespace zlink::service
