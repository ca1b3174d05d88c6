// Gateways and receivers behind handles: checks of C arguments, and errno.
//
// Thread rule: any thread. Blocking: as zlink.h says of each.
#pragma once

#include <cstddef>
#include <cstdint>

#define ZLINK_BUILD
#include "zlink/zlink.h"

namespace zlink::api {

void *gateway_new (void *context, void *discovery, const char *routing_id) noexcept;
int gateway_destroy (void **gateway) noexcept;
int gateway_set_providers (void *gateway,
                           const char *service,
                           const char *const *endpoints,
                           const std::uint32_t *weights,
                           std::size_t count) noexcept;
int gateway_set_strategy (void *gateway, const char *service, int strategy) noexcept;
int gateway_set_option (void *gateway, int option, const void *value, std::size_t size) noexcept;
int gateway_set_tls (void *gateway, const char *authority, const char *host, int trust_system) noexcept;
int gateway_connections (void *gateway, const char *service) noexcept;
int gateway_request (void *gateway,
                     const char *service,
                     zlink_msg_t *parts,
                     std::size_t count,
                     const zlink_request_options_t *options,
                     zlink_reply_t *reply) noexcept;
void reply_close (zlink_reply_t *reply) noexcept;
int gateway_submit (void *gateway,
                    const char *service,
                    zlink_msg_t *parts,
                    std::size_t count,
                    const zlink_request_options_t *options,
                    zlink_reply_fn *handler,
                    void *hint,
                    std::uint64_t *id) noexcept;
int gateway_cancel (void *gateway, std::uint64_t id) noexcept;
// instance: null: to any of them.
int gateway_send (void *gateway,
                  const char *service,
                  const zlink_routing_id_t *instance,
                  zlink_msg_t *parts,
                  std::size_t count,
                  int flags) noexcept;
// Copied.
int gateway_send_buffer (
  void *gateway, const char *service, const void *data, std::size_t size, int flags) noexcept;
int gateway_receive (
  void *gateway, zlink_msg_t **parts, std::size_t *count, int flags, char *service) noexcept;
void *gateway_router (void *gateway) noexcept;

}  // namespace zlink::api
