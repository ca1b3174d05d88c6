#include "service/known_services.hpp"

#include <algorithm>
#include <iterator>
#include <ranges>

namespace zlink::service {

using wire::registry_entry;
using wire::registry_message;

namespace {

bool is_better (const known_provider &one,
                std::uint64_t arrived,
                const known_provider &other,
                std::uint64_t then)
{
    return one.instance == other.instance ? one.version > other.version : arrived > then;
}

known_provider provider_of (const wire::provider_view &from, std::uint32_t source)
{
    return {.instance = from.instance,
            .version = from.version,
            .registered_at_ms = from.registered_at_ms,
            .weight = from.weight,
            .source = source,
            .stale = false,
            .host = std::string (from.host),
            .zone = std::string (from.zone),
            .labels = std::string (from.labels)};
}

}  // namespace

// --- watches -----------------------------------------------------------------------

void known_services::watch (std::uint16_t family, std::string_view service)
{
    watched fresh;
    for (const auto &[source, connected] : sources_)
        fresh.listings[source].connected = connected;
    watches_.try_emplace (watch_key (family, service), std::move (fresh));
}

void known_services::unwatch (std::uint16_t family, std::string_view service) noexcept
{
    const auto found = watches_.find (watch_ref (family, service));
    if (found == watches_.end ())
        return;
    for (const auto &[source, each] : found->second.listings)
        words_ -= each.words.size ();
    watches_.erase (found);
}

const known_services::watched *known_services::find_watch (std::uint16_t family,
                                                           std::string_view service) const noexcept
{
    const auto found = watches_.find (watch_ref (family, service));
    return found == watches_.end () ? nullptr : &found->second;
}

const known_services::watched *known_services::best_watch (std::uint16_t family,
                                                           std::string_view service) const noexcept
{
    const watched *const own = find_watch (family, service);
    return own != nullptr ? own : find_watch (family, {});
}

std::size_t known_services::count (std::uint16_t family, std::string_view service) const
{
    std::size_t all = 0;
    for_each (family, service, [&all] (auto, auto, const known_provider &) { ++all; });
    return all;
}

watch_facts
known_services::facts (base::time_ns now, std::uint16_t family, std::string_view service) const noexcept
{
    watch_facts told;
    const watched *const of = best_watch (family, service);
    if (of == nullptr)
        return told;
    for (const auto &[source, each] : of->listings) {
        told.fresh += each.fresh ? 1 : 0;
        told.settled |= each.fresh && each.settled;
        if (each.fresh_until_ns != base::never_ns)
            told.age_ns = std::min (told.age_ns, now - each.fresh_until_ns);
    }
    if (told.fresh != 0)
        told.age_ns = 0;
    return told;
}

// --- sources -----------------------------------------------------------------------

void known_services::connected (source_number source)
{
    sources_[source] = true;
    for (auto &[key, of] : watches_)
        of.listings[source].connected = true;
}

void known_services::lost (base::time_ns now, source_number source)
{
    sources_[source] = false;
    for (auto &[key, of] : watches_) {
        listing &by = of.listings[source];
        if (by.fresh)
            by.fresh_until_ns = now;
        by.connected = by.fresh = false;
        merge_all (key.first, of);
    }
}

void known_services::forget (source_number source)
{
    sources_.erase (source);
    for (auto &[key, of] : watches_) {
        const auto found = of.listings.find (source);
        if (found != of.listings.end ()) {
            words_ -= found->second.words.size ();
            of.listings.erase (found);
        }
        merge_all (key.first, of);
    }
}

registry_position
known_services::position (source_number source, std::uint16_t family, std::string_view service) const noexcept
{
    const watched *const of = find_watch (family, service);
    if (of == nullptr)
        return {};
    const auto found = of->listings.find (source);
    return found == of->listings.end () ? registry_position{} : found->second.at;
}

// --- pages -------------------------------------------------------------------------

// Whether it names only what its watch asks for.
bool known_services::fits (const registry_message &page) noexcept
{
    wire::registry_entries entries (page.entries);
    for (registry_entry entry; entries.next (entry);) {
        const std::uint16_t family = entry.gone ? entry.removed.family : entry.provider.family;
        const std::string_view service = entry.gone ? entry.removed.service : entry.provider.service;
        if (family != page.family || (!page.service.empty () && service != page.service))
            return false;
    }
    return !entries.malformed ();
}

// Whether it goes on where the list is; applied: it does.
page_status known_services::follows (const listing &by, const registry_message &page) noexcept
{
    if ((page.flags & wire::registry_flag_reset) != 0)
        return page_status::applied;
    if (page.incarnation != by.at.incarnation)
        return page_status::gap;
    if (page.revision < by.at.since)
        return page_status::ignored;
    return page.since > by.at.since ? page_status::gap : page_status::applied;
}

page_status known_services::apply (source_number source, const registry_message &page)
{
    const auto found = watches_.find (watch_ref (page.family, page.service));
    if (found == watches_.end ())
        return page_status::ignored;
    watched &of = found->second;
    const auto at = of.listings.find (source);
    if (at == of.listings.end () || !at->second.connected)
        return page_status::ignored;
    listing &by = at->second;
    if (const page_status status = follows (by, page); status != page_status::applied)
        return status;
    if (!fits (page))
        return page_status::malformed;
    if (words_ >= providers_max_ && !page.entries.empty ())
        return page_status::too_many;
    const bool reset = (page.flags & wire::registry_flag_reset) != 0;
    if (reset)
        begin_anew (by);
    const std::vector<provider_key> touched = take_entries (by, source, page);
    if (end_page (by, page) || reset) {
        merge_all (page.family, of);
    } else {
        for (const provider_key &each : touched)
            merge (page.family, of, each);
    }
    by.at.incarnation = page.incarnation;
    by.at.since = page.revision;
    return page_status::applied;
}

void known_services::begin_anew (listing &of) noexcept
{
    for (auto &[key, each] : of.words)
        each.doubted = true;
    of.has_doubts = true;
    of.fresh = false;
}

std::vector<known_services::provider_key>
known_services::take_entries (listing &by, source_number source, const registry_message &page)
{
    std::vector<provider_key> touched;
    wire::registry_entries entries (page.entries);
    for (registry_entry entry; entries.next (entry);) {
        if (entry.gone)
            touched.emplace_back (entry.removed.service, entry.removed.endpoint);
        else
            touched.emplace_back (entry.provider.service, entry.provider.endpoint);
        say (by, source, entry);
    }
    return touched;
}

void known_services::say (listing &of, source_number source, const registry_entry &entry)
{
    const provider_ref which = entry.gone ? provider_ref (entry.removed.service, entry.removed.endpoint)
                                          : provider_ref (entry.provider.service, entry.provider.endpoint);
    known_provider provider =
      entry.gone ? known_provider{.instance = entry.removed.instance} : provider_of (entry.provider, source);
    auto at = of.words.find (which);
    if (at == of.words.end ()) {
        at = of.words.try_emplace (provider_key (which.first, which.second)).first;
        ++words_;
    }
    word &said = at->second;
    said.provider = std::move (provider);
    said.gone = entry.gone;
    said.doubted = said.overruled = false;
    said.arrived = ++arrivals_;
}

// What a whole list did not say again is gone.
void known_services::sweep (listing &of) noexcept
{
    words_ -= std::erase_if (of.words, [] (const auto &each) { return each.second.doubted; });
    of.has_doubts = false;
}

bool known_services::end_page (listing &by, const registry_message &page) noexcept
{
    const bool complete = (page.flags & wire::registry_flag_complete) != 0;
    const bool settled = (page.flags & wire::registry_flag_settled) != 0;
    const bool swept = complete && settled && by.has_doubts;
    const bool news = swept || (complete && !by.fresh) || settled != by.settled;
    by.fresh |= complete;
    by.settled = settled;
    if (swept)
        sweep (by);
    return news;
}

// --- the union ---------------------------------------------------------------------

known_services::verdict known_services::judge (const watched &of, const provider_ref &which) noexcept
{
    bool known_better = false;
    verdict firm, soft;
    for (const auto &[source, by] : of.listings) {
        known_better |= by.fresh && by.settled;
        const auto at = by.words.find (which);
        if (at == by.words.end () || at->second.gone)
            continue;
        const word &said = at->second;
        firm.any = true;
        if (!is_firm (by, said) && said.overruled)
            continue;
        verdict &into = is_firm (by, said) ? firm : soft;
        if (into.best == nullptr
            || is_better (said.provider, said.arrived, into.best->provider, into.best->arrived))
            into.best = &said;
    }
    if (firm.best == nullptr && soft.best != nullptr && !known_better && !is_denied (of, which, *soft.best)) {
        firm.best = soft.best;
        firm.stale = true;
    }
    return firm;
}

bool known_services::is_firm (const listing &by, const word &said) noexcept
{
    return by.fresh && !said.doubted;
}

// Whether somebody has said since that this very instance is gone.
bool known_services::is_denied (const watched &of, const provider_ref &which, const word &said) noexcept
{
    return std::any_of (of.listings.begin (), of.listings.end (), [&which, &said] (const auto &each) {
        const auto at = each.second.words.find (which);
        return at != each.second.words.end () && at->second.gone && at->second.arrived > said.arrived
               && at->second.provider.instance == said.provider.instance;
    });
}

void known_services::merge (std::uint16_t family, watched &of, const provider_key &which)
{
    const verdict now = judge (of, which);
    const auto at = of.merged.find (which);
    if (now.best == nullptr && at != of.merged.end ()) {
        tell (change_kind::gone, family, which, at->second.instance);
        of.merged.erase (at);
    } else if (now.best != nullptr) {
        known_provider told = now.best->provider;
        told.stale = now.stale;
        if (at == of.merged.end ()) {
            tell (change_kind::came, family, which, told.instance);
            of.merged.emplace (which, std::move (told));
        } else if (at->second != told) {
            tell (change_kind::changed, family, which, told.instance);
            at->second = std::move (told);
        }
    }
    settle (of, which, now);
}

// Remembers a verdict: who was overruled stays so until its source says it again, or is
// fresh. What nobody lists is forgotten, with that it is gone.
void known_services::settle (watched &of, const provider_key &which, const verdict &now) noexcept
{
    for (auto &[source, by] : of.listings) {
        const auto at = by.words.find (which);
        if (at == by.words.end ())
            continue;
        if (!now.any) {
            by.words.erase (at);
            --words_;
        } else {
            at->second.overruled = now.best == nullptr;
        }
    }
}

void known_services::merge_all (std::uint16_t family, watched &of)
{
    const auto merged = std::views::keys (of.merged);
    std::vector<provider_key> all (merged.begin (), merged.end ());
    for (const auto &[source, by] : of.listings) {
        std::vector<provider_key> both;
        both.reserve (std::max (all.size (), by.words.size ()));
        std::ranges::set_union (all, std::views::keys (by.words), std::back_inserter (both), ref_less ());
        all.swap (both);
    }
    for (const provider_key &each : all)
        merge (family, of, each);
}

void known_services::tell (change_kind kind,
                           std::uint16_t family,
                           const provider_key &which,
                           std::uint64_t instance)
{
    changes_.push_back ({kind, family, which.first, which.second, instance});
}

}  // namespace zlink::service
