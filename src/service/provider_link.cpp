#include "service/provider_link.hpp"

#include <algorithm>

namespace zlink::service {

using wire::registry_kind;
using wire::registry_message;

// --- what shall be -----------------------------------------------------------------

const provider_link::offer *
provider_link::find (std::uint16_t family, std::string_view service, std::string_view endpoint) const noexcept
{
    const auto found = offers_.find (offer_ref (family, service, endpoint));
    return found == offers_.end () ? nullptr : &found->second;
}

void provider_link::set (const wire::provider_view &provider)
{
    offer made;
    made.family = provider.family;
    made.weight = provider.weight;
    made.version = provider.version;
    made.service = provider.service;
    made.endpoint = provider.endpoint;
    made.host = provider.host;
    made.zone = provider.zone;
    made.labels = provider.labels;
    if (queue_.capacity () <= offers_.size ())
        queue_.reserve (2 * offers_.size () + 8);
    offer &kept = offers_.try_emplace (offer_key (made.family, made.service, made.endpoint)).first->second;
    made.request = kept.request;
    made.told_version = kept.told_version;
    made.queued = kept.queued;
    kept = std::move (made);
    queue (kept);
}

void provider_link::drop (std::uint16_t family, std::string_view service, std::string_view endpoint) noexcept
{
    const auto found = offers_.find (offer_ref (family, service, endpoint));
    if (found == offers_.end ())
        return;
    found->second.dropped = true;
    found->second.registered = false;
    queue (found->second);
}

void provider_link::queue (offer &which) noexcept
{
    if (which.queued || which.request != 0)
        return;
    which.queued = true;
    queue_.push_back (&which);
}

void provider_link::erase (const offer &which) noexcept
{
    std::erase (queue_, &which);
    offers_.erase (offers_.find (offer_ref (which.family, which.service, which.endpoint)));
}

offer_state provider_link::state_of (std::uint16_t family,
                                     std::string_view service,
                                     std::string_view endpoint) const noexcept
{
    const offer *const which = find (family, service, endpoint);
    if (which == nullptr || which->dropped)
        return offer_state::unknown;
    if (which->registered)
        return offer_state::registered;
    return which->fault != wire::fault_none ? offer_state::refused : offer_state::pending;
}

std::uint16_t provider_link::fault_of (std::uint16_t family,
                                       std::string_view service,
                                       std::string_view endpoint) const noexcept
{
    const offer *const which = find (family, service, endpoint);
    return which == nullptr ? std::uint16_t{wire::fault_none} : which->fault;
}

// --- what happens ------------------------------------------------------------------

// Nothing that was asked before will be answered, and all is to be told again.
void provider_link::begin_session () noexcept
{
    asked_request_ = 0;
    under_way_.clear ();
    for (auto &[key, each] : offers_) {
        each.request = 0;
        each.registered = false;
        queue (each);
    }
}

void provider_link::connected () noexcept
{
    begin_session ();
    fault_ = wire::fault_none;
    at_ = place::to_open;
    open_at_ns_ = 0;
}

void provider_link::lost () noexcept
{
    begin_session ();
    at_ = place::away;
}

void provider_link::receive (const registry_message &message) noexcept
{
    switch (message.kind) {
    case registry_kind::opened:
        return take_opened (message);
    case registry_kind::answer:
        return take_answer (message);
    case registry_kind::renewed:
        if (at_ == place::open && message.incarnation != incarnation_) {
            begin_session ();
            at_ = place::to_open;
        } else if (at_ == place::open && message.request == asked_request_ && asked_request_ != 0) {
            asked_request_ = 0;
            lease_end_ns_ = asked_ns_ + lease_ns_;
        }
        return;
    case registry_kind::refused:
        fault_ = message.fault;
        if (at_ != place::away && at_ != place::left)
            at_ = place::refused;
        return;
    default:
        return;  // a watcher's
    }
}

void provider_link::take_opened (const registry_message &message) noexcept
{
    if (at_ != place::opening || message.request != asked_request_)
        return;
    at_ = place::open;
    fault_ = wire::fault_none;
    asked_request_ = 0;
    incarnation_ = message.incarnation;
    lease_ns_ = message.lease_ms * base::ns_per_ms;
    renew_ns_ = message.renew_ms * base::ns_per_ms;
    lease_end_ns_ = asked_ns_ + lease_ns_;
    renew_at_ns_ = asked_ns_ + renew_ns_;
}

void provider_link::take_answer (const registry_message &message) noexcept
{
    // Of an open or renew it says that there is no session, or why there will be none.
    if (message.request == asked_request_ && asked_request_ != 0) {
        asked_request_ = 0;
        fault_ = message.fault;
        if (at_ == place::open && message.fault == wire::fault_no_session) {
            begin_session ();
            at_ = place::to_open;
        } else if (at_ == place::opening) {
            at_ = place::to_open;
            open_at_ns_ = asked_ns_ + service::renew_ns;
        }
        return;
    }
    const auto found = under_way_.find (message.request);
    if (found == under_way_.end () || at_ != place::open)
        return;
    offer &which = *found->second;
    under_way_.erase (found);
    which.request = 0;
    if (message.fault == wire::fault_no_session || message.incarnation != incarnation_) {
        begin_session ();
        at_ = place::to_open;
        return;
    }
    take_outcome (which, message.fault);
}

void provider_link::take_outcome (offer &which, std::uint16_t fault) noexcept
{
    if (which.told_version == 0) {
        // A drop: what the registry does not have, or does not let us have, is gone too.
        if (which.dropped)
            erase (which);
        else
            queue (which);
        return;
    }
    if (which.dropped || which.told_version != which.version) {
        queue (which);
        return;
    }
    which.fault = fault;
    which.registered = fault == wire::fault_none;
}

// --- what is to be said ------------------------------------------------------------

base::time_ns provider_link::next_due () const noexcept
{
    if (at_ == place::to_open && !leaving_)
        return open_at_ns_;
    if (at_ == place::opening)
        return asked_ns_ + unanswered_ns;
    return at_ == place::open ? std::min (renew_at_ns_, lease_end_ns_) : base::never_ns;
}

bool provider_link::ask (base::time_ns now, registry_kind kind, std::vector<std::byte> &out)
{
    registry_message message;
    message.kind = kind;
    message.request = requests_ + 1;
    message.instance = instance_;
    message.token = token_;
    wire::encode_registry_message (message, out);
    asked_request_ = ++requests_;
    asked_ns_ = now;
    return true;
}

bool provider_link::next (base::time_ns now, std::vector<std::byte> &out)
{
    if (at_ == place::open && now >= lease_end_ns_) {
        begin_session ();
        at_ = place::to_open;
    }
    if (leaving_ && at_ == place::open) {
        (void)ask (now, registry_kind::close, out);
        at_ = place::left;
        return true;
    }
    if (at_ == place::opening && now >= asked_ns_ + unanswered_ns)
        at_ = place::to_open;  // nobody has answered
    if (at_ == place::to_open && !leaving_ && now >= open_at_ns_) {
        (void)ask (now, registry_kind::open, out);
        at_ = place::opening;
        return true;
    }
    if (at_ != place::open)
        return false;
    if (now < renew_at_ns_)
        return tell_next (out);
    (void)ask (now, registry_kind::renew, out);
    renew_at_ns_ = now + renew_ns_;
    for (auto &[key, each] : offers_)
        if (each.fault != wire::fault_none)
            queue (each);
    return true;
}

bool provider_link::tell_next (std::vector<std::byte> &out)
{
    if (queue_.empty ())
        return false;
    offer &which = *queue_.back ();
    registry_message message;
    message.kind = which.dropped ? registry_kind::drop : registry_kind::put;
    message.request = requests_ + 1;
    message.family = which.family;
    message.service = which.service;
    message.endpoint = which.endpoint;
    message.provider = {.family = which.family,
                        .weight = which.weight,
                        .service = which.service,
                        .endpoint = which.endpoint,
                        .instance = instance_,
                        .version = which.version,
                        .host = which.host,
                        .zone = which.zone,
                        .labels = which.labels};
    std::map<std::uint64_t, offer *> asked{{message.request, &which}};
    wire::encode_registry_message (message, out);
    under_way_.merge (asked);
    queue_.pop_back ();
    which.queued = false;
    which.request = ++requests_;
    which.told_version = which.dropped ? 0 : which.version;
    return true;
}

}  // namespace zlink::service
