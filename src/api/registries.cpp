#include "api/registries.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/discoveries.hpp"
#include "api/errors.hpp"
#include "api/registry_events.hpp"
#include "api/service_handles.hpp"
#include "api/stored_registries.hpp"
#include "api/texts.hpp"
#include "base/bytes.hpp"
#include "platform/system_durable_file.hpp"
#include "service/registry.hpp"

namespace zlink::api {

using base::errc;
using base::result;
using service::registry;

namespace {

// Whom an application hears through.
class handler_observer final : public service::registry_observer
{
  public:
    handler_observer (zlink_registry_fn *handler, void *hint) noexcept : handler_ (handler), hint_ (hint) {}
    void changed (const wire::registry_entry &what) noexcept override { tell_entry (what, handler_, hint_); }
    void refused (std::string_view, std::uint16_t fault, std::string_view about) noexcept override
    {
        tell_refusal (fault, about, handler_, hint_);
    }

  private:
    zlink_registry_fn *const handler_;
    void *const hint_;
};

class registry_object final : public service_object
{
  public:
    registry_object (std::shared_ptr<context_services> all, std::shared_ptr<registry> one) noexcept
      : in (std::move (all)), is (std::move (one))
    {
    }
    void close () noexcept override { is->close (); }
    result<void> set_option (side which, int number, const void *value, std::size_t size) noexcept override
    {
        return which == side::listening ? is->set_option (number, value, size) : result<void> ();
    }

