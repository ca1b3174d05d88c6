#include "service/gateway_feed.hpp"

#include <new>
#include <utility>
#include <vector>

namespace zlink::service {

using base::errc;
using base::result;

result<gateway_feed::fed> gateway_feed::open (base::world &world,
                                              void *context,
                                              gateway_settings settings,
                                              const std::shared_ptr<discovery> &from) noexcept
try {
    const auto feed = std::make_shared<gateway_feed> (world, from);
    settings.wanted = [weak = std::weak_ptr (feed)] (std::string_view service) {
        if (const std::shared_ptr<gateway_feed> by = weak.lock (); by != nullptr)
            by->want (service);
    };
    result<std::shared_ptr<gateway>> made = gateway::open (world, context, settings);
    if (!made.ok ())
        return made.failure ();
    feed->to_ = made.value ();
    if (const result<void> added = from->add_listener (feed); !added.ok ())
        return added.failure ();
    return fed{std::move (made.value ()), feed};
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

void gateway_feed::stop () noexcept
{
    from_->remove_listener (*this);
    const holding here (lock_);
    to_.reset ();
}

// Without memory it is asked for again with the next change.
void gateway_feed::want (std::string_view service) noexcept
try {
    (void)from_->watch (wire::family_gateway, service);
    const holding here (lock_);
    refresh_locked (*wanted_.emplace (service).first);
} catch (const std::bad_alloc &) {
    return;
}

void gateway_feed::changed (std::span<const service_change> changes) noexcept
try {
    std::set<std::string_view> touched;
    for (const service_change &each : changes)
        if (each.family == wire::family_gateway)
            touched.insert (each.service);
    const holding here (lock_);
    for (const std::string_view each : touched)
        if (const auto found = wanted_.find (each); found != wanted_.end ())
            refresh_locked (*found);
} catch (const std::bad_alloc &) {
    return;
}

// One that drains is listed with weight 0.
void gateway_feed::refresh_locked (const std::string &service)
{
    const std::shared_ptr<gateway> to = to_.lock ();
    if (to == nullptr)
        return;
    std::vector<listed_provider> all;
    from_->for_each (
      wire::family_gateway, service,
      [&all] (std::string_view, std::string_view endpoint, const known_provider &known) {
          all.push_back ({std::string (endpoint), known.instance, known.weight, known.host, known.zone});
      });
    (void)to->set_providers (service, all);
}

}  // namespace zlink::service
