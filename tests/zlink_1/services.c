/* Registries and discovery. */
#include <string.h>

#include "program.h"

#define BOOKS_PUB "ipc://@zlink_1.registry.pub"
#define BOOKS_ROUTER "ipc://@zlink_1.registry.router"

static void *open_registry (void *context)
{
    void *const registry = zlink_registry_new (context);
    const int mark = 1000;
    expect (registry != NULL, "registry_new");
    expect (zlink_registry_set_endpoints (registry, BOOKS_PUB, BOOKS_ROUTER) == 0, "set_endpoints");
    expect (zlink_registry_set_id (registry, 7) == 0, "set_id");
    expect (zlink_registry_add_peer (registry, "tcp://127.0.0.1:5999") == 0, "add_peer");
    expect (zlink_registry_set_heartbeat (registry, 100, 1000) == 0, "set_heartbeat");
    expect (zlink_registry_set_broadcast_interval (registry, 30000) == 0, "set_broadcast_interval");
    expect (
      zlink_registry_setsockopt (registry, ZLINK_REGISTRY_SOCKET_ROUTER, ZLINK_RCVHWM, &mark, sizeof mark)
        == 0,
      "registry_setsockopt");
    expect (zlink_registry_start (registry) == 0, "start");
    return registry;
}

void look_for_services (void *context)
{
    void *registry = open_registry (context);
    void *discovery = zlink_discovery_new_typed (context, ZLINK_SERVICE_GATEWAY);
    zlink_receiver_info_t all[4];
    size_t count = 4;
    const int interval = 100;
    memset (all, 0, sizeof all);
    expect (discovery != NULL, "discovery_new_typed");
    expect (zlink_discovery_setsockopt (discovery, ZLINK_DISCOVERY_SOCKET_SUB, ZLINK_RECONNECT_IVL, &interval,
                                        sizeof interval)
              == 0,
            "discovery_setsockopt");
    expect (zlink_discovery_connect_registry (discovery, BOOKS_PUB) == 0, "connect_registry");
    expect (zlink_discovery_subscribe (discovery, "svc.a") == 0, "subscribe");
    expect (zlink_discovery_get_receivers (discovery, "svc.a", all, &count) == 0 && count == 0,
            "get_receivers");
    expect (zlink_discovery_receiver_count (discovery, "svc.a") == 0, "receiver_count");
    expect (zlink_discovery_service_available (discovery, "svc.a") == 0, "service_available");
    expect (zlink_discovery_unsubscribe (discovery, "svc.a") == 0, "unsubscribe");
    expect (zlink_discovery_destroy (&discovery) == 0 && discovery == NULL, "discovery_destroy");
    expect (zlink_registry_destroy (&registry) == 0 && registry == NULL, "registry_destroy");
}
