#include "service/registry_table.hpp"

#include <algorithm>
#include <iterator>

#include "base/appending.hpp"

namespace zlink::service {

using wire::registry_fault;
using wire::removal;

namespace {

// What a record costs beside its octets: itself, three nodes of lists, one of a
// table, and what the allocator adds to each.
constexpr std::size_t record_overhead = 448;

// With no room for more.
std::vector<std::byte> octets_of (const wire::provider_view &provider)
{
    std::vector<std::byte> octets;
    wire::append_provider (provider, octets);
    return {octets.begin (), octets.end ()};
}

}  // namespace

registry_table::registry_table (const registry_settings &settings) : settings_ (settings) {}
registry_table::~registry_table () = default;

void registry_table::set_lease (base::time_ns length) noexcept
{
    settings_.lease_ns = length;
    if (before_ != nullptr)
        due_.set (before_->slot, settles_at ());
}

void registry_table::set_limit (registry_limit which, std::size_t most) noexcept
{
    switch (which) {
    case registry_limit::providers:
        settings_.providers_max = most;
        break;
    case registry_limit::providers_of_instance:
        settings_.per_instance_max = most;
        break;
    case registry_limit::instances:
        settings_.instances_max = most;
        break;
    case registry_limit::bytes:
        settings_.bytes_max = most;
        break;
    }
}

// --- instances ---------------------------------------------------------------------

registry_table::instance *registry_table::session_of (peer_number peer) const noexcept
{
    const auto found = sessions_.find (peer);
    return found == sessions_.end () ? nullptr : found->second;
}

registry_fault registry_table::open (base::time_ns now,
                                     peer_number peer,
                                     std::uint64_t number,
                                     std::string_view token_octets)
{
    token secret{};
    if (token_octets.size () != secret.size ())
        return wire::fault_malformed;
    const base::bytes_view octets = base::as_bytes (token_octets);
    std::copy (octets.begin (), octets.end (), secret.begin ());
    if (const instance *const mine = session_of (peer); mine != nullptr && mine->number != number)
        return wire::fault_taken;
    const auto known = instances_.find (number);
    const bool is_new = known == instances_.end ();
    if (is_new && instances_.size () >= settings_.instances_max)
        return wire::fault_too_many;
    if (!is_new && known->second->secret != secret)
        return wire::fault_taken;
    instance *&session = sessions_[peer];  // null: none yet
    instance &which = is_new ? add_instance (number, secret) : *known->second;
    session = &which;
    if (which.connected && which.peer != peer)
        sessions_.erase (which.peer);
    which.peer = peer;
    which.connected = true;
    due_.set (which.slot, now + settings_.lease_ns);
    return wire::fault_none;
}

registry_table::instance &registry_table::add_instance (std::uint64_t number, const token &secret)
{
    auto made = std::make_unique<instance> ();
    made->number = number;
    made->secret = secret;
    reserve_slot ();
    instance &added = *instances_.emplace (number, std::move (made)).first->second;
    take_slot (added);
    return added;
}

void registry_table::reserve_slot ()
{
    if (!free_slots_.empty ())
        return;
    due_.reserve (by_slot_.size () + 1);
    free_slots_.reserve (due_.room ());
    by_slot_.reserve (due_.room ());
}

// There is one.
void registry_table::take_slot (instance &which) noexcept
{
    if (free_slots_.empty ()) {
        which.slot = static_cast<due_heap::slot> (by_slot_.size ());
        by_slot_.push_back (&which);
    } else {
        which.slot = free_slots_.back ();
        free_slots_.pop_back ();
        by_slot_[which.slot] = &which;
    }
}

registry_fault registry_table::renew (base::time_ns now, peer_number peer) noexcept
{
    const instance *const mine = session_of (peer);
    if (mine == nullptr)
        return wire::fault_no_session;
    due_.set (mine->slot, now + settings_.lease_ns);
    return wire::fault_none;
}

registry_fault registry_table::close (peer_number peer, removal why) noexcept
{
    instance *const mine = session_of (peer);
    if (mine == nullptr)
        return wire::fault_no_session;
    remove_instance (*mine, why);
    return wire::fault_none;
}

void registry_table::peer_gone (base::time_ns now, peer_number peer) noexcept
{
    instance *const mine = session_of (peer);
    sessions_.erase (peer);
    if (mine == nullptr)
        return;
    mine->connected = false;
    due_.set (mine->slot, std::min (due_.of (mine->slot), now + settings_.grace_ns));
}

std::size_t registry_table::expire (base::time_ns now) noexcept
{
    std::size_t gone = 0;
    for (; due_.soonest () <= now; ++gone) {
        instance &which = *by_slot_[due_.first ()];
        const bool silent = which.connected || &which == before_.get ();
        remove_instance (which, silent ? wire::removal_expired : wire::removal_lost);
    }
    return gone;
}

void registry_table::remove_instance (instance &which, removal why) noexcept
{
    while (!which.records.empty ())
        remove (*which.records.front (), why);
    if (which.connected)
        sessions_.erase (which.peer);
    due_.set (which.slot, base::never_ns);
    by_slot_[which.slot] = nullptr;
    free_slots_.push_back (which.slot);
    if (&which == before_.get ())
        before_.reset ();
    else
        instances_.erase (which.number);
}

// --- records -----------------------------------------------------------------------

const registry_table::service_entry *registry_table::find_service (std::uint16_t family,
                                                                   std::string_view service) const noexcept
{
    const auto found = services_.find (service_ref (family, service));
    return found == services_.end () ? nullptr : &found->second;
}

registry_table::record *registry_table::find (std::uint16_t family,
                                              std::string_view service,
                                              std::string_view endpoint) const noexcept
{
    const service_entry *const entry = find_service (family, service);
    if (entry == nullptr)
        return nullptr;
    const auto found = entry->by_endpoint.find (endpoint);
    return found == entry->by_endpoint.end () ? nullptr : found->second.get ();
}

bool registry_table::has_room (const instance &owner, bool one_more, std::size_t more_bytes) const noexcept
{
    const bool asks = &owner != before_.get () && &owner != &store_;
    const bool owns_all = asks && owner.records.size () >= settings_.per_instance_max;
    const bool full = one_more && (living_ >= settings_.providers_max || owns_all);
    return !full && bytes_ + more_bytes <= settings_.bytes_max;
}

registry_fault registry_table::put (base::time_ns now, peer_number peer, const wire::provider_view &provider)
{
    instance *const mine = session_of (peer);
    if (mine == nullptr)
        return wire::fault_no_session;
    if (provider.instance != mine->number)
        return wire::fault_not_yours;
    due_.set (mine->slot, now + settings_.lease_ns);
    record *const known = find (provider.family, provider.service, provider.endpoint);
    if (known == nullptr)
        return add (*mine, provider);
    if (known->owner == mine && provider.version < known->version)
        return wire::fault_none;
    return may_have (*known, *mine) ? change (*known, *mine, provider) : wire::fault_taken;
}

// Who asks for what a store has was allowed to by the store.
bool registry_table::may_have (const record &known, const instance &newcomer) const noexcept
{
    return known.owner == nullptr || known.owner == &newcomer || known.owner == &store_
           || !known.owner->connected;
}

registry_fault registry_table::adopt (const wire::provider_view &provider)
{
    record *const known = find (provider.family, provider.service, provider.endpoint);
    if (known == nullptr)
        return add (store_, provider);
    const bool here = known->owner != nullptr && known->owner != &store_;
    return here && known->owner->number == provider.instance ? wire::fault_none
                                                             : change (*known, store_, provider);
}

void registry_table::disown (std::uint16_t family,
                             std::string_view service,
                             std::string_view endpoint,
                             removal why) noexcept
{
    record *const known = find (family, service, endpoint);
    if (known != nullptr && known->owner == &store_)
        remove (*known, why);
}

registry_fault registry_table::remember (const wire::provider_view &provider)
{
    record *const known = find (provider.family, provider.service, provider.endpoint);
    if (known != nullptr && known->owner != nullptr)
        return wire::fault_taken;
    if (before_ == nullptr) {
        reserve_slot ();
        before_ = std::make_unique<instance> ();
        take_slot (*before_);
        due_.set (before_->slot, settles_at ());
    }
    wire::provider_view told = provider;
    told.version = 0;
    return known == nullptr ? add (*before_, told) : change (*known, *before_, told);
}

registry_fault registry_table::change (record &known, instance &owner, const wire::provider_view &provider)
{
    const bool own = known.owner == &owner;
    wire::provider_view told = provider;
    const bool remembered = before_ != nullptr && known.owner == before_.get ();
    if ((own && known.owner != &store_) || (remembered && known.instance_number == told.instance))
        told.registered_at_ms = known.registered_at_ms;
    std::vector<std::byte> octets = octets_of (told);
    if (own && octets == known.octets)
        return wire::fault_none;
    const std::size_t old_bytes = std::min (known.octets.size (), octets.size ());
    if (!has_room (owner, !own, octets.size () - old_bytes))
        return wire::fault_too_many;
    if (!own)
        give (known, owner);
    fill (known, told, octets);
    touch (known);
    return wire::fault_none;
}

// A record for a key that there was none for.
registry_fault registry_table::add (instance &owner, const wire::provider_view &provider)
{
    std::vector<std::byte> octets = octets_of (provider);
    if (!has_room (owner, true, octets.size ()))
        return wire::fault_too_many;
    auto made = std::make_unique<record> ();
    record &added = *made;
    added.endpoint = provider.endpoint;
    record_list all{&added}, in_service{&added}, in_owner{&added};
    service_map fresh;
    auto at = services_.find (service_ref (provider.family, provider.service));
    if (at == services_.end ())
        at = fresh.try_emplace (service_key (provider.family, provider.service)).first;
    at->second.by_endpoint.emplace (added.endpoint, std::move (made));
    // Nothing below takes memory.
    if (!fresh.empty ()) {
        at->second.floor = floor_;
        services_.merge (fresh);
    }
    added.of = &*at;
    added.owner = &owner;
    added.in_all = all.begin ();
    added.in_service = in_service.begin ();
    added.in_owner = in_owner.begin ();
    all_.splice (all_.end (), all);
    at->second.in_order.splice (at->second.in_order.end (), in_service);
    owner.records.splice (owner.records.end (), in_owner);
    ++living_;
    ++at->second.living;
    bytes_ += record_overhead + added.endpoint.size ();
    fill (added, provider, octets);
    touch (added);
    return wire::fault_none;
}

// One that is gone, or whose instance has lost its connection, gets another owner.
void registry_table::give (record &which, instance &owner) noexcept
{
    record_list &from = which.owner == nullptr ? gone_ : which.owner->records;
    if (which.owner == nullptr) {
        ++living_;
        ++which.of->second.living;
    }
    owner.records.splice (owner.records.end (), from, which.in_owner);
    which.owner = &owner;
}

void registry_table::fill (record &which,
                           const wire::provider_view &provider,
                           std::vector<std::byte> &octets) noexcept
{
    which.instance_number = provider.instance;
    which.version = provider.version;
    which.registered_at_ms = provider.registered_at_ms;
    bytes_ += octets.size ();
    bytes_ -= which.octets.size ();
    which.octets.swap (octets);
}

void registry_table::touch (record &which) noexcept
{
    which.revision = ++revision_;
    all_.splice (all_.end (), all_, which.in_all);
    record_list &in_order = which.of->second.in_order;
    in_order.splice (in_order.end (), in_order, which.in_service);
}

registry_fault registry_table::drop (peer_number peer,
                                     std::uint16_t family,
                                     std::string_view service,
                                     std::string_view endpoint) noexcept
{
    const instance *const mine = session_of (peer);
    if (mine == nullptr)
        return wire::fault_no_session;
    record *const known = find (family, service, endpoint);
    if (known == nullptr || known->owner == nullptr)
        return wire::fault_not_found;
    if (known->owner != mine)
        return wire::fault_not_yours;
    remove (*known, wire::removal_unregistered);
    return wire::fault_none;
}

registry_fault
registry_table::force_out (std::uint16_t family, std::string_view service, std::string_view endpoint) noexcept
{
    record *const known = find (family, service, endpoint);
    if (known == nullptr || known->owner == nullptr)
        return wire::fault_not_found;
    remove (*known, wire::removal_forced);
    return wire::fault_none;
}

void registry_table::remove (record &which, removal why) noexcept
{
    gone_.splice (gone_.end (), which.owner->records, which.in_owner);
    which.owner = nullptr;
    which.why = why;
    bytes_ -= which.octets.size ();
    std::vector<std::byte> ().swap (which.octets);
    --living_;
    --which.of->second.living;
    touch (which);
    if (gone_.size () > settings_.gone_max)
        forget_oldest ();
}

void registry_table::forget_oldest () noexcept
{
    record &which = *gone_.front ();
    service_map::value_type &of = *which.of;
    floor_ = std::max (floor_, which.revision);
    of.second.floor = which.revision;
    bytes_ -= record_overhead + which.endpoint.size ();
    gone_.pop_front ();
    all_.erase (which.in_all);
    of.second.in_order.erase (which.in_service);
    of.second.by_endpoint.erase (of.second.by_endpoint.find (which.endpoint));
    if (of.second.in_order.empty ())
        services_.erase (services_.find (of.first));
}

// --- reading -----------------------------------------------------------------------

std::size_t registry_table::providers_of (std::uint16_t family, std::string_view service) const noexcept
{
    const service_entry *const entry = find_service (family, service);
    return entry == nullptr ? 0 : entry->living;
}

void registry_table::append_entry (const record &which, std::vector<std::byte> &entries)
{
    if (which.owner != nullptr)
        base::append (entries, which.octets);
    else
        wire::append_removed ({.family = which.of->first.first,
                               .why = which.why,
                               .service = which.of->first.second,
                               .endpoint = which.endpoint,
                               .instance = which.instance_number},
                              entries);
}

// What holds the changes of a service, or of all; floor becomes the service's own.
const registry_table::record_list &
registry_table::list_of (std::uint16_t family, std::string_view service, std::uint64_t &floor) const noexcept
{
    if (service.empty ())
        return all_;
    const service_entry *const entry = find_service (family, service);
    if (entry == nullptr)
        return nothing_;
    floor = entry->floor;
    return entry->in_order;
}

bool registry_table::begins_anew (const registry_position &behind, std::uint64_t floor) const noexcept
{
    return behind.incarnation != settings_.incarnation || behind.since == 0 || behind.since > revision_
           || std::max (behind.since, behind.base) < floor;
}

wire::registry_message registry_table::read (std::uint16_t family,
                                             std::string_view service,
                                             const registry_position &behind,
                                             std::size_t bytes_max,
                                             std::vector<std::byte> &entries) const
{
    std::uint64_t floor = floor_;
    const record_list &list = list_of (family, service, floor);
    const bool reset = begins_anew (behind, floor);

    wire::registry_message page;
    page.kind = wire::registry_kind::page;
    page.family = family;
    page.service = service;
    page.incarnation = settings_.incarnation;
    page.since = reset ? 0 : behind.since;
    page.flags = reset ? wire::registry_flag_reset : 0;
    auto at = list.end ();
    while (at != list.begin () && (*std::prev (at))->revision > page.since)
        --at;
    const std::size_t begun = entries.size ();
    for (; at != list.end (); ++at) {
        const record &each = **at;
        if (each.of->first.first != family || (each.owner == nullptr && reset))
            continue;
        if (entries.size () - begun >= bytes_max)
            return page;
        append_entry (each, entries);
        page.revision = each.revision;
    }
    page.revision = revision_;
    page.flags |= wire::registry_flag_complete;
    return page;
}

}  // namespace zlink::service
