#include "service/provider_set.hpp"

#include <algorithm>

namespace zlink::service {

using base::time_ns;

void provider_set::set_place (std::string_view host, std::string_view zone)
{
    host_ = host;
    zone_ = zone;
}

// --- services ----------------------------------------------------------------------

provider_set::service *provider_set::find (std::string_view name) noexcept
{
    const auto found = services_.find (name);
    return found == services_.end () ? nullptr : found->second.get ();
}

provider_set::service &provider_set::at (std::string_view name)
{
    if (service *const found = find (name); found != nullptr)
        return *found;
    auto made = std::make_unique<service> (service{std::string (name), balancer (settings_), {}, false, {}});
    return *services_.emplace (std::string (name), std::move (made)).first->second;
}

provider_set::provider *provider_set::find (provider_number number) noexcept
{
    if (found_ != nullptr && found_number_ == number) [[likely]]
        return found_;
    const auto found = providers_.find (number);
    if (found == providers_.end ())
        return nullptr;
    found_number_ = number;
    return found_ = &found->second;
}

// One that was about to be let go of is kept.
provider_number provider_set::number_of (const listed_provider &listed)
{
    if (const auto found = by_endpoint_.find (listed.endpoint); found != by_endpoint_.end ()) {
        providers_.at (found->second).instance = listed.instance;
        return found->second;
    }
    const provider_number number = ++last_;
    provider made;
    made.endpoint = listed.endpoint;
    made.instance = listed.instance;
    made.to_dial = any_to_dial_ = true;
    const auto place = by_endpoint_.emplace (listed.endpoint, number).first;
    try {
        providers_.emplace (number, std::move (made));
    } catch (...) {
        by_endpoint_.erase (place);
        throw;
    }
    return number;
}

void provider_set::set (std::string_view name, std::span<const listed_provider> all)
{
    service &of = at (name);
    std::vector<provider_number> now;
    now.reserve (all.size ());
    of.listed.reserve (of.listed.size () + all.size ());
    for (const listed_provider &each : all) {
        const provider_number number = number_of (each);
        if (std::find (now.begin (), now.end (), number) != now.end ())
            continue;
        now.push_back (number);
        provider &one = providers_.at (number);
        of.members.add (number, each.endpoint, each.weight,
                        distance_between (host_, zone_, each.host, each.zone));
        of.members.set_connected (number, one.connected && !one.draining);
        if (std::find (of.listed.begin (), of.listed.end (), number) == of.listed.end ()) {
            one.has.push_back (&of);
            of.listed.push_back (number);
        }
    }
    const std::vector<provider_number> before = of.listed;
    for (const provider_number each : before)
        if (std::find (now.begin (), now.end (), each) == now.end ())
            drop_from (of, each);
}

void provider_set::drop_from (service &of, provider_number number) noexcept
{
    std::erase (of.listed, number);
    of.members.remove (number);
    if (provider *const one = find (number); one != nullptr) {
        std::erase (one->has, &of);
        any_unlisted_ |= one->has.empty ();
    }
}

std::size_t provider_set::usable (const service &of) const noexcept { return of.members.connected (); }

std::optional<provider_number> provider_set::of_instance (const service &of, std::uint64_t instance) noexcept
{
    for (const provider_number each : of.listed) {
        const provider *const one = find (each);
        if (one != nullptr && one->instance == instance && one->connected)
            return each;
    }
    return std::nullopt;
}

// --- connections -------------------------------------------------------------------

std::optional<provider_number> provider_set::take_to_dial () noexcept
{
    if (!any_to_dial_)
        return std::nullopt;
    for (auto &[number, each] : providers_)
        if (each.to_dial) {
            each.to_dial = false;
            return number;
        }
    any_to_dial_ = false;
    return std::nullopt;
}

void provider_set::dial_again (provider_number number) noexcept
{
    if (provider *const one = find (number); one != nullptr)
        one->to_dial = any_to_dial_ = true;
}

std::optional<provider_number> provider_set::take_to_let_go () noexcept
{
    if (!any_unlisted_)
        return std::nullopt;
    bool waiting = false;
    for (auto &[number, each] : providers_) {
        if (!each.has.empty ())
            continue;
        if (each.under_way == 0)
            return number;
        waiting = true;
    }
    any_unlisted_ = waiting;
    return std::nullopt;
}

void provider_set::forget (provider_number number) noexcept
{
    const auto found = providers_.find (number);
    if (found == providers_.end ())
        return;
    by_endpoint_.erase (found->second.endpoint);
    found_ = nullptr;
    providers_.erase (found);
}

void provider_set::connected (provider_number number) noexcept
{
    provider *const one = find (number);
    if (one == nullptr)
        return;
    one->connected = true;
    one->draining = false;
    for (service *each : one->has)
        each->members.set_connected (number, true);
}

void provider_set::lost (time_ns now, provider_number number, std::uint64_t dice) noexcept
{
    provider *const one = find (number);
    if (one == nullptr)
        return;
    answered (now, number, false, dice);
    one->connected = one->draining = false;
    one->under_way = 0;
    for (service *each : one->has) {
        each->members.set_connected (number, false);
        while (each->members.outstanding (number) > 0)
            each->members.ended (number);
    }
    plan_probes ();
}

void provider_set::unreachable (provider_number number) noexcept
{
    if (provider *const one = find (number); one != nullptr)
        for (service *each : one->has)
            each->members.set_connected (number, false);
}

void provider_set::drains (provider_number number) noexcept
{
    provider *const one = find (number);
    if (one == nullptr)
        return;
    one->draining = true;
    for (service *each : one->has)
        each->members.set_connected (number, false);
}

// --- requests ----------------------------------------------------------------------

void provider_set::began (service &of, provider_number number) noexcept
{
    of.members.began (number);
    if (provider *const one = find (number); one != nullptr)
        ++one->under_way;
}

void provider_set::ended (service &of, provider_number number) noexcept
{
    if (of.members.outstanding (number) > 0)
        of.members.ended (number);
    if (provider *const one = find (number); one != nullptr && one->under_way > 0)
        --one->under_way;
}

void provider_set::failed (time_ns now, service &of, provider_number number, std::uint64_t dice) noexcept
{
    of.members.failed (now, number, dice);
    plan_probes ();
}

void provider_set::outrun (time_ns now, service &of, provider_number number) noexcept
{
    if (of.members.outrun (now, number))
        plan_probes ();
}

void provider_set::heard (provider_number number) noexcept
{
    if (const provider *const one = find (number); one != nullptr)
        for (service *each : one->has)
            each->members.heard (number);
}

// --- probes ------------------------------------------------------------------------

void provider_set::plan_probes () noexcept
{
    probe_at_ns_ = base::never_ns;
    for (const auto &[name, each] : services_)
        probe_at_ns_ = std::min (probe_at_ns_, each->members.next_probe ());
    for (const auto &[number, each] : providers_)
        probe_at_ns_ = std::min (probe_at_ns_, each.probe_until_ns);
}

std::optional<provider_number> provider_set::take_probe (time_ns now, std::uint64_t dice) noexcept
{
    if (now < probe_at_ns_)
        return std::nullopt;
    for (auto &[number, each] : providers_)
        if (each.probe_until_ns <= now)
            answered (now, number, false, dice);
    for (const auto &[name, each] : services_) {
        const std::optional<provider_number> number = each->members.take_probe (now);
        provider *const one = number ? find (*number) : nullptr;
        if (one == nullptr)
            continue;
        const bool asked = one->probe_until_ns != base::never_ns;
        if (!one->connected) {
            each->members.probed (now, *number, false, dice);
        } else if (!asked) {
            one->probe_until_ns = now + probe_answer_ns;
            plan_probes ();
            return number;
        }
    }
    plan_probes ();
    return std::nullopt;
}

// All services that have asked hear of it.
void provider_set::answered (time_ns now, provider_number number, bool well, std::uint64_t dice) noexcept
{
    provider &one = providers_.at (number);
    if (one.probe_until_ns == base::never_ns)
        return;
    one.probe_until_ns = base::never_ns;
    for (service *each : one.has)
        if (each->members.ejected (number))
            each->members.probed (now, number, well, dice);
}

void provider_set::alive (time_ns now, provider_number number) noexcept
{
    if (find (number) == nullptr)
        return;
    answered (now, number, true, 0);
    plan_probes ();
}

}  // namespace zlink::service
