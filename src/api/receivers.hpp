// Receivers behind handles, and the requests that they hand out: checks of C arguments,
// and errno.
//
// Thread rule: any thread; a request by one at a time. Blocking: as zlink.h says of each.
#pragma once

#include <cstddef>
#include <cstdint>

#define ZLINK_BUILD
#include "zlink/zlink.h"

namespace zlink::api {

void *receiver_new (void *context, const char *routing_id) noexcept;
int receiver_destroy (void **receiver) noexcept;
int receiver_bind (void *receiver, const char *endpoint) noexcept;
int receiver_endpoint (void *receiver, char *endpoint, std::size_t *size) noexcept;
int receiver_connect_registry (void *receiver, const char *endpoint) noexcept;
int receiver_register (void *receiver,
                       const char *service,
                       const char *endpoint,
                       std::uint32_t weight) noexcept;
int receiver_update_weight (void *receiver, const char *service, std::uint32_t weight) noexcept;
int receiver_unregister (void *receiver, const char *service) noexcept;
int receiver_register_result (
  void *receiver, const char *service, int *status, char *endpoint, char *message) noexcept;
int receiver_set_option (void *receiver, int role, int option, const void *value, std::size_t size) noexcept;
int receiver_set_tls (void *receiver, const char *certificate, const char *key) noexcept;
int receiver_receive (void *receiver, zlink_request_t **request, int timeout_ms) noexcept;
int receiver_drain (void *receiver, int timeout_ms) noexcept;
void *receiver_router (void *receiver) noexcept;

const char *request_service (const zlink_request_t *request) noexcept;
zlink_msg_t *request_parts (zlink_request_t *request, std::size_t *count) noexcept;
int request_one_way (const zlink_request_t *request) noexcept;
const char *request_key (const zlink_request_t *request, std::size_t *size) noexcept;
const char *request_traceparent (const zlink_request_t *request) noexcept;
int request_wanted (const zlink_request_t *request) noexcept;
int request_reply (zlink_request_t **request, zlink_msg_t *parts, std::size_t count) noexcept;
int request_fail (zlink_request_t **request,
                  std::uint32_t code,
                  std::uint32_t detail,
                  const char *text) noexcept;
void request_close (zlink_request_t **request) noexcept;

}  // namespace zlink::api