    const std::shared_ptr<context_services> in;
    const std::shared_ptr<registry> is;
    base::exchange_lock lock;  // of all below
    std::vector<std::string> to_bind;
    std::string bound;  // last
    bool started = false;
    std::vector<std::unique_ptr<handler_observer>> observers;  // the last one hears
};

template <class Body> int with_registry (void *handle, Body &&body) noexcept
{
    return with_held<registry_object> (handle, handle_kind::registry, std::forward<Body> (body));
}

template <class Body> int with_discovery (void *handle, Body &&body) noexcept
{
    return with_held<discovery_object> (handle, handle_kind::discovery, std::forward<Body> (body));
}

// A handle for what was opened; what cannot have one is closed.
template <class Object, class Opened, class... More>
result<void *> handle_for (handle_kind kind, const std::shared_ptr<Opened> &opened, More... more) noexcept
{
    std::shared_ptr<Object> object;
    try {
        object = std::make_shared<Object> (std::move (more)...);
    } catch (const std::bad_alloc &) {
        opened->close ();
        return errc::no_memory;
    }
    void *const handle = open_service (kind, std::move (object));
    return handle == nullptr ? result<void *> (errc::no_memory) : result<void *> (handle);
}

int bind_one (registry_object &of, std::string_view endpoint)
{
    result<std::string> bound = of.is->bind (endpoint);
    if (!bound)
        return failed (bound.failure ());
    const base::locked guard (of.lock);
    of.bound.swap (bound.value ());
    return 0;
}

}  // namespace

// --- registries --------------------------------------------------------------

static result<void *> open_registry (void *context) noexcept
{
    const result<std::shared_ptr<context_services>> in = services_of (context);
    if (!in)
        return in.failure ();
    const result<std::shared_ptr<registry>> made =
      registry::open (in.value ()->world, context, in.value ()->loop);
    if (!made)
        return made.failure ();
    return handle_for<registry_object> (handle_kind::registry, made.value (), in.value (), made.value ());
}

void *registry_new (void *context) noexcept { return answer (open_registry (context)); }

int registry_destroy (void **registry) noexcept { return destroy_service (registry, handle_kind::registry); }

int registry_is_there (void *registry) noexcept
{
    return with_registry (registry, [] (registry_object &) { return 0; });
}

int registry_set_endpoints (void *registry, const char *first, const char *second) noexcept
{
    return with_registry (registry, [&] (registry_object &of) {
        std::vector<std::string> wanted;
        for (const char *const each : {second, first})  // the last one is bound first
            if (each != nullptr)
                wanted.emplace_back (each);
        if (wanted.empty ())
            return failed (errc::invalid_argument);
        const base::locked guard (of.lock);
        if (of.started)
            return failed (errc::wrong_state);
        of.to_bind.swap (wanted);
        return 0;
    });
}

int registry_add_other (void *registry, const char *endpoint) noexcept
{
    return with_registry (
      registry, [&] (registry_object &of) { return answer (of.is->add_other (text_of (endpoint))); });
}

int registry_set_heartbeat (void *registry, std::uint32_t interval_ms, std::uint32_t timeout_ms) noexcept
{
    return with_registry (registry, [&] (registry_object &of) {
        return answer (of.is->set_lease (timeout_ms * base::ns_per_ms, interval_ms * base::ns_per_ms));
    });
}

int registry_set_option (void *registry, int role, int option, const void *value, std::size_t size) noexcept
{
    return with_registry (registry, [&] (registry_object &of) {
        if (role < ZLINK_REGISTRY_SOCKET_PUB || role > ZLINK_REGISTRY_SOCKET_PEER_SUB)
            return failed (errc::invalid_argument);
        return answer (of.is->set_option (option, value, size));
    });
}

int registry_set_store (void *registry, const char *url) noexcept
{
    return with_registry (registry, [&] (registry_object &of) {
        if (url == nullptr)
            return failed (errc::invalid_argument);
        const result<service::store_opener> open = opener_of (of.in->world, url);
        return open ? answer (of.is->set_store (open.value ())) : failed (open.failure ());
    });
}

int registry_set_votes (void *registry, const char *path) noexcept
{
    return with_registry (registry, [&] (registry_object &of) {
        if (path == nullptr)
            return failed (errc::invalid_argument);
        result<std::unique_ptr<base::durable_file>> file = platform::system_durable_file::open (path);
        return file ? answer (of.is->keep_votes (std::move (file).value ())) : failed (file.failure ());
    });
}

// Where it has failed it goes on when it is tried again.
int registry_start (void *registry) noexcept
{
    return with_registry (registry, [&] (registry_object &of) {
        std::vector<std::string> wanted;
        {
            const base::locked guard (of.lock);
            if (of.started)
                return failed (errc::wrong_state);
            if (of.to_bind.empty ())
                return failed (errc::invalid_argument);
            wanted = of.to_bind;
            of.started = true;
        }
        while (!wanted.empty () && bind_one (of, wanted.back ()) == 0)
            wanted.pop_back ();
        if (wanted.empty ())
            return 0;
        const base::locked guard (of.lock);
        of.to_bind.swap (wanted);
        of.started = false;
        return -1;
    });
}

int registry_bind (void *registry, const char *endpoint) noexcept
{
    return with_registry (registry, [&] (registry_object &of) {
        return endpoint == nullptr ? failed (errc::invalid_argument) : bind_one (of, endpoint);
    });
}

int registry_endpoint (void *registry, char *endpoint, std::size_t *size) noexcept
{
    return with_registry (registry, [&] (registry_object &of) {
        if (size == nullptr || (endpoint == nullptr && *size != 0))
            return failed (errc::bad_address);
        const base::locked guard (of.lock);
        if (of.bound.empty ())
            return failed (errc::no_such_endpoint);
        copy_text (of.bound, endpoint, *size);
        *size = of.bound.size () + 1;
        return 0;
    });
}

int registry_remove (void *registry, std::uint16_t family, const char *service, const char *endpoint) noexcept
{
    return with_registry (registry, [&] (registry_object &of) {
        return answer (of.is->force_out (family, text_of (service), text_of (endpoint)));
    });
}

int registry_info (void *registry, zlink_registry_info_t *info) noexcept
{
    return with_registry (registry, [&] (registry_object &of) {
        if (info == nullptr)
            return failed (errc::bad_address);
        const service::registry_facts facts = of.is->facts ();
        *info = {};
        info->incarnation = facts.incarnation;
        info->revision = facts.revision;
        info->settled = facts.settled ? 1 : 0;
        info->services = facts.services;
        info->providers = facts.providers;
        info->instances = facts.instances;
        info->watches = facts.watches;
        info->peers = facts.peers;
        info->bytes = facts.bytes;
        return 0;
    });
}

int registry_set_handler (void *registry, zlink_registry_fn *handler, void *hint) noexcept
{
    return with_registry (registry, [&] (registry_object &of) {
        auto fresh = handler == nullptr ? nullptr : std::make_unique<handler_observer> (handler, hint);
        const base::locked guard (of.lock);
        of.observers.reserve (of.observers.size () + 1);
        const result<void> set = of.is->set_observer (fresh.get ());
        if (set)
            of.observers.push_back (std::move (fresh));
        return answer (set);
    });
}

int registry_visit (void *registry, zlink_registry_fn *visitor, void *hint) noexcept
{
    return with_registry (registry, [&] (registry_object &of) {
        if (visitor == nullptr)
            return failed (errc::bad_address);
        std::vector<std::byte> octets;
        for (const std::uint16_t family : {wire::family_gateway, wire::family_spot})
            if (const result<void> listed = of.is->list (family, octets); !listed)
                return failed (listed.failure ());
        wire::registry_entries entries (octets);
        for (wire::registry_entry each; entries.next (each);)
            if (!each.gone)
                tell_entry (each, visitor, hint);
        return 0;
    });
}

int registry_remember (void *registry, const zlink_registry_event_t *provider) noexcept
{
    return with_registry (registry, [&] (registry_object &of) {
        if (provider == nullptr)
            return failed (errc::bad_address);
        const auto *const labels = static_cast<const char *> (provider->labels);
        return answer (
          of.is->remember ({.family = provider->service_type,
                            .weight = provider->weight,
                            .service = text_of (provider->service_name),
                            .endpoint = text_of (provider->endpoint),
                            .instance = provider->instance,
                            .registered_at_ms = provider->registered_at,
                            .host = text_of (provider->host),
                            .zone = text_of (provider->zone),
                            .labels = labels == nullptr ? std::string_view ()
                                                        : std::string_view (labels, provider->labels_size)}));
    });
}

int registry_set_limit (void *registry, int limit, std::uint64_t value) noexcept
{
    return with_registry (registry, [&] (registry_object &of) {
        using service::registry_limit;
        constexpr std::array limits{registry_limit::providers, registry_limit::providers_of_instance,
                                    registry_limit::instances, registry_limit::bytes};
        if (limit < ZLINK_REGISTRY_MAX_PROVIDERS || limit > ZLINK_REGISTRY_MAX_BYTES)
            return failed (errc::invalid_argument);
        return answer (of.is->set_limit (limits[static_cast<std::size_t> (limit) - 1], value));
    });
}

// --- discoveries -------------------------------------------------------------

void discovery_object::close () noexcept
{
    (void)call (nullptr);
    is->close ();
}

result<void> discovery_object::call (service::discovery_caller::handler handler)
{
    std::shared_ptr<service::discovery_caller> fresh;
    if (handler != nullptr) {
        result<std::shared_ptr<service::discovery_caller>> started =
          service::discovery_caller::start (in->world, std::move (handler));
        if (!started)
            return started.failure ();
        fresh = std::move (started).value ();
        if (const result<void> added = is->add_listener (fresh); !added)
            return added;
    }
    {
        const service::holding guard (lock_);
        caller_.swap (fresh);
    }
    if (fresh != nullptr) {
        is->remove_listener (*fresh);
        fresh->stop ();
    }
    return {};
}

static result<void *> open_discovery (void *context, std::uint16_t family) noexcept
{
    if (family != ZLINK_SERVICE_GATEWAY && family != ZLINK_SERVICE_SPOT)
        return errc::invalid_argument;
    const result<std::shared_ptr<context_services>> in = services_of (context);
    if (!in)
        return in.failure ();
    const result<std::shared_ptr<service::discovery>> made =
      service::discovery::open (in.value ()->world, context, in.value ()->loop);
    if (!made)
        return made.failure ();
    return handle_for<discovery_object> (handle_kind::discovery, made.value (), in.value (), made.value (),
                                         family);
}

void *discovery_new (void *context, std::uint16_t family) noexcept
{
    return answer (open_discovery (context, family));
}

int discovery_destroy (void **discovery) noexcept
{
    return destroy_service (discovery, handle_kind::discovery);
}

int discovery_connect (void *discovery, const char *endpoint) noexcept
{
    return with_discovery (discovery, [&] (discovery_object &of) {
        return endpoint == nullptr ? failed (errc::invalid_argument)
                                   : answer (connect_to_registry (*of.in, *of.is, endpoint));
    });
}

int discovery_subscribe (void *discovery, const char *service) noexcept
{
    return with_discovery (
      discovery, [&] (discovery_object &of) { return answer (of.is->watch (of.family, text_of (service))); });
}

int discovery_unsubscribe (void *discovery, const char *service) noexcept
{
    return with_discovery (discovery, [&] (discovery_object &of) {
        return answer (of.is->unwatch (of.family, text_of (service)));
    });
}

int discovery_receivers (void *discovery,
                         const char *service,
                         zlink_receiver_info_t *receivers,
                         std::size_t *count) noexcept
{
    return with_discovery (discovery, [&] (discovery_object &of) {
        if (count == nullptr)
            return failed (errc::bad_address);
        const std::size_t room = receivers == nullptr ? 0 : *count;
        std::size_t found = 0;
        of.is->for_each (of.family, text_of (service),
                         [&] (std::string_view name, std::string_view endpoint, const auto &details) {
                             if (found++ >= room)
                                 return;
                             zlink_receiver_info_t &to = receivers[found - 1];
                             to = {};
                             copy_text (name, to.service_name);
                             copy_text (endpoint, to.endpoint);
                             to.routing_id.size = sizeof details.instance;
                             base::store_u64_be (reinterpret_cast<std::byte *> (to.routing_id.data),
                                                 details.instance);
                             to.weight = details.weight;
                             to.registered_at = details.registered_at_ms;
                         });
        *count = found;
        return 0;
    });
}

int discovery_count (void *discovery, const char *service) noexcept
{
    return with_discovery (discovery, [&] (discovery_object &of) {
        return static_cast<int> (
          std::min<std::size_t> (of.is->count (of.family, text_of (service)), INT_MAX));
    });
}

int discovery_wait (void *discovery, const char *service, std::size_t receivers_min, int timeout_ms) noexcept
{
    return with_discovery (discovery, [&] (discovery_object &of) {
        const base::time_ns deadline =
          timeout_ms < 0 ? base::never_ns : of.in->world.time.now_ns () + timeout_ms * base::ns_per_ms;
        return answer (of.is->wait (of.family, text_of (service), receivers_min, deadline));
    });
}

int discovery_status (void *discovery, const char *service, zlink_discovery_status_t *status) noexcept
{
    return with_discovery (discovery, [&] (discovery_object &of) {
        if (status == nullptr)
            return failed (errc::bad_address);
        const service::watch_facts facts = of.is->facts (of.family, text_of (service));
        *status = {};
        status->registries = static_cast<std::uint32_t> (facts.fresh);
        status->settled = facts.settled ? 1 : 0;
        status->age_ms = facts.age_ns == base::never_ns ? -1 : facts.age_ns / base::ns_per_ms;
        return 0;
    });
}

int discovery_set_handler (void *discovery, zlink_discovery_fn *handler, void *hint) noexcept
{
    return with_discovery (discovery, [&] (discovery_object &of) {
        if (handler == nullptr)
            return answer (of.call (nullptr));
        return answer (of.call ([handler, hint] (const service::service_change &what) {
            const int change = what.kind == service::change_kind::came   ? ZLINK_RECEIVER_CAME
                               : what.kind == service::change_kind::gone ? ZLINK_RECEIVER_GONE
                                                                         : ZLINK_RECEIVER_CHANGED;
            handler (change, what.service.c_str (), what.endpoint.c_str (), hint);
        }));
    });
}

int discovery_set_option (void *discovery, int role, int option, const void *value, std::size_t size) noexcept
{
    return with_discovery (discovery, [&] (discovery_object &of) {
        if (role != ZLINK_DISCOVERY_SOCKET_SUB)
            return failed (errc::invalid_argument);
        return answer (of.is->set_option (option, value, size));
    });
}

}  // namespace zlink::api
