#include "service/registry_watchers.hpp"

namespace zlink::service {

using wire::registry_fault;

// --- who watches -------------------------------------------------------------------

registry_watchers::watch_entry *
registry_watchers::find (peer_number peer, std::uint16_t family, std::string_view service) noexcept
{
    const auto watches = peers_.find (peer);
    if (watches == peers_.end ())
        return nullptr;
    const auto found = watches->second.find (key_ref (family, service));
    return found == watches->second.end () ? nullptr : &found->second;
}

registry_fault registry_watchers::watch (peer_number peer,
                                         std::uint16_t family,
                                         std::string_view service,
                                         std::uint64_t incarnation,
                                         std::uint64_t since)
{
    const registry_position at{.incarnation = incarnation, .since = since};
    if (watch_entry *const known = find (peer, family, service); known != nullptr) {
        known->at = at;
        known->under_way = false;
        known->owed = true;
        make_ready (*known);
        return wire::fault_none;
    }
    const auto watches = peers_.find (peer);
    const std::size_t of_peer = watches == peers_.end () ? 0 : watches->second.size ();
    if (of_peer >= limits_.per_peer || size_ >= limits_.all)
        return wire::fault_too_many;
    add (peer, family, service, at);
    return wire::fault_none;
}

void registry_watchers::add (peer_number peer,
                             std::uint16_t family,
                             std::string_view service,
                             const registry_position &at)
{
    // What takes memory is made apart, and joined when all of it is there.
    entry_list in_subject{nullptr}, in_queue{nullptr};
    subject_map new_subject;
    auto subject = subjects_.find (key_ref (family, service));
    if (subject == subjects_.end ())
        subject = new_subject.try_emplace (key (family, service)).first;
    std::map<peer_number, peer_watches> new_peer;
    auto peer_at = peers_.find (peer);
    if (peer_at == peers_.end ())
        peer_at = new_peer.try_emplace (peer).first;
    watch_entry &made = peer_at->second[key_ref (subject->first)];
    peers_.merge (new_peer);
    subjects_.merge (new_subject);

    made.peer = peer;
    made.subject = &*subject;
    made.at = at;
    in_subject.front () = in_queue.front () = &made;
    made.in_subject = in_subject.begin ();
    made.in_queue = in_queue.begin ();
    subject->second.splice (subject->second.end (), in_subject);
    idle_.splice (idle_.end (), in_queue);
    ++size_;
    make_ready (made);
}

// Leaves all lists; the entry itself is the caller's to erase.
void registry_watchers::take_off (watch_entry &which) noexcept
{
    subject_map::value_type &subject = *which.subject;
    subject.second.erase (which.in_subject);
    (which.ready ? ready_ : idle_).erase (which.in_queue);
    --size_;
    if (mark_.subject == &subject)
        mark_ = {};
}

registry_fault
registry_watchers::unwatch (peer_number peer, std::uint16_t family, std::string_view service) noexcept
{
    watch_entry *const known = find (peer, family, service);
    if (known == nullptr)
        return wire::fault_not_found;
    subject_map::value_type &subject = *known->subject;
    take_off (*known);
    const auto watches = peers_.find (peer);
    watches->second.erase (key_ref (family, service));
    if (watches->second.empty ())
        peers_.erase (watches);
    if (subject.second.empty ())
        subjects_.erase (subjects_.find (key_ref (subject.first)));
    return wire::fault_none;
}

void registry_watchers::peer_gone (peer_number peer) noexcept
{
    for (auto watches = peers_.find (peer); watches != peers_.end (); watches = peers_.find (peer)) {
        const key_ref first = watches->second.begin ()->first;
        (void)unwatch (peer, first.first, first.second);
    }
}

// --- who is due what ---------------------------------------------------------------

void registry_watchers::make_ready (watch_entry &which) noexcept
{
    if (which.ready || which.under_way)
        return;
    which.ready = true;
    ready_.splice (ready_.end (), idle_, which.in_queue);
}

void registry_watchers::mark (std::uint16_t family, std::string_view service) noexcept
{
    const auto subject = subjects_.find (key_ref (family, service));
    if (subject == subjects_.end ())
        return;
    for (watch_entry *const each : subject->second) {
        each->news = true;
        make_ready (*each);
    }
}

void registry_watchers::note (const registry_table &table) noexcept
{
    table.for_each_since (noted_, [this] (std::uint16_t family, std::string_view service) {
        mark (family, service);
        mark (family, {});
    });
    noted_ = table.revision ();
}

void registry_watchers::tell_all () noexcept
{
    for (auto &[name, watches] : subjects_)
        for (watch_entry *const each : watches) {
            each->owed = true;
            make_ready (*each);
        }
}

void registry_watchers::seen (peer_number peer,
                              std::uint16_t family,
                              std::string_view service,
                              std::uint64_t revision) noexcept
{
    watch_entry *const known = find (peer, family, service);
    if (known == nullptr || !known->under_way || known->sent_revision != revision)
        return;
    known->under_way = false;
    if (known->news || known->owed)
        make_ready (*known);
}

std::optional<watch_page> registry_watchers::next (base::time_ns now, const registry_table &table)
{
    while (!ready_.empty ()) {
        watch_entry &which = *ready_.front ();
        const page_mark wanted{which.subject, which.at.incarnation, which.at.since,
                               which.at.base, table.revision (),    table.settled (now)};
        const bool same = write (which, table, wanted);
        const bool complete = (page_.flags & wire::registry_flag_complete) != 0;
        which.ready = false;
        idle_.splice (idle_.end (), ready_, which.in_queue);
        which.at.pass (page_, table.revision ());
        which.news = !complete;
        const bool idle_page =
          complete && entries_.empty () && !which.owed && (page_.flags & wire::registry_flag_reset) == 0;
        if (idle_page)
            continue;
        which.owed = false;
        which.under_way = true;
        which.sent_revision = page_.revision;
        return watch_page{.peer = which.peer, .octets = octets_, .same = same};
    }
    return std::nullopt;
}

// The page in octets_; true: it was there.
bool registry_watchers::write (const watch_entry &which, const registry_table &table, const page_mark &wanted)
{
    if (mark_ == wanted)
        return true;
    mark_ = {};
    entries_.clear ();
    octets_.clear ();
    page_ = table.read (which.subject->first.first, which.subject->first.second, which.at, limits_.page_bytes,
                        entries_);
    page_.flags |= wanted.settled ? wire::registry_flag_settled : 0;
    wire::registry_message whole = page_;
    whole.entries = entries_;
    wire::encode_registry_message (whole, octets_);
    mark_ = wanted;
    ++written_;
    return false;
}

}  // namespace zlink::service
