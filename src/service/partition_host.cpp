#include "service/partition_host.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <ranges>
#include <utility>

#include "service/limits.hpp"
#include "service/partition_choice.hpp"

namespace zlink::service {

using wire::partition_kind;
using wire::partition_letter;
using wire::partition_stamp;

namespace {

static_assert (learned_sequence_max <= wire::partition_sequence_max / 2);

partition_stamp stamp_of (std::uint32_t partition, const log_entry &entry) noexcept
{
    return {.partition = partition,
            .epoch_number = entry.of.number,
            .epoch_id = entry.of.id,
            .first = entry.first,
            .after = entry.after,
            .sequence = entry.sequence,
            .origin = entry.origin,
            .origin_number = entry.origin_number};
}

log_entry entry_of (const partition_stamp &stamp, std::string_view octets)
{
    return {.of = {stamp.epoch_number, stamp.epoch_id},
            .first = stamp.first,
            .after = stamp.after,
            .sequence = stamp.sequence,
            .origin = stamp.origin,
            .origin_number = stamp.origin_number,
            .octets = std::make_shared<const std::string> (octets)};
}

owner_place place_in (const partition_letter &letter) noexcept
{
    return {.of = {letter.epoch_number, letter.epoch_id},
            .first = letter.first,
            .after = letter.after,
            .tail = letter.sequence};
}

// Under which epoch that number was given: an earlier one, if it was published again. The
// current one where the number is not there any more.
epoch epoch_of (const partition_log &log, std::uint64_t sequence) noexcept
{
    const log_entry *const known = log.find (sequence);
    return known != nullptr ? known->of : log.current ();
}

}  // namespace

// --- what there is -------------------------------------------------------------------

partition_host::partition::partition (topic_entry &in,
                                      std::uint32_t which,
                                      due_heap::slot where,
                                      const partition_host &by)
  : of (in), number (which), slot (where), claim (by.self_, by.grantors_, by.dice_), log (in.how.bounds)
{
}

bool partition_host::declare (base::time_ns now, std::string_view topic, const partitioned_topic &how)
{
    if (how.partitions == 0 || how.partitions > wire::partitions_max)
        return false;
    if (const auto known = topics_.find (topic); known != topics_.end ())
        return known->second->how.partitions == how.partitions;
    auto made = std::make_unique<topic_entry> ();
    made->name = topic;
    made->how = how;
    const auto first = static_cast<due_heap::slot> (by_slot_.size ());
    for (std::uint32_t i = 0; i < how.partitions; ++i)
        made->partitions.push_back (std::make_unique<partition> (*made, i, first + i, *this));
    if (how.may_own)
        made->candidates.insert (self_);
    due_.reserve (by_slot_.size () + how.partitions);
    by_slot_.reserve (by_slot_.size () + how.partitions);
    topic_entry &entry = *topics_.emplace (std::string (topic), std::move (made)).first->second;
    for (const auto &each : entry.partitions) {
        by_slot_.push_back (each.get ());
        touch (*each);
    }
    say_declared (entry, 0);
    choose (entry);
    (void)advance (now);
    return true;
}

const partitioned_topic *partition_host::find (std::string_view topic) const noexcept
{
    const auto found = topics_.find (topic);
    return found == topics_.end () ? nullptr : &found->second->how;
}

std::vector<partition_host::declared> partition_host::all_declared (base::time_ns now) const
{
    std::vector<declared> all;
    for (const auto &[name, entry] : topics_) {
        declared made{.topic = name, .partitions = entry->how.partitions};
        for (std::uint32_t i = 0; i < made.partitions; ++i)
            made.owned_here += state (now, {name, i}).owned_here;
        all.push_back (std::move (made));
    }
    return all;
}

partition_host::partition *partition_host::find (const partition_ref &which) const noexcept
{
    const auto found = topics_.find (which.topic);
    if (found == topics_.end () || which.partition >= found->second->partitions.size ())
        return nullptr;
    return found->second->partitions[which.partition].get ();
}

partition_ref partition_host::ref_of (const partition &which) noexcept
{
    return {which.of.name, which.number};
}

partition_letter partition_host::letter_of (const partition &which, partition_kind kind) noexcept
{
    partition_letter letter;
    letter.kind = kind;
    letter.topic = which.of.name;
    letter.partition = which.number;
    return letter;
}

partition_state partition_host::state (base::time_ns now, const partition_ref &which) const noexcept
{
    const partition *const found = find (which);
    if (found == nullptr)
        return {};
    const bool here = found->at == role::open && found->claim.may_number (now);
    return {.owner = here ? self_ : found->owner,
            .of = here ? found->of_role : found->owner_epoch.current (),
            .tail = here ? found->log.tail () : found->known_tail,
            .owned_here = here,
            .under_way = found->under_way.size ()};
}

// --- who shall own what --------------------------------------------------------------

bool partition_host::is_there (std::uint64_t node) const noexcept
{
    return node == self_ || nodes_.contains (node);
}

void partition_host::choose (topic_entry &topic)
{
    for (const auto &each : topic.partitions)
        choose (*each);
}

void partition_host::choose (partition &which)
{
    const auto may_be = [this, &which] (std::uint64_t node) {
        return is_there (node) && !which.passed_over.contains (node);
    };
    choose (which,
            choose_owner (which.of.name, which.number, which.of.candidates | std::views::filter (may_be)));
}

// Of whom was chosen and a newcomer, who has not been passed over.
void partition_host::consider (topic_entry &topic, std::uint64_t newcomer)
{
    for (const auto &each : topic.partitions)
        if (each->chosen == 0
            || choose_owner (topic.name, each->number, std::array{each->chosen, newcomer}) == newcomer)
            choose (*each, newcomer);
}

void partition_host::choose (partition &which, std::uint64_t chosen)
{
    touch (which);
    if (chosen != which.chosen)
        which.chosen_ns = 0;
    which.chosen = chosen;
    if (chosen == self_ && !left_ && grantors_ != 0 && which.of.how.may_own) {
        which.claim.want ();
    } else if (which.claim.state () != claim_state::idle) {
        const std::uint64_t tail = which.log.tail ();
        which.claim.give_up (which.at == role::open ? &tail : nullptr);
        step_down (which);
    }
}

// To a node, or to all others (0), if this one may own it.
void partition_host::say_declared (const topic_entry &topic, std::uint64_t to)
{
    if (!topic.how.may_own || left_)
        return;
    partition_letter letter;
    letter.kind = partition_kind::declared;
    letter.topic = topic.name;
    letter.partitions = topic.how.partitions;
    ways_.post (to, letter);
}

// A node that stands still, or whom the grantors do not hear, owns nothing for long.
void partition_host::look_at_chosen (base::time_ns now, partition &which)
{
    if (which.chosen_ns == 0)
        which.chosen_ns = now;
    if (which.chosen == self_)
        return recall (now, which);
    if (which.chosen == 0 || now < which.chosen_ns + pass_over_ns)
        return;
    pass_over (which, which.passed_over.size () + 1);
    choose (which);
}

// So many of those that come before us; each time twice as many, as they may be made up.
void partition_host::pass_over (partition &which, std::size_t count)
{
    const auto rank_of = [&which] (std::uint64_t node) {
        return owner_rank (which.of.name, which.number, node);
    };
    const std::uint64_t own_rank = which.of.how.may_own ? rank_of (self_) : 0;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> before;
    for (const std::uint64_t each : which.of.candidates)
        if (each != self_ && is_there (each) && !which.passed_over.contains (each)
            && rank_of (each) >= own_rank)
            before.emplace_back (rank_of (each), each);
    const auto end = before.begin () + static_cast<std::ptrdiff_t> (std::min (count, before.size ()));
    std::partial_sort (before.begin (), end, before.end (), std::greater<> ());
    for (auto at = before.begin (); at != end; ++at)
        which.passed_over.insert (at->second);
}

// We are chosen, hear the grantors, and another owns it: it has passed us over, and gives it back
// when it hears that we are here.
void partition_host::recall (base::time_ns now, partition &which)
{
    if (!which.claim.refused () || which.owner == 0 || which.owner == self_
        || now < which.chosen_ns + pass_over_ns || now < which.of.recalled_ns + recall_again_ns)
        return;
    which.of.recalled_ns = now;
    say_declared (which.of, 0);
    for (const auto &each : which.of.partitions) {
        each->claim.hurry ();
        touch (*each);
    }
}

// Who was passed over says that it is there.
void partition_host::believe (base::time_ns now, partition &which, std::uint64_t node)
{
    if (now < which.believes_ns || which.passed_over.erase (node) == 0)
        return;
    which.disbelief_ns = std::clamp (2 * which.disbelief_ns, recall_again_ns, believe_again_last_ns);
    which.believes_ns = now + which.disbelief_ns;
    choose (which);
}

void partition_host::choose_all ()
{
    for (const auto &[name, topic] : topics_)
        choose (*topic);
}

void partition_host::came (std::uint64_t node)
{
    if (!nodes_.insert (node).second)
        return;
    for (const auto &[name, topic] : topics_) {
        if (topic->candidates.contains (node))
            consider (*topic, node);
        say_declared (*topic, node);
        for (const auto &each : topic->partitions)
            if (each->at == role::open)
                announce (*each, node);
    }
}

void partition_host::gone (std::uint64_t node)
{
    nodes_.erase (node);
    for (const auto &[name, topic] : topics_) {
        topic->candidates.erase (node);
        for (const auto &each : topic->partitions) {
            touch (*each);
            each->asked.erase (node);
            each->passed_over.erase (node);
            if (each->owner == node)
                set_owner (*each, 0);
            if (each->chosen == node)
                choose (*each);
        }
    }
}

void partition_host::leave ()
{
    left_ = true;
    choose_all ();
}

// --- owning --------------------------------------------------------------------------

owner_place partition_host::place_of (const partition &which) noexcept
{
    return {.of = which.of_role,
            .first = which.log.first (),
            .after = which.log.after (),
            .tail = which.log.tail ()};
}

void partition_host::put_place (const partition &which, partition_letter &letter) noexcept
{
    letter.epoch_number = which.of_role.number;
    letter.epoch_id = which.of_role.id;
    letter.first = which.log.first ();
    letter.after = which.log.after ();
    letter.sequence = which.log.tail ();
}

// Somebody knows a later epoch, or another of that number: what is numbered under ours is
// refused there. It is given back, and one above asked for by whoever is to own the partition.
bool partition_host::give_way (partition &which, const epoch &known)
{
    if (which.at == role::none || known == which.of_role || known.number == 0
        || is_above (which.of_role.number, known.number))
        return false;
    which.claim.heard_of (known);
    const std::uint64_t tail = which.log.tail ();
    which.claim.give_up (which.at == role::open ? &tail : nullptr);
    step_down (which);
    choose (which, which.chosen);
    return true;
}

// Who comes with an epoch that is refused hears which one is kept to.
void partition_host::refuse (partition &which, std::uint64_t node)
{
    partition_letter answer = letter_of (which, partition_kind::tail);
    answer.epoch_number = which.owner_epoch.current ().number;
    answer.epoch_id = which.owner_epoch.current ().id;
    answer.flags = wire::partition_flag_complete;
    ways_.post (node, answer);
}

void partition_host::step_down (partition &which) noexcept
{
    which.at = role::none;
    which.asked.clear ();
    which.announces_ns = base::never_ns;
    if (which.owner == self_)
        set_owner (which, 0);
}

void partition_host::follow_claim (base::time_ns now, partition &which)
{
    const bool held = which.claim.state () == claim_state::held;
    if (which.at != role::none && (!held || which.of_role != which.claim.current ()))
        step_down (which);
    if (held && which.at == role::none)
        learn (now, which);
    if (which.at == role::learning && (which.asked.empty () || now >= which.learns_until))
        open (now, which);
}

// Asks everybody, who then listens to no lower epoch any more.
void partition_host::learn (base::time_ns now, partition &which)
{
    which.at = role::learning;
    which.of_role = which.claim.current ();
    which.learns_until = now + learn_ns;
    which.asked = nodes_;
    if (nodes_.empty ())
        return;
    partition_letter letter = letter_of (which, partition_kind::tail_wanted);
    letter.epoch_number = which.of_role.number;
    letter.epoch_id = which.of_role.id;
    ways_.post (0, letter);
}

void partition_host::open (base::time_ns now, partition &which)
{
    if (!see_owner (which, which.of_role, self_)) {
        // The grantors did not know what was there before: a higher one is needed.
        step_down (which);
        which.claim.give_up (nullptr);
        which.claim.want ();
        return;
    }
    which.log.open (which.of_role, which.claim.before ());
    which.at = role::open;
    announce (which, 0);
    which.announces_ns = now + announce_again_ns;
    for (reading &each : which.readings)
        if (readable (each)) {
            each.reader->announced (place_of (which), events_);
            tell (which, each);
        }
    send_under_way (now, which);
}

void partition_host::announce (partition &which, std::uint64_t to)
{
    partition_letter letter = letter_of (which, partition_kind::owner);
    put_place (which, letter);
    ways_.post (to, letter);
}

// Answers an outcome of the protocol.
std::uint16_t partition_host::number (base::time_ns now,
                                      partition &which,
                                      std::uint64_t origin,
                                      std::uint64_t origin_number,
                                      std::uint64_t waits_from,
                                      std::shared_ptr<const std::string> octets,
                                      std::uint64_t &sequence)
{
    if (which.at != role::open || which.claim.current () != which.of_role || !which.claim.may_number (now))
        return wire::outcome_not_owner;
    switch (which.log.append (origin, origin_number, waits_from, std::move (octets), sequence)) {
    case append_outcome::early:
        return wire::outcome_early;
    case append_outcome::numbered: {
        const log_entry &entry = *which.log.last ();
        ways_.send (which.of.name, stamp_of (which.number, entry), *entry.octets);
        break;
    }
    case append_outcome::repeated:
        break;
    }
    return wire::outcome_numbered;
}

// In pages; the last one is complete.
void partition_host::send_entries (partition &which,
                                   std::uint64_t to,
                                   partition_letter &letter,
                                   std::uint64_t from)
{
    entries_.clear ();
    which.log.for_each_from (from, [&] (const log_entry &entry) {
        wire::append_partition_entry (stamp_of (which.number, entry), *entry.octets, entries_);
        if (entries_.size () < wire::partition_page_bytes)
            return;
        letter.entries = entries_;
        ways_.post (to, letter);
        entries_.clear ();
    });
    letter.flags = wire::partition_flag_complete;
    letter.entries = entries_;
    ways_.post (to, letter);
}

// --- letters -------------------------------------------------------------------------

// False: it is of an owner that has been replaced, or of a second one.
bool partition_host::see_owner (partition &which, const epoch &of, std::uint64_t node) noexcept
{
    which.claim.heard_of (of);
    const epoch_verdict verdict = which.owner_epoch.look (of);
    if (verdict == epoch_verdict::lower || verdict == epoch_verdict::another)
        return false;
    if (verdict == epoch_verdict::risen || which.owner != node)
        set_owner (which, node);
    return true;
}

void partition_host::set_owner (partition &which, std::uint64_t node) noexcept
{
    touch (which);
    which.owner = node;
    ways_.owned (ref_of (which), node, which.owner_epoch.current ());
}

void partition_host::heard (base::time_ns now, std::uint64_t from, const partition_letter &letter)
{
    if (from == self_)
        return;
    if (letter.kind == partition_kind::declared)
        return heard_declared (now, from, letter);
    partition *const which = find ({letter.topic, letter.partition});
    if (which == nullptr) {
        if (letter.kind == partition_kind::tail_wanted) {
            // Nothing is known here.
            partition_letter answer = letter;
            answer.kind = partition_kind::tail;
            answer.flags = wire::partition_flag_complete;
            answer.entries = {};
            ways_.post (from, answer);
        }
        return;
    }
    touch (*which);
    heard_of_partition (now, from, *which, letter);
    (void)give_way (*which, which->owner_epoch.current ());
}

void partition_host::heard_of_partition (base::time_ns now,
                                         std::uint64_t from,
                                         partition &which,
                                         const partition_letter &letter)
{
    switch (letter.kind) {
    case partition_kind::publish:
        return heard_publish (now, from, which, letter);
    case partition_kind::published:
        return heard_published (now, which, letter);
    case partition_kind::owner:
        return heard_owner (now, from, which, letter);
    case partition_kind::replay:
        return heard_replay (now, from, which, letter);
    case partition_kind::replayed:
        return heard_replayed (from, which, letter);
    case partition_kind::tail_wanted:
        return heard_tail_wanted (from, which, letter);
    case partition_kind::tail:
        return heard_tail (now, from, which, letter);
    case partition_kind::declared:
        break;
    }
}

// It may be heard before it is known to be there.
void partition_host::heard_declared (base::time_ns now, std::uint64_t from, const partition_letter &letter)
{
    const auto found = topics_.find (letter.topic);
    if (found == topics_.end () || found->second->how.partitions != letter.partitions)
        return;
    topic_entry &topic = *found->second;
    if (topic.candidates.size () >= partition_candidates_max && !topic.candidates.contains (from))
        std::erase_if (topic.candidates, [this] (std::uint64_t node) { return !is_there (node); });
    if (topic.candidates.insert (from).second) {
        if (is_there (from))
            consider (topic, from);
        return say_declared (topic, from);  // it may not have known the topic when it came
    }
    for (const auto &each : topic.partitions)
        believe (now, *each, from);
}

void partition_host::heard_publish (base::time_ns now,
                                    std::uint64_t from,
                                    partition &which,
                                    const partition_letter &letter)
{
    partition_letter answer = letter_of (which, partition_kind::published);
    answer.number = letter.number;
    answer.outcome = number (now, which, from, letter.number, letter.waits_from,
                             std::make_shared<const std::string> (letter.octets), answer.sequence);
    const epoch of = epoch_of (which.log, answer.sequence);
    answer.epoch_number = of.number;
    answer.epoch_id = of.id;
    ways_.post (from, answer);
}

void partition_host::heard_published (base::time_ns now, partition &which, const partition_letter &letter)
{
    const auto found = std::ranges::find (which.under_way, letter.number, &publishing::number);
    if (found == which.under_way.end ())
        return;
    if (letter.outcome == wire::outcome_numbered) {
        const std::uint64_t ticket = found->ticket;
        which.under_way.erase (found);
        ways_.published (ticket, {.what = publish_result::numbered,
                                  .of = {letter.epoch_number, letter.epoch_id},
                                  .sequence = letter.sequence});
        return;
    }
    if (found->unanswered > 0)
        --found->unanswered;
    if (letter.outcome == wire::outcome_early)
        which.again_ns = std::min (which.again_ns, std::max (now, which.resent_ns + early_again_ns));
}

void partition_host::heard_owner (base::time_ns now,
                                  std::uint64_t from,
                                  partition &which,
                                  const partition_letter &letter)
{
    const owner_place owner = place_in (letter);
    const bool is_news = which.owner != from || which.owner_epoch.current () != owner.of;
    if (see_owner (which, owner.of, from)) {
        which.known_tail = owner.tail;
        if (which.passed_over.erase (from) != 0)
            choose (which);
        if (from == which.chosen) {
            which.chosen_ns = now;
            which.disbelief_ns = 0;
        }
        if (is_news) {
            which.claim.hurry ();
            send_under_way (now, which);
        }
    } else {
        refuse (which, from);
    }
    for (reading &each : which.readings) {
        if (!readable (each))
            continue;
        each.reader->announced (owner, events_);
        tell (which, each);
    }
}

std::uint64_t
partition_host::replay_start (const partition &which, read_from how, std::uint64_t value) noexcept
{
    const std::uint64_t tail = which.log.tail ();
    if (how == read_from::last)
        return tail > value ? tail - value + 1 : 1;
    return how == read_from::sequence ? value : tail + 1;
}

void partition_host::heard_replay (base::time_ns now,
                                   std::uint64_t from,
                                   partition &which,
                                   const partition_letter &letter)
{
    if (which.at != role::open || !which.claim.may_number (now))
        return;
    partition_letter answer = letter_of (which, partition_kind::replayed);
    answer.token = letter.token;
    put_place (which, answer);
    send_entries (which, from, answer,
                  replay_start (which, static_cast<read_from> (letter.how), letter.value));
}

// What an answer tells of later epochs than that of who gives it, nobody has numbered.
void partition_host::heard_replayed (std::uint64_t from, partition &which, const partition_letter &letter)
{
    const auto found = std::ranges::find (which.readings, letter.token, &reading::letter);
    if (found == which.readings.end () || letter.token == 0)
        return;
    const owner_place owner = place_in (letter);
    if (!see_owner (which, owner.of, from))
        return;
    which.known_tail = std::max (which.known_tail, owner.tail);
    wire::partition_entries entries (letter.entries);
    partition_stamp stamp;
    for (std::string_view octets; entries.next (stamp, octets);) {
        if (is_above (stamp.epoch_number, owner.of.number))
            continue;
        if (!readable (*found))
            return;
        const log_entry entry = entry_of (stamp, octets);
        if (which.at != role::open)
            which.log.learn (entry);
        found->reader->replayed (found->token, owner, entry, events_);
        tell (which, *found);
    }
    if ((letter.flags & wire::partition_flag_complete) == 0)
        return;
    found->reader->replay_ended (found->token, owner, events_);
    tell (which, *found);
}

void partition_host::heard_tail_wanted (std::uint64_t from, partition &which, const partition_letter &letter)
{
    const epoch wanted{letter.epoch_number, letter.epoch_id};
    if (!see_owner (which, wanted, from))
        return refuse (which, from);
    for (reading &each : which.readings) {
        each.reader->heard_of (wanted, events_);
        tell (which, each);
    }
    partition_letter answer = letter_of (which, partition_kind::tail);
    answer.epoch_number = wanted.number;
    answer.epoch_id = wanted.id;
    send_entries (which, from, answer, 1);
}

void partition_host::heard_tail (base::time_ns now,
                                 std::uint64_t from,
                                 partition &which,
                                 const partition_letter &letter)
{
    const epoch theirs{letter.epoch_number, letter.epoch_id};
    if (which.at != role::learning || which.of_role != theirs) {
        (void)give_way (which, theirs);
        return;
    }
    wire::partition_entries entries (letter.entries);
    partition_stamp stamp;
    for (std::string_view octets; entries.next (stamp, octets);)
        if (is_above (theirs.number, stamp.epoch_number))
            which.log.learn (entry_of (stamp, octets));
    if ((letter.flags & wire::partition_flag_complete) == 0)
        return;
    which.asked.erase (from);
    follow_claim (now, which);
}

bool partition_host::took (std::uint64_t from,
                           std::string_view topic,
                           const partition_stamp &stamp,
                           std::string_view octets)
{
    partition *const which = find ({topic, stamp.partition});
    if (which == nullptr)
        return false;
    const log_entry entry = entry_of (stamp, octets);
    if (see_owner (*which, entry.of, from) && which->at != role::open) {
        which->known_tail = entry.sequence;
        which->log.learn (entry);
    }
    bool misses = give_way (*which, which->owner_epoch.current ());
    for (reading &each : which->readings) {
        if (!readable (each))
            continue;
        each.reader->take (entry, events_);
        tell (*which, each);
        misses = misses || each.reader->next_due () == 0;
    }
    if (misses)
        touch (*which);
    return misses;
}

void partition_host::doubted () noexcept
{
    for (const auto &[name, topic] : topics_)
        for (const auto &each : topic->partitions) {
            for (reading &reader : each->readings)
                reader.reader->doubted ();
            touch (*each);
            if (!each->under_way.empty ())
                each->again_ns = 0;
        }
}

// --- publishing ----------------------------------------------------------------------

bool partition_host::publish (base::time_ns now,
                              const partition_ref &where,
                              std::shared_ptr<const std::string> octets,
                              base::time_ns deadline,
                              std::uint64_t ticket)
{
    partition *const which = find (where);
    if (which == nullptr || which->under_way.size () >= publishes_under_way_max)
        return false;
    touch (*which);
    which->under_way.push_back (
      {.ticket = ticket, .number = which->numbers + 1, .deadline = deadline, .octets = std::move (octets)});
    ++which->numbers;
    send_one (now, *which, which->under_way.back ());
    which->again_ns = std::min (which->again_ns, now + publish_again_ns);
    end_numbered (*which);
    return true;
}

// What is numbered here has no number any more, and is taken out by end_numbered ().
void partition_host::send_one (base::time_ns now, partition &which, publishing &what)
{
    const std::uint64_t waits_from = which.under_way.front ().number;
    if (which.at == role::open) {
        std::uint64_t sequence = 0;
        if (number (now, which, self_, what.number, waits_from, what.octets, sequence)
            != wire::outcome_numbered)
            return;
        what.deadline = base::never_ns;
        what.octets = nullptr;
        ways_.published (
          what.ticket,
          {.what = publish_result::numbered, .of = epoch_of (which.log, sequence), .sequence = sequence});
        return;
    }
    if (which.owner == 0 || which.owner == self_)
        return;
    partition_letter letter = letter_of (which, partition_kind::publish);
    letter.number = what.number;
    letter.waits_from = waits_from;
    letter.octets = *what.octets;
    ++what.unanswered;
    ways_.post (which.owner, letter);
}

void partition_host::end_numbered (partition &which)
{
    std::erase_if (which.under_way, [] (const publishing &each) { return each.octets == nullptr; });
    if (which.under_way.empty ())
        which.again_ns = base::never_ns;
}

void partition_host::send_under_way (base::time_ns now, partition &which)
{
    for (publishing &each : which.under_way)
        send_one (now, which, each);
    which.resent_ns = now;
    which.again_ns = now + publish_again_ns;
    end_numbered (which);
}

void partition_host::expire_publishes (base::time_ns now, partition &which)
{
    for (publishing &each : which.under_way) {
        if (now < each.deadline)
            continue;
        each.octets = nullptr;
        ways_.published (each.ticket,
                         {.what = each.unanswered > 0 ? publish_result::unknown : publish_result::unowned});
    }
    end_numbered (which);
}

// --- reading -------------------------------------------------------------------------

bool partition_host::subscribe (std::string_view topic,
                                std::uint64_t subscription,
                                read_from how,
                                std::uint64_t value)
{
    const auto found = topics_.find (topic);
    if (found == topics_.end ())
        return false;
    for (const auto &each : found->second->partitions) {
        reading made;
        made.subscription = subscription;
        made.reader = std::make_unique<partition_reader> (how, value);
        if (each->owner_epoch.current ().number != 0)
            made.reader->heard_of (each->owner_epoch.current (), events_);
        each->readings.push_back (std::move (made));
        touch (*each);
    }
    return true;
}

void partition_host::unsubscribe (std::uint64_t subscription) noexcept
{
    for (const auto &[name, topic] : topics_)
        for (const auto &each : topic->partitions)
            std::erase_if (each->readings,
                           [subscription] (const reading &one) { return one.subscription == subscription; });
}

void partition_host::room_made (std::string_view topic) noexcept
{
    if (const auto found = topics_.find (topic); found != topics_.end ())
        for (const auto &each : found->second->partitions)
            touch (*each);
}

// What a subscription has no room for it asks for later.
bool partition_host::readable (reading &which)
{
    const bool room = ways_.has_room (which.subscription);
    if (!room)
        which.reader->doubted ();
    return room;
}

void partition_host::tell (const partition &which, const reading &to)
{
    for (const reader_event &each : events_)
        ways_.told (to.subscription, ref_of (which), each);
    events_.clear ();
}

void partition_host::ask_owner (base::time_ns now, partition &which, reading &by, const replay_wish &wish)
{
    by.letter = ++letters_;
    by.token = wish.token;
    if (which.at != role::open) {
        partition_letter letter = letter_of (which, partition_kind::replay);
        letter.token = by.letter;
        letter.how = static_cast<std::uint16_t> (wish.how);
        letter.value = wish.value;
        ways_.post (which.owner, letter);
        return;
    }
    if (!which.claim.may_number (now))
        return;
    const owner_place place = place_of (which);
    which.log.for_each_from (replay_start (which, wish.how, wish.value), [&] (const log_entry &entry) {
        by.reader->replayed (by.token, place, entry, events_);
    });
    by.reader->replay_ended (by.token, place, events_);
    tell (which, by);
}

void partition_host::ask_for_readers (base::time_ns now, partition &which)
{
    if (which.owner == 0 || (which.owner == self_ && which.at != role::open))
        return;
    for (reading &each : which.readings)
        if (each.reader->next_due () <= now && readable (each))
            if (const auto wish = each.reader->next (now))
                ask_owner (now, which, each, *wish);
}

// --- time ----------------------------------------------------------------------------

void partition_host::answered (base::time_ns now,
                               const partition_ref &where,
                               std::size_t grantor,
                               std::uint64_t round,
                               const grant_answer &answer)
{
    partition *const which = find (where);
    if (which == nullptr || grantor >= grantors_)
        return;
    touch (*which);
    which->claim.answered (now, grantor, round, answer);
    advance_one (now, *which);
}

void partition_host::grantor_connected (std::size_t grantor) noexcept
{
    for (const auto &[name, topic] : topics_)
        for (const auto &each : topic->partitions) {
            each->claim.connected (grantor);
            touch (*each);
        }
}

// Without memory its time has come still.
void partition_host::advance_one (base::time_ns now, partition &which)
{
    look_at_chosen (now, which);
    which.claim.advance (now);
    while (const auto question = which.claim.next ()) {
        ways_.ask (ref_of (which), *question);
        which.claim.advance (now);
    }
    follow_claim (now, which);
    if (which.at == role::open && now >= which.announces_ns) {
        announce (which, 0);
        which.announces_ns = now + announce_again_ns;
    }
    if (now >= which.again_ns)
        send_under_way (now, which);
    expire_publishes (now, which);
    ask_for_readers (now, which);
    due_.set (which.slot, std::max (due_of (which), now + 1));
}

base::time_ns partition_host::due_of (const partition &which) noexcept
{
    base::time_ns due = std::min ({which.claim.next_due (), which.again_ns, which.announces_ns});
    if (which.at == role::learning)
        due = std::min (due, which.learns_until);
    if (which.chosen != 0 && which.chosen != self_)
        due = std::min (due, which.chosen_ns + pass_over_ns);
    for (const publishing &each : which.under_way)
        due = std::min (due, each.deadline);
    if (which.owner != 0 && (which.owner != self_ || which.at == role::open))
        for (const reading &each : which.readings)
            if (ways_.has_room (each.subscription))
                due = std::min (due, each.reader->next_due ());
    return due;
}

// None of them twice.
base::time_ns partition_host::advance (base::time_ns now)
{
    while (due_.soonest () <= now)
        advance_one (now, *by_slot_[due_.first ()]);
    return due_.soonest ();
}

}  // namespace zlink::service
