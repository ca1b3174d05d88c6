// Registries and discoveries behind handles: checks of C arguments, and errno.
//
// Thread rule: any thread. Blocking: discovery_wait, and the end of a handler.
#pragma once

#include <cstddef>
#include <cstdint>

#define ZLINK_BUILD
#include "zlink/zlink.h"

namespace zlink::api {

void *registry_new (void *context) noexcept;
int registry_destroy (void **registry) noexcept;
int registry_set_endpoints (void *registry, const char *first, const char *second) noexcept;
int registry_add_other (void *registry, const char *endpoint) noexcept;
int registry_set_heartbeat (void *registry, std::uint32_t interval_ms, std::uint32_t timeout_ms) noexcept;
int registry_set_option (void *registry, int role, int option, const void *value, std::size_t size) noexcept;
int registry_set_store (void *registry, const char *url) noexcept;
int registry_set_votes (void *registry, const char *path) noexcept;
int registry_start (void *registry) noexcept;
int registry_bind (void *registry, const char *endpoint) noexcept;
int registry_endpoint (void *registry, char *endpoint, std::size_t *size) noexcept;
int registry_remove (void *registry,
                     std::uint16_t family,
                     const char *service,
                     const char *endpoint) noexcept;
int registry_info (void *registry, zlink_registry_info_t *info) noexcept;
int registry_set_handler (void *registry, zlink_registry_fn *handler, void *hint) noexcept;
int registry_visit (void *registry, zlink_registry_fn *visitor, void *hint) noexcept;
int registry_remember (void *registry, const zlink_registry_event_t *provider) noexcept;
int registry_set_limit (void *registry, int limit, std::uint64_t value) noexcept;
// For what changes nothing: 0, or EFAULT.
int registry_is_there (void *registry) noexcept;

void *discovery_new (void *context, std::uint16_t family) noexcept;
int discovery_destroy (void **discovery) noexcept;
int discovery_connect (void *discovery, const char *endpoint) noexcept;
int discovery_subscribe (void *discovery, const char *service) noexcept;
int discovery_unsubscribe (void *discovery, const char *service) noexcept;
int discovery_receivers (void *discovery,
                         const char *service,
                         zlink_receiver_info_t *receivers,
                         std::size_t *count) noexcept;
int discovery_count (void *discovery, const char *service) noexcept;
int discovery_wait (void *discovery, const char *service, std::size_t receivers_min, int timeout_ms) noexcept;
int discovery_status (void *discovery, const char *service, zlink_discovery_status_t *status) noexcept;
int discovery_set_handler (void *discovery, zlink_discovery_fn *handler, void *hint) noexcept;
int discovery_set_option (
  void *discovery, int role, int option, const void *value, std::size_t size) noexcept;

}  // namespace zlink::api
