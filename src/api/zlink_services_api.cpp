// The part of zlink's own C ABI that minimal libraries are without: the services of
// zlink.h, in its order.
#define ZLINK_BUILD
#include "zlink/zlink.h"

#include "api/registries.hpp"
#include "api/statistics_servers.hpp"

namespace api = zlink::api;

// --- statistics for others ----------------------------------------------------

void *zlink_statistics_server_new (void *context, const char *endpoint)
{
    return api::statistics_server_new (context, endpoint);
}

int zlink_statistics_server_endpoint (void *server, char *endpoint, size_t *size)
{
    return api::statistics_server_endpoint (server, endpoint, size);
}

int zlink_statistics_server_destroy (void **server_p) { return api::statistics_server_destroy (server_p); }

// --- registries ---------------------------------------------------------------

void *zlink_registry_new (void *context) { return api::registry_new (context); }

int zlink_registry_set_endpoints (void *registry, const char *pub_endpoint, const char *router_endpoint)
{
    return api::registry_set_endpoints (registry, pub_endpoint, router_endpoint);
}

int zlink_registry_set_id (void *registry, uint32_t) { return api::registry_is_there (registry); }

int zlink_registry_add_peer (void *registry, const char *peer_endpoint)
{
    return api::registry_add_other (registry, peer_endpoint);
}

int zlink_registry_set_heartbeat (void *registry, uint32_t interval_ms, uint32_t timeout_ms)
{
    return api::registry_set_heartbeat (registry, interval_ms, timeout_ms);
}

int zlink_registry_set_broadcast_interval (void *registry, uint32_t)
{
    return api::registry_is_there (registry);
}

int zlink_registry_setsockopt (void *registry, int socket_role, int option, const void *value, size_t size)
{
    return api::registry_set_option (registry, socket_role, option, value, size);
}

int zlink_registry_set_store (void *registry, const char *url)
{
    return api::registry_set_store (registry, url);
}

int zlink_registry_set_votes (void *registry, const char *path)
{
    return api::registry_set_votes (registry, path);
}

int zlink_registry_start (void *registry) { return api::registry_start (registry); }

int zlink_registry_bind (void *registry, const char *endpoint)
{
    return api::registry_bind (registry, endpoint);
}

int zlink_registry_endpoint (void *registry, char *endpoint, size_t *size)
{
    return api::registry_endpoint (registry, endpoint, size);
}

int zlink_registry_remove (void *registry,
                           uint16_t service_type,
                           const char *service_name,
                           const char *endpoint)
{
    return api::registry_remove (registry, service_type, service_name, endpoint);
}

int zlink_registry_info (void *registry, zlink_registry_info_t *info)
{
    return api::registry_info (registry, info);
}

int zlink_registry_set_handler (void *registry, zlink_registry_fn *handler, void *hint)
{
    return api::registry_set_handler (registry, handler, hint);
}

int zlink_registry_visit (void *registry, zlink_registry_fn *visitor, void *hint)
{
    return api::registry_visit (registry, visitor, hint);
}

int zlink_registry_remember (void *registry, const zlink_registry_event_t *provider)
{
    return api::registry_remember (registry, provider);
}

int zlink_registry_set_limit (void *registry, int limit, uint64_t value)
{
    return api::registry_set_limit (registry, limit, value);
}

int zlink_registry_destroy (void **registry_p) { return api::registry_destroy (registry_p); }

// --- discoveries --------------------------------------------------------------

void *zlink_discovery_new_typed (void *context, uint16_t service_type)
{
    return api::discovery_new (context, service_type);
}

int zlink_discovery_connect_registry (void *discovery, const char *registry_endpoint)
{
    return api::discovery_connect (discovery, registry_endpoint);
}

int zlink_discovery_subscribe (void *discovery, const char *service_name)
{
    return api::discovery_subscribe (discovery, service_name);
}

int zlink_discovery_unsubscribe (void *discovery, const char *service_name)
{
    return api::discovery_unsubscribe (discovery, service_name);
}

int zlink_discovery_get_receivers (void *discovery,
                                   const char *service_name,
                                   zlink_receiver_info_t *receivers,
                                   size_t *count)
{
    return api::discovery_receivers (discovery, service_name, receivers, count);
}

int zlink_discovery_receiver_count (void *discovery, const char *service_name)
{
    return api::discovery_count (discovery, service_name);
}

int zlink_discovery_service_available (void *discovery, const char *service_name)
{
    const int count = api::discovery_count (discovery, service_name);
    return count > 0 ? 1 : count;
}

int zlink_discovery_wait (void *discovery, const char *service_name, size_t receivers_min, int timeout_ms)
{
    return api::discovery_wait (discovery, service_name, receivers_min, timeout_ms);
}

int zlink_discovery_status (void *discovery, const char *service_name, zlink_discovery_status_t *status)
{
    return api::discovery_status (discovery, service_name, status);
}

int zlink_discovery_set_handler (void *discovery, zlink_discovery_fn *handler, void *hint)
{
    return api::discovery_set_handler (discovery, handler, hint);
}

int zlink_discovery_setsockopt (void *discovery, int socket_role, int option, const void *value, size_t size)
{
    return api::discovery_set_option (discovery, socket_role, option, value, size);
}

int zlink_discovery_destroy (void **discovery_p) { return api::discovery_destroy (discovery_p); }
